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
