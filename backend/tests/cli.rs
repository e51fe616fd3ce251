//! The command line as a person meets it: a measurement from plan to report, and every kind of
//! bad input: one clear sentence that says what to do, a non-zero exit code, no panic, and
//! nothing lost that was measured.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;
use tokencap_testkit::program::{self, out, plan};
use tokencap_testkit::server::demo;

const RATES: &str = "[sweep]\nrates = [6, 9]\nwarmup_s = 0.5\nwindow_s = 1.5\n";

fn folder() -> TempDir {
    program::folder(&plan(RATES))
}

/// Runs the program in a folder; the arguments are separated by spaces.
fn tokencap(folder: &Path, arguments: &str) -> Output {
    program::run(env!("CARGO_BIN_EXE_tokencap"), folder, arguments)
}

/// The one sentence of a failure: on stderr, the last line, after the program's name.
fn failure(output: &Output) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    let last = said.trim_end().lines().last().unwrap().to_owned();
    assert!(last.starts_with("error: "), "{said}");
    last
}

#[track_caller]
fn says(output: &Output, words: &[&str]) {
    let said = failure(output);
    for word in words {
        assert!(said.contains(word), "«{word}» is missing in: {said}");
    }
}

#[test]
fn a_sweep_makes_a_bundle_that_the_report_reads_in_both_languages_and_as_json() {
    let (cluster, folder) = (demo(None), folder());
    let sweep = format!("sweep --target http://{} --plan plan.toml", cluster.addr);
    let swept = tokencap(folder.path(), &sweep);
    assert!(swept.status.success(), "{}", String::from_utf8_lossy(&swept.stderr));
    assert!(out(&swept).contains("tokencap report run.tokencap"));

    let json = out(&tokencap(folder.path(), "report run.tokencap --json"));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let steps = report["rows"][0]["capacity"]["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    for step in steps {
        let (valid, completed) = (&step["counts"]["valid"], &step["counts"]["completed"]);
        assert!(valid.as_u64().unwrap() > 0 && valid == completed, "{step}");
        // Gaps were recorded at their true size, not cut off by a histogram's range.
        let itl = &step["tiers"][0]["itl"]["value"];
        assert!(itl["p50"].as_u64().unwrap() > 1_000_000, "{itl}");
    }

    // What a program is answered by the sweep itself.
    let again = tokencap(folder.path(), &format!("{sweep} --out again.tokencap --json"));
    let said: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    let json = out(&tokencap(folder.path(), "report again.tokencap --json"));
    assert_eq!(said, serde_json::from_str::<serde_json::Value>(&json).unwrap());

    let english = out(&tokencap(folder.path(), "report run.tokencap --lang en"));
    let chinese = out(&tokencap(folder.path(), "report run.tokencap --lang zh"));
    assert!(
        english.contains("SIMULATED, NOT HARDWARE") && english.contains("choose a price sheet")
    );
    assert!(chinese.contains("集群日上限") && !chinese.contains("Needs attention"));
    let priced = tokencap(folder.path(), "report run.tokencap --prices reference-2026-11");
    assert!(out(&priced).contains("USD/MTok"));

    says(&tokencap(folder.path(), &sweep), &["run.tokencap", "exists already", "--out"]);
}

