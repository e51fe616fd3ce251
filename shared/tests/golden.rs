//! Worked examples: every `*_case.json` with its `*_expected.json`, and every
//! `*sweep_quote.json`, of the examples kept here and of a folder beside the checkout (or the
//! one named by `TOKENCAP_GOLDEN`).
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the test reads files and says what it skips; the library does neither"
)]

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tokencap_shared::golden::{compare, evaluate, evaluate_sweep_quote};

/// The examples kept here, and those beside the checkout if they are there.
fn folders() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let outside = std::env::var_os("TOKENCAP_GOLDEN")
        .map_or_else(|| root.join("../../shared/golden"), PathBuf::from);
    let mut folders = vec![root.join("tests/golden")];
    if outside.is_dir() {
        folders.push(outside);
    } else {
        eprintln!("skipping the worked examples of {}: no such folder", outside.display());
    }
    folders
}

/// Files of the folders whose name ends so, with their texts.
fn files(ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in folders() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending)) {
                let text = fs::read_to_string(&path).expect("a readable file");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_worked_case_comes_out_as_it_was_worked_out() {
    let cases = files("_case.json");
    assert!(!cases.is_empty());
    for (path, case) in cases {
        let name = path.to_string_lossy().replace("_case.json", "_expected.json");
        let expected = fs::read_to_string(&name).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = evaluate(&case).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let differences = compare(&expected, &found).expect("both are JSON");
        assert!(differences.is_empty(), "{}: {differences:#?}", path.display());
    }
}

#[test]
fn every_worked_sweep_and_quote_comes_out_as_it_was_worked_out() {
    for (path, text) in files("sweep_quote.json") {
        let mut worked: Value = serde_json::from_str(&text).expect("JSON");
        let found =
            evaluate_sweep_quote(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let found: Value = serde_json::from_str(&found).expect("JSON");
        // Not results: the rule in words, and the wrong answer that it avoids.
        if let Some(sweep) = worked["sweep"]["expected"].as_object_mut() {
            sweep.remove("rule");
            sweep.remove("max_pass_naive");
        }
        for part in ["sweep", "quote"] {
            let expected = worked[part]["expected"].to_string();
            let differences = compare(&expected, &found[part].to_string()).expect("JSON");
            assert!(differences.is_empty(), "{}: {differences:#?}", path.display());
        }
    }
}
