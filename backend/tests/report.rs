//! `tokencap report` as a person runs it.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tokencap_shared::{bundle, capacity, fixture};

fn toy(folder: &Path) -> PathBuf {
    let path = folder.join("toy.tokencap");
    std::fs::write(&path, bundle::write(&fixture::bundle()).unwrap()).unwrap();
    path
}

fn report(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tokencap"))
        .arg("report")
        .args(arguments)
        .env("LC_ALL", "C")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn json_holds_the_unrounded_numbers_of_the_judgement() {
    let folder = tempfile::tempdir().unwrap();
    let path = toy(folder.path());
    let output = report(&[path.to_str().unwrap(), "--json", "--prices", "reference-2026-11"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let judged = capacity::of_bundle(&fixture::bundle());
    let at = judged.at.value().unwrap();
    let row = &json["rows"][0];
    assert_eq!(row["capacity"]["at"]["value"]["goodput"], at.goodput.get());
    assert_eq!(row["capacity"]["at"]["value"]["standing"], "reference");
    assert_eq!(row["name"], "toy.tokencap");
    assert_eq!(row["deployment"]["simulated"], true);
    assert_eq!(json["definitions"], tokencap_shared::DEFINITIONS_VERSION);
    assert_eq!(json["prices"]["currency"], "USD");
    assert!(row["economics"]["value"]["margin_daily"]["value"].is_f64());
    assert!(!text(&output.stdout).contains("NaN"));
}

#[test]
fn without_a_price_sheet_money_is_missing_for_that_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = toy(folder.path());
    let output = report(&[path.to_str().unwrap(), "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["rows"][0]["economics"]["missing"]["reason"], "no_price_sheet");
    let output = report(&[path.to_str().unwrap(), "--lang", "zh"]);
    assert!(text(&output.stdout).contains("请选择价格表"));
}

#[test]
fn the_language_follows_the_environment_and_the_flag_goes_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = toy(folder.path());
    let ask = |environment: &str, flags: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_tokencap"))
            .arg("report")
            .arg(&path)
            .args(flags)
            .env("LC_ALL", environment)
            .output()
            .unwrap();
        text(&output.stdout)
    };
    assert!(ask("zh_CN.UTF-8", &[]).starts_with("集群产能报告"));
    assert!(ask("C.UTF-8", &[]).starts_with("Capacity report"));
    assert!(ask("zh_CN.UTF-8", &["--lang", "en"]).starts_with("Capacity report"));
}

#[test]
fn another_promise_sheet_is_a_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let path = toy(folder.path());
    let sheet = folder.path().join("strict.toml");
    let strict = toml::to_string(&fixture::sheet()).unwrap().replace("500", "5");
    std::fs::write(&sheet, strict).unwrap();
    let sheet = sheet.to_str().unwrap();
    let output = report(&[path.to_str().unwrap(), "--promise", sheet, "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = &json["rows"][0];
    assert_eq!(row["rejudged"], true);
    assert_eq!(row["capacity"]["at"]["missing"]["reason"], "nothing_held");
    let attention = json["attention"].as_array().unwrap();
    assert_eq!(attention[0]["what"], "nothing_held", "the gravest first");
}

#[test]
fn every_wrong_input_ends_with_one_sentence_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = toy(folder.path());
    let bundle = path.to_str().unwrap();
    let file = |name: &str, contents: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let foreign = file("foreign.tokencap", b"hello");
    let bytes = std::fs::read(&path).unwrap();
    let cut = file("cut.tokencap", &bytes[..bytes.len() / 2]);
    let typo = file(
        "typo.toml",
        b"name = \"p\"\ncurrency = \"USD\"\ndate = \"2026-11-29\"\ngpu_hours = 3\n",
    );
    for (arguments, part) in [
        (vec!["missing.tokencap"], "check the path"),
        (vec![foreign.as_str()], "foreign.tokencap"),
        (vec![cut.as_str()], "cut.tokencap"),
        (vec![bundle, "--prices", "nothing"], "lists the presets: reference-2026-11"),
        (vec![bundle, "--prices", &typo], "typo.toml:4:1: unknown field `gpu_hours`"),
        (vec![bundle, "--promise", &typo], "typo.toml:2:1"),
    ] {
        let output = report(&arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.starts_with("tokencap: ") && error.contains(part), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty() && !error.contains("panicked"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_pager_that_closes_early_is_no_error() {
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let path = toy(folder.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_tokencap"))
        .arg("report")
        .arg(path)
        .arg("--json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}
