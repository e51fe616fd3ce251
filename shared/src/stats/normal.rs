//! The normal distribution.

/// Φ(z): the probability that a standard normal variable is ≤ z.
pub(crate) fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// The p-quantile of the standard normal distribution. Domain: 0 < p < 1.
pub(crate) fn quantile(p: f64) -> f64 {
    // By symmetry in the lower half, where Φ keeps its relative precision.
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    // Start: the tail's leading term; then Halley's steps on Φ(z) = p.
    let t = libm::sqrt(-2.0 * libm::log(p));
    let mut z = -(t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + t * 0.04481)));
    for _ in 0..4 {
        let density = libm::exp(-0.5 * z * z) / libm::sqrt(2.0 * std::f64::consts::PI);
        if density == 0.0 {
            break;
        }
        let u = (cdf(z) - p) / density;
        z -= u / (1.0 + 0.5 * z * u);
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        for (p, z) in [
            (0.5, 0.0),
            (0.95, 1.644_853_626_951_472_7),
            (0.975, 1.959_963_984_540_054),
            (0.99, 2.326_347_874_040_840_8),
            (1e-6, -4.753_424_308_822_899),
        ] {
            assert!((quantile(p) - z).abs() < 1e-13, "{p}: {}", quantile(p));
        }
    }

    #[test]
    fn quantile_inverts_cdf() {
        for i in 1..1000 {
            let p = f64::from(i) / 1000.0;
            assert!((cdf(quantile(p)) - p).abs() < 1e-14, "{p}");
        }
    }
}
