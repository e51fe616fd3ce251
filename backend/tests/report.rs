//! `tokencap report` and `tokencap compare` as a person runs them.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tokencap_shared::bundle::judged::of_bundle;
use tokencap_shared::{bundle, fixture};

fn toy(folder: &Path) -> PathBuf {
    let path = folder.join("toy.tokencap");
    std::fs::write(&path, bundle::write(&fixture::bundle()).unwrap()).unwrap();
    path
}

fn report(arguments: &[&str]) -> Output {
    tokencap("report", arguments)
}

fn tokencap(command: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tokencap"))
        .arg(command)
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
    let judged = of_bundle(&fixture::bundle());
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
    let strict = toml::to_string(&fixture::sheet()).unwrap().replace("500", "50");
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
    let bytes = std::fs::read(&path).unwrap();
    let cut = |part| file(&format!("cut-{part}.tokencap"), &bytes[..bytes.len() * part / 4]);
    let [first, half, most] = [1, 2, 3].map(cut);
    let typo = file(
        "typo.toml",
        b"name = \"p\"\ncurrency = \"USD\"\ndate = \"2026-11-29\"\ngpu_hours = 3\n",
    );
    for (arguments, part) in [
        (vec!["missing.tokencap"], "check the path"),
        (vec![first.as_str()], "cut-1.tokencap"),
        (vec![half.as_str()], "cut-2.tokencap"),
        (vec![most.as_str()], "cut-3.tokencap"),
        (vec![bundle, "--prices", "nothing"], "lists the presets: reference-2026-11"),
        (vec![bundle, "--prices", &typo], "typo.toml:4:1: unknown field `gpu_hours`"),
        (vec![bundle, "--promise", &typo], "typo.toml:2:1"),
    ] {
        let output = report(&arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.starts_with("error: ") && error.contains(part), "{arguments:?}: {error}");
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

/// The toy run on so many GPUs, of this revision of its model.
fn toy_on(folder: &Path, name: &str, gpus: u32, revision: &str) -> String {
    let mut toy = fixture::bundle();
    toy.manifest.deployment.gpus_serving = gpus;
    toy.manifest.deployment.revision = revision.to_owned();
    let path = folder.join(name);
    std::fs::write(&path, bundle::write(&toy).unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn one_model_is_compared_in_tokens_with_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let slow = toy_on(folder.path(), "slow.tokencap", 4, "r1");
    let fast = toy_on(folder.path(), "fast.tokencap", 1, "r1");
    let compare = |arguments: &[&str]| {
        let output = tokencap("compare", arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let said = compare(&[&slow, &fast]);
    assert!(said.contains("Compared in tokens: toy-7b"), "{said}");
    assert!(said.contains("fast.tokencap is better than slow.tokencap"), "{said}");
    assert!(compare(&[&fast, &slow]).contains("slow.tokencap is worse than fast.tokencap"));
    // Between the rates of the toy run much can hide: 4.19 held, 6.05 broken.
    assert!(compare(&[&fast, &fast]).contains("are not told apart"));
    assert!(compare(&[&slow, &fast, "--lang", "zh"]).contains("fast.tokencap 优于 slow.tokencap"));

    let json: serde_json::Value =
        serde_json::from_str(&compare(&[&slow, &fast, "--json"])).unwrap();
    assert_eq!(json["compared"]["right_is"]["value"], "better");
    let ratio = &json["compared"]["ratio"]["value"];
    let of = |end: &str| ratio[end].as_f64().unwrap();
    assert!((of("at") - 4.0).abs() < 1e-9 && of("low") < 4.0 && of("high") > 4.0, "{ratio}");
}

#[test]
fn two_models_are_compared_in_money_and_never_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let one = toy_on(folder.path(), "one.tokencap", 2, "r1");
    let other = toy_on(folder.path(), "other.tokencap", 2, "r2");
    let fails = |arguments: &[&str], words: &str| {
        let output = tokencap("compare", arguments);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(said.contains(words), "{said}");
    };
    fails(&[&one, &other, "--in", "tokens"], "Compare them in money");
    fails(&[&one, &other], "choose a price sheet with --prices");
    let prices = ["--prices", "reference-2026-11"];
    fails(&[&[&*one, &one, "--in", "money"], &prices[..]].concat(), "compare them in tokens");

    let output = tokencap("compare", &[&[&*one, &*other], &prices[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("Compared in money (USD)") && said.contains("USD/GPU/day"), "{said}");
    assert!(said.contains("other.tokencap and one.tokencap are not told apart"), "{said}");
}
