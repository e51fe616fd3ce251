//! What needs attention: everything, the gravest first.

use leptos::prelude::*;
use tokencap_shared::present::document;
use tokencap_shared::present::render::html;

use crate::components::table::Html;
use crate::state::{State, text};

/// The list.
#[component]
pub(super) fn Attention() -> impl IntoView {
    let state = State::get();
    let text = text();
    let list = move || {
        let report = state.report.read();
        let notes = document::attention(&report, text.words);
        if notes.is_empty() {
            return view! { <p>{text.words.say.nothing_to_note}</p> }.into_any();
        }
        let list = html::notes(&notes, report.rows.len() > 1, "attention");
        view! { <Html markup=list.into_string()/> }.into_any()
    };
    view! {
        <section class="attention" aria-labelledby="attention-title">
            <h2 id="attention-title">{text.words.title.attention}</h2>
            {list}
        </section>
    }
}
