//! Seeded randomness that gives the same bits on every machine.
//!
//! Only the raw ChaCha8 stream is taken from a library; the way from bits to numbers is here,
//! with a logarithm written in Rust, so that no platform's mathematics library has a say.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What a stream of random numbers is for. Streams of one seed are independent of each other,
/// so that one more draw for a prompt moves no arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Spacing of arrivals.
    Arrivals = 1,
    /// Lengths, classes and think times of one request or session.
    Shape = 2,
    /// Words of one request's or session's own text.
    Text = 3,
    /// Words of a text that many requests share.
    Shared = 4,
    /// Words that keep the caches of two steps apart.
    Salt = 5,
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a seed, a purpose and an index (such as a session's number).
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut key = [0_u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&(purpose as u64).to_le_bytes());
        key[16..24].copy_from_slice(&index.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in (0, 1], in steps of 2⁻⁵³: its logarithm is finite.
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// An integer in `0..n`, by Lemire's multiplication without rejection (bias below n/2⁶⁴).
    pub fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u32
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(self.unit())
    }

    /// Standard normal, by the polar method.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square > 0.0 {
                return x * libm::sqrt(-2.0 * libm::log(square) / square);
            }
        }
    }

    /// Gamma with mean 1 and the given shape k > 0 (CV² = 1/k), by Marsaglia and Tsang.
    pub fn gamma(&mut self, shape: f64) -> f64 {
        // Below 1 the method runs at k + 1 and is corrected by U^(1/k).
        let (k, correction) = if shape < 1.0 {
            (shape + 1.0, libm::pow(self.unit(), 1.0 / shape))
        } else {
            (shape, 1.0)
        };
        let d = k - 1.0 / 3.0;
        let c = 1.0 / libm::sqrt(9.0 * d);
        loop {
            let x = self.normal();
            let v = 1.0 + c * x;
            if v <= 0.0 {
                continue;
            }
            let v = v * v * v;
            let u = self.unit();
            if libm::log(u) < 0.5 * x * x + d * (1.0 - v + libm::log(v)) {
                return correction * d * v / shape;
            }
        }
    }

    /// Log-normal with the given mean > 0 and coefficient of variation ≥ 0.
    pub fn log_normal(&mut self, mean: f64, cv: f64) -> f64 {
        let variance = libm::log1p(cv * cv);
        mean * libm::exp(libm::sqrt(variance) * self.normal() - variance / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let n = 200_000;
        let values: Vec<f64> = (0..n).map(|_| draw()).collect();
        let mean = values.iter().sum::<f64>() / f64::from(n);
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n);
        (mean, variance)
    }

    #[test]
    fn the_streams_are_these_bits_forever() {
        let mut random = Random::new(42, Purpose::Arrivals, 0);
        assert_eq!(random.bits(), 9_672_674_645_702_868_097);
        assert_eq!(random.exponential().to_bits(), 4_611_187_973_988_480_348);
        assert_eq!(random.gamma(0.5).to_bits(), 4_604_155_953_328_986_885);
    }

    #[test]
    fn purposes_and_indices_give_different_streams() {
        let first = |purpose, index| Random::new(7, purpose, index).bits();
        assert_ne!(first(Purpose::Shape, 0), first(Purpose::Text, 0));
        assert_ne!(first(Purpose::Shape, 0), first(Purpose::Shape, 1));
        assert_ne!(Random::new(8, Purpose::Shape, 0).bits(), first(Purpose::Shape, 0));
    }

    #[test]
    fn distributions_have_their_textbook_moments() {
        let mut random = Random::new(1, Purpose::Shape, 0);
        let (mean, variance) = moments(|| random.exponential());
        assert!((mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        let (mean, variance) = moments(|| random.normal());
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        for shape in [0.25, 0.5, 1.0, 4.0] {
            let (mean, variance) = moments(|| random.gamma(shape));
            let tolerance = 0.05 / shape.min(1.0);
            assert!((mean - 1.0).abs() < 0.02, "{shape}: {mean}");
            assert!((variance - 1.0 / shape).abs() < tolerance, "{shape}: {variance}");
        }
        let (mean, variance) = moments(|| random.log_normal(100.0, 0.5));
        assert!((mean - 100.0).abs() < 0.6, "{mean}");
        assert!((variance.sqrt() / mean - 0.5).abs() < 0.01, "{variance}");
    }

    #[test]
    fn integers_below_n_are_uniform() {
        let mut random = Random::new(3, Purpose::Text, 9);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[random.below(7) as usize] += 1;
        }
        // χ² with 6 degrees of freedom: 22.5 is its 99.9th percentile.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 1e4).powi(2) / 1e4).sum();
        assert!(chi2 < 22.5, "{chi2}");
    }
}
