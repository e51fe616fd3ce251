//! What needs attention: everything, the gravest first.

use leptos::prelude::*;
use tokencap_shared::present::document::{Body, SectionId};
use tokencap_shared::present::render::html;

use crate::components::table::Html;
use crate::state::{State, text};

/// The list.
#[component]
pub(super) fn Attention() -> impl IntoView {
    let state = State::get();
    let text = text();
    let list = move || {
        let document = state.document.read();
        let section = document.section(SectionId::Attention)?;
        Some(match &section.body {
            Body::Notes(notes) => {
                let list = html::notes(notes, true, section.id.name());
                view! { <Html markup=list.into_string()/> }.into_any()
            }
            Body::Nothing(sentence) => view! { <p>{*sentence}</p> }.into_any(),
            Body::Table(_) | Body::Facts(_) => ().into_any(),
        })
    };
    view! {
        <section class="attention" aria-labelledby="attention-title" data-section="attention">
            <h2 id="attention-title">{text.words.title.attention}</h2>
            {list}
        </section>
    }
}
