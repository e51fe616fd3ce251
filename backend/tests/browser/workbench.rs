//! Engineers' pages, sign-offs and other tools' results, in the browser.

use std::path::{Path, PathBuf};

use fantoccini::Locator;
use serde_json::json;
use tokencap_shared::present::document::{self, SectionId};
use tokencap_shared::present::glossary::TERMS;
use tokencap_shared::present::report::{Entry, Report, SignOff};
use tokencap_shared::present::words::Lang;
use tokencap_shared::signoff::{Trust, fixture as signing};
use tokencap_shared::{bundle, fixture};

use tokencap_testkit::browser::{Browser, in_browser, serve, serve_trusting, static_host};

const VLLM: &str = r#"{"date": "20260101-000000", "backend": "vllm", "model_id": "m",
 "tokenizer_id": "m", "num_prompts": 4, "request_rate": 2.0, "burstiness": 1.0,
 "max_concurrency": null, "duration": 8.0, "completed": 3, "total_input_tokens": 60,
 "total_output_tokens": 7, "request_throughput": 0.375, "request_goodput:": null,
 "output_throughput": 0.875, "input_lens": [10, 20, 30, 40], "output_lens": [3, 3, 1, 0],
 "ttfts": [0.1, 0.15, 0.1, 0.0], "start_times": [0.0, 1.0, 2.0, 3.0],
 "itls": [[0.03, 0.03], [0.03, 0.39], [], []], "generated_texts": ["a", "b", "c", ""],
 "errors": ["", "", "", "Timeout on reading data from socket"],
 "mean_ttft_ms": 116.7, "median_ttft_ms": 100.0, "p99_ttft_ms": 149.0, "mean_tpot_ms": 120.0,
 "mean_itl_ms": 120.0, "median_itl_ms": 30.0, "p99_itl_ms": 383.0}"#;

/// The key that chooses the next of a list.
const DOWN: &str = "\u{e015}";

fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn toy(folder: &Path) -> PathBuf {
    file(folder, "toy.tokencap", &bundle::write(&fixture::bundle()).unwrap())
}

/// Types into a field. The page may be made anew between finding it and typing: then it is found
/// again.
async fn type_into(browser: &Browser, css: &str, keys: &str) {
    let mut last = None;
    for _ in 0..20 {
        let field = browser.client().find(Locator::Css(css)).await.unwrap();
        match field.send_keys(keys).await {
            Ok(()) => return,
            Err(error) => last = Some(error),
        }
    }
    panic!("{css}: {last:?}");
}

async fn go(browser: &Browser, page: &str) {
    browser.click(&format!("[data-testid=nav-{page}]")).await;
}

#[tokio::test]
async fn a_run_is_shown_in_full_in_both_languages_and_judged_anew_under_other_promises() {
    let folder = tempfile::tempdir().unwrap();
    let toy = toy(folder.path());
    let run = fixture::bundle();
    let entry = Entry::judged("toy.tokencap".to_owned(), &run, None, SignOff::Unsigned);
    let report = Report::new(vec![entry], None);
    let row = &report.rows[0];
    in_browser("runs", async |browser| {
        browser.open(&serve(vec![toy]).await).await;
        browser.text("[data-testid=summary-row]").await;
        go(browser, "runs").await;
        for (lang, _) in Lang::ALL {
            browser.click(&format!("[data-testid=lang-{}]", lang.tag())).await;
            let words = lang.words();
            let part = document::part(&report, row, words);
            let tables = [SectionId::Promises, SectionId::Steps, SectionId::Latency, SectionId::Rules]
                .map(|id| part.section(id).and_then(|section| section.table()).unwrap().clone());
            let caption = tables[0].caption.clone();
            let there = async || browser.content("[data-testid=workbench]").await.contains(&caption);
            browser.until("the page is made", there).await;
            let page = browser.content("[data-testid=workbench]").await;
            let rows = tables.iter().flat_map(|table| &table.rows);
            for text in rows.flat_map(|row| &row.cells).map(|cell| cell.text(lang)) {
                assert!(page.contains(&text), "{text} is not on the page");
            }
            let charts = "return document.querySelectorAll('[data-testid=workbench] .chart polyline').length";
            assert!(browser.run(charts, vec![]).await.as_u64().unwrap() > 8);
            browser.assert_fits().await;
            browser.screenshot(&format!("runs-{}", lang.tag())).await;
        }
        browser.click("[data-testid=lang-en]").await;
        let english = async || browser.content("#promises").await.contains("Promise");
        browser.until("it is in English again", english).await;
        // A limit that no request meets, typed over the sheet's own.
        for keys in [format!("{}a{}1", '\u{e009}', '\u{e000}'), ".".to_owned(), "5".to_owned()] {
            type_into(browser, "#ttft0", &keys).await;
        }
        let scenario = async || {
            browser.content("[data-testid=step] h2").await.contains("scenario, not signed")
        };
        browser.until("it is judged anew", scenario).await;
        let broken = Lang::En.words().verdict;
        let broken = broken(tokencap_shared::definitions::judge::Verdict::Broken);
        assert!(browser.content("#promises").await.contains(broken));
        // The choice stands in the address: the same link shows the same again.
        let address = browser.run("return location.hash", vec![]).await;
        assert!(address.as_str().unwrap().contains("ttft0=1.5&"), "{address}");
        let focus = browser.run("return document.activeElement.id", vec![]).await;
        assert_eq!(focus, json!("ttft0"));
        browser.client().set_window_size(390, 844).await.unwrap();
        browser.assert_fits().await;
        browser.screenshot("runs-phone").await;
        browser.assert_no_complaints().await;
    })
    .await;
}

