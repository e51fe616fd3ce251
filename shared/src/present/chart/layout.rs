//! From a plan to pixels.

use super::scale::Domain;
use super::spread::spread;
use super::thin::thin;
use super::{
    Across, Anchor, Area, Axis, AxisPlan, BandMark, Chart, DotMark, Label, LineMark, Plan, Point,
    Role, RuleMark, Series, Size,
};
use crate::present::format;

/// Height of the texts.
pub(super) const TEXT: f64 = 12.0;
/// From one line of text to the next.
const LINE: f64 = 16.0;
/// Between a mark and its text.
const PAD: f64 = 6.0;
/// Pixels that a tick of the horizontal axis needs at least.
const TICK_WIDTH: f64 = 64.0;
/// Pixels that a tick of the vertical axis needs at least.
const TICK_HEIGHT: f64 = 36.0;
/// A label that moved further than this from its mark gets a leader.
const LEADER: f64 = 4.0;

/// About how wide a text is: Han and full-width characters are as wide as high, the others a
/// little more than half.
#[must_use]
pub(super) fn text_width(text: &str) -> f64 {
    let wide = |c: char| ('\u{2e80}'..='\u{ffef}').contains(&c);
    text.chars().map(|c| if wide(c) { TEXT } else { TEXT * 0.58 }).sum()
}

impl Chart {
    /// Lays a plan out in the given size.
    #[must_use]
    pub fn of(plan: &Plan, size: Size) -> Self {
        let top = LINE * (1.5 + top_rows(plan) as f64);
        let bottom = size.height - 2.5 * LINE;
        let y_domain = domain(plan, Across::Horizontal, ticks_for(bottom - top, TICK_HEIGHT));
        let ticks = y_domain.ticks(bottom, top).into_iter();
        let tick_width = ticks.map(|tick| text_width(&tick.text));
        let left = tick_width.fold(0.0, f64::max) + 2.0 * PAD;
        let names = side_names(plan).map(text_width).fold(0.0, f64::max);
        let right = (size.width - names - 2.0 * PAD).max(left + size.width * 0.4);
        let plot = Area { left, top, right, bottom };
        let x_domain = domain(plan, Across::Vertical, ticks_for(right - left, TICK_WIDTH));
        let place = Place { plot, x: &x_domain, y: &y_domain };
        let mut chart = Self {
            title: plan.title.clone(),
            description: plan.description.clone(),
            width: size.width,
            height: size.height,
            plot,
            x: axis(&plan.x, &x_domain, left, right),
            y: axis(&plan.y, &y_domain, bottom, top),
            bands: plan.bands.iter().filter_map(|band| place.band(band)).collect(),
            rules: plan.rules.iter().filter_map(|rule| place.rule(rule)).collect(),
            lines: Vec::new(),
            dots: Vec::new(),
            labels: Vec::new(),
        };
        for series in &plan.series {
            chart.lines.extend(place.lines(series));
            if series.marked {
                chart.dots.extend(place.dots(series, plan));
            }
        }
        chart.labels = side_labels(plan, &place);
        chart.labels.extend(top_labels(plan, &place));
        chart
    }
}

fn ticks_for(length: f64, each: f64) -> usize {
    (length / each).floor().max(2.0) as usize
}

fn domain(plan: &Plan, across: Across, wanted: usize) -> Domain {
    let points = plan.series.iter().flat_map(|series| &series.points);
    let places = points.filter_map(super::Datum::place);
    let rules = plan.rules.iter().filter(|rule| rule.across == across).map(|rule| rule.at);
    match across {
        Across::Vertical => {
            let bands = plan.bands.iter().flat_map(|band| [Some(band.from), band.to]).flatten();
            Domain::of(&plan.x, places.map(|(x, _)| x).chain(rules).chain(bands), wanted)
        }
        Across::Horizontal => Domain::of(&plan.y, places.map(|(_, y)| y).chain(rules), wanted),
    }
}

fn axis(plan: &AxisPlan, domain: &Domain, start: f64, end: f64) -> Axis {
    Axis { label: plan.label.clone(), unit: plan.unit.clone(), ticks: domain.ticks(start, end) }
}

/// Where values lie in pixels.
struct Place<'a> {
    plot: Area,
    x: &'a Domain,
    y: &'a Domain,
}

