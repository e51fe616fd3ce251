//! What a command answers: a text to a person, or one JSON value to a program.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tokencap_shared::bundle::Bundle;
use tokencap_shared::present::document::document;
use tokencap_shared::present::report::{Entry, Report};
use tokencap_shared::signoff::SignOff;

use super::report::Language;
use crate::export::Json;

/// Whom a command answers.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Answer {
    /// Answer in JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,
}

impl Answer {
    /// Gives the answer to whom it is for.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn give(self, value: &impl Serialize, text: &str) -> anyhow::Result<()> {
        if self.json { say_json(value) } else { say(&format!("{text}\n")) }
    }

    /// A bundle was written: says where, and to programs what its report is.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn saved(self, path: &Path, bundle: &Bundle) -> anyhow::Result<()> {
        if !self.json {
            return say(&(saved(path) + "\n"));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entry = Entry::judged(name, bundle, None, SignOff::Unsigned);
        let report = Report::new(vec![entry], None);
        let document = document(&report, Language::or_terminal(None).words());
        say_json(&Json { report: &report, document: &document })
    }
}

/// What to do with a bundle that was written.
pub(super) fn saved(path: &Path) -> String {
    let out = path.display();
    format!("Wrote {out}\nRead it:  tokencap report {out}\nShow it:  tokencap serve {out}")
}

/// Writes a value as JSON to standard output.
///
/// # Errors
/// If it cannot be written.
pub(super) fn say_json(value: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value).context("the answer cannot be JSON")?;
    say(&(text + "\n"))
}

/// Writes a text to standard output.
///
/// # Errors
/// If it cannot be written to.
pub(super) fn say(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader such as `head` that has seen enough is no failure.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}
