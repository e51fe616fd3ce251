//! `tokencap web`: writes the web app as a folder, for a static host.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;

use super::answer::Answer;
use crate::web;

/// Write the web app as a folder of files for any static web server; it opens bundles by itself.
#[derive(Debug, Args)]
pub(super) struct Web {
    /// Folder to write; it must not exist yet, or be empty.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    answer: Answer,
}

/// Runs the command.
///
/// # Errors
/// If the folder holds something or cannot be written.
pub(super) fn run(args: &Web) -> anyhow::Result<()> {
    let occupied = fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some());
    if occupied {
        bail!("{} is not empty; name another folder, or empty it first", args.out.display());
    }
    for file in web::files() {
        write(&args.out.join(file.path), file.bytes)?;
    }
    write(&args.out.join(web::MANIFEST_NAME), web::manifest().as_bytes())?;
    let value = json!({ "folder": args.out, "build": web::BUILD_ID });
    args.answer.give(&value, &format!("{}: build {}", args.out.display(), web::BUILD_ID))
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