impl Place<'_> {
    fn x(&self, value: f64) -> Option<f64> {
        let part = self.x.part(value)?;
        Some(self.plot.left + part * (self.plot.right - self.plot.left))
    }

    fn y(&self, value: f64) -> Option<f64> {
        let part = self.y.part(value)?;
        Some(self.plot.bottom + part * (self.plot.top - self.plot.bottom))
    }

    fn point(&self, place: (f64, f64)) -> Option<Point> {
        Some(Point { x: self.x(place.0)?, y: self.y(place.1)? })
    }

    fn band(&self, band: &super::Band) -> Option<BandMark> {
        let left = self.x(band.from)?;
        let right = self.x(band.to.unwrap_or(self.x.to()))?;
        Some(BandMark { area: Area { left, right, ..self.plot }, role: band.role })
    }

    fn rule(&self, rule: &super::Rule) -> Option<RuleMark> {
        let Area { left, top, right, bottom } = self.plot;
        let (from, to) = match rule.across {
            Across::Vertical => {
                let x = self.x(rule.at)?;
                (Point { x, y: bottom }, Point { x, y: top })
            }
            Across::Horizontal => {
                let y = self.y(rule.at)?;
                (Point { x: left, y }, Point { x: right, y })
            }
        };
        Some(RuleMark { from, to, role: rule.role })
    }

    /// The unbroken stretches of a series, of the points that count.
    fn lines(&self, series: &Series) -> Vec<LineMark> {
        let mut stretches: Vec<Vec<Point>> = vec![Vec::new()];
        for datum in series.points.iter().filter(|datum| datum.counts) {
            match datum.place().and_then(|place| self.point(place)) {
                Some(point) => {
                    if let Some(stretch) = stretches.last_mut() {
                        if let Some(before) = stretch.last().filter(|_| series.stairs) {
                            let corner = Point { x: point.x, y: before.y };
                            stretch.push(corner);
                        }
                        stretch.push(point);
                    }
                }
                None => stretches.push(Vec::new()),
            }
        }
        let long = stretches.into_iter().filter(|stretch| stretch.len() > 1);
        long.map(|stretch| LineMark { points: thin(stretch), role: series.role }).collect()
    }

    fn dots(&self, series: &Series, plan: &Plan) -> Vec<DotMark> {
        let dots = series.points.iter().filter_map(|datum| {
            let (x, y) = datum.place()?;
            let text = format!(
                "{}: {} {}, {} {}",
                series.name,
                format::plain(x),
                plan.x.unit,
                format::plain(y),
                plan.y.unit
            );
            let (at, role) = (self.point((x, y))?, series.role);
            Some(DotMark { at, role, hollow: !datum.counts, text })
        });
        dots.collect()
    }
}

/// Names that stand to the right of the plot.
fn side_names(plan: &Plan) -> impl Iterator<Item = &str> {
    let rules = plan.rules.iter().filter(|rule| rule.across == Across::Horizontal);
    let rules = rules.map(|rule| rule.name.as_str());
    plan.series.iter().map(|series| series.name.as_str()).chain(rules)
}

/// Names of series at the height of their last point, and of horizontal rules at theirs.
fn side_labels(plan: &Plan, place: &Place<'_>) -> Vec<Label> {
    let ends = plan.series.iter().filter_map(|series| {
        let counted = series.points.iter().rev().filter(|datum| datum.counts);
        let end = counted.filter_map(super::Datum::place).find_map(|end| place.point(end))?;
        Some((series.name.as_str(), series.role, end))
    });
    let rules = plan.rules.iter().filter(|rule| rule.across == Across::Horizontal);
    let rules = rules.filter_map(|rule| {
        let y = place.y(rule.at)?;
        Some((rule.name.as_str(), rule.role, Point { x: place.plot.right, y }))
    });
    let named: Vec<(&str, Role, Point)> =
        ends.chain(rules).filter(|(name, ..)| !name.is_empty()).collect();
    let wanted: Vec<f64> = named.iter().map(|(.., end)| end.y).collect();
    let heights = spread(&wanted, LINE, place.plot.top, place.plot.bottom);
    let labels = named.into_iter().zip(heights).map(|((name, role, end), y)| {
        let x = place.plot.right + PAD;
        let moved = (y - end.y).abs() > LEADER || end.x < place.plot.right - PAD;
        Label {
            at: Point { x, y: y + TEXT / 3.0 },
            anchor: Anchor::Start,
            text: name.to_owned(),
            role,
            leader: moved.then_some(end),
        }
    });
    labels.collect()
}

/// Names above the plot: of vertical rules and of bands.
fn top_names(plan: &Plan) -> impl Iterator<Item = (&str, Role, f64)> {
    let bands = plan.bands.iter().map(|band| {
        let middle = (band.from + band.to.unwrap_or(band.from)) / 2.0;
        (band.name.as_str(), band.role, middle)
    });
    let rules = plan.rules.iter().filter(|rule| rule.across == Across::Vertical);
    let rules = rules.map(|rule| (rule.name.as_str(), rule.role, rule.at));
    bands.chain(rules).filter(|(name, ..)| !name.is_empty())
}

/// Rows that they may need.
fn top_rows(plan: &Plan) -> usize {
    top_names(plan).count()
}

