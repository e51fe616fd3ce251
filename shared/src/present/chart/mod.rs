//! Chart geometry: what to draw, at which point, before anything is drawn.
//!
//! A [`Plan`] says in data's own units what a chart shows; [`Chart::of`] lays it out in pixels:
//! ticks at round numbers, lines thinned to what a pixel can show, labels at the lines' ends
//! that never overlap. The page makes SVG elements of it, [`svg::to_svg`] a string for files.
//! Nothing is told by colour alone: every series has its own marker and dash pattern, and its
//! name stands at its end.

mod layout;
pub mod scale;
mod spread;
pub mod svg;
mod thin;

use serde::Serialize;

pub use scale::{Axis, Scaling, Tick};

/// What a chart shows, in the units of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What it shows, as a heading.
    pub title: String,
    /// What it says, for those who cannot see it.
    pub description: String,
    /// The horizontal axis.
    pub x: AxisPlan,
    /// The vertical axis.
    pub y: AxisPlan,
    /// The lines.
    pub series: Vec<Series>,
    /// Limits and marks across the whole plot.
    pub rules: Vec<Rule>,
    /// Ranges of x behind everything.
    pub bands: Vec<Band>,
}

/// An axis before it is laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisPlan {
    /// What it is.
    pub label: String,
    /// In what unit.
    pub unit: String,
    /// Linear or logarithmic.
    pub scaling: Scaling,
    /// The lower end; `None`: just below the data.
    pub from: Option<f64>,
    /// The upper end; `None`: just above the data.
    pub to: Option<f64>,
}

/// A line, its points in the order of x.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Series {
    /// Its name, which stands at its end.
    pub name: String,
    /// What it is.
    pub role: Role,
    pub points: Vec<Datum>,
    /// Whether each point is marked.
    pub marked: bool,
    /// Whether it is drawn as stairs: a value holds until the next one.
    pub stairs: bool,
}

/// One point of a series. A value that is not finite, or missing, interrupts the line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Datum {
    pub x: f64,
    /// How much; `None` is missing.
    pub y: Option<f64>,
    /// Whether it counts: the point of an invalid step does not, and is drawn hollow and
    /// outside the line.
    pub counts: bool,
}

/// A line across the plot.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Rule {
    /// Which way.
    pub across: Across,
    /// At which value.
    pub at: f64,
    pub name: String,
    /// What it is.
    pub role: Role,
}

/// Which way a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Across {
    /// At a value of x, from bottom to top.
    Vertical,
    /// At a value of y, from left to right.
    Horizontal,
}

/// A range of x.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Band {
    pub from: f64,
    /// To; `None` is the axis's end.
    pub to: Option<f64>,
    pub name: String,
    /// What it is.
    pub role: Role,
}

/// What a mark stands for; the page and the SVG writer choose its looks by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "role", content = "n")]
pub enum Role {
    /// What can be sold.
    Goodput,
    /// What the machine does.
    Raw,
    /// A promise's limit or target.
    Limit,
    /// λ_slo_max, or the bracket around it.
    Answer,
    /// One of several series of a kind, such as tiers.
    Nth(usize),
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

/// A place in pixels, from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Area {
    /// Left edge.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Bottom edge.
    pub bottom: f64,
}

/// A chart in pixels, ready to be drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What it says.
    pub description: String,
    /// Width of the whole.
    pub width: f64,
    /// Height of the whole.
    pub height: f64,
    /// Where data is drawn.
    pub plot: Area,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Ranges, the lowest layer.
    pub bands: Vec<BandMark>,
    pub rules: Vec<RuleMark>,
    pub lines: Vec<LineMark>,
    /// Markers.
    pub dots: Vec<DotMark>,
    /// Texts beside the marks, none above another.
    pub labels: Vec<Label>,
}

/// A range in pixels.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct BandMark {
    pub area: Area,
    /// What it is.
    pub role: Role,
}

/// A rule in pixels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleMark {
    /// One end.
    pub from: Point,
    /// The other.
    pub to: Point,
    /// What it is.
    pub role: Role,
}

/// An unbroken stretch of a series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineMark {
    /// Its corners.
    pub points: Vec<Point>,
    /// What it is.
    pub role: Role,
}

/// A marker.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct DotMark {
    pub at: Point,
    /// What it is.
    pub role: Role,
    /// Hollow: it does not count.
    pub hollow: bool,
    /// The values, for a tooltip and a screen reader.
    pub text: String,
}

/// A text beside a mark.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Label {
    /// Start of its base line, or its middle or end as `anchor` says.
    pub at: Point,
    /// Which part of the text stands there.
    pub anchor: Anchor,
    pub text: String,
    /// What it names.
    pub role: Role,
    /// Where the named mark is, if the text had to move away from it.
    pub leader: Option<Point>,
}

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

impl Datum {
    /// A point that counts.
    #[must_use]
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y: Some(y), counts: true }
    }

    /// Where it can be drawn, if it can.
    fn place(&self) -> Option<(f64, f64)> {
        let y = self.y?;
        (self.x.is_finite() && y.is_finite()).then_some((self.x, y))
    }
}

impl Series {
    /// A line with marked points.
    #[must_use]
    pub fn marked(name: impl Into<String>, role: Role, points: Vec<Datum>) -> Self {
        Self { name: name.into(), role, points, marked: true, stairs: false }
    }

    /// A line without markers.
    #[must_use]
    pub fn line(name: impl Into<String>, role: Role, points: Vec<Datum>) -> Self {
        Self { name: name.into(), role, points, marked: false, stairs: false }
    }

    /// Drawn as stairs.
    #[must_use]
    pub fn as_stairs(mut self) -> Self {
        self.stairs = true;
        self
    }
}

impl AxisPlan {
    /// A linear axis from zero.
    #[must_use]
    pub fn from_zero(label: &str, unit: &str) -> Self {
        Self {
            label: label.to_owned(),
            unit: unit.to_owned(),
            scaling: Scaling::Linear,
            from: Some(0.0),
            to: None,
        }
    }

    /// A linear axis around its data.
    #[must_use]
    pub fn around(label: &str, unit: &str) -> Self {
        Self { from: None, ..Self::from_zero(label, unit) }
    }

    /// A logarithmic axis around its data.
    #[must_use]
    pub fn log(label: &str, unit: &str) -> Self {
        Self { scaling: Scaling::Log, ..Self::around(label, unit) }
    }

    /// With a fixed upper end.
    #[must_use]
    pub const fn up_to(mut self, to: f64) -> Self {
        self.to = Some(to);
        self
    }
}
