//! Charts, laid out anew for the width that there is.

use leptos::html;
use leptos::prelude::*;
use tokencap_shared::present::chart::{Chart, Plan, Size};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

/// Width before the page is laid out, and in a browser that does not say.
const WIDTH: f64 = 640.0;
/// Below this a chart is drawn smaller instead of narrower.
const LEAST_WIDTH: f64 = 300.0;

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
        tokencap_shared::present::render::html::chart(&Chart::of(&plan, size)).into_string()
    };
    view! {
        <figure node_ref=frame class="chart" id=id data-testid=id inner_html=drawing></figure>
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