#[tokio::test]
async fn two_models_are_compared_in_money_each_under_its_own_prices() {
    let folder = tempfile::tempdir().unwrap();
    let toy = toy(folder.path());
    let mut other = fixture::bundle();
    other.manifest.deployment.model = "another-model".to_owned();
    other.manifest.run = other.manifest.run.chars().rev().collect();
    let other = file(folder.path(), "other.tokencap", &bundle::write(&other).unwrap());
    in_browser("comparison", async |browser| {
        browser.open(&serve(vec![toy, other]).await).await;
        browser.text("[data-testid=summary-row]").await;
        go(browser, "runs").await;
        let comparison = "[data-testid=comparison]";
        let says = async |text: &str| browser.content(comparison).await.contains(text);
        let runs = async || browser.content("#with").await.contains("other.tokencap");
        browser.until("both runs are there", runs).await;
        type_into(browser, "#with", DOWN).await;
        browser.until("prices are asked for", async || says("Choose a price sheet").await).await;
        browser.click("#price-sheet option[value='0']").await;
        // The same records at the same prices earn the same.
        browser.until("they are compared in money", async || says("/GPU/day").await).await;
        assert!(!says("scenario").await);
        for keys in [format!("{}a{}9", '\u{e009}', '\u{e000}'), "9".to_owned()] {
            type_into(browser, "#with_output", &keys).await;
        }
        browser
            .until("the second earns more", async || {
                says("scenario, not signed").await && says("other.tokencap is better").await
            })
            .await;
        for (lang, _) in Lang::ALL {
            browser.click(&format!("[data-testid=lang-{}]", lang.tag())).await;
            let margin = async || says(lang.words().term.margin).await;
            browser.until("the page is made", margin).await;
            browser.assert_fits().await;
            browser.screenshot(&format!("comparison-{}", lang.tag())).await;
        }
        browser.assert_no_complaints().await;
    })
    .await;
}

#[tokio::test]
async fn definitions_are_searched_in_either_language() {
    in_browser("definitions", async |browser| {
        browser.open(&static_host(|file| Some(file.bytes.to_vec())).await).await;
        go(browser, "definitions").await;
        let count = "return document.querySelectorAll('.glossary > div').length";
        let terms = async || browser.run(count, vec![]).await.as_u64().unwrap() as usize;
        for (lang, _) in Lang::ALL {
            browser.click(&format!("[data-testid=lang-{}]", lang.tag())).await;
            let name = match lang {
                Lang::En => TERMS[0].en,
                Lang::Zh => TERMS[0].zh,
            };
            let first = async || browser.content(".glossary dt").await.starts_with(name);
            browser.until("the terms stand there", first).await;
            assert_eq!(terms().await, TERMS.len());
            browser.assert_fits().await;
            browser.screenshot(&format!("definitions-{}", lang.tag())).await;
        }
        for letter in ["g", "o", "o", "d", "p", "u", "t"] {
            type_into(browser, "#q", letter).await;
        }
        browser.until("fewer are left", async || terms().await < TERMS.len()).await;
        assert!(terms().await > 0);
        let typed = browser.run("return document.getElementById('q').value", vec![]).await;
        assert_eq!(typed, json!("goodput"), "nothing typed is lost while the page is made anew");
    })
    .await;
}

