//! Opening files: the input, the drop target, what is being read, what could not be.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::browser;
use crate::state::library::{Job, Problem, Stage};
use crate::state::{State, text};
use crate::text::Text;

/// Kinds of files that the file dialogue offers first.
const ACCEPT: &str = ".tokencap,.json,.jsonl,.csv,.yaml,.yml,.txt,.log";

/// A button that opens the file dialogue. The input itself is what the keyboard reaches.
#[component]
pub(crate) fn FileInput(
    /// The input's id.
    id: &'static str,
    /// What stands on the button.
    label: &'static str,
) -> impl IntoView {
    let library = State::get().library;
    let choose = move |event: ev::Event| {
        let Some(input) =
            event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok())
        else {
            return;
        };
        library.open_files(browser::files(input.files()));
        // So that choosing the same file again is a change again.
        input.set_value("");
    };
    view! {
        <label class="button file">
            <input id=id data-testid=id type="file" multiple accept=ACCEPT on:change=choose/>
            {label}
        </label>
    }
}

/// Takes files that are dropped anywhere on the page, and says so while they hover.
#[component]
pub(crate) fn DropTarget() -> impl IntoView {
    let state = State::get();
    // Entering an element comes before leaving the one around it: only the count tells whether
    // the pointer left the page.
    let depth = RwSignal::new(0_i32);
    let has_files = |event: &web_sys::DragEvent| {
        event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
    };
    let enter = window_event_listener(ev::dragenter, move |event| {
        if has_files(&event) {
            depth.update(|depth| *depth += 1);
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        if has_files(&event) {
            depth.update(|depth| *depth = (*depth - 1).max(0));
        }
    });
    let over = window_event_listener(ev::dragover, move |event| {
        if has_files(&event) {
            event.prevent_default();
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        depth.set(0);
        if has_files(&event) {
            event.prevent_default();
            state.library.open_files(browser::files(event.data_transfer().and_then(|d| d.files())));
        }
    });
    on_cleanup(move || {
        for listener in [enter, leave] {
            listener.remove();
        }
        over.remove();
        drop.remove();
    });
    view! {
        <div class="drop-target" hidden=move || depth.get() == 0 aria-hidden="true">
            <p>{move || state.text().page.drop_now}</p>
        </div>
    }
}

/// What is being read, and what could not be.
#[component]
pub(crate) fn Reading() -> impl IntoView {
    let state = State::get();
    let library = state.library;
    let jobs = move || {
        let text = state.text();
        let jobs = library.jobs.get().into_iter().map(|job| progress(&job, text));
        jobs.collect_view()
    };
    let problems = move || {
        let text = state.text();
        let problems = library.problems.get().into_iter();
        problems.map(|problem| refusal(&problem, state, text)).collect_view()
    };
    let said = move || {
        let text = state.text();
        // One sentence at the end, not one a slice: a screen reader would never finish.
        let idle = library.jobs.read().is_empty();
        idle.then(|| library.opened.get()).flatten().map(|name| (text.page.opened)(&name))
    };
    view! {
        <div id="jobs" data-testid="jobs">{jobs}</div>
        <div id="problems" data-testid="problems" role="alert">{problems}</div>
        <p class="sr-only" role="status" data-testid="opened">{said}</p>
    }
}

fn progress(job: &Job, text: Text) -> impl IntoView + use<> {
    let page = text.page;
    let (label, part) = match job.stage {
        Stage::Waiting => ((page.waiting)(&job.name), Some(0.0)),
        Stage::Reading => ((page.reading)(&job.name), None),
        Stage::Rows { read, of } => {
            ((page.reading)(&job.name), Some(read as f64 / of.max(1) as f64))
        }
        Stage::Judging { step, of } => {
            ((page.judging)(&job.name, step, of), Some(step as f64 / of.max(1) as f64))
        }
    };
    view! {
        <label class="job">
            <span>{label}</span>
            <progress max="1" value=part.map(|part| part.to_string())></progress>
        </label>
    }
}

fn refusal(problem: &Problem, state: State, text: Text) -> impl IntoView + use<> {
    let advice = text.refusal(&problem.refusal);
    let title = (!problem.name.is_empty()).then(|| (text.page.cannot_open)(&problem.name));
    let key = problem.key;
    view! {
        <div class="problem">
            <p>{title.map(|title| view! { <strong>{title}</strong>" " })}{advice}</p>
            <button type="button" class="quiet" on:click=move |_| state.library.dismiss(key)>
                {text.page.dismiss}
            </button>
        </div>
    }
}

/// What the page says before anything is open.
#[component]
pub(crate) fn Empty() -> impl IntoView {
    let page = text().page;
    view! {
        <section class="empty" data-testid="empty">
            <h2>{page.empty_title}</h2>
            <p>{code(page.empty_hint)}</p>
            <p class="choose"><FileInput id="file" label=page.choose/>" "<span>{page.or_drop}</span></p>
            <p class="quiet">{page.stays_here}</p>
        </section>
    }
}

/// A text in which back quotes mark what is typed.
pub(crate) fn code(text: &'static str) -> impl IntoView {
    let parts = text.split('`').enumerate().map(|(at, part)| match at % 2 {
        0 => part.into_any(),
        _ => view! { <code>{part}</code> }.into_any(),
    });
    parts.collect_view()
}