#[test]
fn what_is_wrong_with_the_target_is_said_before_anything_is_measured() {
    let (cluster, folder) = (demo(Some("right-key")), folder());
    let sweep = |target: &str, more: &str| {
        tokencap(folder.path(), &format!("sweep --target {target} --plan plan.toml {more}"))
    };
    let address = format!("http://{}", cluster.addr);
    // A port that nothing listens on: bound once, then given back.
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    says(
        &sweep(&format!("http://{free}"), ""),
        &["nothing answers at", "check that the server runs"],
    );
    says(&sweep("nonsense", ""), &["no address of a server", "http://10.0.0.5:8000"]);
    says(&sweep(&address, ""), &["refuses the API key (401)", "environment variable or file"]);

    std::fs::write(folder.path().join("wrong"), "wrong-key\n").unwrap();
    let wrong = sweep(&address, "--api-key-file wrong");
    says(&wrong, &["refuses the API key (401)"]);
    assert!(!failure(&wrong).contains("wrong-key"), "a key is never said");
    says(&sweep(&address, "--api-key-file missing"), &["missing"]);

    std::fs::write(folder.path().join("right"), "right-key\n").unwrap();
    let model = sweep(&address, "--api-key-file right --model gpt-99");
    says(&model, &["does not know the model `gpt-99`", "sim-demo"]);
    assert!(!folder.path().join("run.tokencap").exists(), "nothing was measured");
}

#[test]
fn what_is_done_is_told_to_who_asks_for_it_and_no_secret_ever() {
    let key = "sk-never-to-be-seen";
    let cluster = demo(Some(key));
    let page = format!("http://{}/metrics", cluster.addr);
    let plan = plan(&format!("{RATES}[[observe]]\nname = \"engine\"\nurl = \"{page}\"\n"));
    let folder = program::folder(&plan);
    let sweep = |options: &str, log: Option<&str>, key: &str| {
        let mut command = program::command(env!("CARGO_BIN_EXE_tokencap"), folder.path());
        command.arg("sweep").args(options.split_whitespace()).args(["--plan", "plan.toml"]);
        command.env("TOKENCAP_API_KEY", key).envs(log.map(|log| ("RUST_LOG", log)));
        let swept = command.output().unwrap();
        (swept.status.success(), program::said(&swept))
    };
    let target = format!("--target http://{}", cluster.addr);
    let (done, told) = sweep(&format!("{target} --out told.tokencap"), Some("trace"), key);
    assert!(done, "{told}");
    for event in [
        "a trial request ends",
        "a step begins",
        "a connection is opened",
        "a source is scraped",
        "a step is judged",
        "the journal has a step whole",
        "a file is written",
    ] {
        assert!(told.contains(event), "«{event}» is missing in: {told}");
    }
    // What libraries tell is left out: they do not know what is a secret.
    let events = told.lines().filter(|line| line.contains(" TRACE ") || line.contains(" DEBUG "));
    assert!(events.clone().count() > 5, "{told}");
    assert!(events.clone().all(|line| line.contains(" tokencap::")), "{told}");
    let (done, quiet) = sweep(&format!("{target} --out quiet.tokencap"), None, key);
    assert!(done && !quiet.contains("INFO") && !quiet.contains("tokencap::"), "{quiet}");
    let (done, refused) = sweep(&format!("{target} --out no.tokencap -vvv"), None, "sk-wrong-key");
    assert!(!done && refused.contains("a trial request ends"), "{refused}");
    let user = format!("--target http://user:pass-word@{} --out no.tokencap -v", cluster.addr);
    let (done, user) = sweep(&user, Some("trace"), key);
    assert!(!done && user.contains("***@"), "{user}");
    for said in [told, quiet, refused, user] {
        for secret in [key, "sk-wrong-key", "pass-word"] {
            assert!(!said.contains(secret), "{said}");
        }
    }
}

#[test]
fn a_plan_with_a_typo_is_answered_with_its_place() {
    let folder = folder();
    std::fs::write(folder.path().join("plan.toml"), plan(RATES).replace("window_s", "windw_s"))
        .unwrap();
    let sweep = "sweep --target http://127.0.0.1:9 --plan";
    let typo = tokencap(folder.path(), &format!("{sweep} plan.toml"));
    says(&typo, &["plan.toml:16:1:", "windw_s", "window_s"]);
    says(&tokencap(folder.path(), &format!("{sweep} none.toml")), &["none.toml", "check the path"]);
}

