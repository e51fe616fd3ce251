//! The worked examples give the same in the browser, computed by the code that the web app is made
//! of, as natively: to the last byte.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokencap_builder::compile::compile;
use tokencap_builder::toolchain::Toolchain;
use tokencap_shared::golden;

use crate::support::{Browser, host_files, in_browser};

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

/// A page that can load the examples' module: a module of its own, because no user of the app should
/// have to load it, compiled in the app's own way.
async fn examples_page() -> String {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let scratch = workspace.join("target/web");
    let module = tokio::task::spawn_blocking(move || {
        let toolchain = Toolchain::find(&scratch).unwrap();
        compile(workspace, &scratch, &toolchain, "tokencap-golden").unwrap()
    });
    let module = module.await.unwrap();
    assert!(module.snippets.is_empty());
    let page = "<!doctype html><title>examples</title>".to_owned();
    host_files([
        ("/", "text/html", page.into()),
        ("/golden.js", "text/javascript", module.js.into()),
        ("/golden.wasm", "application/wasm", module.wasm),
    ])
    .await
}

/// What the module's export of this name says of an example.
async fn in_wasm(browser: &Browser, export: &str, example: &str) -> Result<String, String> {
    let script = "
        const [name, example] = arguments;
        const golden = await import('/golden.js');
        await golden.default({ module_or_path: '/golden.wasm' });
        try { return { ok: golden[name](example) } } catch (error) { return { error: String(error) } }
    ";
    let said = browser.run(script, vec![json!(export), json!(example)]).await;
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
        browser.client().goto(&examples_page().await).await.unwrap();
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
        browser.client().goto(&examples_page().await).await.unwrap();
        for wrong in ["", "{}", "[1, 2"] {
            let native = golden::evaluate(wrong).map_err(|error| error.to_string());
            assert!(native.is_err(), "{wrong}");
            assert_eq!(native, in_wasm(browser, "evaluateGolden", wrong).await, "{wrong}");
        }
    })
    .await;
}
