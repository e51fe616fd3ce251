//! How much evidence dependent values carry: variance inflation, and episodes of violations.
//!
//! Violations of one run come in bursts, because a queue that has built up delays everyone in
//! it. Their share therefore varies far more from run to run than that of independent values:
//! by the variance inflation factor (VIF), which divides the number of values.

use crate::units::{Moment, Nanos};

/// Equal parts of a window in which values are counted. A multiple of [`BATCHES`].
pub(crate) const SLOTS: usize = 400;

/// Batches of the variance estimate.
const BATCHES: usize = 20;

/// Violations closer than this belong to one episode.
const EPISODE: Nanos = Nanos::from_secs(10);

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
        let slot = offset as u128 * SLOTS as u128 / u128::from(self.length.max(1));
        (slot as usize).min(SLOTS - 1)
    }
}

/// Values and bad values by time slot, with the episodes of bad ones.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    n: Vec<u32>,
    bad: Vec<u32>,
    last_bad: Option<Moment>,
    episodes: u64,
}

impl Series {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        Self { n: vec![0; SLOTS], bad: vec![0; SLOTS], last_bad: None, episodes: 0 }
    }

    /// Counts one value; times must ascend.
    pub(crate) fn count(&mut self, slot: usize, time: Moment, bad: bool) {
        self.count_many(slot, time, 1, u32::from(bad));
    }

    /// Counts `bad` among `n` values of one instant.
    pub(crate) fn count_many(&mut self, slot: usize, time: Moment, n: u32, bad: u32) {
        self.n[slot] = self.n[slot].saturating_add(n);
        if bad > 0 {
            self.bad[slot] = self.bad[slot].saturating_add(bad);
            let joins = self.last_bad.is_some_and(|last| time.since(last) <= EPISODE);
            self.episodes += u64::from(!joins);
            self.last_bad = Some(time);
        }
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
        for (mine, theirs) in self.n.iter_mut().zip(&other.n) {
            *mine = mine.saturating_add(*theirs);
        }
        for (mine, theirs) in self.bad.iter_mut().zip(&other.bad) {
            *mine = mine.saturating_add(*theirs);
        }
    }

    /// Variance of the bad share over that of independent values, by the ratio estimator over
    /// 20 batches of equal time. 1 where nothing varies.
    pub(crate) fn inflation(&self) -> f64 {
        let (n, bad) = (self.n() as f64, self.bad() as f64);
        if bad == 0.0 || bad >= n {
            return 1.0;
        }
        let p = bad / n;
        let width = SLOTS / BATCHES;
        let squares: f64 = self
            .n
            .chunks(width)
            .zip(self.bad.chunks(width))
            .map(|(n, bad)| {
                let sum = |part: &[u32]| part.iter().map(|&x| f64::from(x)).sum::<f64>();
                let difference = sum(bad) - p * sum(n);
                difference * difference
            })
            .sum();
        let k = BATCHES as f64;
        let variance = k / (k - 1.0) * squares / (n * n);
        (variance / (p * (1.0 - p) / n)).max(1.0)
    }
}
