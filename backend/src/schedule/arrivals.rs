//! When requests (or sessions) arrive: an open loop, fixed before the run by a seed.
//!
//! Every process is a sequence of points on an axis on which one arrival is expected per unit;
//! a rate profile maps that axis to time. Two rates of one seed are therefore the same pattern,
//! faster or slower (common random numbers), and nothing is ever renormalised to a span.

use tokencap_shared::definitions::workload::{Arrivals, Piece, Workload};
use tokencap_shared::units::{Nanos, Rate};

use crate::rng::{Purpose, Random};

/// An arrival rate over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Profile {
    /// The same rate for ever.
    Constant(Rate),
    /// Pieces of constant rate, in seconds and arrivals per second, over and over.
    Pattern(Vec<(f64, f64)>),
}

impl Profile {
    /// The profile of a workload at a step's rate.
    #[must_use]
    pub fn of(workload: &Workload, rate: Rate) -> Self {
        if workload.pattern.is_empty() {
            return Self::Constant(rate);
        }
        let seconds = |piece: &Piece| piece.for_ns.0 as f64 / 1e9;
        let weighted = |piece: &Piece| seconds(piece) * piece.weight;
        let whole: f64 = workload.pattern.iter().map(seconds).sum();
        let mean = workload.pattern.iter().map(weighted).sum::<f64>() / whole;
        let rated = |piece: &Piece| (seconds(piece), rate.get() * piece.weight / mean);
        Self::Pattern(workload.pattern.iter().map(rated).collect())
    }

    /// When `expected` arrivals are expected to have come, in seconds from the start: the
    /// inverse of the cumulative rate. `None`: never, since the rate stays 0.
    fn seconds_at(&self, expected: f64) -> Option<f64> {
        match self {
            Self::Constant(rate) => (rate.get() > 0.0).then(|| expected / rate.get()),
            Self::Pattern(pieces) => {
                let whole: f64 = pieces.iter().map(|(seconds, _)| seconds).sum();
                let each: f64 = pieces.iter().map(|(seconds, rate)| seconds * rate).sum();
                if each.is_nan() || each <= 0.0 {
                    return None;
                }
                let rounds = libm::floor(expected / each);
                let (mut left, mut start) = (expected - rounds * each, rounds * whole);
                for &(seconds, rate) in pieces {
                    if rate > 0.0 && left <= seconds * rate {
                        return Some(start + left / rate);
                    }
                    left -= seconds * rate;
                    start += seconds;
                }
                // Rounding may leave a rest behind the last piece.
                Some(start)
            }
        }
    }
}

/// The instants of an arrival process, in ascending order, as time since the schedule's start.
#[derive(Clone, Debug)]
pub struct Schedule {
    process: Arrivals,
    profile: Profile,
    random: Random,
    expected: f64,
}

impl Schedule {
    /// The schedule of a process at a rate profile; the seed fixes every instant bit by bit.
    #[must_use]
    pub fn new(process: Arrivals, profile: Profile, seed: u64) -> Self {
        Self { process, profile, random: Random::new(seed, Purpose::Arrivals, 0), expected: 0.0 }
    }
}

impl Iterator for Schedule {
    type Item = Nanos;

