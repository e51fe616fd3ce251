//! `tokencap web`: writes the web app as a folder, for a static host.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;

use tokencap_shared::present::words::Lang;

use super::answer::{Answer, shown};
use crate::web;
use crate::words::{self, CommandWords};

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
pub(super) fn run(args: &Web, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    let occupied = fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some());
    if occupied {
        bail!((words.not_empty)(&shown(&args.out)));
    }
    for file in web::files() {
        write(&args.out.join(file.path), file.bytes, words)?;
    }
    write(&args.out.join(web::MANIFEST_NAME), web::manifest().as_bytes(), words)?;
    let value = json!({ "folder": args.out, "build": web::BUILD_ID });
    args.answer.give(&value, &(words.web_built)(&shown(&args.out), web::BUILD_ID))
}

fn write(path: &Path, bytes: &[u8], words: &CommandWords) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| (words.unwritable)(&shown(folder)))?;
    }
    fs::write(path, bytes).with_context(|| (words.unwritable)(&shown(path)))
}
