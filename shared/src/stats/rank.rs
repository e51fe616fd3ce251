//! Ranks: percentiles by nearest rank, and the order statistics that bound them.

use super::beta;
use crate::units::Share;

/// The nearest rank of a percentile in a set of n: ⌈percent·n/100⌉, from 1. In a set of 100
/// the 99th percentile is the 99th smallest: one of a hundred may be worse. 0 for an empty set.
#[must_use]
pub const fn nearest_rank(n: u64, percent: u8) -> u64 {
    (n as u128 * percent as u128).div_ceil(100) as u64
}

/// The order statistics (ranks from 1) between which the true 99th percentile lies, each side
/// with the given confidence. A side is `None` where the set is too small: below n = 299 no
/// value of the set bounds the P99 from above with 95 %.
#[must_use]
pub fn p99_bounds(n: u64, confidence: Share) -> (Option<u64>, Option<u64>) {
    // The number X of values ≤ the true P99 is Binomial(n, 0.99).
    let at_most = |k: u64| match k {
        k if k >= n => 1.0,
        k => beta::regularised((n - k) as f64, k as f64 + 1.0, 0.01),
    };
    // The lower one: the greatest r with P(X ≥ r) ≥ c. The upper one: the least r with
    // P(X ≤ r−1) ≥ c. Both probabilities are monotone in r, so they are found by halving.
    let c = confidence.get();
    let below = partition(n, |r| 1.0 - at_most(r - 1) >= c);
    let upper = partition(n, |r| at_most(r - 1) < c) + 1;
    ((below > 0).then_some(below), (upper <= n).then_some(upper))
}

/// How many of 1..=n, from the start, satisfy a condition that once false stays false.
fn partition(n: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if holds(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// A percentile of a set by nearest rank, found by putting the set into another order; `None` of an
/// empty set.
#[must_use]
pub fn percentile(values: &mut [u64], percent: u8) -> Option<u64> {
    let rank = nearest_rank(values.len() as u64, percent);
    select(values, &[rank]).first().copied()
}

/// The percentiles that are reported; 100 is the greatest value.
pub(crate) const PERCENTS: [u8; 5] = [50, 90, 95, 99, 100];

/// The values at [`PERCENTS`], of a set that has any; reorders it.
pub(crate) fn percentiles(values: &mut [u64]) -> Vec<u64> {
    let n = values.len() as u64;
    select(values, &PERCENTS.map(|percent| nearest_rank(n, percent)))
}

/// The values at ascending ranks (from 1) of a set, exact; reorders it. Ranks beyond the set
/// are left out.
pub(crate) fn select(values: &mut [u64], ranks: &[u64]) -> Vec<u64> {
    // From the least rank up, each selection leaves the greater ones in its right part: the
    // high percentiles are sought among few.
    let (mut part, mut from) = (values, 0);
    let mut found = Vec::with_capacity(ranks.len());
    for &rank in ranks {
        let at = (rank as usize).checked_sub(from + 1).filter(|&at| at < part.len());
        let Some(at) = at else { continue };
        let (_, value, _) = part.select_nth_unstable(at);
        found.push(*value);
        part = &mut part[at..];
        from += at;
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn confidence() -> Share {
        Share::new(0.95).expect("a share")
    }

    #[test]
    fn the_p99_of_one_hundred_is_the_99th() {
        assert_eq!(nearest_rank(100, 99), 99);
        assert_eq!(nearest_rank(101, 99), 100);
        assert_eq!(nearest_rank(1, 99), 1);
        assert_eq!(nearest_rank(0, 99), 0);
        assert_eq!(nearest_rank(u64::MAX, 100), u64::MAX);
    }

    #[test]
    fn order_statistics_bound_the_p99() {
        assert_eq!(p99_bounds(298, confidence()).1, None);
        assert_eq!(p99_bounds(299, confidence()), (Some(293), Some(299)));
        assert_eq!(p99_bounds(1_000, confidence()), (Some(985), Some(996)));
        assert_eq!(p99_bounds(3_000, confidence()), (Some(2961), Some(2980)));
        assert_eq!(p99_bounds(10_000, confidence()), (Some(9883), Some(9917)));
        assert_eq!(p99_bounds(0, confidence()), (None, None));
    }

    proptest! {
        #[test]
        fn selection_is_what_sorting_gives(mut values in prop::collection::vec(0_u64..50, 0..200)) {
            let n = values.len() as u64;
            let ranks = [50, 90, 95, 99, 100].map(|percent| nearest_rank(n, percent));
            let found = select(&mut values.clone(), &ranks);
            values.sort_unstable();
            let sorted: Vec<u64> =
                ranks.iter().filter(|&&r| r > 0).map(|&r| values[r as usize - 1]).collect();
            prop_assert_eq!(found, sorted);
        }
    }
}
