//! The report, for those who decide: everything at one glance, each number with its evidence.

mod attention;
mod details;
mod summary;

use leptos::prelude::*;
use leptos::task::spawn_local;
use tokencap_shared::present::document::SectionId;
use tokencap_shared::present::format;

use crate::components::assumptions::Assumptions;
use crate::components::files::{Empty, FileInput};
use crate::components::table::section;
use crate::state::{State, text};
use crate::workbench::{self, Form};

/// The page.
#[component]
pub(crate) fn Report() -> impl IntoView {
    let state = State::get();
    let empty = Memo::new(move |_| {
        state.library.loaded.read().is_empty() && state.library.jobs.read().is_empty()
    });
    move || {
        if empty.get() {
            view! { <Title/><Empty/> }.into_any()
        } else {
            view! {
                <Title/>
                <Simulated/>
                <summary::Summary/>
                <Bundles/>
                <Assumptions utilisation=true/>
                <Prices/>
                <attention::Attention/>
                <details::Details/>
            }
            .into_any()
        }
    }
}

/// What this is, when it was measured, by which definitions.
#[component]
fn Title() -> impl IntoView {
    let state = State::get();
    let text = text();
    let measured = move || {
        let report = state.report.read();
        let mut days: Vec<&str> =
            report.rows.iter().filter_map(|row| row.started.get(..10)).collect();
        days.sort_unstable();
        days.dedup();
        match days[..] {
            [] => String::new(),
            [day] => day.to_owned(),
            [first, .., last] => format!("{first} – {last}"),
        }
    };
    let definitions = move || (text.words.say.definitions)(state.report.read().definitions);
    let some = move || !state.report.read().rows.is_empty();
    view! {
        <div class="title">
            <h1>{text.words.title.report}</h1>
            <p class="tagline">{text.words.say.tagline}</p>
            <p class="facts" hidden=move || !some()>
                <span data-testid="measured">{measured}</span>
                <span data-testid="definitions-version">{definitions}</span>
            </p>
        </div>
    }
}

/// Says unmistakably where simulated figures stand.
#[component]
fn Simulated() -> impl IntoView {
    let state = State::get();
    let text = text();
    let names = move || {
        let report = state.report.read();
        let simulated = report.rows.iter().filter(|row| row.deployment.simulated);
        let names: Vec<String> = simulated.map(|row| row.name.clone()).collect();
        (!names.is_empty()).then(|| names.join(text.words.say.comma))
    };
    move || {
        names().map(|names| {
            view! {
                <p class="simulated" role="note" data-testid="simulated">
                    <strong>{text.words.say.simulated_long}</strong>" "<span>{names}</span>
                </p>
            }
        })
    }
}

/// The prices that money rests on, as the document has them.
#[component]
fn Prices() -> impl IntoView {
    let state = State::get();
    let text = text();
    move || {
        let document = state.document.read();
        document.section(SectionId::Prices).map(|prices| section(prices, text.words))
    }
}

/// The open bundles and those that the server offers besides.
#[component]
fn Bundles() -> impl IntoView {
    let state = State::get();
    let text = text();
    let open = move || {
        let loaded = state.library.loaded.get().into_iter().map(|bundle| {
            let (key, name) = (bundle.key, bundle.name);
            let remove = (text.page.remove)(&name);
            view! {
                <li>
                    {name}" "
                    <button type="button" class="quiet" aria-label=remove.clone() title=remove
                        on:click=move |_| state.library.close(key)>"×"</button>
                </li>
            }
        });
        loaded.collect_view()
    };
    let offered = move || {
        let offered = state.server.offered.get().into_iter().map(|bundle| {
            let megabytes = format::fixed(bundle.size as f64 / 1e6, 1);
            let label = (text.page.open)(&bundle.name, &megabytes);
            let open = move |_| state.server.open(state.library, &bundle.id);
            view! { <li><button type="button" on:click=open>{label}</button></li> }
        });
        offered.collect_view()
    };
    view! {
        <section class="bundles" aria-label=text.page.bundles>
            <ul data-testid="bundles">{open}{offered}</ul>
            <p class="save" data-testid="save">
                {text.page.save}" "
                {Form::ALL.map(|form| view! {
                    <button type="button" class="quiet" data-testid=format!("save-{}", form.ending())
                        on:click=move |_| spawn_local(workbench::save(state, form))>
                        {form.name()}
                    </button>
                })}
            </p>
            <FileInput id="file" label=text.page.add/>
        </section>
    }
}

/// A run's identity as people compare it, with its file and day.
fn run_of(row: &tokencap_shared::present::report::Row) -> String {
    format!("{} · {}", row.name, format::short_id(&row.run))
}
