//! What the web app does not need at once: engineers' pages, sign-offs, other tools' results.
//!
//! A module of its own, so that the report opens without it; loaded when first asked, and run in a
//! worker, so that the page answers while it works. Pages come from it as ready HTML of semantic
//! elements; what the reader chose on them comes back as the query of the page's address.

mod bench;
mod errors;
pub mod golden;
mod pages;
mod prices;
mod text;

use std::cell::RefCell;

use js_sys::{Array, Uint8Array};
use serde::de::DeserializeOwned;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::present::document::document;
use tokencap_shared::present::query::Query;
use tokencap_shared::present::render::{csv, markdown};
use tokencap_shared::present::words::Lang;
use tokencap_shared::signoff::{Recomputed, Trust, UtcTime};
use wasm_bindgen::prelude::wasm_bindgen;

use bench::Bench;
use prices::Money;

/// By what imported results are judged at first.
const SHEET: &str = include_str!("../../../assets/promises/agent-coding-interactive.toml");

thread_local! {
    static BENCH: RefCell<Bench> = RefCell::default();
}

/// Opens a bundle, judges it and puts it on the bench.
///
/// # Errors
/// If it is no bundle, or a damaged one.
#[wasm_bindgen]
pub fn hold(key: u32, name: &str, contents: &[u8]) -> Result<(), String> {
    BENCH
        .with_borrow_mut(|bench| bench.hold(key, name, contents))
        .map_err(|error| error.to_string())
}

/// Takes everything off the bench whose key is not among these; gives those of them that do not lie
/// there.
#[wasm_bindgen(js_name = keepOnly)]
#[must_use]
pub fn keep_only(keys: &[u32]) -> Vec<u32> {
    BENCH.with_borrow_mut(|bench| bench.keep_only(keys))
}

/// Takes another file of trusted keys, as TOML, and says how many keys it has.
///
/// # Errors
/// What is wrong with the file, and where.
#[wasm_bindgen]
pub fn trust(text: &str) -> Result<usize, String> {
    let trust: Trust = toml(text)?;
    let keys = trust.keys.len();
    BENCH.with_borrow_mut(|bench| bench.trust = trust);
    Ok(keys)
}

/// What the sign-offs of an open bundle are worth at `now` (UTC, RFC 3339), in parts; `recomputed`
/// is what the page found out about it ([`tokencap_shared::signoff::Recomputed`], as JSON).
///
/// # Errors
/// If the clock makes no sense, or the page and this module are not of one version.
#[wasm_bindgen(js_name = signOff)]
pub fn sign_off(key: u32, recomputed: &str, now: &str) -> Result<Vec<String>, String> {
    let now: UtcTime = now.parse().map_err(|error| format!("{error}"))?;
    let found: Recomputed = serde_json::from_str(recomputed).map_err(|error| error.to_string())?;
    Ok(BENCH.with_borrow_mut(|bench| bench.verify(key, &found, &now)).parts())
}

/// A page, for its query, in a language, in this many pixels.
///
/// `prices` are those that offers are made by: name, currency and date of the sheet, then price and
/// source of each item in the order of a sheet, empty where it has none; `scenario` says that the
/// reader changed any of them.
#[wasm_bindgen]
#[must_use]
pub fn page(
    name: &str,
    query: &str,
    lang: &str,
    width: f64,
    prices: Vec<String>,
    scenario: bool,
) -> String {
    let lang = Lang::of_tag(lang).unwrap_or_default();
    let (query, prices) = (Query::parse(query), prices::sheet_of(&prices));
    let money = Money { prices: &prices, scenario };
    BENCH.with_borrow(|bench| pages::page(name, bench, &query, lang, width, money)).into_string()
}

/// The report of every bundle that was measured, as a file with this ending.
///
/// # Errors
/// If nothing is saved so.
#[wasm_bindgen(js_name = exportReport)]
pub fn export_report(
    ending: &str,
    lang: &str,
    prices: Vec<String>,
    scenario: bool,
) -> Result<String, String> {
    let words = Lang::of_tag(lang).unwrap_or_default().words();
    let mut sheet = Some(prices::sheet_of(&prices)).filter(|sheet| !sheet.name.is_empty());
    if let Some(sheet) = sheet.as_mut().filter(|_| scenario) {
        sheet.name = (words.say.aside)(&sheet.name, words.say.scenario);
    }
    let report = BENCH.with_borrow(|bench| bench.report(sheet));
    match ending {
        "csv" => Ok(csv::document(&document(&report, words))),
        "md" => Ok(markdown::markdown(&document(&report, words))),
        _ => Err(format!("no report is saved as `.{ending}`")),
    }
}

/// What the server says is being measured, as a list in JSON, or nothing where the server cannot be
/// reached; as a section of a page.
#[wasm_bindgen]
#[must_use]
pub fn live(news: &str, lang: &str) -> String {
    let lang = Lang::of_tag(lang).unwrap_or_default();
    let news = serde_json::from_str(news).ok();
    BENCH.with_borrow_mut(|bench| pages::live(bench, news, lang)).into_string()
}

/// Reads other tools' results and lays them on the bench, judged by the promises of interactive
/// agents where records say when requests were sent; gives the runs' identity.
///
/// # Errors
/// Why nothing came of any of the files.
#[wasm_bindgen(js_name = importResults)]
pub fn import(
    key: u32,
    lang: &str,
    names: Vec<String>,
    contents: &Array,
) -> Result<String, String> {
    let lang = Lang::of_tag(lang).unwrap_or_default();
    let contents: Vec<Vec<u8>> =
        contents.iter().map(|file| Uint8Array::new(&file).to_vec()).collect();
    let sheet: PromiseSheet = toml(SHEET)?;
    let import = |bench: &mut Bench| bench.import(key, &names, &contents, &sheet);
    BENCH.with_borrow_mut(import).map_err(|refused| {
        let reasons: Vec<String> =
            refused.iter().map(|error| errors::import(error, lang)).collect();
        reasons.join("; ")
    })
}

/// Reads TOML; what is wrong is told with its line.
fn toml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}
