//! The dialogue in which a number opens its evidence, and the numbers that open it.

use leptos::html;
use leptos::prelude::*;
use tokencap_shared::present::document::Figure;
use tokencap_shared::present::evidence::{self, Evidence};

use super::table::facts;
use crate::state::State;
use crate::state::library::Key;
use crate::text::Text;

/// A number that opens its evidence.
#[component]
pub(crate) fn FigureButton(
    /// What it is.
    figure: Figure,
    /// The bundle that it belongs to.
    key: Key,
    /// The number.
    children: Children,
) -> impl IntoView {
    let state = State::get();
    let scenario = move || figure.is_money() && state.prices.scenario.get();
    view! {
        <button type="button" class="figure" class:scenario=scenario aria-haspopup="dialog"
            data-testid=format!("figure-{}", figure.name())
            on:click=move |_| state.evidence.set(Some((key, figure)))>{children()}</button>
    }
    .into_any()
}

/// The dialogue.
#[component]
pub(crate) fn EvidenceDialog() -> impl IntoView {
    let state = State::get();
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move || {
        let (open, dialog) = (state.evidence.get().is_some(), dialog.get());
        if let Some(dialog) = dialog {
            if open && !dialog.open() {
                // It fails only where the dialogue is open already.
                let _ = dialog.show_modal();
            } else if !open && dialog.open() {
                dialog.close();
            }
        }
    });
    let content = move || {
        let (key, figure) = state.evidence.get()?;
        let text = state.text();
        let loaded = state.library.loaded.read();
        let at = loaded.iter().position(|bundle| bundle.key == key)?;
        let report = state.report.read();
        let row = report.rows.get(at)?;
        let found = evidence::of(figure, &report, row, &loaded[at].bundle.manifest, text.words)?;
        Some(shown(found, text))
    };
    let closed = move |_| state.evidence.set(None);
    // A click on the backdrop is a click on the dialogue itself.
    let beside = move |event: leptos::ev::MouseEvent| {
        if event.target() == event.current_target() {
            state.evidence.set(None);
        }
    };
    view! {
        <dialog node_ref=dialog class="evidence" id="evidence" data-testid="evidence"
            aria-labelledby="evidence-title" on:close=closed on:click=beside>
            <div class="sheet">
                {content}
                <button type="button" class="close" on:click=move |_| state.evidence.set(None)>
                    {move || state.text().page.close}
                </button>
            </div>
        </dialog>
    }
}

fn shown(evidence: Evidence, text: Text) -> impl IntoView {
    let (page, words) = (text.page, text.words);
    view! {
        <h2 id="evidence-title">{evidence.title}</h2>
        <p class="value" data-testid="evidence-value">{evidence.value.text_with_unit(words.lang)}</p>
        <h3>{page.how}</h3>
        <p>{evidence.formula}</p>
        <p class="arithmetic" data-testid="evidence-figures">{evidence.arithmetic}</p>
        <h3>{page.inputs}</h3>
        {facts(&evidence.inputs, "evidence-inputs", words)}
        <h3>{page.context}</h3>
        {facts(&evidence.context, "evidence-context", words)}
    }
}
