//! The true share behind `good` of `n`: exact one-sided bounds, and how many values a proof
//! needs.

use super::beta;
use crate::units::{Ratio, Share};

/// What a share is at least, with a one-sided confidence c, where `good` values stand beside `bad`
/// ones: the lower bound of Clopper and Pearson, BetaInv(1−c; good, bad+1). Counts may be effective
/// ones (divided by a variance inflation, after Korn and Graubard), hence real numbers. Without a
/// good value the bound is 0.
#[must_use]
pub fn at_least(good: Ratio, bad: Ratio, confidence: Share) -> Share {
    let (good, bad) = (good.get(), bad.get());
    Share::clamped(match good > 0.0 {
        true => beta::quantile(good, bad + 1.0, 1.0 - confidence.get()),
        false => 0.0,
    })
}

/// What it is at most: the upper bound, BetaInv(c; good+1, bad). Without a bad value it is 1.
#[must_use]
pub fn at_most(good: Ratio, bad: Ratio, confidence: Share) -> Share {
    let (good, bad) = (good.get(), bad.get());
    // Not c itself: rounded the same way as the lower bound's error probability.
    let alpha = 1.0 - confidence.get();
    Share::clamped(match bad > 0.0 {
        true => beta::quantile(good + 1.0, bad, 1.0 - alpha),
        false => 1.0,
    })
}

/// Whether `good` beside `bad` prove a share ≥ target: lower bound ≥ target, without finding
/// the bound.
pub(crate) fn proves(good: f64, bad: f64, target: f64, alpha: f64) -> bool {
    good > 0.0 && beta::regularised(good, bad + 1.0, target) <= alpha
}

/// The least n that proves a share ≥ target although `bad` of them are bad; `None` for a
/// target that no number proves (0 < target < 1 is provable).
///
/// For 0.99 at 95 %: 299 with none bad, 473 with one. For 0.9995: 5,990 and 9,486.
#[must_use]
pub fn needed(bad: u64, target: Share, confidence: Share) -> Option<u64> {
    let n = needed_effective(bad as f64, target.get(), 1.0 - confidence.get())?;
    // The real root is unique, so the answer is one of its two neighbours.
    let below = n.floor();
    let bad = bad as f64;
    let alpha = 1.0 - confidence.get();
    Some(if proves(below - bad, bad, target.get(), alpha) { below } else { below + 1.0 } as u64)
}

