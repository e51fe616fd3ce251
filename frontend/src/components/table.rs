//! Tables and lists of the report, as semantic elements.

use leptos::prelude::*;
use tokencap_shared::present::document::Pair;
use tokencap_shared::present::document::table::{Cell, Table};
use tokencap_shared::present::render::html;

/// Markup whose texts are escaped, as if it stood here itself.
#[component]
pub(crate) fn Html(markup: String) -> impl IntoView {
    view! { <div class="html" inner_html=markup></div> }.into_any()
}

/// A table of the report. The first column names the rows; units stand under the headers.
pub(crate) fn data_table(table: &Table, id: &str) -> AnyView {
    view! { <Html markup=html::table(table, id).into_string()/> }.into_any()
}

/// A frame whose wide content scrolls sideways, with the keyboard too.
#[component]
pub(crate) fn Scrolls(label: String, children: Children) -> impl IntoView {
    view! { <div class="scrolls" role="region" aria-label=label tabindex="0">{children()}</div> }
}

/// A cell's text and its remark.
pub(crate) fn cell_content(cell: &Cell) -> AnyView {
    view! { <span inner_html=html::content(cell).into_string()></span> }.into_any()
}

/// A dash with the reason why there is no value.
pub(crate) fn missing(reason: &str) -> AnyView {
    view! { <span inner_html=html::missing(reason).into_string()></span> }.into_any()
}

/// Labels and their values.
pub(crate) fn pairs(pairs: &[Pair], id: &str) -> AnyView {
    view! { <Html markup=html::pairs(pairs, id).into_string()/> }.into_any()
}
