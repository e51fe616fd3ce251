//! How much evidence dependent values carry: variance inflation, and episodes of violations.
//!
//! Violations of one run come in bursts, because a queue that has built up delays everyone in
//! it. Their share therefore varies far more from run to run than that of independent values:
//! by the variance inflation factor (VIF), which divides the number of values.
//!
//! The estimate is by batch means, with three guards, because a run that is lucky has few
//! violations *and* small ones: the inflation of its violations alone is an underestimate, and
//! false proofs come of it.
//!
//! 1. The inflation of the slowest tenth and of the slowest hundredth of the same run, which
//!    exist whether or not a limit was broken, is a floor.
//! 2. Each estimate is made with all batches and with half as many, and the greater one taken:
//!    batches too short to be independent show in the difference.
//! 3. The estimate has few degrees of freedom; their price is (t/z)², after Korn and Graubard.
//!    Batches are long against a request and against a session, so a short window has few
//!    batches, and pays for it here.
//!
//! What that is worth, in simulated M/M/16 queues whose wait has its true P99 at the limit, and
//! with independent indicators: how often a run is `held`. `make coverage` measures this and
//! more; these figures are its, of 2026-11-30, definitions version 1, 10,000 runs a line (a
//! standard error of 0.2 points at 5 %), the last three lines 1,000 runs (0.7 points).
//!
//! | utilisation at the limit | rate | true share | requests | as if independent | 20 batches | here |
//! |---|---|---|---|---|---|---|
//! | (independent) | 1.00 | 99.00 % | 3,000 | 3.4 % | 2.7 % | 1.7 % |
//! | (independent) | 1.00 | 99.00 % | 36,000 | 4.2 % | 3.2 % | 2.1 % |
//! | 0.7 | 1.00 | 99.00 % | 3,000 | 50.2 % | 2.7 % | 1.0 % |
//! | 0.8 | 1.00 | 99.00 % | 3,000 | 62.0 % | 0.2 % | 0.0 % |
//! | 0.9 | 1.00 | 99.00 % | 3,000 | 82.4 % | 0.0 % | 0.0 % |
//! | 0.7 | 1.00 | 99.00 % | 36,000 | 42.1 % | 6.3 % | 4.0 % |
//! | 0.8 | 1.00 | 99.00 % | 36,000 | 48.2 % | 6.3 % | 3.9 % |
//! | 0.9 | 1.00 | 99.00 % | 36,000 | 58.1 % | 3.9 % | 1.7 % |
//! | 0.7 | 0.95 | 99.48 % | 36,000 | 96.8 % | 61.5 % | 51.5 % |
//! | 0.8 | 0.95 | 99.63 % | 36,000 | 97.2 % | 60.0 % | 48.1 % |
//! | 0.9 | 0.95 | 99.88 % | 36,000 | 98.1 % | 51.8 % | 30.0 % |
//! | 0.7 | 0.90 | 99.74 % | 36,000 | 100 % | 96.3 % | 92.9 % |
//! | 0.8 | 0.90 | 99.87 % | 36,000 | 100 % | 93.7 % | 87.6 % |
//! | 0.9 | 0.90 | 99.99 % | 36,000 | 100 % | 95.1 % | 76.2 % |
//!
//! The lines of rate 1.00 are false proofs, which may be 5 %. The others are what they cost: at
//! nine tenths of the true limit's rate a run proves it a little less often than by 20 batches
//! alone, and near 0.9 utilisation needs to be longer.

use super::rank::percentiles;
use super::student::price_of_estimation;
use crate::units::{Moment, Nanos, Share};

/// Equal parts of a window in which values are counted.
pub(crate) const SLOTS: usize = 400;

/// Batches of the variance estimate, at most.
const MOST_BATCHES: usize = 20;

/// A batch is at least this many times as long as a mean request.
const REQUESTS_A_BATCH: u64 = 10;

/// Violations closer than this belong to one episode.
pub(crate) const EPISODE: Nanos = Nanos::from_secs(10);

/// Equal time slots of a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    w0: u64,
    length: u64,
}

impl Slots {
    /// The slots of [w0, w1).
    pub(crate) const fn of(w0: Moment, w1: Moment) -> Self {
        Self { w0: w0.0, length: w1.since(w0).0 }
    }

    /// The slot of an instant of the window.
    pub(crate) fn at(self, time: Moment) -> usize {
        let offset = time.0.saturating_sub(self.w0);
        let length = self.length.max(1);
        // In 64 bits, which is several times quicker, for all windows but those of a year.
        let slot = match offset.checked_mul(SLOTS as u64) {
            Some(product) => product / length,
            None => (u128::from(offset) * SLOTS as u128 / u128::from(length)) as u64,
        };
        slot.min(SLOTS as u64 - 1) as usize
    }
}

/// Batches of equal time for an estimate of variance, and what their number costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batches {
    count: usize,
    price: f64,
}

