//! Scales and their ticks, at round numbers.

use serde::Serialize;

use super::AxisPlan;
use crate::present::format;

/// How values become distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// Equal differences, equal distances.
    Linear,
    /// Equal ratios, equal distances; for positive values only.
    Log,
}

/// A mark of an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tick {
    /// Where, in pixels along the axis's direction on the page.
    pub at: f64,
    /// Its number.
    pub text: String,
}

/// An axis in pixels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What it is.
    pub label: String,
    /// In what unit.
    pub unit: String,
    /// Round numbers within its range, ascending.
    pub ticks: Vec<Tick>,
}

/// The values an axis spans, and its round numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    scaling: Scaling,
    from: f64,
    to: f64,
    marks: Vec<f64>,
    decimals: usize,
}

impl Domain {
    /// A domain that holds the plan's fixed ends and the data, widened to round numbers where
    /// the plan fixes nothing, with about `wanted` ticks. Data that the scale cannot show
    /// (not finite; not positive on a logarithmic scale) does not count. Without data it is
    /// 0 to 1, or 1 to 10.
    #[must_use]
    pub fn of(plan: &AxisPlan, data: impl IntoIterator<Item = f64>, wanted: usize) -> Self {
        let shows =
            |value: &f64| value.is_finite() && (plan.scaling == Scaling::Linear || *value > 0.0);
        let (least, most) = data
            .into_iter()
            .filter(shows)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
                (least.min(value), most.max(value))
            });
        let fixed_from = plan.from.filter(shows);
        let fixed_to = plan.to.filter(shows);
        let empty = match plan.scaling {
            Scaling::Linear => (0.0, 1.0),
            Scaling::Log => (1.0, 10.0),
        };
        let (least, most) = if least > most { empty } else { (least, most) };
        let from = fixed_from.unwrap_or(least);
        let to = fixed_to.unwrap_or(most);
        let (from, to) = apart(plan.scaling, from, to, fixed_from.is_some());
        let wanted = wanted.max(2);
        match plan.scaling {
            Scaling::Linear => {
                Self::linear(from, to, fixed_from.is_some(), fixed_to.is_some(), wanted)
            }
            Scaling::Log => Self::log(from, to, wanted),
        }
    }

    fn linear(from: f64, to: f64, keep_from: bool, keep_to: bool, wanted: usize) -> Self {
        let step = round_step((to - from) / wanted as f64);
        let first = (from / step + 1e-9).floor();
        let last = (to / step - 1e-9).ceil();
        let from = if keep_from { from } else { first * step };
        let to = if keep_to { to } else { last * step };
        // Multiples of the step, so that no rounding error adds up.
        let marks = (0..=(last - first) as usize)
            .map(|at| (first + at as f64) * step)
            .filter(|mark| *mark >= from - step * 1e-9 && *mark <= to + step * 1e-9)
            .collect();
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        Self { scaling: Scaling::Linear, from, to, marks, decimals }
    }

    fn log(from: f64, to: f64, wanted: usize) -> Self {
        let (low, high) = (from.log10().floor() as i32, to.log10().ceil() as i32);
        let decades = f64::from(high - low);
        // Few decades get ticks between the powers of ten; many leave some powers out.
        let factors: &[f64] = if (to / from).log10() < 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (decades / wanted as f64).ceil().max(1.0) as i32;
        let every = if factors.len() > 1 { 1 } else { every };
        let all: Vec<f64> = (low..=high)
            .filter(|power| (power - low) % every == 0)
            .flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)))
            .collect();
        let start = all.iter().copied().rev().find(|mark| *mark <= from * 1.000_001);
        let end = all.iter().copied().find(|mark| *mark >= to * 0.999_999);
        let (from, to) = (start.unwrap_or(from), end.unwrap_or(to));
        let inside = |mark: &f64| *mark >= from * 0.999_999 && *mark <= to * 1.000_001;
        let marks = all.into_iter().filter(inside).collect();
        let decimals = (-from.log10().floor()).max(0.0) as usize;
        Self { scaling: Scaling::Log, from, to, marks, decimals }
    }

    /// Where a value lies between the ends: 0 to 1, or outside of that where the value is
    /// outside. `None` for what the scale cannot show.
    #[must_use]
    pub fn part(&self, value: f64) -> Option<f64> {
        match self.scaling {
            Scaling::Linear => Some((value - self.from) / (self.to - self.from)),
            Scaling::Log if value > 0.0 => {
                Some((value / self.from).ln() / (self.to / self.from).ln())
            }
            Scaling::Log => None,
        }
        .filter(|part| part.is_finite())
    }

    /// The upper end.
    #[must_use]
    pub const fn to(&self) -> f64 {
        self.to
    }

    /// The ticks between two pixels.
    #[must_use]
    pub fn ticks(&self, start: f64, end: f64) -> Vec<Tick> {
        let place = |mark: &f64| Some(start + self.part(*mark)? * (end - start));
        let ticks = self
            .marks
            .iter()
            .filter_map(|mark| Some(Tick { at: place(mark)?, text: self.text(*mark) }));
        ticks.collect()
    }

    /// A tick's number: all of one axis with the same decimals, except on a logarithmic one,
    /// whose small numbers need more than its large ones.
    fn text(&self, mark: f64) -> String {
        match self.scaling {
            Scaling::Linear => format::fixed(mark, self.decimals),
            Scaling::Log => {
                let decimals = (-mark.log10() - 1e-9).floor().max(-1.0) + 1.0;
                format::fixed(mark, decimals as usize)
            }
        }
    }
}

