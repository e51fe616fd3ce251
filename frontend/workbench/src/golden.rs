//! The worked examples of the definitions, computed in a browser: what it makes of them can be held
//! against what the measuring side does. Compiled as the web app is, from the same `shared`.

use tokencap_shared::golden;
use wasm_bindgen::prelude::wasm_bindgen;

/// Judges a worked case, given and answered as JSON.
///
/// # Errors
/// What is wrong with the case.
#[wasm_bindgen(js_name = evaluateGolden)]
pub fn evaluate(case: &str) -> Result<String, String> {
    golden::evaluate(case).map_err(|error| error.to_string())
}

/// Answers a worked sweep and quote, given and answered as JSON.
///
/// # Errors
/// What is wrong with the example.
#[wasm_bindgen(js_name = evaluateGoldenQuote)]
pub fn evaluate_quote(example: &str) -> Result<String, String> {
    golden::evaluate_sweep_quote(example).map_err(|error| error.to_string())
}