impl Batches {
    /// As many batches as a window holds, at most 20 and at least 2: each ten mean requests
    /// long, and a mean session where there are sessions.
    pub(crate) fn of(
        window: Nanos,
        mean_request: Nanos,
        mean_session: Option<Nanos>,
        confidence: Share,
    ) -> Self {
        let least = mean_request.0.saturating_mul(REQUESTS_A_BATCH);
        let least = least.max(mean_session.unwrap_or_default().0).max(1);
        let fit = usize::try_from(window.0 / least).unwrap_or(MOST_BATCHES);
        let count = fit.clamp(2, MOST_BATCHES);
        let freedom = count as f64 - 1.0;
        Self { count, price: price_of_estimation(confidence.get(), freedom) }
    }
}

/// Values and bad values by time slot, with the episodes of bad ones.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    n: Box<[u32; SLOTS]>,
    bad: Box<[u32; SLOTS]>,
    last_bad: Option<Moment>,
    episodes: u64,
}

impl Series {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        let none = || Box::new([0; SLOTS]);
        Self { n: none(), bad: none(), last_bad: None, episodes: 0 }
    }

    /// Counts one value; times must ascend.
    pub(crate) fn count(&mut self, slot: usize, time: Moment, bad: bool) {
        // No memory holds more than 2^32 requests, so that nothing is lost here.
        self.n[slot] = self.n[slot].wrapping_add(1);
        if bad {
            self.bad[slot] = self.bad[slot].wrapping_add(1);
            self.episode(time);
        }
    }

    /// Counts `bad` among `n` values of one instant.
    pub(crate) fn count_many(&mut self, slot: usize, time: Moment, n: u32, bad: u32) {
        self.n[slot] = self.n[slot].saturating_add(n);
        if bad > 0 {
            self.bad[slot] = self.bad[slot].saturating_add(bad);
            self.episode(time);
        }
    }

    /// Something bad at an instant: of the last episode, or of a new one.
    fn episode(&mut self, time: Moment) {
        let joins = self.last_bad.is_some_and(|last| time.since(last) <= EPISODE);
        self.episodes += u64::from(!joins);
        self.last_bad = Some(time);
    }

    /// Values in all.
    pub(crate) fn n(&self) -> u64 {
        self.n.iter().map(|&n| u64::from(n)).sum()
    }

    /// Bad values in all.
    pub(crate) fn bad(&self) -> u64 {
        self.bad.iter().map(|&n| u64::from(n)).sum()
    }

    /// Clusters of bad values separated by more than 10 s.
    pub(crate) const fn episodes(&self) -> u64 {
        self.episodes
    }

    /// Adds another series of the same slots (episodes are not added: they may overlap).
    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.n.iter_mut().zip(other.n.iter()) {
            *mine = mine.saturating_add(*theirs);
        }
        for (mine, theirs) in self.bad.iter_mut().zip(other.bad.iter()) {
            *mine = mine.saturating_add(*theirs);
        }
    }

    /// Variance of the bad share over that of independent values: the greater of the estimates
    /// by all batches and by half as many, at least 1; times the price of estimating it.
    pub(crate) fn inflation(&self, batches: Batches) -> f64 {
        let halves = (batches.count / 2).max(2);
        self.by_batches(batches.count).max(self.by_batches(halves)).max(1.0) * batches.price
    }

    /// The ratio estimator over so many batches of equal time; 1 where nothing varies.
    fn by_batches(&self, count: usize) -> f64 {
        let (n, bad) = (self.n() as f64, self.bad() as f64);
        if bad == 0.0 || bad >= n {
            return 1.0;
        }
        let p = bad / n;
        let squares: f64 = (0..count)
            .map(|batch| {
                let slots = batch * SLOTS / count..(batch + 1) * SLOTS / count;
                let sum = |part: &[u32]| part.iter().map(|&x| f64::from(x)).sum::<f64>();
                let difference = sum(&self.bad[slots.clone()]) - p * sum(&self.n[slots]);
                difference * difference
            })
            .sum();
        let k = count as f64;
        let variance = k / (k - 1.0) * squares / (n * n);
        variance / (p * (1.0 - p) / n)
    }
}

/// Values of one quantity in the order of sending, as keys that sort like them, with the slots
/// they fell into.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pub(crate) keys: Vec<u64>,
    slots: Vec<u16>,
}

impl Values {
    /// None yet, with room for some.
    pub(crate) fn with_capacity(room: usize) -> Self {
        Self { keys: Vec::with_capacity(room), slots: Vec::with_capacity(room) }
    }

    /// One more value.
    pub(crate) fn push(&mut self, slot: usize, key: u64) {
        self.keys.push(key);
        self.slots.push(slot as u16);
    }

    /// Each value with the slot it fell into.
    pub(crate) fn by_slot(&self) -> impl Iterator<Item = (usize, u64)> {
        self.slots.iter().map(|&slot| usize::from(slot)).zip(self.keys.iter().copied())
    }