/// Ends that do not coincide.
fn apart(scaling: Scaling, from: f64, to: f64, keep_from: bool) -> (f64, f64) {
    if to > from {
        return (from, to);
    }
    match scaling {
        Scaling::Log => (to / 2.0, from * 2.0),
        Scaling::Linear => {
            let around = if from == 0.0 { 1.0 } else { from.abs() / 2.0 };
            if keep_from { (from, from + around) } else { (to - around, from + around) }
        }
    }
}

/// The next of 1, 2, 5, 10, 20… that is not below.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = least / power;
    let round = [1.0, 2.0, 5.0].into_iter().find(|round| factor <= round * (1.0 + 1e-9));
    round.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(plan: &AxisPlan, data: &[f64]) -> Vec<String> {
        let domain = Domain::of(plan, data.iter().copied(), 5);
        domain.ticks(0.0, 100.0).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_round_numbers_around_the_data() {
        let zero = AxisPlan::from_zero("", "");
        let around = AxisPlan::around("", "");
        let log = AxisPlan::log("", "");
        assert_eq!(texts(&zero, &[3.0, 9.7]), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(&zero, &[8_123.0]), ["0", "2,000", "4,000", "6,000", "8,000", "10,000"]);
        assert_eq!(texts(&around, &[0.91, 0.99]), ["0.90", "0.92", "0.94", "0.96", "0.98", "1.00"]);
        assert_eq!(texts(&log, &[12.0, 800.0]), ["10", "20", "50", "100", "200", "500", "1,000"]);
        assert_eq!(texts(&log, &[0.02, 3.0]), ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5"]);
        assert_eq!(texts(&log, &[1.0, 9e5]), ["1", "100", "10,000", "1,000,000"]);
    }

    #[test]
    fn fixed_ends_stay() {
        let percent = AxisPlan::around("", "%").up_to(100.0);
        assert_eq!(texts(&percent, &[93.0, 100.0]), ["92", "94", "96", "98", "100"]);
    }

    #[test]
    fn no_data_one_value_and_impossible_values_still_make_an_axis() {
        for plan in [AxisPlan::from_zero("", ""), AxisPlan::around("", ""), AxisPlan::log("", "")] {
            for data in [&[][..], &[0.0], &[7.0, 7.0], &[-3.0], &[f64::NAN, f64::INFINITY]] {
                let domain = Domain::of(&plan, data.iter().copied(), 5);
                let ticks = domain.ticks(0.0, 100.0);
                assert!(ticks.len() >= 2, "{plan:?} {data:?}: {ticks:?}");
                assert!(ticks.iter().all(|tick| tick.at.is_finite()));
            }
        }
        let log = Domain::of(&AxisPlan::log("", ""), [1.0, 10.0], 5);
        assert_eq!(log.part(0.0), None);
        assert_eq!(log.part(f64::NAN), None);
    }

    proptest! {
        #[test]
        fn ticks_rise_are_few_and_span_the_data(
            from in -1e6_f64..1e6, width in 1e-3_f64..1e6, wanted in 2_usize..10
        ) {
            let data = [from, from + width];
            let domain = Domain::of(&AxisPlan::around("", ""), data, wanted);
            let ticks = domain.ticks(0.0, 100.0);
            prop_assert!(ticks.len() >= 2 && ticks.len() <= wanted + 3, "{:?}", ticks);
            prop_assert!(ticks.windows(2).all(|pair| pair[1].at > pair[0].at));
            for value in data {
                let part = domain.part(value).unwrap();
                prop_assert!((-1e-6..=1.0 + 1e-6).contains(&part));
            }
        }

        #[test]
        fn logarithmic_ticks_rise_and_span_the_data(
            from in 1e-3_f64..1e6, ratio in 1.01_f64..1e6
        ) {
            let data = [from, from * ratio];
            let domain = Domain::of(&AxisPlan::log("", ""), data, 6);
            let ticks = domain.ticks(0.0, 100.0);
            prop_assert!(ticks.len() >= 2 && ticks.len() <= 12, "{:?}", ticks);
            prop_assert!(ticks.windows(2).all(|pair| pair[1].at > pair[0].at));
            for value in data {
                let part = domain.part(value).unwrap();
                prop_assert!((-1e-4..=1.0001).contains(&part), "{part} {ticks:?}");
            }
        }
    }
}
