//! Student's distribution.

use super::{beta, normal};

/// The p-quantile of Student's distribution with `freedom` degrees of freedom. Domain:
/// 0.5 < p < 1, freedom > 0.
pub(crate) fn quantile(p: f64, freedom: f64) -> f64 {
    // P(|T| > t) = I_x(d/2, 1/2) with x = d/(d + t²).
    let x = beta::quantile(0.5 * freedom, 0.5, 2.0 * (1.0 - p));
    libm::sqrt(freedom * (1.0 - x) / x)
}

/// By how much the square of an interval's reach grows when its variance is estimated with so
/// many degrees of freedom: (t/z)². After Korn and Graubard it divides the number of values.
pub(crate) fn price_of_estimation(confidence: f64, freedom: f64) -> f64 {
    let ratio = quantile(confidence, freedom) / normal::quantile(confidence);
    (ratio * ratio).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        for (p, freedom, t) in [
            (0.95, 1.0, 6.313_751_514_675_043),
            (0.95, 4.0, 2.131_846_786_326_649),
            (0.95, 9.0, 1.833_112_932_656_237),
            (0.95, 19.0, 1.729_132_811_521_367),
            (0.99, 19.0, 2.539_483_190_622_288),
            (0.975, 10.0, 2.228_138_851_964_939),
        ] {
            assert!((quantile(p, freedom) / t - 1.0).abs() < 1e-9, "{p} {freedom}");
        }
        assert!((price_of_estimation(0.95, 19.0) - 1.105_08).abs() < 1e-4);
    }
}