/// The real n* at which `bad*` effective bad values stop hindering the proof: the root of
/// I_target(n*−bad*, bad*+1) = α.
pub(crate) fn needed_effective(bad: f64, target: f64, alpha: f64) -> Option<f64> {
    if !(target > 0.0 && target < 1.0 && alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    // ln of the error probability falls nearly linearly in n: a secant on it, inside a bracket.
    let error = |n: f64| {
        let tail = beta::regularised(n - bad, bad + 1.0, target).max(1e-300);
        libm::log(tail) - libm::log(alpha)
    };
    let mean = bad + 1.0;
    let z = super::normal::quantile(1.0 - alpha);
    let guess = (mean + z * libm::sqrt(mean) + z * z / 3.0) / (1.0 - target) + bad;
    let mut low = bad + 1e-9;
    let mut high = guess.max(bad + 1.0);
    while error(high) > 0.0 {
        low = high;
        high = bad + 2.0 * (high - bad);
        if high > 1e18 {
            return None;
        }
    }
    let (mut at_low, mut at_high) = (error(low), error(high));
    for step in 0..200 {
        if high - low <= 1e-9 * high {
            break;
        }
        let mut next = high - at_high * (high - low) / (at_high - at_low);
        // Every third step halves, so that a bent curve cannot stall the secant.
        if step % 3 == 2 || !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        let at_next = error(next);
        if at_next > 0.0 {
            (low, at_low) = (next, at_next);
        } else {
            (high, at_high) = (next, at_next);
        }
    }
    Some(high)
}

/// One-sided Wilson bounds (lower, upper), for charts of many shares where exactness is not at
/// stake; a verdict never uses them. `None` for an empty set.
#[must_use]
pub fn wilson(good: u64, n: u64, confidence: Share) -> Option<(Share, Share)> {
    if n == 0 {
        return None;
    }
    let (n, z) = (n as f64, super::normal::quantile(confidence.get()));
    let p = good as f64 / n;
    let middle = p + z * z / (2.0 * n);
    let reach = z * libm::sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n));
    let scale = 1.0 + z * z / n;
    Some((Share::clamped((middle - reach) / scale), Share::clamped((middle + reach) / scale)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(value: f64) -> Share {
        Share::new(value).expect("a share")
    }

    #[test]
    fn sample_sizes_of_the_usual_promises() {
        let confidence = part(0.95);
        let sizes = |target: f64| {
            [0, 1, 2, 3, 5, 10, 20, 50]
                .map(|bad| needed(bad, part(target), confidence).expect("provable"))
        };
        assert_eq!(sizes(0.99), [299, 473, 628, 773, 1049, 1693, 2902, 6323]);
        assert_eq!(sizes(0.9995), [5990, 9486, 12_590, 15_505, 21_024, 33_921, 58_120, 126_568]);
        // At 99 % confidence these are the sizes of MLPerf's early stopping.
        let early = [0, 1, 2, 10].map(|bad| needed(bad, part(0.99), part(0.99)));
        assert_eq!(early, [Some(459), Some(662), Some(838), Some(2010)]);
        assert_eq!(needed(0, part(1.0), confidence), None);
        assert_eq!(needed(0, part(0.0), confidence), None);
    }

    #[test]
    fn bounds_at_the_borders() {
        let (zero, ten) = (Ratio::count(0), Ratio::count(10));
        assert_eq!(at_least(zero, ten, part(0.95)).get(), 0.0);
        assert_eq!(at_most(ten, zero, part(0.95)).get(), 1.0);
        assert_eq!(at_least(zero, zero, part(0.95)).get(), 0.0);
        assert_eq!(at_most(zero, zero, part(0.95)).get(), 1.0);
        // Ten of ten: the root of p^n = 0.05.
        let all = at_least(ten, zero, part(0.95)).get();
        assert!((all - 0.05_f64.powf(0.1)).abs() < 1e-15);
    }

    #[test]
    fn wilson_is_near_and_never_for_verdicts() {
        let (low, high) = wilson(995, 1000, part(0.95)).expect("n > 0");
        assert!((low.get() - 0.989_764_668_493_279_2).abs() < 1e-12);
        assert!((high.get() - 0.997_564_070_699_357_9).abs() < 1e-12);
        assert_eq!(wilson(0, 0, part(0.95)), None);
    }

    proptest! {
        #[test]
        fn needed_is_the_least_that_proves(bad in 0_u64..60, target in 0.5_f64..0.9999) {
            let n = needed(bad, part(target), part(0.95)).expect("provable");
            let proved = |n: u64| {
                let good = Ratio::count(n - bad);
                at_least(good, Ratio::count(bad), part(0.95)).get() >= target
            };
            prop_assert!(proved(n) && !proved(n - 1), "{n}");
        }

        #[test]
        fn bounds_enclose_and_move_with_the_count(n in 1_u64..5000, share in 0.0_f64..=1.0) {
            let good = (share * n as f64) as u64;
            let of = |good| {
                let (good, bad) = (Ratio::count(good), Ratio::count(n - good));
                (at_least(good, bad, part(0.95)).get(), at_most(good, bad, part(0.95)).get())
            };
            let (low, high) = of(good);
            let point = good as f64 / n as f64;
            prop_assert!(low <= point && point <= high);
            if good < n {
                let (more_low, more_high) = of(good + 1);
                prop_assert!(more_low >= low && more_high >= high);
            }
        }
    }
}
