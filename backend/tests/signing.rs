//! Keys, signatures and verification from the command line, as people use them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::Output;

use tokencap_shared::bundle;
use tokencap_shared::definitions::origin::Origin;
use tokencap_shared::definitions::promise::{Fields, VerdictMode};
use tokencap_shared::signoff::fixture;
use tokencap_testkit::program;

/// A folder with two keys, the trusted keys of their reader, and an unsigned bundle.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let desk = Self { folder };
        std::fs::write(desk.path("run.tokencap"), fixture::file(1)).unwrap();
        let mut trusted = String::new();
        for (name, role) in [("measurer", "measured-by"), ("approver", "approved-by")] {
            let file = desk.path(&format!("{name}.key"));
            let made = desk.run(&["keygen", "--name", name, "--out", &text(&file)]);
            assert!(made.status.success(), "{}", errors(&made));
            let said = String::from_utf8(made.stdout).unwrap();
            let lines: Vec<&str> = said.lines().skip_while(|line| *line != "[[keys]]").collect();
            trusted.push_str(&lines.join("\n").replace("measured-by", role));
            trusted.push('\n');
        }
        std::fs::write(desk.path("trusted.toml"), trusted).unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs tokencap with the passphrase in the environment and no configuration but this one.
    fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, "correct horse battery")
    }

    fn run_with(&self, arguments: &[&str], passphrase: &str) -> Output {
        program::command(env!("CARGO_BIN_EXE_tokencap"), self.folder.path())
            .args(arguments)
            .env("TOKENCAP_PASSPHRASE", passphrase)
            .output()
            .unwrap()
    }

    fn sign(&self, role: &str, name: &str) -> Output {
        let (run, key) =
            (text(&self.path("run.tokencap")), text(&self.path(&format!("{name}.key"))));
        let trust = text(&self.path("trusted.toml"));
        self.run(&["sign", &run, "--role", role, "--key", &key, "--trust", &trust])
    }

    /// Exit status and state.
    fn verify(&self) -> (bool, String) {
        let (run, trust) = (text(&self.path("run.tokencap")), text(&self.path("trusted.toml")));
        let found = self.run(&["verify", &run, "--trust", &trust, "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
        (found.status.success(), json["state"].as_str().unwrap().to_owned())
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn two_roles_sign_one_after_the_other_and_a_change_is_seen() {
    let desk = Desk::new();
    assert_eq!(desk.verify(), (false, "unsigned".to_owned()));
    let first = desk.sign("measured-by", "measurer");
    assert!(first.status.success(), "{}", errors(&first));
    let said = String::from_utf8(first.stdout).unwrap();
    assert!(said.contains("SIMULATED toy-7b on 8 × H200-141GB"), "{said}");
    assert!(said.contains("partly signed 1/2"), "{said}");
    assert_eq!(desk.verify(), (false, "partly_signed".to_owned()));
    let second = desk.sign("approved-by", "approver");
    assert!(second.status.success(), "{}", errors(&second));
    assert_eq!(desk.verify(), (true, "signed".to_owned()));

    // The report says so too, from the same trusted keys.
    let (run, trust) = (text(&desk.path("run.tokencap")), text(&desk.path("trusted.toml")));
    let report = desk.run(&["report", &run, "--trust", &trust]);
    assert!(String::from_utf8_lossy(&report.stdout).contains("signed 2/2"));
    let report = desk.run(&["report", &run]);
    assert!(String::from_utf8_lossy(&report.stdout).contains("unknown key"));

    // A price may change: money is not signed.
    let priced = desk.run(&["report", &run, "--trust", &trust, "--prices", "reference-2026-11"]);
    assert!(String::from_utf8_lossy(&priced.stdout).contains("signed 2/2"));

    // Withdrawn by one of the two.
    let key = text(&desk.path("approver.key"));
    let revoked = desk.run(&["revoke", &run, "--key", &key, "--reason", "wrong checkpoint"]);
    assert!(revoked.status.success(), "{}", errors(&revoked));
    assert!(String::from_utf8_lossy(&revoked.stdout).contains("[[revoked]]"));
    assert_eq!(desk.verify(), (false, "revoked".to_owned()));
    let again = desk.sign("measured-by", "measurer");
    assert!(!again.status.success(), "nothing is signed on top of that");
}

#[test]
fn programs_are_answered_in_json() {
    let desk = Desk::new();
    let json = |arguments: &[&str]| -> serde_json::Value {
        let output = desk.run(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{}", errors(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let run = text(&desk.path("run.tokencap"));
    let new = text(&desk.path("new.key"));
    let made = json(&["keygen", "--name", "Li Na", "--out", &new]);
    assert_eq!(made["name"], "Li Na");
    let key = text(&desk.path("measurer.key"));
    let trust = text(&desk.path("trusted.toml"));
    let sign = ["sign", &run, "--role", "measured-by", "--key", &key, "--trust", &trust];
    let signed = json(&sign);
    assert_eq!(signed["sign_off"]["state"], "partly_signed");
    assert_eq!(
        (&signed["role"], &signed["numbers"]["model"]),
        (&"measured-by".into(), &"toy-7b".into())
    );
    let revoked = json(&["revoke", &run, "--key", &new, "--reason", "wrong checkpoint"]);
    assert_eq!(revoked["revoked"]["reason"], "wrong checkpoint");
    let presets = json(&["presets"]);
    assert!(presets.as_array().unwrap().contains(&"promise/demo".into()));
    assert_eq!(json(&["presets", "promise/demo"])["name"], "demo");
}

#[test]
fn a_wrong_passphrase_or_a_weak_one_or_an_existing_file_is_refused() {
    let desk = Desk::new();
    let key = text(&desk.path("measurer.key"));
    let run = text(&desk.path("run.tokencap"));
    let before = std::fs::read(&run).unwrap();
    let wrong =
        desk.run_with(&["sign", &run, "--role", "measured-by", "--key", &key], "wrong horse");
    assert!(!wrong.status.success());
    assert!(errors(&wrong).contains("does not open this key"), "{}", errors(&wrong));
    assert_eq!(std::fs::read(&run).unwrap(), before, "the bundle is as it was");
    let weak =
        desk.run_with(&["keygen", "--name", "x", "--out", &text(&desk.path("x.key"))], "short");
    assert!(errors(&weak).contains("at least 8 characters"), "{}", errors(&weak));
    let twice = desk.run(&["keygen", "--name", "x", "--out", &key]);
    assert!(errors(&twice).contains("never overwritten"), "{}", errors(&twice));
}

#[test]
fn point_verdicts_and_imports_are_never_signed() {
    let desk = Desk::new();
    let mut judged = fixture::bundle(1);
    let mut sheet: Fields = judged.manifest.promise.clone().into();
    sheet.mode = VerdictMode::Point;
    judged.manifest.promise = sheet.try_into().unwrap();
    std::fs::write(desk.path("run.tokencap"), bundle::write(&judged).unwrap()).unwrap();
    let refused = desk.sign("measured-by", "measurer");
    assert!(!refused.status.success());
    assert!(errors(&refused).contains("point estimates"), "{}", errors(&refused));

    let mut toy = fixture::bundle(1);
    toy.manifest.origin = Origin::Imported { tools: vec!["another tool".to_owned()] };
    std::fs::write(desk.path("run.tokencap"), bundle::write(&toy).unwrap()).unwrap();
    let refused = desk.sign("measured-by", "measurer");
    assert!(!refused.status.success());
    assert!(errors(&refused).contains("imported from another tool"), "{}", errors(&refused));
    assert_eq!(desk.verify().1, "unsigned");
}
