//! The program as a person runs it: in a folder of its own, with nothing of this machine's
//! environment that it reads.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Variables that the program or its libraries read.
const READ: [&str; 9] = [
    "TOKENCAP_API_KEY",
    "TOKENCAP_PASSPHRASE",
    "TOKENCAP_TRUST",
    "XDG_CONFIG_HOME",
    "LC_ALL",
    "LC_MESSAGES",
    "LANG",
    "HEADLESS",
    "RUST_LOG",
];

/// A plan for [`demo`](crate::server::demo), but for its rates.
const PLAN: &str = r#"
promise = "demo"
workload = "demo"

[deployment]
model = "sim-demo"
engine = "tokencap-sim"
gpu = "simulated"
gpus_serving = 2
gpus_provisioned = 2
simulated = true

"#;

/// A plan for [`demo`](crate::server::demo) with these tables.
#[must_use]
pub fn plan(tables: &str) -> String {
    format!("{PLAN}{tables}")
}

/// A folder with this text as its `plan.toml`.
#[must_use]
pub fn folder(plan: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "plan.toml", plan.as_bytes());
    folder
}

/// Writes a file, and says where.
pub fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// The program, to be run in a folder that is also its user's home.
#[must_use]
pub fn command(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env("HOME", folder);
    for name in READ {
        command.env_remove(name);
    }
    command
}

/// Runs the program in a folder; the arguments are separated by spaces.
#[must_use]
pub fn run(program: &str, folder: &Path, arguments: &str) -> Output {
    command(program, folder).args(arguments.split_whitespace()).output().unwrap()
}

/// What it wrote for whoever reads it.
#[must_use]
pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What it said beside that.
#[must_use]
pub fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
