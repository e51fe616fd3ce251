//! The regularised incomplete beta function and its inverse, for any size of counts.
//!
//! The usual recipe (the logarithm of three gamma functions before a continued fraction) loses
//! a digit for every digit of the counts: at a million requests a 1e-9 bound is out of reach.
//! Here the leading factor is Loader's saddle-point form of the binomial probability, which
//! keeps full precision, and the fraction runs until it has converged. All transcendental
//! functions come from `libm`, so that the browser computes the same bits as the native code.

/// Half of ln 2π.
const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// The error of Stirling's formula: ln Γ(z+1) − ((z + ½) ln z − z + ½ ln 2π), for z > 0.
fn stirling_error(z: f64) -> f64 {
    if z < 16.0 {
        return libm::lgamma(z + 1.0) - (z + 0.5) * libm::log(z) + z - HALF_LN_TWO_PI;
    }
    let w = 1.0 / (z * z);
    // Bernoulli numbers over 2k(2k−1); the next term is below 1e-17 at z = 16.
    let series = 1.0 / 12.0
        - w * (1.0 / 360.0
            - w * (1.0 / 1260.0
                - w * (1.0 / 1680.0
                    - w * (1.0 / 1188.0 - w * (691.0 / 360_360.0 - w * (1.0 / 156.0))))));
    series / z
}

/// The deviance x·ln(x/m) + m − x, without cancellation where x is near m.
fn deviance(x: f64, m: f64) -> f64 {
    let difference = x - m;
    if difference.abs() >= 0.1 * (x + m) {
        return x * libm::log(x / m) - difference;
    }
    // ln(x/m) = 2·artanh(v) with v = (x−m)/(x+m).
    let v = difference / (x + m);
    let mut sum = difference * v;
    let mut term = 2.0 * x * v;
    let mut odd = 1.0;
    loop {
        term *= v * v;
        odd += 2.0;
        let next = sum + term / odd;
        if next == sum {
            return sum;
        }
        sum = next;
    }
}

/// x^a·(1−x)^b / (a·B(a, b)) for 0 < x < 1, y = 1 − x.
fn leading_factor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let exponent = stirling_error(n)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, n * x)
        - deviance(b, n * y);
    let root = libm::sqrt(b / (2.0 * std::f64::consts::PI * a * n));
    libm::exp(exponent) * root
}

/// The continued fraction of the incomplete beta function (modified Lentz).
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    /// Enough for 10¹⁰ values; hostile counts beyond only lose precision.
    const MOST_TERMS: u32 = 200_000;
    let guard = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (sum, above, below) = (a + b, a + 1.0, a - 1.0);
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - sum * x / above);
    let mut h = d;
    for m in 1..MOST_TERMS {
        let m = f64::from(m);
        let twice = 2.0 * m;
        let even = m * (b - m) * x / ((below + twice) * (a + twice));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (sum + m) * x / ((a + twice) * (above + twice));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        let factor = d * c;
        h *= factor;
        if (factor - 1.0).abs() < 2e-16 {
            break;
        }
    }
    h
}

/// I_x(a, b): the probability that a Beta(a, b) variable is ≤ x. Domain: a, b > 0 and finite;
/// x is clamped to [0, 1].
pub(crate) fn regularised(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let y = 1.0 - x;
    let value = if x < (a + 1.0) / (a + b + 2.0) {
        leading_factor(a, b, x, y) * continued_fraction(a, b, x)
    } else {
        1.0 - leading_factor(b, a, y, x) * continued_fraction(b, a, y)
    };
    value.clamp(0.0, 1.0)
}

/// The p-quantile of Beta(a, b): the x with I_x(a, b) = p. Domain: a, b > 0 and finite,
/// 0 < p < 1.
pub(crate) fn quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    let mut x = starting_point(a, b, p);
    for _ in 0..200 {
        let error = regularised(a, b, x) - p;
        if error > 0.0 {
            high = x;
        } else {
            low = x;
        }
        // Newton's step by the density, which is the leading factor times a/(x(1−x)).
        let density = leading_factor(a, b, x, 1.0 - x) * a / (x * (1.0 - x));
        let mut next = x - error / density;
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        let step = (next - x).abs();
        x = next;
        if step <= 1e-15 * x || high - low <= f64::EPSILON * low {
            break;
        }
    }
    x
}

/// Where Newton starts: the normal approximation on the log-odds.
fn starting_point(a: f64, b: f64, p: f64) -> f64 {
    let z = super::normal::quantile(p);
    let mean = libm::log(a / b);
    let deviation = libm::sqrt(1.0 / a + 1.0 / b);
    let odds = libm::exp((mean + z * deviation).clamp(-690.0, 36.0));
    (odds / (1.0 + odds)).clamp(1e-300, 1.0 - f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Σ of binomial probabilities, each from the last by its exact ratio, in a plain sum.
    fn binomial_at_most(k: u32, n: u32, p: f64) -> f64 {
        let mut term = (f64::from(n) * (-p).ln_1p()).exp();
        let mut sum = term;
        for i in 0..k {
            term *= f64::from(n - i) / f64::from(i + 1) * p / (1.0 - p);
            sum += term;
        }
        sum
    }

    proptest! {
        #[test]
        fn is_the_binomial_sum(n in 1_u32..3000, part in 0.0_f64..1.0, p in 0.0005_f64..0.2) {
            let k = (part * f64::from(n)) as u32;
            prop_assume!(k < n);
            let sum = binomial_at_most(k, n, p);
            let beta = regularised(f64::from(n - k), f64::from(k) + 1.0, 1.0 - p);
            prop_assert!((sum - beta).abs() <= 1e-11 * sum.max(1e-3), "{sum} {beta}");
        }

        #[test]
        fn quantile_inverts(a in 0.3_f64..1e6, b in 0.3_f64..1e6, p in 0.001_f64..0.999) {
            let x = quantile(a, b, p);
            prop_assert!((0.0..=1.0).contains(&x));
            // Near a border the representable x jump over p; there the neighbours bracket it.
            let around = [x * (1.0 - 4e-16), (x * (1.0 + 4e-16)).min(1.0)];
            let close = (regularised(a, b, x) - p).abs() < 1e-9;
            let bracketed =
                regularised(a, b, around[0]) <= p + 1e-12 && regularised(a, b, around[1]) >= p - 1e-12;
            prop_assert!(close || bracketed, "a {a} b {b} p {p} x {x}");
        }

        #[test]
        fn agrees_with_another_library_where_that_converges(
            a in 0.5_f64..500.0, b in 0.5_f64..500.0, x in 0.001_f64..0.999,
        ) {
            let other = statrs::function::beta::beta_reg(a, b, x);
            let ours = regularised(a, b, x);
            prop_assert!((ours - other).abs() <= 1e-10, "{ours} {other}");
        }
    }

    #[test]
    fn the_largest_counts_give_a_probability() {
        for n in [1e9, 1e12, 2_f64.powi(53), 1e18] {
            for bad in [0.5, 1.0, 1e6] {
                let x = quantile(n, bad, 0.05);
                assert!(x > 0.99 && x <= 1.0, "{n} {bad} {x}");
            }
            let middle = regularised(n, n, 0.5);
            assert!((0.0..=1.0).contains(&middle), "{middle}");
        }
    }
}
