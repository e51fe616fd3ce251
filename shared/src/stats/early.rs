//! Stopping early: only a fail may come early. A wrong early fail costs time, a wrong early
//! pass would cost the promise.

use super::dependence::EPISODE;
use crate::definitions::promise::Target;
use crate::units::{Moment, Nanos};

/// Wald's sequential test of a share of bad values: half the allowed share against twice it,
/// each error 5 %. It may fail a step early, never pass it.
#[derive(Clone, Debug)]
pub struct EarlyFail {
    /// What a bad and a good value add to the log-likelihood ratio.
    bad: f64,
    good: f64,
    ratio: f64,
    first: Option<Moment>,
    last: Moment,
    last_bad: Option<Moment>,
    episodes: u64,
}

/// ln((1 − β)/α) with α = β = 5 %.
const THRESHOLD: f64 = 2.944_438_979_166_440_3;
/// A burst at the start is no evidence.
const LEAST_TIME: Nanos = Nanos::from_secs(60);
/// Nor is a single burst.
const LEAST_EPISODES: u64 = 3;

impl EarlyFail {
    /// A test of a promise whose target allows some bad values; `None` for a target of all.
    #[must_use]
    pub fn of(target: Target) -> Option<Self> {
        let allowed = 1.0 - target.share();
        let (low, high) = (0.5 * allowed, (2.0 * allowed).min(0.999));
        if low <= 0.0 || high <= low {
            return None;
        }
        Some(Self {
            bad: libm::log(high / low),
            good: libm::log((1.0 - high) / (1.0 - low)),
            ratio: 0.0,
            first: None,
            last: Moment(0),
            last_bad: None,
            episodes: 0,
        })
    }

    /// One more value, in the order of time.
    pub fn observe(&mut self, time: Moment, bad: bool) {
        self.first.get_or_insert(time);
        self.last = time;
        self.ratio += if bad { self.bad } else { self.good };
        if bad {
            let joins = self.last_bad.is_some_and(|last| time.since(last) <= EPISODE);
            self.episodes += u64::from(!joins);
            self.last_bad = Some(time);
        }
    }

    /// Whether the step may be given up: the test says so, after at least 60 s and three
    /// episodes of bad values.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.ratio >= THRESHOLD
            && self.episodes >= LEAST_EPISODES
            && self.first.is_some_and(|first| self.last.since(first) >= LEAST_TIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values until failure, one bad in `every`, `apart` apart; `None` if never in 100,000.
    fn until_failed(every: u64, apart: Nanos) -> Option<u64> {
        let mut test = EarlyFail::of(Target::P99).expect("0.99 allows some");
        (1..100_000).find(|&i| {
            test.observe(Moment(i * apart.0), i % every == 0);
            test.failed()
        })
    }

    #[test]
    fn a_bad_step_fails_early_and_a_good_one_never() {
        // 5 % bad: about 65 values decide, but not before 60 s and three episodes.
        let slow = until_failed(20, Nanos::from_secs(1)).expect("fails");
        assert!((60..=100).contains(&slow), "{slow}");
        assert_eq!(until_failed(200, Nanos::from_secs(1)), None);
        assert_eq!(until_failed(2000, Nanos::from_millis(10)), None);
    }

    #[test]
    fn one_burst_is_no_evidence() {
        let mut test = EarlyFail::of(Target::P99).expect("0.99 allows some");
        for i in 0..200 {
            test.observe(Moment(Nanos::from_secs(i).0), i < 20);
        }
        assert!(!test.failed());
        assert_eq!(EarlyFail::of(Target::new(1, 1).expect("all")).map(|_| ()), None);
    }
}
