//! An interval for a sum of dependent values: the circular block bootstrap.

use crate::units::Share;

/// Resamples: the interval's ends move by about 1 % of its width from seed to seed.
const RESAMPLES: usize = 1000;

/// Two-sided interval of the sum of a series whose neighbours depend on each other: blocks of
/// `block` neighbours are drawn with replacement, wrapping around. `None` for a series shorter
/// than two blocks. The same series gives the same interval everywhere: the draws are seeded by
/// a constant.
pub(crate) fn sum_interval(values: &[f64], block: usize, confidence: Share) -> Option<(f64, f64)> {
    let n = values.len();
    if block == 0 || n < 2 * block {
        return None;
    }
    // Sums of blocks from prefix sums over the series wrapped once.
    let mut prefix = Vec::with_capacity(n + block + 1);
    prefix.push(0.0);
    for i in 0..n + block {
        prefix.push(prefix[i] + values[i % n]);
    }
    let blocks = n.div_ceil(block);
    let scale = n as f64 / (blocks * block) as f64;
    let mut draws = SplitMix(0x5EED);
    let mut sums: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let one = |_| {
                let from = draws.below(n);
                prefix[from + block] - prefix[from]
            };
            (0..blocks).map(one).sum::<f64>() * scale
        })
        .collect();
    sums.sort_by(f64::total_cmp);
    let tail = (1.0 - confidence.get()) / 2.0;
    let rank = |p: f64| ((p * RESAMPLES as f64) as usize).min(RESAMPLES - 1);
    Some((sums[rank(tail)], sums[rank(1.0 - tail)]))
}

/// Vigna's splitmix64: small, and the same everywhere.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_the_sum_of_independent_values_as_the_normal_interval_does() {
        let mut draws = SplitMix(7);
        let values: Vec<f64> =
            (0..400).map(|_| (draws.next() >> 11) as f64 / (1_u64 << 53) as f64).collect();
        let (low, high) =
            sum_interval(&values, 1, Share::new(0.95).expect("a share")).expect("long enough");
        // Uniform values: standard deviation of the sum √(400/12) = 5.77, ± 1.96 of it.
        let sum: f64 = values.iter().sum();
        assert!((sum - low - 11.3).abs() < 1.5 && (high - sum - 11.3).abs() < 1.5);
    }

    #[test]
    fn blocks_widen_the_interval_of_a_series_in_waves() {
        let wave: Vec<f64> = (0..400).map(|i| f64::from(u8::from(i % 80 < 40))).collect();
        let width = |block| {
            let (low, high) =
                sum_interval(&wave, block, Share::new(0.95).expect("a share")).expect("long");
            high - low
        };
        assert!(width(20) > 2.0 * width(1), "{} {}", width(20), width(1));
    }

    #[test]
    fn too_short_a_series_has_no_interval() {
        assert_eq!(sum_interval(&[1.0; 39], 20, Share::new(0.9).expect("a share")), None);
        assert_eq!(sum_interval(&[], 0, Share::new(0.9).expect("a share")), None);
    }
}
