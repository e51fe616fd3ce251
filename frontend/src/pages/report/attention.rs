//! What needs attention: everything, the gravest first.

use leptos::prelude::*;
use tokencap_shared::report::Severity;
use tokencap_shared::report::view::{self, Note};

use crate::state::{State, text};

/// The list.
#[component]
pub(super) fn Attention() -> impl IntoView {
    let state = State::get();
    let text = text();
    let list = move || {
        let report = state.report.read();
        let notes = view::attention(&report, text.words);
        let several = report.rows.len() > 1;
        if notes.is_empty() {
            return view! { <p>{text.words.say.nothing_to_note}</p> }.into_any();
        }
        let items = notes.into_iter().map(|note| item(note, several));
        view! { <ul class="notes" data-testid="attention">{items.collect_view()}</ul> }.into_any()
    };
    view! {
        <section class="attention" aria-labelledby="attention-title">
            <h2 id="attention-title">{text.words.title.attention}</h2>
            {list}
        </section>
    }
}

/// A sentence of the list; with the name of its bundle where there are several.
fn item(note: Note, several: bool) -> impl IntoView {
    let about = (several && !note.about.is_empty())
        .then(|| view! { <span class="about">{note.about}</span>" " });
    view! {
        <li class=severity_class(note.severity)>
            <span class="severity">{note.label}</span>" "
            {about}
            <span class="what">{note.advice.what}</span>" "
            <span class="fix">{note.advice.fix}</span>
        </li>
    }
}

/// The class of a severity in the style sheet.
pub(super) const fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Blocks => "blocks",
        Severity::Caution => "caution",
        Severity::Note => "note",
    }
}