/// Names of vertical rules and bands, each in the lowest row where it covers no other.
fn top_labels(plan: &Plan, place: &Place<'_>) -> Vec<Label> {
    let mut rows: Vec<Vec<(f64, f64)>> = Vec::new();
    let labels = top_names(plan).filter_map(|(name, role, at)| {
        let wanted = place.x(at)?;
        let half = text_width(name) / 2.0;
        // As near above the mark as the plot allows: beside it stand the ticks. A name that is too
        // long for the plot must at least be whole.
        let x = wanted.max(place.plot.left + half).min(place.plot.right - half).max(half);
        let span = (x - half - PAD, x + half + PAD);
        let free =
            |row: &Vec<(f64, f64)>| row.iter().all(|taken| span.1 <= taken.0 || span.0 >= taken.1);
        let row = rows.iter().position(free).unwrap_or(rows.len());
        if row == rows.len() {
            rows.push(Vec::new());
        }
        rows[row].push(span);
        let y = place.plot.top - PAD - row as f64 * LINE;
        Some(Label {
            at: Point { x, y },
            anchor: Anchor::Middle,
            text: name.to_owned(),
            role,
            leader: None,
        })
    });
    labels.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Datum, Rule};
    use super::*;

    const SIZE: Size = Size { width: 640.0, height: 320.0 };

    fn plan(series: Vec<Series>, rules: Vec<Rule>) -> Plan {
        Plan {
            title: "t".to_owned(),
            description: "d".to_owned(),
            x: AxisPlan::from_zero("rate", "req/s"),
            y: AxisPlan::from_zero("goodput", "tok/s"),
            series,
            rules,
            bands: Vec::new(),
        }
    }

    #[test]
    fn a_missing_point_interrupts_the_line_and_an_invalid_one_stays_outside_it() {
        let missing = Datum { y: None, ..Datum::new(2.0, 0.0) };
        let invalid = Datum { counts: false, ..Datum::new(4.0, 9.0) };
        let points = [0.0, 1.0, 3.0, 5.0].map(|x| Datum::new(x, x));
        let [a, b, c, d] = points;
        let series = Series::marked("s", Role::Goodput, vec![a, b, missing, c, invalid, d]);
        let chart = Chart::of(&plan(vec![series], Vec::new()), SIZE);
        let lengths: Vec<usize> = chart.lines.iter().map(|line| line.points.len()).collect();
        assert_eq!(lengths, [2, 2]);
        let hollow: Vec<bool> = chart.dots.iter().map(|dot| dot.hollow).collect();
        assert_eq!(hollow, [false, false, false, true, false]);
    }

    #[test]
    fn stairs_hold_a_value_until_the_next_one() {
        let points = vec![Datum::new(0.0, 0.0), Datum::new(1.0, 1.0)];
        let series = Series::line("s", Role::Nth(0), points).as_stairs();
        let chart = Chart::of(&plan(vec![series], Vec::new()), SIZE);
        let points = &chart.lines[0].points;
        assert_eq!(points.len(), 3);
        assert_eq!((points[1].x, points[1].y), (points[2].x, points[0].y));
    }

    #[test]
    fn an_empty_plan_is_a_chart_with_axes() {
        let chart = Chart::of(&plan(Vec::new(), Vec::new()), SIZE);
        assert!(chart.x.ticks.len() >= 2 && chart.y.ticks.len() >= 2);
    }

    proptest! {
        #[test]
        fn every_mark_lies_in_the_plot_and_no_label_covers_another(
            ends in proptest::collection::vec(0.0_f64..1e5, 1..8),
            rules in proptest::collection::vec(0.0_f64..10.0, 0..4),
        ) {
            let series = ends.iter().enumerate().map(|(n, end)| {
                let points = vec![Datum::new(0.0, 0.0), Datum::new(10.0, *end)];
                Series::marked(format!("series {n}"), Role::Nth(n), points)
            });
            let rules = rules.iter().map(|at| Rule {
                across: Across::Vertical,
                at: *at,
                name: "承诺上限 300 ms".to_owned(),
                role: Role::Limit,
            });
            let chart = Chart::of(&plan(series.collect(), rules.collect()), SIZE);
            let Area { left, top, right, bottom } = chart.plot;
            for dot in &chart.dots {
                prop_assert!(dot.at.x >= left - 0.01 && dot.at.x <= right + 0.01);
                prop_assert!(dot.at.y >= top - 0.01 && dot.at.y <= bottom + 0.01);
            }
            let span = |label: &Label| {
                let width = text_width(&label.text);
                let start = match label.anchor {
                    Anchor::Start => label.at.x,
                    Anchor::Middle => label.at.x - width / 2.0,
                    Anchor::End => label.at.x - width,
                };
                (start, start + width)
            };
            for (n, label) in chart.labels.iter().enumerate() {
                let (start, end) = span(label);
                prop_assert!(start >= -0.01 && end <= chart.width + 0.01, "{label:?}");
                prop_assert!(label.at.y >= TEXT * 0.8 && label.at.y <= chart.height);
                // Left of the plot stand the ticks.
                prop_assert!(start >= left - 0.01, "{label:?}");
                for other in &chart.labels[n + 1..] {
                    let (other_start, other_end) = span(other);
                    let apart = (label.at.y - other.at.y).abs() >= TEXT
                        || end <= other_start
                        || other_end <= start;
                    prop_assert!(apart, "{label:?} covers {other:?}");
                }
            }
        }
    }
}
