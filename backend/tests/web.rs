//! `tokencap web`: the app as a folder for a static host.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::path::Path;
use std::process::{Command, Output};

use sha2::{Digest as _, Sha256};

fn write_app(folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tokencap"))
        .args(["web", "--out"])
        .arg(folder)
        .output()
        .unwrap()
}

#[test]
fn the_folder_holds_every_file_that_its_manifest_lists_with_that_digest() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("new/app");
    let output = write_app(&folder);
    assert!(output.status.success(), "{output:?}");
    let manifest = std::fs::read(folder.join("build.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["build_id"], tokencap::web::BUILD_ID);
    let files = manifest["files"].as_array().unwrap();
    assert_eq!(files.len(), tokencap::web::files().len());
    for file in files {
        let bytes = std::fs::read(folder.join(file["path"].as_str().unwrap())).unwrap();
        let digest: String = base16ct::lower::encode_string(&Sha256::digest(bytes));
        assert_eq!(file["sha256"], digest);
    }
}

#[test]
fn a_folder_that_holds_something_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("mine.txt"), "mine").unwrap();
    let output = write_app(root.path());
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is not empty; name another folder"), "{said}");
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);
}