    fn next(&mut self) -> Option<Nanos> {
        self.expected += match self.process {
            Arrivals::Poisson => self.random.exponential(),
            Arrivals::Gamma { burstiness } => self.random.gamma(burstiness),
            Arrivals::Constant => 1.0,
        };
        let seconds = self.profile.seconds_at(self.expected)?;
        Some(Nanos((seconds * 1e9).round() as u64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rate(per_second: f64) -> Rate {
        Rate::new(per_second).unwrap()
    }

    fn schedule(process: Arrivals, per_second: f64, seed: u64) -> Schedule {
        Schedule::new(process, Profile::Constant(rate(per_second)), seed)
    }

    #[test]
    fn a_seed_fixes_every_instant() {
        let first: Vec<u64> = schedule(Arrivals::Poisson, 10.0, 42).take(4).map(|t| t.0).collect();
        assert_eq!(first, [64_558_302, 253_499_494, 323_044_079, 339_855_114]);
    }

    #[test]
    fn twice_the_rate_is_the_same_pattern_in_half_the_time() {
        let slow = schedule(Arrivals::Gamma { burstiness: 0.5 }, 8.0, 5);
        let fast = schedule(Arrivals::Gamma { burstiness: 0.5 }, 16.0, 5);
        for (slow, fast) in slow.zip(fast).take(1000) {
            assert!(slow.0.abs_diff(2 * fast.0) <= 2, "{slow:?} {fast:?}");
        }
    }

    #[test]
    fn counts_vary_as_the_process_says_and_are_not_renormalised() {
        // Index of dispersion of counts over spans of 100 expected arrivals.
        let dispersion = |process: Arrivals| {
            let counts: Vec<f64> = (0..400)
                .map(|seed| {
                    let span = Nanos::from_secs(10);
                    schedule(process, 10.0, seed).take_while(|&t| t < span).count() as f64
                })
                .collect();
            let n = counts.len() as f64;
            let mean = counts.iter().sum::<f64>() / n;
            assert!((mean - 100.0).abs() < 2.5, "{process:?}: {mean}");
            counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / n / mean
        };
        // 400 spans: the relative standard error of a variance is √(2/400) = 7 %.
        assert!((dispersion(Arrivals::Poisson) - 1.0).abs() < 0.25);
        assert!((dispersion(Arrivals::Gamma { burstiness: 0.25 }) - 4.0).abs() < 1.2);
        assert!((dispersion(Arrivals::Gamma { burstiness: 4.0 }) - 0.25).abs() < 0.08);
        assert!(dispersion(Arrivals::Constant) < 1e-3);
    }

    #[test]
    fn spacings_are_exponential() {
        // Kolmogorov–Smirnov against 1 − e^−x; 1.95/√n is the 99.9 % limit.
        let mut gaps: Vec<f64> = Vec::new();
        let mut last = 0;
        for t in schedule(Arrivals::Poisson, 1.0, 11).take(10_000) {
            gaps.push((t.0 - last) as f64 / 1e9);
            last = t.0;
        }
        gaps.sort_by(f64::total_cmp);
        let n = gaps.len() as f64;
        let distance = gaps
            .iter()
            .enumerate()
            .map(|(i, gap)| {
                let cdf = 1.0 - (-gap).exp();
                (cdf - i as f64 / n).abs().max((cdf - (i + 1) as f64 / n).abs())
            })
            .fold(0.0, f64::max);
        assert!(distance < 1.95 / n.sqrt(), "{distance}");
    }

    #[test]
    fn a_pattern_gives_each_piece_its_count_over_and_over_and_keeps_the_mean_rate() {
        let mut workload: Workload = toml::from_str(
            "name = \"p\"\nshape = { kind = \"mix\", classes = [] }\n\
             pattern = [{ for_ns = 10_000_000_000, weight = 2 }, \
             { for_ns = 10_000_000_000, weight = 0 }, { for_ns = 20_000_000_000, weight = 1 }]",
        )
        .unwrap();
        let profile = Profile::of(&workload, rate(2.0));
        assert_eq!(profile, Profile::Pattern(vec![(10.0, 4.0), (10.0, 0.0), (20.0, 2.0)]));
        let times: Vec<Nanos> = Schedule::new(Arrivals::Constant, profile, 0).take(160).collect();
        let within = |from: u64, to: u64| {
            let span = Nanos::from_secs(from)..Nanos::from_secs(to);
            times.iter().filter(|t| span.contains(t)).count()
        };
        // Arrivals come at the ends of their intervals: one stands exactly at each border.
        assert_eq!((within(0, 10), within(10, 20), within(20, 40)), (39, 1, 39));
        assert_eq!((within(40, 50), within(50, 60), within(60, 80)), (40, 1, 39));
        assert_eq!(*times.last().unwrap(), Nanos::from_secs(80));
        workload.pattern.clear();
        assert_eq!(Profile::of(&workload, rate(2.0)), Profile::Constant(rate(2.0)));
    }

    #[test]
    fn a_rate_that_stays_zero_ends_the_schedule() {
        assert_eq!(schedule(Arrivals::Poisson, 0.0, 1).next(), None);
        let silent = Profile::Pattern(vec![(1.0, 0.0)]);
        assert_eq!(Schedule::new(Arrivals::Constant, silent, 0).next(), None);
    }

    proptest! {
        #[test]
        fn instants_never_go_back(seed: u64, per_second in 0.01..1e5_f64, burstiness in 0.05..20.0_f64) {
            let times: Vec<Nanos> =
                schedule(Arrivals::Gamma { burstiness }, per_second, seed).take(200).collect();
            prop_assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
        }
    }
}
