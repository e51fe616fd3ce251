//! What a customer needs, as it is typed, as it stands in the address, and as it is sized.

use super::{Demand, Need, Sizing};
use crate::definitions::judge::StepJudgement;
use crate::units::{Ratio, Share};

/// A question about the customer's need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// People who use the service.
    People,
    /// Tasks that each of them does a day.
    TasksEach,
    /// Requests of a task, one after the other.
    Steps,
    /// Hours into which a day's work falls: 24 divided by them is peak over mean.
    BusyHours,
    /// Mean prompt tokens of a request.
    MeanIsl,
    /// The longest prompt.
    MaxIsl,
    /// Mean output tokens of a request.
    MeanOsl,
    /// Share of prompt tokens that the prefix cache holds, in %.
    HitRate,
    /// Growth until the quote's horizon, in %.
    Growth,
    /// Part of λ_slo_max at which a unit is planned to run at most, in %.
    Ceiling,
    /// Units that may fail.
    Spare,
}

/// From where to where an answer may go, and how its slider moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// Steps of the typed figure.
    pub step: f64,
    /// Equal ratios for equal ways of the slider, instead of equal differences.
    pub log: bool,
}

impl Field {
    /// Every question, in the order of the page.
    pub const ALL: [Self; 11] = [
        Self::People,
        Self::TasksEach,
        Self::Steps,
        Self::BusyHours,
        Self::MeanIsl,
        Self::MaxIsl,
        Self::MeanOsl,
        Self::HitRate,
        Self::Growth,
        Self::Ceiling,
        Self::Spare,
    ];

    /// Its name in the address.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::People => "people",
            Self::TasksEach => "tasks",
            Self::Steps => "steps",
            Self::BusyHours => "hours",
            Self::MeanIsl => "isl",
            Self::MaxIsl => "isl_max",
            Self::MeanOsl => "osl",
            Self::HitRate => "hit",
            Self::Growth => "growth",
            Self::Ceiling => "ceiling",
            Self::Spare => "spare",
        }
    }

    /// What may be answered.
    #[must_use]
    pub const fn range(self) -> Range {
        let (min, max, step, log) = match self {
            Self::People => (1.0, 1e6, 1.0, true),
            Self::TasksEach => (0.1, 1e3, 0.1, true),
            Self::Steps => (1.0, 200.0, 1.0, false),
            Self::BusyHours => (1.0, 24.0, 0.5, false),
            Self::MeanIsl | Self::MaxIsl => (1.0, 1e6, 1.0, true),
            Self::MeanOsl => (1.0, 1e5, 1.0, true),
            Self::HitRate => (0.0, 100.0, 0.1, false),
            Self::Growth => (0.0, 500.0, 5.0, false),
            Self::Ceiling => (5.0, 100.0, 1.0, false),
            Self::Spare => (0.0, 8.0, 1.0, false),
        };
        Range { min, max, step, log }
    }

    /// What is assumed until somebody answers: what was measured, where that tells.
    #[must_use]
    pub fn assumed(self, measured: Option<&StepJudgement>) -> f64 {
        match self {
            Self::People => 200.0,
            Self::TasksEach => 20.0,
            Self::Steps => measured
                .and_then(|step| step.chain.value())
                .map_or(1.0, |chain| f64::from(chain.steps)),
            Self::BusyHours => 10.0,
            Self::MeanIsl => measured.map_or(2000.0, |step| {
                (step.input.offered as f64 / step.counts.members.max(1) as f64).floor().max(1.0)
            }),
            Self::MaxIsl => 2.0 * Self::MeanIsl.assumed(measured),
            Self::MeanOsl => measured
                .and_then(|step| step.flow.mean_osl.value())
                .map_or(200.0, |osl| osl.get().floor().max(1.0)),
            Self::HitRate => measured
                .and_then(|step| step.input.hit_rate.value())
                .map_or(0.0, |rate| (rate.get() * 1000.0).floor() / 10.0),
            Self::Growth => 0.0,
            Self::Ceiling => 80.0,
            Self::Spare => 1.0,
        }
    }
}

impl Range {
    /// Where a slider of a thousand notches stands for a value.
    #[must_use]
    pub fn notch(self, value: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        let part = if self.log {
            (value / self.min).ln() / (self.max / self.min).ln()
        } else {
            (value - self.min) / (self.max - self.min)
        };
        (part * 1000.0).round()
    }

    /// The value of a notch, in steps of the field and with no more digits than a slider can mean.
    #[must_use]
    pub fn value(self, notch: f64) -> f64 {
        let part = (notch / 1000.0).clamp(0.0, 1.0);
        let exact = if self.log {
            self.min * (self.max / self.min).powf(part)
        } else {
            self.min + part * (self.max - self.min)
        };
        let grain = if self.log { 10_f64.powf(exact.log10().floor() - 1.0) } else { self.step };
        let grain = grain.max(self.step);
        // Dividing by a whole number rounds once: 0.1 × 3 would print a tail.
        let value = match grain < 1.0 {
            true => (exact / grain).round() / (1.0 / grain).round(),
            false => (exact / grain).round() * grain,
        };
        value.clamp(self.min, self.max)
    }

