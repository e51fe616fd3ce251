//! Whether a series rises or falls: Mann–Kendall with the correction for autocorrelation by
//! Hamed and Rao, and the slope by Theil and Sen.

use std::cmp::Ordering;

use super::normal;
use crate::units::Share;

/// A monotone trend of equally spaced values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Pairs that rise minus pairs that fall.
    pub s: i64,
    /// Two-sided probability of so strong a trend by chance.
    pub p: Share,
    /// Median of the pairwise slopes, per step of the series, in the values' unit.
    pub slope: f64,
    /// Median of the values.
    pub median: f64,
}

impl Trend {
    /// The trend of a series; `None` for fewer than 4 values or one that is not finite.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        if n < 4 || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let s = rises_minus_falls(values);
        let slope = theil_sen(values);
        let variance = independent_variance(values) * autocorrelation_factor(values, slope);
        let p = if variance <= 0.0 {
            1.0
        } else {
            // The continuity correction moves |S| one step towards 0.
            let z = (s.abs() as f64 - 1.0).max(0.0) / libm::sqrt(variance);
            2.0 * normal::cdf(-z)
        };
        Some(Self { s, p: Share::clamped(p), slope, median: median(&mut values.to_vec()) })
    }

    /// Change over the whole series of n values, as a part of the median (signed); `None` where
    /// the median is 0.
    #[must_use]
    pub fn relative_change(&self, n: usize) -> Option<f64> {
        let change = self.slope * n as f64 / self.median;
        change.is_finite().then_some(change)
    }
}

/// S = Σ sign(x_j − x_i) over i < j.
fn rises_minus_falls(values: &[f64]) -> i64 {
    pairs(values)
        .map(|(_, a, b)| match a.partial_cmp(&b) {
            Some(Ordering::Less) => 1,
            Some(Ordering::Greater) => -1,
            _ => 0,
        })
        .sum()
}

/// All (j − i, x_i, x_j) with i < j.
fn pairs(values: &[f64]) -> impl Iterator<Item = (usize, f64, f64)> {
    values.iter().enumerate().flat_map(move |(i, &a)| {
        values[i + 1..].iter().enumerate().map(move |(d, &b)| (d + 1, a, b))
    })
}

/// Variance of S for independent values, corrected for ties.
fn independent_variance(values: &[f64]) -> f64 {
    let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ties: f64 = sorted.chunk_by(|a, b| a == b).map(|tie| term(tie.len() as f64)).sum();
    (term(values.len() as f64) - ties) / 18.0
}

/// Hamed and Rao's factor on the variance: from the autocorrelation of the ranks of the
/// detrended series, at the lags where it is significant (95 %).
fn autocorrelation_factor(values: &[f64], slope: f64) -> f64 {
    let n = values.len();
    let detrended: Vec<f64> =
        values.iter().enumerate().map(|(i, value)| value - slope * i as f64).collect();
    let ranks = ranks(&detrended);
    let mean = ranks.iter().sum::<f64>() / n as f64;
    let square: f64 = ranks.iter().map(|r| (r - mean) * (r - mean)).sum();
    if square == 0.0 {
        return 1.0;
    }
    let significant = normal::quantile(0.975) / libm::sqrt(n as f64);
    let mut sum = 0.0;
    for lag in 1..n.saturating_sub(2) {
        let products: f64 =
            ranks.iter().zip(&ranks[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum();
        let correlation = products / square;
        if correlation.abs() > significant {
            let left = (n - lag) as f64;
            sum += left * (left - 1.0) * (left - 2.0) * correlation;
        }
    }
    let n = n as f64;
    let factor = 1.0 + 2.0 / (n * (n - 1.0) * (n - 2.0)) * sum;
    // Strong negative correlation can push the estimate to nonsense.
    if factor > 0.0 { factor } else { 1.0 }
}

/// Ranks from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for tie in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let mean = start as f64 + (tie.len() as f64 + 1.0) / 2.0;
        for &at in tie {
            ranks[at] = mean;
        }
        start += tie.len();
    }
    ranks
}

/// Theil and Sen's slope: the median of the slopes of all pairs.
fn theil_sen(values: &[f64]) -> f64 {
    let mut slopes: Vec<f64> = pairs(values).map(|(d, a, b)| (b - a) / d as f64).collect();
    median(&mut slopes)
}

