//! Where a warm-up ends: MSER-5 truncation.

/// Observations averaged before the rule is applied.
const BATCH: usize = 5;

/// How many leading observations MSER-5 would cut off: of the means of five, the cut that
/// minimises the squared standard error of the mean of the rest, searched in the first half.
///
/// `None` for fewer than ten means of five, or where the best cut is the last one searched: the
/// series has not settled. Says nothing about slow drift.
#[must_use]
pub fn mser5(values: &[f64]) -> Option<usize> {
    let means: Vec<f64> =
        values.chunks_exact(BATCH).map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    if means.len() < 10 || means.iter().any(|mean| !mean.is_finite()) {
        return None;
    }
    // Sums of the rest, from the end; values taken relative to the last mean, so that the
    // difference of squares keeps its digits.
    let origin = means[means.len() - 1];
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut errors = vec![f64::INFINITY; means.len()];
    for (cut, mean) in means.iter().enumerate().rev() {
        let value = mean - origin;
        sum += value;
        squares += value * value;
        let rest = (means.len() - cut) as f64;
        errors[cut] = (squares - sum * sum / rest).max(0.0) / (rest * rest);
    }
    let last = means.len() / 2;
    let best = (0..=last).min_by(|&a, &b| errors[a].total_cmp(&errors[b]))?;
    (best < last).then_some(best * BATCH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rule as it is written: every cut, every sum anew.
    fn by_the_book(values: &[f64]) -> Option<usize> {
        let means: Vec<f64> =
            values.chunks_exact(5).map(|five| five.iter().sum::<f64>() / 5.0).collect();
        if means.len() < 10 {
            return None;
        }
        let error = |cut: usize| {
            let rest = &means[cut..];
            let n = rest.len() as f64;
            let mean = rest.iter().sum::<f64>() / n;
            rest.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / (n * n)
        };
        let half = means.len() / 2;
        let mut best = 0;
        for cut in 1..=half {
            if error(cut) < error(best) {
                best = cut;
            }
        }
        (best < half).then_some(best * 5)
    }

    proptest! {
        #[test]
        fn is_the_rule_as_it_is_written(values in prop::collection::vec(0.0_f64..100.0, 0..200)) {
            prop_assert_eq!(mser5(&values), by_the_book(&values));
        }
    }

    #[test]
    fn a_start_from_empty_is_cut_and_a_steady_series_is_not() {
        let noise = |i: usize| ((i * 7919) % 13) as f64 / 13.0;
        let steady: Vec<f64> = (0..300).map(|i| 50.0 + noise(i)).collect();
        let rising: Vec<f64> =
            (0..300).map(|i| 50.0 * (1.0 - (-(i as f64) / 10.0).exp()) + noise(i)).collect();
        assert!(mser5(&steady).is_some_and(|cut| cut <= 25), "{:?}", mser5(&steady));
        assert!(mser5(&rising).is_some_and(|cut| (25..=80).contains(&cut)), "{:?}", mser5(&rising));
        let endless: Vec<f64> = (0..300).map(|i| i as f64).collect();
        assert_eq!(mser5(&endless), None);
        assert_eq!(mser5(&[1.0; 49]), None);
    }
}