    /// A typed figure, if it may be answered.
    #[must_use]
    pub fn parse(self, typed: &str) -> Option<f64> {
        let value = typed.trim().parse::<f64>().ok()?;
        (self.min..=self.max).contains(&value).then_some(value)
    }
}

/// The answers given so far, and until when the quote shall hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    given: [Option<f64>; Field::ALL.len()],
    /// A day, YYYY-MM-DD.
    pub until: Option<String>,
}

impl Answers {
    /// The answers in an address, by whose parameter each is got; what cannot be read is not
    /// answered.
    #[must_use]
    pub fn parse<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Self {
        let given =
            Field::ALL.map(|field| get(field.key()).and_then(|typed| field.range().parse(typed)));
        Self { given, until: get("until").map(str::to_owned) }
    }

    /// The answers for an address, after `?`.
    #[must_use]
    pub fn query(&self) -> String {
        let given = Field::ALL
            .into_iter()
            .filter_map(|field| Some(format!("{}={}", field.key(), self.get(field)?)));
        let until = self.until.iter().map(|day| format!("until={day}"));
        given.chain(until).collect::<Vec<_>>().join("&")
    }

    /// An answer, if one was given.
    #[must_use]
    pub const fn get(&self, field: Field) -> Option<f64> {
        self.given[field as usize]
    }

    /// Answers a question.
    pub const fn set(&mut self, field: Field, value: f64) {
        self.given[field as usize] = Some(value);
    }

    /// The need, with what is assumed where nothing was answered. `None` where a figure is outside
    /// of what it may be, which fields do not let through.
    #[must_use]
    pub fn need(&self, measured: Option<&StepJudgement>, until: &str) -> Option<Need> {
        let answer = |field: Field| self.get(field).unwrap_or_else(|| field.assumed(measured));
        let share = |field| Share::new(answer(field) / 100.0).ok();
        let ratio = |value: f64| Ratio::new(value).ok();
        Some(Need {
            sizing: Sizing {
                demand: Demand::TasksPerDay {
                    tasks: ratio(answer(Field::People) * answer(Field::TasksEach))?,
                    peak_to_mean: ratio(24.0 / answer(Field::BusyHours))?,
                },
                steps_per_task: answer(Field::Steps) as u32,
                growth: ratio(answer(Field::Growth) / 100.0)?,
                utilisation_ceiling: share(Field::Ceiling)?,
                spare_units: answer(Field::Spare) as u32,
            },
            mean_isl: ratio(answer(Field::MeanIsl))?,
            max_isl: answer(Field::MaxIsl) as u32,
            mean_osl: ratio(answer(Field::MeanOsl))?,
            hit_rate: share(Field::HitRate)?,
            valid_until: self.until.clone().unwrap_or_else(|| until.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &str) -> Answers {
        let pairs: Vec<(&str, &str)> =
            query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        Answers::parse(|key| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| *value))
    }

    #[test]
    fn answers_go_into_an_address_and_come_back() {
        let mut answers = Answers::default();
        for (at, field) in Field::ALL.into_iter().enumerate() {
            answers.set(field, field.range().value(90.0 * at as f64));
        }
        answers.until = Some("2026-12-31".to_owned());
        assert_eq!(of(&answers.query()), answers);
    }

    #[test]
    fn what_cannot_be_an_answer_is_none() {
        let wrong = "people=-5&hours=0&hit=101&steps=x&osl=NaN&isl=inf";
        assert_eq!(of(wrong), Answers::default());
    }

    #[test]
    fn a_slider_reaches_every_end_and_stays_near_its_value() {
        for field in Field::ALL {
            let range = field.range();
            assert_eq!(range.value(0.0), range.min, "{field:?}");
            assert_eq!(range.value(1000.0), range.max, "{field:?}");
            for notch in (0..=1000).step_by(25) {
                let value = range.value(f64::from(notch));
                assert!((range.min..=range.max).contains(&value), "{field:?} {value}");
                let grain = if range.log { value * 0.06 + range.step } else { range.step };
                let again = range.value(range.notch(value));
                assert!((again - value).abs() <= grain, "{field:?} {value} {again}");
            }
        }
    }

    #[test]
    fn the_working_day_gives_the_peak() {
        let mut answers = Answers::default();
        answers.set(Field::BusyHours, 10.0);
        answers.set(Field::People, 100.0);
        answers.set(Field::TasksEach, 8.5);
        let need = answers.need(None, "2026-12-31").unwrap();
        let Demand::TasksPerDay { tasks, peak_to_mean } = need.sizing.demand else { panic!() };
        assert_eq!((tasks.get(), peak_to_mean.get()), (850.0, 2.4));
    }
}
