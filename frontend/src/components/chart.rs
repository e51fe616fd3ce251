//! Charts: shared geometry as SVG elements, laid out anew for the width that there is.

use leptos::html;
use leptos::prelude::*;
use tokencap_shared::chart::{Anchor, Chart, DotMark, Label, LineMark, Plan, Point, Role, Size};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

/// Width before the page is laid out, and in a browser that does not say.
const WIDTH: f64 = 640.0;
/// Below this a chart is drawn smaller instead of narrower.
const LEAST_WIDTH: f64 = 300.0;
/// Kinds of series of one family that the style sheet tells apart.
const NTH: usize = 6;

/// A chart with its title. The same data stands in a table of the page, to which `described_by`
/// points: the picture needs no second reading for those who cannot see it.
#[component]
pub(crate) fn ChartView(
    /// What to draw.
    #[prop(into)]
    plan: Signal<Plan>,
    /// Height in pixels.
    #[prop(default = 300.0)]
    height: f64,
    /// The figure's id.
    id: &'static str,
) -> impl IntoView {
    let frame = NodeRef::<html::Figure>::new();
    let width = width_of(frame);
    let drawing = move || {
        let plan = plan.read();
        let size = Size { width: width.get().max(LEAST_WIDTH), height };
        draw(&Chart::of(&plan, size))
    };
    view! {
        <figure node_ref=frame class="chart" id=id data-testid=id>
            <figcaption>{move || plan.read().title.clone()}</figcaption>
            {drawing}
        </figure>
    }
    .into_any()
}

/// Follows an element's width in whole pixels.
fn width_of(frame: NodeRef<html::Figure>) -> RwSignal<f64> {
    let width = RwSignal::new(WIDTH);
    Effect::new(move |before: Option<()>| {
        let Some(element) = frame.get() else { return };
        if before.is_some() {
            return;
        }
        let measured = element.clone();
        let changed = Closure::<dyn FnMut()>::new(move || {
            let now = f64::from(measured.client_width());
            if now > 0.0 && width.try_get_untracked().is_some_and(|before| before != now) {
                width.set(now);
            }
        });
        if let Ok(observer) = web_sys::ResizeObserver::new(changed.as_ref().unchecked_ref()) {
            observer.observe(&element);
            // The observer lives as long as its element; so must what it calls.
            let kept = StoredValue::new_local((observer, changed));
            on_cleanup(move || {
                kept.try_with_value(|(observer, _)| observer.disconnect());
            });
        }
    });
    width
}

fn draw(chart: &Chart) -> AnyView {
    let plot = chart.plot;
    let bands = chart.bands.iter().map(|band| {
        let area = band.area;
        view! {
            <rect class=format!("band {}", role(band.role)) x=px(area.left) y=px(area.top)
                width=px(area.right - area.left) height=px(area.bottom - area.top)/>
        }
    });
    let rules = chart.rules.iter().map(|rule| line("rule", rule.role, rule.from, rule.to));
    let grid = chart.y.ticks.iter().map(|tick| {
        view! {
            <line class="grid" x1=px(plot.left) x2=px(plot.right) y1=px(tick.at) y2=px(tick.at)/>
            <text x=px(plot.left - 6.0) y=px(tick.at + 4.0) text-anchor="end">{tick.text.clone()}</text>
        }
    });
    let feet = chart.x.ticks.iter().map(|tick| {
        view! {
            <line class="tick" x1=px(tick.at) x2=px(tick.at) y1=px(plot.bottom) y2=px(plot.bottom + 4.0)/>
            <text x=px(tick.at) y=px(plot.bottom + 18.0) text-anchor="middle">{tick.text.clone()}</text>
        }
    });
    let named = |label: &str, unit: &str| match unit {
        "" => label.to_owned(),
        unit => format!("{label} [{unit}]"),
    };
    let middle = f64::midpoint(plot.left, plot.right);
    view! {
        <svg viewBox=format!("0 0 {} {}", px(chart.width), px(chart.height)) role="img"
            aria-label=chart.description.clone()>
            {bands.collect_view()}
            {grid.collect_view()}
            {feet.collect_view()}
            <line class="axis" x1=px(plot.left) x2=px(plot.right) y1=px(plot.bottom) y2=px(plot.bottom)/>
            <text class="axis-name" x="0" y="12">{named(&chart.y.label, &chart.y.unit)}</text>
            <text class="axis-name" x=px(middle) y=px(chart.height - 4.0) text-anchor="middle">
                {named(&chart.x.label, &chart.x.unit)}
            </text>
            {rules.collect_view()}
            {chart.lines.iter().map(polyline).collect_view()}
            {chart.dots.iter().map(dot).collect_view()}
            {chart.labels.iter().map(label).collect_view()}
        </svg>
    }
    .into_any()
}

fn line(class: &str, of: Role, from: Point, to: Point) -> impl IntoView + use<> {
    let class = format!("{class} {}", role(of));
    view! { <line class=class x1=px(from.x) y1=px(from.y) x2=px(to.x) y2=px(to.y)/> }
}

fn polyline(mark: &LineMark) -> impl IntoView + use<> {
    let points = mark.points.iter().map(|point| format!("{},{}", px(point.x), px(point.y)));
    let points: Vec<String> = points.collect();
    view! { <polyline class=format!("series {}", role(mark.role)) points=points.join(" ")/> }
}

/// A marker by the series' own shape; hollow where the point does not count.
fn dot(mark: &DotMark) -> impl IntoView + use<> {
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
    let class = format!("dot {}{hollow}", role(mark.role));
    let title = mark.text.clone();
    if corners.is_empty() {
        view! { <circle class=class cx=px(x) cy=px(y) r="4"><title>{title}</title></circle> }
            .into_any()
    } else {
        let points = corners.iter().map(|(dx, dy)| format!("{},{}", px(x + dx), px(y + dy)));
        let points: Vec<String> = points.collect();
        view! { <polygon class=class points=points.join(" ")><title>{title}</title></polygon> }
            .into_any()
    }
}

fn label(mark: &Label) -> impl IntoView + use<> {
    let anchor = match mark.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let leader = mark.leader.map(|from| {
        let to = Point { x: mark.at.x - 2.0, y: mark.at.y - 4.0 };
        line("leader", mark.role, from, to)
    });
    view! {
        {leader}
        <text class=format!("name {}", role(mark.role)) x=px(mark.at.x) y=px(mark.at.y)
            text-anchor=anchor>{mark.text.clone()}</text>
    }
}

/// The class of a role in the style sheet.
fn role(role: Role) -> String {
    match role {
        Role::Goodput => "goodput".to_owned(),
        Role::Raw => "raw".to_owned(),
        Role::Limit => "limit".to_owned(),
        Role::Answer => "answer".to_owned(),
        Role::Nth(n) => format!("nth-{}", n % NTH),
    }
}

/// A coordinate to a tenth of a pixel.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_as_short_as_a_tenth_of_a_pixel_allows() {
        for (value, text) in [(12.0, "12"), (12.34, "12.3"), (0.04, "0"), (99.96, "100")] {
            assert_eq!(px(value), text);
        }
    }

    #[test]
    fn families_larger_than_the_style_sheet_start_over() {
        assert_eq!(role(Role::Nth(2)), "nth-2");
        assert_eq!(role(Role::Nth(NTH + 1)), "nth-1");
    }
}
