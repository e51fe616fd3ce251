//! A chart as SVG: for the page, whose style sheet gives it its looks, and as a file that needs
//! nothing else, for print, documents and mail.

use maud::{Markup, PreEscaped, html};

use super::layout::TEXT;
use super::{Anchor, Chart, DotMark, Label, LineMark, Point, Role};

/// Looks of a file of its own: Okabe and Ito's colours, which the colour-blind can tell apart; those
/// of texts are dark enough on white to be read (4.5:1 and more).
const STYLE: &str = "
text { fill: #1b1f24; }
.goodput, .nth-0 { color: #0072b2; } .raw { color: #767676; } .limit, .nth-5 { color: #b84c00; }
.answer { color: #00704f; } .nth-1 { color: #a06a00; } .nth-2 { color: #00795a; }
.nth-3 { color: #a4477d; } .nth-4 { color: #2b7fb5; }
.grid, .tick, .axis { stroke: #d0d7de; }
.series { fill: none; stroke: currentColor; stroke-width: 2; }
.series.raw, .series.nth-1 { stroke-dasharray: 6 3; } .series.nth-2 { stroke-dasharray: 2 3; }
.series.nth-3 { stroke-dasharray: 8 3 2 3; } .series.nth-4 { stroke-dasharray: 1 2; }
.series.nth-5 { stroke-dasharray: 10 4; }
.dot { fill: currentColor; stroke: currentColor; stroke-width: 1.5; } .dot.hollow { fill: #fff; }
.rule { stroke: currentColor; stroke-dasharray: 4 3; } .band { fill: currentColor; opacity: 0.15; }
.leader { stroke: #767676; stroke-width: 0.75; stroke-dasharray: 1 3; } .name { fill: currentColor; }
";

/// Kinds of series of one family that the style sheets tell apart.
const NTH: usize = 6;

/// The chart as a file.
#[must_use]
pub fn to_svg(chart: &Chart) -> String {
    let (width, height) = (number(chart.width), number(chart.height));
    let file = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width)
            height=(height) role="img" font-family="system-ui, 'Noto Sans SC', sans-serif"
            font-size=(number(TEXT)) {
            title { (chart.title) }
            desc { (chart.description) }
            style { (PreEscaped(STYLE)) }
            rect width=(width) height=(height) fill="#ffffff" {}
            (marks(chart))
        }
    };
    // XML has no way to write the other control characters at all.
    let forbidden = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    file.into_string().replace(forbidden, "\u{fffd}")
}

/// The chart as an element of the page. The same data stands in a table there: the picture needs no
/// second reading for those who cannot see it.
#[must_use]
pub fn drawing(chart: &Chart) -> Markup {
    html! {
        svg viewBox={ "0 0 " (number(chart.width)) " " (number(chart.height)) } role="img"
            aria-label=(chart.description) { (marks(chart)) }
    }
}

fn marks(chart: &Chart) -> Markup {
    html! {
        @for band in &chart.bands {
            @let area = band.area;
            rect class={ "band " (class(band.role)) } x=(number(area.left)) y=(number(area.top))
                width=(number(area.right - area.left)) height=(number(area.bottom - area.top)) {}
        }
        (axes(chart))
        @for rule in &chart.rules { (line("rule", rule.role, rule.from, rule.to)) }
        @for mark in &chart.lines { (polyline(mark)) }
        @for mark in &chart.dots { (dot(mark)) }
        @for mark in &chart.labels { (label(mark)) }
    }
}

fn axes(chart: &Chart) -> Markup {
    let plot = chart.plot;
    let named = |label: &str, unit: &str| match unit {
        "" => label.to_owned(),
        unit => format!("{label} [{unit}]"),
    };
    let middle = f64::midpoint(plot.left, plot.right);
    let at = |x: f64, y: f64| Point { x, y };
    html! {
        @for tick in &chart.y.ticks {
            (stroke("grid", at(plot.left, tick.at), at(plot.right, tick.at)))
            (text("", at(plot.left - 6.0, tick.at + TEXT / 3.0), Anchor::End, &tick.text))
        }
        @for tick in &chart.x.ticks {
            (stroke("tick", at(tick.at, plot.bottom), at(tick.at, plot.bottom + 4.0)))
            (text("", at(tick.at, plot.bottom + 6.0 + TEXT), Anchor::Middle, &tick.text))
        }
        (stroke("axis", at(plot.left, plot.bottom), at(plot.right, plot.bottom)))
        (text("axis-name", at(0.0, TEXT), Anchor::Start, &named(&chart.y.label, &chart.y.unit)))
        (text("axis-name", at(middle, chart.height - 4.0), Anchor::Middle,
            &named(&chart.x.label, &chart.x.unit)))
    }
}

fn polyline(mark: &LineMark) -> Markup {
    let points = mark.points.iter().map(|point| place(*point));
    let points: Vec<String> = points.collect();
    html! { polyline class={ "series " (class(mark.role)) } points=(points.join(" ")) {} }
}

/// Circle, square, triangle or diamond, by the series; hollow where the point does not count.
fn dot(mark: &DotMark) -> Markup {
    let Point { x, y } = mark.at;
    let shape = match mark.role {
        Role::Nth(n) => n % 4,
        Role::Raw => 1,
        Role::Goodput | Role::Limit | Role::Answer => 0,
    };
    let corners: &[(f64, f64)] = match shape {
        1 => &[(-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)],
        2 => &[(0.0, -4.5), (4.0, 3.0), (-4.0, 3.0)],
        3 => &[(0.0, -4.8), (4.8, 0.0), (0.0, 4.8), (-4.8, 0.0)],
        _ => &[],
    };
    let hollow = if mark.hollow { " hollow" } else { "" };
    let class = format!("dot {}{hollow}", class(mark.role));
    let points = corners.iter().map(|(dx, dy)| place(Point { x: x + dx, y: y + dy }));
    let points: Vec<String> = points.collect();
    html! {
        @if points.is_empty() {
            circle class=(class) cx=(number(x)) cy=(number(y)) r="4" { title { (mark.text) } }
        } @else {
            polygon class=(class) points=(points.join(" ")) { title { (mark.text) } }
        }
    }
}

/// A text beside its mark, with a thin dotted line to it where the text had to move away.
fn label(mark: &Label) -> Markup {
    let to = Point { x: mark.at.x - 2.0, y: mark.at.y - TEXT / 3.0 };
    html! {
        @if let Some(from) = mark.leader { (line("leader", mark.role, from, to)) }
        (text(&format!("name {}", class(mark.role)), mark.at, mark.anchor, &mark.text))
    }
}

fn line(kind: &str, of: Role, from: Point, to: Point) -> Markup {
    stroke(&format!("{kind} {}", class(of)), from, to)
}

fn stroke(class: &str, from: Point, to: Point) -> Markup {
    let [x1, y1, x2, y2] = [from.x, from.y, to.x, to.y].map(number);
    html! { line class=(class) x1=(x1) y1=(y1) x2=(x2) y2=(y2) {} }
}

fn text(class: &str, at: Point, anchor: Anchor, text: &str) -> Markup {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    html! {
        text class=(class) x=(number(at.x)) y=(number(at.y)) text-anchor=(anchor) { (text) }
    }
}

/// The class of a role in the style sheets; families larger than those start over.
fn class(role: Role) -> String {
    match role {
        Role::Goodput => "goodput".to_owned(),
        Role::Raw => "raw".to_owned(),
        Role::Limit => "limit".to_owned(),
        Role::Answer => "answer".to_owned(),
        Role::Nth(n) => format!("nth-{}", n % NTH),
    }
}

fn place(point: Point) -> String {
    format!("{},{}", number(point.x), number(point.y))
}

/// A coordinate to a tenth of a pixel.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_as_short_as_a_tenth_of_a_pixel_allows() {
        for (value, text) in [(12.0, "12"), (12.34, "12.3"), (0.04, "0"), (99.96, "100")] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn families_larger_than_the_style_sheet_start_over() {
        assert_eq!(class(Role::Nth(2)), "nth-2");
        assert_eq!(class(Role::Nth(NTH + 1)), "nth-1");
    }
}
