//! Thins a line to what a pixel can show, keeping every extreme.

use super::Point;

/// The same line with at most four points a pixel column: the first, the lowest, the highest
/// and the last one, so that no spike is lost.
#[must_use]
pub(super) fn thin(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len().min(4096));
    let mut rest = &points[..];
    while let Some(first) = rest.first() {
        let column = first.x.floor();
        let length = rest.iter().take_while(|point| point.x.floor() == column).count();
        let (here, later) = rest.split_at(length);
        if here.len() <= 4 {
            kept.extend_from_slice(here);
        } else {
            let by_height = |a: &usize, b: &usize| here[*a].y.total_cmp(&here[*b].y);
            let top = (0..length).min_by(by_height).unwrap_or(0);
            let bottom = (0..length).max_by(by_height).unwrap_or(0);
            let mut keep = [0, top.min(bottom), top.max(bottom), length - 1].to_vec();
            keep.dedup();
            kept.extend(keep.into_iter().map(|at| here[at]));
        }
        rest = later;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_shrinks_and_no_spike_is_lost() {
        let points: Vec<Point> = (0..100_000)
            .map(|at| Point {
                x: f64::from(at) / 1000.0,
                y: if at == 54_321 { 999.0 } else { f64::from(at % 7) },
            })
            .collect();
        let (first, last) = (points[0], points[99_999]);
        let thinned = thin(points);
        assert!(thinned.len() <= 400, "{}", thinned.len());
        assert!(thinned.iter().any(|point| point.y == 999.0));
        assert_eq!((thinned[0], thinned[thinned.len() - 1]), (first, last));
        assert!(thinned.windows(2).all(|pair| pair[0].x <= pair[1].x));
    }

    #[test]
    fn a_short_line_stays() {
        let points: Vec<Point> =
            (0..5).map(|at| Point { x: f64::from(at) * 10.0, y: 1.0 }).collect();
        assert_eq!(thin(points.clone()), points);
    }
}
