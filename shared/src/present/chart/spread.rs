//! Places labels so that none covers another, moving them as little as possible.

/// Places for labels that want to stand at `wanted`, each at least `gap` from the next, inside
/// `[from, to]` if they fit, in the order of what they want. The sum of squared displacements is
/// least: with the gaps subtracted it is an isotonic regression, which pooling adjacent
/// violators solves exactly.
#[must_use]
pub(super) fn spread(wanted: &[f64], gap: f64, from: f64, to: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|left, right| wanted[*left].total_cmp(&wanted[*right]));
    // Pools of neighbours that touch: sum and count of what they want, gaps subtracted.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (rank, index) in order.iter().enumerate() {
        let mut pool = (wanted[*index] - rank as f64 * gap, 1);
        while let Some(&(sum, count)) = pools.last() {
            if sum / count as f64 <= pool.0 / pool.1 as f64 {
                break;
            }
            pools.pop();
            pool = (pool.0 + sum, pool.1 + count);
        }
        pools.push(pool);
    }
    let last = to - gap * wanted.len().saturating_sub(1) as f64;
    let means = pools.iter().flat_map(|(sum, count)| {
        let mean = (sum / *count as f64).min(last).max(from);
        std::iter::repeat_n(mean, *count)
    });
    let mut placed = vec![0.0; wanted.len()];
    for (rank, (index, mean)) in order.iter().zip(means).enumerate() {
        placed[*index] = mean + rank as f64 * gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_that_do_not_touch_stay() {
        assert_eq!(spread(&[80.0, 10.0, 40.0], 14.0, 0.0, 100.0), [80.0, 10.0, 40.0]);
        assert!(spread(&[], 14.0, 0.0, 100.0).is_empty());
    }

    #[test]
    fn labels_at_one_place_move_apart_around_it() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 10.0, 0.0, 100.0), [40.0, 50.0, 60.0]);
        assert_eq!(spread(&[99.0, 99.0], 10.0, 0.0, 100.0), [90.0, 100.0]);
        assert_eq!(spread(&[0.0, 0.0], 10.0, 0.0, 100.0), [0.0, 10.0]);
    }

    proptest! {
        #[test]
        fn labels_never_overlap_keep_their_order_and_stay_inside(
            wanted in proptest::collection::vec(0.0_f64..300.0, 0..12)
        ) {
            let placed = spread(&wanted, 14.0, 0.0, 300.0);
            let mut pairs: Vec<(f64, f64)> =
                wanted.iter().copied().zip(placed.iter().copied()).collect();
            pairs.sort_by(|left, right| left.1.total_cmp(&right.1));
            for pair in pairs.windows(2) {
                prop_assert!(pair[1].1 - pair[0].1 >= 14.0 - 1e-9);
                prop_assert!(pair[1].0 >= pair[0].0);
            }
            prop_assert!(placed.iter().all(|at| (-1e-9..=300.0 + 1e-9).contains(at)));
        }
    }
}
