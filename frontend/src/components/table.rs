//! Tables and lists of the report, as semantic elements.

use leptos::prelude::*;
use tokencap_shared::present::document::cell::Cell;
use tokencap_shared::present::document::{Fact, Section};
use tokencap_shared::present::render::html;
use tokencap_shared::present::words::Words;

/// Markup whose texts are escaped, as if it stood here itself.
#[component]
pub(crate) fn Html(markup: String) -> impl IntoView {
    view! { <div class="html" inner_html=markup></div> }.into_any()
}

/// A section of the document.
pub(crate) fn section(section: &Section, words: &Words) -> AnyView {
    view! { <Html markup=html::section(section, words).into_string()/> }.into_any()
}

/// A frame whose wide content scrolls sideways, with the keyboard too.
#[component]
pub(crate) fn Scrolls(label: String, children: Children) -> impl IntoView {
    view! { <div class="scrolls" role="region" aria-label=label tabindex="0">{children()}</div> }
}

/// A cell's text and its remark.
pub(crate) fn cell_content(cell: &Cell, words: &Words) -> AnyView {
    view! { <span inner_html=html::content(cell, words).into_string()></span> }.into_any()
}

/// Facts by name.
pub(crate) fn facts(facts: &[Fact], id: &str, words: &Words) -> AnyView {
    view! { <Html markup=html::facts(facts, id, words).into_string()/> }.into_any()
}