#[test]
fn a_file_that_is_no_bundle_is_refused_in_one_sentence() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("foreign.tokencap"), "hello").unwrap();
    std::fs::write(path("empty.tokencap"), "").unwrap();
    for name in ["foreign", "empty"] {
        for command in ["report", "serve --port 0"] {
            let refused = tokencap(folder.path(), &format!("{command} {name}.tokencap"));
            says(&refused, &["is not a tokencap bundle", "tokencap sweep"]);
        }
    }
    says(&tokencap(folder.path(), "report ."), &["folder"]);
}

#[test]
fn a_disk_that_cannot_hold_the_bundle_is_known_before_the_measurement() {
    let (cluster, folder) = (demo(None), folder());
    let sweep = format!("sweep --target http://{} --plan plan.toml", cluster.addr);
    let nowhere = tokencap(folder.path(), &format!("{sweep} --out no/such/folder/run.tokencap"));
    says(&nowhere, &["no/such/folder"]);
    // A device that is always full.
    let full = tokencap(folder.path(), &format!("{sweep} --out /dev/full/run.tokencap"));
    says(&full, &["/dev/full"]);
}

/// Words that only an English sentence has; names, paths, options and units are none of them.
fn english(said: &str) -> Option<&'static str> {
    let quoted = said.split('`').step_by(2).collect::<String>();
    let words = ["the", "is", "are", "not", "cannot", "give", "check", "choose", "with", "of"];
    let mut tokens = quoted.split(|letter: char| !letter.is_ascii_alphabetic() && letter != '-');
    tokens.find_map(|token| words.into_iter().find(|word| *word == token))
}

#[test]
fn wrong_buttons_are_answered_in_chinese_where_that_is_asked_for() {
    let folder = folder();
    std::fs::write(folder.path().join("cut.tokencap"), b"PK\x03\x04cut").unwrap();
    std::fs::write(folder.path().join("kurz"), "abc\n").unwrap();
    for arguments in [
        "sweep --target http://127.0.0.1:9 --plan plan.toml",
        "sweep --target ftp:x --plan plan.toml",
        "sweep --target http://127.0.0.1:9 --plan plan.toml --model none --out a --resume b",
        "soak --target http://127.0.0.1:9 --plan plan.toml --rate -1",
        "report cut.tokencap",
        "report none.tokencap",
        "report . ",
        "compare none.tokencap none.tokencap",
        "export none.tokencap --out report.doc",
        "presets promise/none",
        "import kurz",
        "keygen --name W --out key --passphrase-file kurz",
        "sign none.tokencap --role measured-by --key key",
        "verify cut.tokencap",
        "merge none.tokencap --out plan.toml",
        "sim --config none",
        "sim --listen 0.0.0.0",
        "serve --listen 0.0.0.0",
        "serve none.tokencap",
        "web --out .",
    ] {
        let output = tokencap(folder.path(), &format!("--lang zh {arguments}"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        let last = said.trim_end().lines().last().unwrap();
        assert!(last.starts_with("错误："), "{arguments}: {said}");
        // The system's own words are quoted as they are, in brackets or behind the last colon.
        let own = last.split("（os error").next().unwrap().replace("No such file or directory", "");
        assert_eq!(english(&own), None, "{arguments}: {said}");
    }
}

#[test]
fn names_from_outside_neither_move_the_terminal_nor_forge_a_line() {
    let folder = folder();
    for name in ["a\x1b[2Jb", "a\u{202e}b", "a\r\nerror: b"] {
        for lang in ["en", "zh"] {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tokencap"));
            command.args(["--lang", lang, "report", name]).current_dir(folder.path());
            let output = command.output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{said:?}");
            assert_eq!(said.lines().count(), 1, "{said:?}");
            assert!(!said.contains(['\x1b', '\r', '\u{202e}']), "{said:?}");
            assert!(
                said.contains("\\u{1b}") || said.contains("\\u{202e}") || said.contains("\\r\\n")
            );
        }
    }
}
