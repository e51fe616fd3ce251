//! Pages that the workbench makes: engineers' runs, the definitions. What the reader chooses on them
//! becomes the query of the address, and the page is made anew for it.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::browser;
use crate::components::assumptions::Assumptions;
use crate::route::{Page, Route};
use crate::state::State;
use crate::workbench;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = tokencapShow)]
    fn show(element: &web_sys::Element, markup: &str);
    #[wasm_bindgen(js_name = tokencapQuery)]
    fn query_of(event: &web_sys::Event) -> Option<String>;
    #[wasm_bindgen(js_name = tokencapKeys)]
    fn keys_of(event: &web_sys::Event) -> Option<web_sys::File>;
    #[wasm_bindgen(js_name = tokencapFollow)]
    fn follow(element: &web_sys::Element, lang: &str);
}

/// A page by itself.
#[component]
pub(crate) fn BenchPage() -> impl IntoView {
    let state = State::get();
    let route = state.route;
    let live = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if state.page.get_untracked() == Page::Runs
            && state.server.there.get()
            && let Some(element) = live.get()
        {
            follow(&element, state.prefs.lang.get_untracked().tag());
        }
    });
    // Two models are compared in money.
    let priced = Memo::new(move |_| {
        state.page.get() == Page::Runs
            && state.library.loaded.with(|loaded| {
                let mut models = loaded.iter().map(|run| &run.bundle.manifest.deployment);
                let first = models.next();
                models.any(|other| !first.is_some_and(|first| first.same_tokens(other)))
            })
    });
    view! {
        <div node_ref=live class="workbench" data-testid="live"></div>
        <Show when=move || priced.get()><Assumptions utilisation=false/></Show>
        <Bench name=Signal::derive(move || route.read().page.name())
            query=Signal::derive(move || route.read().query.text().to_owned())/>
    }
}

/// What the workbench makes of a query.
#[component]
pub(crate) fn Bench(
    /// Which page it is.
    name: Signal<&'static str>,
    /// What the reader chose.
    query: Signal<String>,
) -> impl IntoView {
    let state = State::get();
    let frame = NodeRef::<html::Div>::new();
    let latest = StoredValue::new(0_u32);
    Effect::new(move |_| {
        state.library.loaded.track();
        state.library.imported.track();
        let (name, query) = (name.get(), query.get());
        let lang = state.prefs.lang.get();
        let [prices, scenario] = workbench::money(state.prices);
        let Some(frame) = frame.get() else { return };
        let number = latest.get_value() + 1;
        latest.set_value(number);
        spawn_local(async move {
            let width = f64::from(frame.client_width());
            let markup = async {
                workbench::hold(state.library).await?;
                let (name, query, lang) = (name.into(), query.into(), lang.tag().into());
                let arguments = [name, query, lang, width.into(), prices, scenario];
                workbench::ask("page", &arguments).await
            };
            let markup = markup.await;
            // Meanwhile the reader may have gone on: only the latest question counts.
            if latest.try_get_value() == Some(number) {
                match markup {
                    Ok(markup) => show(&frame, &markup.as_string().unwrap_or_default()),
                    Err(error) => frame.set_text_content(Some(&error)),
                }
            }
        });
    });
    let changed = move |event: web_sys::Event| {
        if let Some(file) = keys_of(&event) {
            spawn_local(trust(state, file));
        } else if let Some(query) = query_of(&event) {
            let hash = state.route.read_untracked().with_query(&query);
            browser::replace_hash(&hash);
            state.route.set(Route::parse(&hash));
        }
    };
    view! {
        <div node_ref=frame class="workbench" data-testid="workbench" on:input=changed></div>
    }
}

/// Takes the keys that the reader trusts from a file of theirs.
async fn trust(state: State, file: web_sys::File) {
    let bytes = browser::bytes_of(&file).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let before = state.library.trust.get_value();
    state.library.trust.set_value(text);
    if let Err(error) = workbench::verify(state.library).await {
        state.library.trust.set_value(before);
        state.library.refuse(file.name(), crate::state::reading::Refusal::Keys(error));
    }
}