#[tokio::test]
async fn results_of_another_tool_are_audited_and_become_a_row_that_nobody_can_sign() {
    let folder = tempfile::tempdir().unwrap();
    let vllm = file(folder.path(), "vllm.json", VLLM.as_bytes());
    let other = file(folder.path(), "notes.json", b"{\"hello\": 1}");
    in_browser("import", async |browser| {
        browser.open(&static_host(|file| Some(file.bytes.to_vec())).await).await;
        browser.click("[data-testid=lang-en]").await;
        browser.choose_file("#file", &vllm).await;
        browser.text("[data-testid=audit]").await;
        let audit = browser.content("[data-testid=audit]").await;
        for said in ["vLLM", "not signable", "vllm.json"] {
            assert!(audit.contains(said), "{said}: {audit}");
        }
        // Records that say when requests were sent are judged as measured ones are.
        assert!(!browser.content("#promises").await.is_empty());
        browser.screenshot("import").await;
        go(browser, "report").await;
        browser.choose_file("#file", &other).await;
        let refused = async || browser.content("#problems").await.contains("notes.json");
        browser.until("the other file is refused by its name", refused).await;
    })
    .await;
}

/// Real files of other tools, where they are at hand.
fn samples() -> Vec<PathBuf> {
    let folder = std::env::var_os("TOKENCAP_SAMPLES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/samples/results"),
        PathBuf::from,
    );
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    // The browser takes no path with `..` in it.
    let folder = folder.canonicalize().unwrap_or(folder);
    let (folders, mut files): (Vec<_>, Vec<_>) =
        entries(&folder).into_iter().partition(|path| path.is_dir());
    files.extend(folders.iter().flat_map(|folder| entries(folder)));
    files.sort();
    files
}

#[tokio::test]
async fn every_real_file_of_another_tool_is_audited_or_refused_by_its_name() {
    let files = samples();
    if files.is_empty() {
        println!("skipped: no sample results beside this repository");
        return;
    }
    in_browser("samples", async |browser| {
        let page = static_host(|file| Some(file.bytes.to_vec())).await;
        let mut audited = 0;
        for path in &files {
            let name = path.file_name().unwrap().to_str().unwrap();
            browser.open(&format!("{page}?{name}#/report")).await;
            browser.choose_file("#file", path).await;
            let said = async || {
                let audit = browser.content("[data-testid=audit]").await;
                (audit.contains(name), browser.content("#problems").await.contains(name))
            };
            browser.until(name, async || said().await != (false, false)).await;
            audited += u32::from(said().await.0);
            assert!(!browser.shows("#failure").await, "{name}");
        }
        // What is left are settings and sources, which are no results.
        assert!(audited >= 20, "{audited} of {} were audited", files.len());
    })
    .await;
}

#[tokio::test]
async fn a_sign_off_is_worth_what_the_readers_own_keys_say() {
    let folder = tempfile::tempdir().unwrap();
    let signed = signing::signed(1);
    let path = file(folder.path(), "run.tokencap", &signed);
    let trusted = toml::to_string(&signing::trust()).unwrap();
    let keys = file(folder.path(), "trusted.toml", trusted.as_bytes());
    in_browser("sign-off", async |browser| {
        let pill = async || browser.content("[data-testid=sign-off]").await;
        browser.open(&serve_trusting(vec![path.clone()], signing::trust()).await).await;
        browser.click("[data-testid=lang-en]").await;
        browser.until("it is verified", async || pill().await == "signed 2/2").await;
        browser.screenshot("signed").await;

        // The same file where nobody is trusted, then with the reader's own keys.
        browser.open(&serve_trusting(vec![path.clone()], Trust::default()).await).await;
        browser.click("[data-testid=lang-en]").await;
        let unknown = async || pill().await.contains("unknown key");
        browser.until("the keys are not known", unknown).await;
        go(browser, "runs").await;
        browser.text("[data-testid=sign-off-panel]").await;
        browser.choose_file("#keys", &keys).await;
        let panel = async || browser.content("[data-testid=sign-off-panel]").await;
        browser.until("it is signed now", async || panel().await.contains("signed 2/2")).await;
        for said in ["measurer", "approver"] {
            assert!(panel().await.contains(said), "{said}");
        }
    })
    .await;
}