    /// The percentiles, and which values are among the slowest tenth and which among the slowest
    /// hundredth: what clusters even where no limit was broken. (The tails have no episodes.)
    pub(crate) fn ranked(&self) -> (Vec<u64>, [Series; 2]) {
        let found = percentiles(&mut self.keys.clone());
        let (mut tenth, mut hundredth) = (Series::new(), Series::new());
        if let [_, p90, _, p99, _] = found[..] {
            for (slot, key) in self.by_slot() {
                tenth.n[slot] += 1;
                tenth.bad[slot] += u32::from(key > p90);
                hundredth.bad[slot] += u32::from(key > p99);
            }
            hundredth.n.clone_from(&tenth.n);
        }
        (found, [tenth, hundredth])
    }
}

/// The greater inflation of two tails.
pub(crate) fn tail_inflation(tails: &[Series; 2], batches: Batches) -> f64 {
    tails[0].inflation(batches).max(tails[1].inflation(batches))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confidence() -> Share {
        Share::new(0.95).expect("a share")
    }

    fn twenty() -> Batches {
        Batches::of(Nanos::from_secs(100_000), Nanos::from_secs(1), None, confidence())
    }

    fn series(bad: impl Fn(usize) -> bool) -> Series {
        let slots = Slots::of(Moment(0), Moment(40_000));
        let mut series = Series::new();
        for i in 0..40_000 {
            let time = Moment(i as u64);
            series.count(slots.at(time), time, bad(i));
        }
        series
    }

    /// An indicator that stays what it is with probability `stay`, else is drawn anew with
    /// share `bad`: its autocorrelation at lag k is stay^k, so its VIF (1 + stay)/(1 − stay).
    fn markov(stay: f64, share: f64, seed: u64) -> Vec<bool> {
        let mut state = seed;
        let mut uniform = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) as f64 + 0.5) / (1_u64 << 31) as f64
        };
        let mut bad = false;
        (0..40_000)
            .map(|_| {
                if uniform() > stay {
                    bad = uniform() < share;
                }
                bad
            })
            .collect()
    }

    #[test]
    fn inflation_is_that_of_a_series_of_known_autocorrelation() {
        for (stay, truth) in [(0.0, 1.0), (0.5, 3.0), (0.9, 19.0), (0.96, 49.0)] {
            let estimates: Vec<f64> = (1..=60)
                .map(|seed| {
                    let bad = markov(stay, 0.1, seed * 77);
                    series(|i| bad[i]).by_batches(20)
                })
                .collect();
            let mean = estimates.iter().sum::<f64>() / 60.0;
            assert!((mean / truth - 1.0).abs() < 0.15, "stay {stay}: {mean} for {truth}");
        }
    }

    #[test]
    fn what_never_varies_is_not_inflated_but_for_the_price() {
        let price = twenty().price;
        assert!((price - 1.105).abs() < 1e-3);
        for series in [series(|_| false), series(|_| true), series(|i| i % 100 == 0), Series::new()]
        {
            assert_eq!(series.inflation(twenty()), price);
        }
        assert!(series(|i| i < 400).inflation(twenty()) > 300.0);
    }

    #[test]
    fn a_short_window_has_few_batches_and_pays_for_them() {
        let of = |window, request, session: Option<u64>| {
            let session = session.map(Nanos::from_secs);
            let batches = Batches::of(
                Nanos::from_secs(window),
                Nanos::from_secs(request),
                session,
                confidence(),
            );
            (batches.count, batches.price)
        };
        assert_eq!(of(1800, 1, None).0, 20);
        assert_eq!(of(1800, 12, None).0, 15);
        assert_eq!(of(1800, 1, Some(200)).0, 9);
        assert_eq!(of(60, 10, None).0, 2);
        assert_eq!(of(0, 0, None).0, 2);
        // t₁ = 6.31 against z = 1.645.
        assert!((of(60, 10, None).1 - 14.73).abs() < 0.01);
    }

    #[test]
    fn episodes_are_told_apart_by_ten_seconds() {
        let mut series = Series::new();
        for (seconds, bad) in
            [(1, true), (5, true), (11, false), (15, true), (26, true), (36, true)]
        {
            series.count(0, Moment(Nanos::from_secs(seconds).0), bad);
        }
        assert_eq!(series.episodes(), 2);
    }

    #[test]
    fn slots_are_equal_and_hold_every_instant() {
        let slots = Slots::of(Moment(1000), Moment(1000 + 40_000));
        assert_eq!(slots.at(Moment(0)), 0);
        assert_eq!(slots.at(Moment(1099)), 0);
        assert_eq!(slots.at(Moment(1100)), 1);
        assert_eq!(slots.at(Moment(40_999)), SLOTS - 1);
        assert_eq!(slots.at(Moment(u64::MAX)), SLOTS - 1);
        assert_eq!(Slots::of(Moment(5), Moment(5)).at(Moment(5)), 0);
    }
}
