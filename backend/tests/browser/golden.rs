//! The worked examples give the same in the browser, computed by the code that the web app is made
//! of, as natively: to the last byte.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokencap::web::{self, WebFile};
use tokencap_shared::golden;

use tokencap_testkit::browser::{Browser, in_browser, serve};

/// The worked examples kept with the definitions, and those beside the checkout if they are there.
fn examples(ending: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = std::env::var_os("TOKENCAP_GOLDEN")
        .map_or_else(|| root.join("../../shared/golden"), PathBuf::from);
    let mut found = Vec::new();
    for folder in [root.join("../shared/tests/golden"), beside] {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            println!("skipped the worked examples of {}: no such folder", folder.display());
            continue;
        };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.to_string_lossy().ends_with(ending) {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

/// The page with a module of the app that can compute the examples.
async fn examples_page(browser: &Browser) {
    browser.open(&serve(vec![]).await).await;
}

/// The address of a file of the app, by the beginning and the end of its name.
fn address(stem: &str, ending: &str) -> String {
    let named = |file: &&WebFile| file.path.starts_with(stem) && file.path.ends_with(ending);
    format!("/{}", web::files().iter().find(named).unwrap().path)
}

/// What the module's export of this name says of an example.
async fn in_wasm(browser: &Browser, export: &str, example: &str) -> Result<String, String> {
    let script = "
        const [name, example, js, wasm] = arguments;
        const golden = await import(js);
        await golden.default({ module_or_path: wasm });
        try { return { ok: golden[name](example) } } catch (error) { return { error: String(error) } }
    ";
    let [js, wasm] = [".js", ".wasm"].map(|ending| json!(address("workbench-", ending)));
    let said = browser.run(script, vec![json!(export), json!(example), js, wasm]).await;
    match said {
        Value::Object(said) if said.contains_key("ok") => {
            Ok(said["ok"].as_str().unwrap().to_owned())
        }
        said => Err(said["error"].as_str().unwrap().to_owned()),
    }
}

#[tokio::test]
async fn worked_examples_come_out_the_same_in_the_browser_and_natively() {
    in_browser("golden", async |browser| {
        examples_page(browser).await;
        let cases = examples("_case.json");
        assert!(!cases.is_empty());
        for (path, case) in cases {
            let native = golden::evaluate(&case).map_err(|error| error.to_string());
            let wasm = in_wasm(browser, "evaluateGolden", &case).await;
            assert!(native.is_ok(), "{}: {native:?}", path.display());
            assert_eq!(native, wasm, "{}", path.display());
        }
        for (path, case) in examples("sweep_quote.json") {
            let native = golden::evaluate_sweep_quote(&case).map_err(|error| error.to_string());
            let wasm = in_wasm(browser, "evaluateGoldenQuote", &case).await;
            assert!(native.is_ok(), "{}: {native:?}", path.display());
            assert_eq!(native, wasm, "{}", path.display());
        }
    })
    .await;
}

#[tokio::test]
async fn a_wrong_example_is_refused_with_the_same_words_in_both() {
    in_browser("golden-wrong", async |browser| {
        examples_page(browser).await;
        for wrong in ["", "{}", "[1, 2"] {
            let native = golden::evaluate(wrong).map_err(|error| error.to_string());
            assert!(native.is_err(), "{wrong}");
            assert_eq!(native, in_wasm(browser, "evaluateGolden", wrong).await, "{wrong}");
        }
    })
    .await;
}
