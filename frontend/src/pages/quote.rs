//! The quote, for sales: a customer's need in their own words, what each open bundle's cluster
//! offers for it, or why it offers nothing. Its state is the address, so a link is a quote.

use leptos::ev;
use leptos::prelude::*;
use tokencap_shared::definitions::quote::{Answers, Field};

use super::bench::Bench;
use crate::browser;
use crate::components::assumptions::Assumptions;
use crate::components::files::{Empty, FileInput};
use crate::route::Route;
use crate::state::{State, text};
use crate::text::Text;
use crate::text::quote::question;

/// Days for which a quote holds unless somebody says otherwise.
const DAYS_VALID: u32 = 30;

/// The page.
#[component]
pub(crate) fn Quote() -> impl IntoView {
    let state = State::get();
    let text = text();
    let words = text.quote;
    let answers =
        RwSignal::new(state.route.with_untracked(|route| Answers::parse(|key| route.get(key))));
    // The address follows the answers, and where it is changed by hand they follow it.
    Effect::new(move |first: Option<()>| {
        let query = answers.read().query();
        if first.is_some() {
            let address = state.route.read_untracked().with_query(&query);
            browser::replace_hash(&address);
            // Known to the page that another language makes; nobody need follow what they wrote.
            state.route.update_untracked(|route| *route = Route::parse(&address));
        }
    });
    Effect::new(move |first: Option<()>| {
        let route = state.route.read();
        let typed = Answers::parse(|key| route.get(key));
        if first.is_some() {
            answers.set(typed);
        }
    });
    let query = Signal::derive(move || {
        let mut answers = answers.get();
        answers.until.get_or_insert_with(until);
        answers.query()
    });
    let empty = move || state.library.loaded.read().is_empty();
    let none = move || empty().then(|| view! { <p class="quiet">{words.no_bundle}</p><Empty/> });
    view! {
        <div class="title">
            <h1>{words.title}</h1>
            <p class="tagline">{words.tagline}</p>
        </div>
        {none}
        <div hidden=empty>
            <NeedForm answers/>
            <section aria-labelledby="offers-title">
                <h2 id="offers-title">{words.offers}</h2>
                <Bench name=Signal::stored("quote") query/>
            </section>
            <Assumptions utilisation=false/>
            <FileInput id="quote-file" label=text.page.add/>
        </div>
    }
    .into_any()
}

/// The questions. Made anew when the measurement by which they are filled in changes.
#[component]
fn NeedForm(answers: RwSignal<Answers>) -> impl IntoView {
    let state = State::get();
    let words = text().quote;
    let fields = move || {
        let loaded = state.library.loaded.read();
        let measured = loaded.first().and_then(|first| first.capacity.held());
        Field::ALL.map(|field| input(field, field.assumed(measured), answers, state)).collect_view()
    };
    let until = move || answers.read().until.clone().unwrap_or_else(until);
    let set_until = move |event: ev::Event| {
        answers.update(|answers| answers.until = Some(event_target_value(&event)));
    };
    let copied = RwSignal::new(false);
    let copy = move |_| {
        browser::copy_address();
        copied.set(true);
    };
    view! {
        <section class="assumptions need" aria-labelledby="need-title" data-testid="need">
            <h2 id="need-title">{words.need}</h2>
            <div class="fields">
                <label class="field">
                    <span>{words.customer}</span>
                    <input id="customer" type="text" autocomplete="off"/>
                    <small class="note no-print">{words.not_kept}</small>
                </label>
                <label class="field">
                    <span>{words.until}</span>
                    <input id="until" data-testid="until" type="date" prop:value=until
                        on:change=set_until/>
                </label>
                {fields}
            </div>
            <p class="no-print">
                <button type="button" data-testid="copy" on:click=copy>{words.copy}</button>" "
                <span role="status">{move || copied.get().then_some(words.copied)}</span>
            </p>
        </section>
    }
    .into_any()
}

/// A question: a slider for a feeling, a field for a figure.
fn input(field: Field, assumed: f64, answers: RwSignal<Answers>, state: State) -> AnyView {
    let lang = state.prefs.lang.get_untracked();
    let range = field.range();
    let value = Memo::new(move |_| answers.read().get(field).unwrap_or(assumed));
    let typed = RwSignal::new(value.get_untracked().to_string());
    let bad = move || range.parse(&typed.read()).is_none();
    // What somebody types stays as it is typed; what the slider or the address says is written.
    Effect::new(move || {
        let value = value.get();
        if typed.with_untracked(|typed| range.parse(typed)) != Some(value) {
            typed.set(value.to_string());
        }
    });
    let slide = move |event: ev::Event| {
        if let Ok(notch) = event_target_value(&event).parse() {
            typed.set(range.value(notch).to_string());
            answers.update(|answers| answers.set(field, range.value(notch)));
        }
    };
    let typing = move |event: ev::Event| {
        let text = event_target_value(&event);
        if let Some(value) = range.parse(&text) {
            answers.update(|answers| answers.set(field, value));
        }
        typed.set(text);
    };
    let (name, unit) = question(field, lang);
    let id = format!("need-{}", field.key());
    let out_of_range = Text::of(lang).quote.out_of_range;
    let remark =
        move || bad().then(|| out_of_range(&range.min.to_string(), &range.max.to_string()));
    view! {
        <div class="field">
            <label for=id.clone()>{name}" "<span class="unit">{unit}</span></label>
            // Not of the kind `number`: its value is empty while a figure is not whole yet.
            <input id=id.clone() data-testid=id type="text" inputmode="decimal" autocomplete="off"
                prop:value=typed aria-invalid=move || bad().to_string() on:input=typing/>
            <input type="range" class="no-print" min="0" max="1000" step="1" aria-label=name
                aria-valuetext=move || format!("{} {unit}", value.get())
                prop:value=move || range.notch(value.get()).to_string() on:input=slide/>
            <small class="note">{remark}</small>
        </div>
    }
    .into_any()
}

/// Until when a quote made today holds.
fn until() -> String {
    browser::days_from_now(DAYS_VALID)
}
