//! A chart as an SVG file that needs nothing else: for print, documents and mail.

use std::fmt::Write;

use super::layout::TEXT;
use super::{Anchor, Chart, DotMark, Label, LineMark, Point, Role};

/// Ink, paper and lines between them.
const INK: &str = "#1b1f24";
const FAINT: &str = "#d0d7de";
const PAPER: &str = "#ffffff";
/// Goodput and raw throughput, limit, answer: of Okabe and Ito's set, which the colour-blind
/// can tell apart.
const GOODPUT: &str = "#0072b2";
const RAW: &str = "#999999";
const LIMIT: &str = "#d55e00";
const ANSWER: &str = "#009e73";
/// The others of that set, for series of one kind.
const NTH: [&str; 6] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];
/// Dash patterns of series of one kind.
const DASHES: [&str; 6] = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];

/// The chart as a stand-alone SVG.
#[must_use]
pub fn to_svg(chart: &Chart) -> String {
    let mut out = String::with_capacity(8_192);
    // Writing to a String cannot fail.
    let _ = draw(chart, &mut out);
    out
}

fn draw(chart: &Chart, out: &mut String) -> std::fmt::Result {
    let (width, height) = (number(chart.width), number(chart.height));
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" font-family=\"system-ui, 'Noto Sans \
         SC', sans-serif\" font-size=\"{}\" fill=\"{INK}\">",
        number(TEXT)
    )?;
    writeln!(out, "<title>{}</title>", escape(&chart.title))?;
    writeln!(out, "<desc>{}</desc>", escape(&chart.description))?;
    writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"{PAPER}\"/>")?;
    for band in &chart.bands {
        let a = band.area;
        writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" opacity=\"0.15\"/>",
            number(a.left),
            number(a.top),
            number(a.right - a.left),
            number(a.bottom - a.top),
            colour(band.role)
        )?;
    }
    axes(chart, out)?;
    for rule in &chart.rules {
        let colour = colour(rule.role);
        line(out, rule.from, rule.to, &format!("stroke=\"{colour}\" stroke-dasharray=\"4 3\""))?;
    }
    for mark in &chart.lines {
        polyline(mark, out)?;
    }
    for mark in &chart.dots {
        dot(mark, out)?;
    }
    for mark in &chart.labels {
        label(mark, out)?;
    }
    writeln!(out, "</svg>")
}

fn axes(chart: &Chart, out: &mut String) -> std::fmt::Result {
    let plot = chart.plot;
    let faint = format!("stroke=\"{FAINT}\"");
    for tick in &chart.y.ticks {
        let from = Point { x: plot.left, y: tick.at };
        line(out, from, Point { x: plot.right, ..from }, &faint)?;
        let at = Point { x: plot.left - 6.0, y: tick.at + TEXT / 3.0 };
        text(out, at, Anchor::End, INK, &tick.text)?;
    }
    for tick in &chart.x.ticks {
        let from = Point { x: tick.at, y: plot.bottom };
        line(out, from, Point { y: plot.bottom + 4.0, ..from }, &faint)?;
        let at = Point { x: tick.at, y: plot.bottom + 6.0 + TEXT };
        text(out, at, Anchor::Middle, INK, &tick.text)?;
    }
    let named = |label: &str, unit: &str| match unit {
        "" => label.to_owned(),
        unit => format!("{label} [{unit}]"),
    };
    let y_name = named(&chart.y.label, &chart.y.unit);
    text(out, Point { x: 2.0, y: TEXT }, Anchor::Start, INK, &y_name)?;
    let middle = Point { x: (plot.left + plot.right) / 2.0, y: chart.height - 4.0 };
    text(out, middle, Anchor::Middle, INK, &named(&chart.x.label, &chart.x.unit))
}

fn polyline(mark: &LineMark, out: &mut String) -> std::fmt::Result {
    let points: Vec<String> = mark
        .points
        .iter()
        .map(|point| format!("{},{}", number(point.x), number(point.y)))
        .collect();
    let dash = match mark.role {
        Role::Nth(n) if !DASHES[n % DASHES.len()].is_empty() => {
            format!(" stroke-dasharray=\"{}\"", DASHES[n % DASHES.len()])
        }
        Role::Raw => " stroke-dasharray=\"6 3\"".to_owned(),
        _ => String::new(),
    };
    writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{dash}/>",
        points.join(" "),
        colour(mark.role)
    )
}

/// Circle, square, triangle or diamond, by the series; hollow where the point does not count.
fn dot(mark: &DotMark, out: &mut String) -> std::fmt::Result {
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
    let colour = colour(mark.role);
    let fill = if mark.hollow { PAPER } else { colour };
    let style = format!("fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.5\"");
    let title = format!("<title>{}</title>", escape(&mark.text));
    if corners.is_empty() {
        let (x, y) = (number(x), number(y));
        return writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" {style}>{title}</circle>");
    }
    let points: Vec<String> =
        corners.iter().map(|(dx, dy)| format!("{},{}", number(x + dx), number(y + dy))).collect();
    writeln!(out, "<polygon points=\"{}\" {style}>{title}</polygon>", points.join(" "))
}

fn label(mark: &Label, out: &mut String) -> std::fmt::Result {
    if let Some(from) = mark.leader {
        let to = Point { x: mark.at.x - 2.0, y: mark.at.y - TEXT / 3.0 };
        // Thin, grey and dotted, so that it is not taken for data.
        line(
            out,
            from,
            to,
            &format!("stroke=\"{RAW}\" stroke-width=\"0.75\" stroke-dasharray=\"1 3\""),
        )?;
    }
    text(out, mark.at, mark.anchor, text_colour(mark.role), &mark.text)
}

fn line(out: &mut String, from: Point, to: Point, style: &str) -> std::fmt::Result {
    writeln!(
        out,
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {style}/>",
        number(from.x),
        number(from.y),
        number(to.x),
        number(to.y)
    )
}

fn text(out: &mut String, at: Point, anchor: Anchor, colour: &str, text: &str) -> std::fmt::Result {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let (x, y, text) = (number(at.x), number(at.y), escape(text));
    writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{text}</text>"
    )
}

const fn colour(role: Role) -> &'static str {
    match role {
        Role::Goodput => GOODPUT,
        Role::Raw => RAW,
        Role::Limit => LIMIT,
        Role::Answer => ANSWER,
        Role::Nth(n) => NTH[n % NTH.len()],
    }
}

/// Colours for text, dark enough on white to be read (4.5:1 and more).
const fn text_colour(role: Role) -> &'static str {
    match role {
        Role::Goodput => "#005f95",
        Role::Raw => "#5c5c5c",
        Role::Limit => "#a84a00",
        Role::Answer => "#00704f",
        Role::Nth(_) => INK,
    }
}

/// A coordinate to a tenth of a pixel.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not allowed in XML at all.
            c if c.is_control() && !matches!(c, '\t' | '\n' | '\r') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