/// The median (of an even number: the mean of the middle two); 0 for an empty slice.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => 0.5 * (values[n / 2 - 1] + values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every order of 0..n.
    fn permutations(n: usize) -> Vec<Vec<f64>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for shorter in permutations(n - 1) {
            for at in 0..n {
                let mut longer = shorter.clone();
                longer.insert(at, (n - 1) as f64);
                all.push(longer);
            }
        }
        all
    }

    #[test]
    fn s_has_the_law_that_all_orders_give_it() {
        for n in 4..=7_usize {
            let scores: Vec<i64> =
                permutations(n).iter().map(|values| rises_minus_falls(values)).collect();
            let count = scores.len() as f64;
            assert_eq!(scores.iter().sum::<i64>(), 0);
            let variance = scores.iter().map(|s| (s * s) as f64).sum::<f64>() / count;
            let in_order: Vec<f64> = (0..n).map(|i| i as f64).collect();
            assert!((variance - independent_variance(&in_order)).abs() < 1e-9);
            // The normal approximation with its continuity correction, against the exact tail.
            // S has the parity of the number of pairs, so it moves in steps of two.
            let pairs = (n * (n - 1) / 2) as i64;
            for s in (1..=pairs).filter(|s| (pairs - s) % 2 == 0) {
                let exact = scores.iter().filter(|other| other.abs() >= s).count() as f64 / count;
                let z = (s as f64 - 1.0) / variance.sqrt();
                let approximate = 2.0 * normal::cdf(-z);
                assert!((exact - approximate).abs() < 0.06, "n {n} s {s}: {exact} {approximate}");
            }
        }
    }

    #[test]
    fn ties_lower_the_variance_as_all_orders_of_a_multiset_say() {
        // 0, 0, 1, 1, 2 in every order, each as often as there are ways to tell its ties apart.
        let values = [0.0, 0.0, 1.0, 1.0, 2.0];
        let scores: Vec<i64> = permutations(5)
            .iter()
            .map(|order| {
                let tied: Vec<f64> = order.iter().map(|&i| values[i as usize]).collect();
                rises_minus_falls(&tied)
            })
            .collect();
        let variance = scores.iter().map(|s| (s * s) as f64).sum::<f64>() / scores.len() as f64;
        assert!((variance - independent_variance(&values)).abs() < 1e-9);
    }

    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) as f64 + 0.5) / (1_u64 << 31) as f64
        }
    }

    /// How often a trend is seen (p < 0.05) in series of 100 without one, whose neighbours
    /// correlate so: with the correction, and without.
    fn false_alarms(correlation: f64) -> [f64; 2] {
        const RUNS: u32 = 1000;
        let mut uniform = noise(42);
        let mut alarms = [0_u32; 2];
        for _ in 0..RUNS {
            let mut last = 0.0;
            let values: Vec<f64> = (0..140)
                .map(|_| {
                    last = correlation * last + uniform() - 0.5;
                    last
                })
                .skip(40)
                .collect();
            let trend = Trend::of(&values).expect("long enough");
            let z = (trend.s.abs() as f64 - 1.0) / independent_variance(&values).sqrt();
            for (count, p) in alarms.iter_mut().zip([trend.p.get(), 2.0 * normal::cdf(-z)]) {
                *count += u32::from(p < 0.05);
            }
        }
        alarms.map(|count| f64::from(count) / f64::from(RUNS))
    }

    #[test]
    fn correlation_is_taken_for_a_trend_less_often_than_without_the_correction() {
        // Without correlation the uncorrected test keeps its 5 %; the correction, which then
        // adjusts for nothing but noise, costs a few more.
        let [corrected, plain] = false_alarms(0.0);
        assert!((0.03..0.07).contains(&plain), "{plain}");
        assert!((0.03..0.13).contains(&corrected), "{corrected}");
        // It takes away about half of what correlation adds, and no more: in a series of a
        // hundred the far lags that it needs are themselves guesses. Callers therefore ask for
        // a change of some size besides.
        for correlation in [0.6, 0.8] {
            let [corrected, plain] = false_alarms(correlation);
            assert!(plain > 0.25, "{correlation}: {plain}");
            assert!(corrected < 0.7 * plain, "{correlation}: {corrected} of {plain}");
        }
    }

    #[test]
    fn known_values_of_the_corrected_test() {
        // S, two-sided p and slope, computed by the Python package pymannkendall 1.4.3.
        let rising = [
            12.0, 15.0, 11.0, 18.0, 21.0, 17.0, 16.0, 22.0, 25.0, 24.0, 20.0, 27.0, 26.0, 31.0,
            23.0, 30.0, 28.0, 35.0, 33.0, 29.0,
        ];
        let wave = [
            5.0, 6.0, 6.5, 7.0, 6.8, 6.0, 5.0, 4.2, 4.0, 4.4, 5.0, 6.1, 6.9, 7.2, 6.7, 6.2, 5.1,
            4.3, 3.9, 4.5,
        ];
        let ties = [
            3.0, 3.0, 4.0, 5.0, 3.0, 4.0, 4.0, 6.0, 5.0, 5.0, 3.0, 7.0, 6.0, 6.0, 8.0, 5.0, 7.0,
            7.0, 9.0, 8.0,
        ];
        let hill = [
            0.0, 0.3, 0.5, 0.9, 1.5, 2.3, 3.2, 4.2, 5.3, 6.4, 7.5, 8.5, 9.3, 9.8, 10.0, 9.7, 8.9,
            7.5, 5.6, 3.0,
        ];
        for (values, s, p, slope) in [
            (rising, 138, 8.794_628_235_886_393e-6, 1.0),
            (wave, -28, 0.298_837_637_418_787_77, -0.055_050_505_050_505_03),
            (ties, 122, 6.668_680_390_053_972e-5, 0.25),
            (hill, 121, 0.011869346393260649, 0.6160256410256411),
        ] {
            let trend = Trend::of(&values).expect("long enough");
            assert_eq!(trend.s, s);
            assert!((trend.p.get() / p - 1.0).abs() < 1e-9, "{trend:?} {p}");
            assert!((trend.slope - slope).abs() < 1e-12, "{trend:?} {slope}");
        }
    }

    #[test]
    fn a_slope_is_found_in_noise() {
        let mut uniform = noise(7);
        let values: Vec<f64> = (0..20).map(|i| 100.0 + i as f64 + uniform()).collect();
        let trend = Trend::of(&values).expect("long enough");
        assert!(trend.s > 0 && trend.p.get() < 1e-4, "{trend:?}");
        assert!((trend.slope - 1.0).abs() < 0.05, "{trend:?}");
        let change = trend.relative_change(20).expect("a median");
        assert!((change - 20.0 / 110.0).abs() < 0.02, "{change}");
    }

    #[test]
    fn nothing_can_be_said_of_few_or_infinite_values() {
        assert_eq!(Trend::of(&[1.0, 2.0, 3.0]), None);
        assert_eq!(Trend::of(&[1.0, 2.0, 3.0, f64::INFINITY]), None);
        let flat = Trend::of(&[0.0; 20]).expect("long enough");
        assert_eq!((flat.s, flat.p.get(), flat.relative_change(20)), (0, 1.0, None));
    }

    proptest! {
        #[test]
        fn the_slope_is_the_median_of_all_slopes_and_turns_with_the_series(
            values in prop::collection::vec(-100.0_f64..100.0, 4..30),
        ) {
            let mut slopes = Vec::new();
            for i in 0..values.len() {
                for j in i + 1..values.len() {
                    slopes.push((values[j] - values[i]) / (j - i) as f64);
                }
            }
            slopes.sort_by(f64::total_cmp);
            let k = slopes.len();
            let middle = 0.5 * (slopes[(k - 1) / 2] + slopes[k / 2]);
            let trend = Trend::of(&values).expect("long enough");
            prop_assert!((trend.slope - middle).abs() < 1e-9);
            let reversed: Vec<f64> = values.iter().rev().copied().collect();
            let back = Trend::of(&reversed).expect("long enough");
            prop_assert_eq!(back.s, -trend.s);
            prop_assert!((back.slope + trend.slope).abs() < 1e-9);
        }
    }
}
