//! Questions to the workbench, which a worker loads with the first of them: what the page needs only
//! now and then is not part of the app.

use js_sys::{Array, Promise, Uint8Array};
use leptos::prelude::*;
use tokencap_shared::signoff::{Recomputed, SignOff};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

use crate::browser;
use crate::state::State;
use crate::state::library::{Key, Library, Loaded};
use crate::state::prices::{Item, Prices};
use crate::state::reading;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = tokencapAsk)]
    fn question(name: &str, arguments: &Array) -> Promise;
    #[wasm_bindgen(js_name = tokencapSave)]
    fn save_file(name: &str, text: &JsValue);
}

/// Asks the workbench.
///
/// # Errors
/// What it says against it, or that it could not be loaded.
pub(crate) async fn ask(name: &str, arguments: &[JsValue]) -> Result<JsValue, String> {
    let answer = JsFuture::from(question(name, &arguments.iter().collect())).await;
    answer.map_err(|error| error.as_string().unwrap_or_default())
}

/// Lays every open bundle on the bench, and takes closed ones off it.
pub(crate) async fn hold(library: Library) -> Result<(), String> {
    let open: Vec<(Key, String)> = library.loaded.with_untracked(|loaded| {
        loaded.iter().map(|bundle| (bundle.key, bundle.name.clone())).collect()
    });
    let imported = library.imported.get_untracked();
    let keys: Vec<Key> = open.iter().map(|(key, _)| *key).chain(imported).collect();
    let missing = ask("keepOnly", &[js_sys::Uint32Array::from(&keys[..]).into()]).await?;
    let missing = js_sys::Uint32Array::from(missing).to_vec();
    for (key, name) in open.into_iter().filter(|(key, _)| missing.contains(key)) {
        let Some(source) = library.source(key) else { continue };
        let Ok(bytes) = reading::bytes(source).await else { continue };
        ask("hold", &[key.into(), name.into(), Uint8Array::from(&bytes[..]).into()]).await?;
    }
    Ok(())
}

/// Reads other tools' results and lays them on the bench; gives the run that they became, or nothing
/// where they cannot be judged.
pub(crate) async fn import(key: Key, files: &[web_sys::File]) -> Result<String, String> {
    let (names, contents) = (Array::new(), Array::new());
    for file in files {
        names.push(&file.name().into());
        let bytes = browser::bytes_of(file).await.unwrap_or_default();
        contents.push(&Uint8Array::from(&bytes[..]));
    }
    let lang = browser::lang().into();
    let run = ask("importResults", &[key.into(), lang, names.into(), contents.into()]).await?;
    Ok(run.as_string().unwrap_or_default())
}

/// The prices that offers are made by, as the workbench reads them; and whether they are the
/// reader's own.
pub(crate) fn money(prices: Prices) -> [JsValue; 2] {
    let texts = Array::new();
    if let Some(sheet) = prices.sheet.get() {
        for text in [&sheet.name, &sheet.currency, &sheet.date] {
            texts.push(&text.into());
        }
        for item in Item::ALL {
            let (price, source) = match item.of(&sheet) {
                Some((price, source)) => (price.to_string(), source),
                None => (String::new(), ""),
            };
            texts.push(&price.into());
            texts.push(&source.into());
        }
    }
    [texts.into(), prices.scenario.get().into()]
}

/// What a report can be saved as, besides print.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Its summary as a table.
    Csv,
    /// All of it to read.
    Markdown,
}

impl Form {
    /// Every form.
    pub(crate) const ALL: [Self; 2] = [Self::Csv, Self::Markdown];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Markdown => "Markdown",
        }
    }

    /// How its files end.
    pub(crate) const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Markdown => "md",
        }
    }
}

/// Saves the report as it stands on the page.
pub(crate) async fn save(state: State, form: Form) {
    let [prices, scenario] = untrack(|| money(state.prices));
    let lang = state.prefs.lang.get_untracked().tag().into();
    let made = async {
        hold(state.library).await?;
        ask("exportReport", &[form.ending().into(), lang, prices, scenario]).await
    };
    match made.await {
        Ok(text) => save_file(&format!("report.{}", form.ending()), &text),
        Err(error) => state.library.refuse(String::new(), reading::Refusal::Other(error)),
    }
}

/// Tells the workbench whom the reader trusts.
pub(crate) async fn trust(library: Library) -> Result<(), String> {
    ask("trust", &[library.trust.get_value().into()]).await.map(|_| ())
}

/// Finds out what the sign-offs of the open bundles that have any are worth: their records were
/// judged here, which need not be done twice.
pub(crate) async fn verify(library: Library) -> Result<(), String> {
    let signed: Vec<(Key, String)> = library.loaded.with_untracked(|loaded| {
        let signed = loaded.iter().filter(|bundle| !bundle.bundle.signoffs.is_empty());
        let found = |of: &Loaded| Recomputed::of(&of.bundle, &of.seal, &of.capacity);
        signed
            .filter_map(|bundle| Some((bundle.key, serde_json::to_string(&found(bundle)).ok()?)))
            .collect()
    });
    if signed.is_empty() {
        return Ok(());
    }
    trust(library).await?;
    for (key, recomputed) in signed {
        let arguments = [key.into(), recomputed.into(), browser::now().into()];
        let state = ask("signOff", &arguments).await?;
        let parts = Array::from(&state);
        let parts: Vec<String> =
            parts.iter().map(|part| part.as_string().unwrap_or_default()).collect();
        library.signed(key, SignOff::of_parts(&parts).ok_or_else(|| parts.join(" "))?);
    }
    Ok(())
}
