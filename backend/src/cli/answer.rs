//! What a command answers: a text to a person, or one JSON value to a program.

use std::io::Write;
use std::path::Path;

use clap::Args;
use serde::Serialize;
use tokencap_shared::bundle::Bundle;
use tokencap_shared::present::document::document;
use tokencap_shared::present::escape;
use tokencap_shared::present::report::{Entry, Report};
use tokencap_shared::present::words::Lang;
use tokencap_shared::signoff::SignOff;

use crate::export::Json;
use crate::words;

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
    pub(super) fn saved(self, path: &Path, bundle: &Bundle, lang: Lang) -> anyhow::Result<()> {
        if !self.json {
            return say(&(saved(path, lang) + "\n"));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entry = Entry::judged(name, bundle, None, SignOff::Unsigned);
        let report = Report::new(vec![entry], None);
        let document = document(&report, lang.words());
        say_json(&Json { report: &report, document: &document })
    }
}

/// What to do with a bundle that was written.
pub(super) fn saved(path: &Path, lang: Lang) -> String {
    (words::of(lang).saved)(&shown(path))
}

/// A path as part of one line.
pub(super) fn shown(path: &Path) -> String {
    escape::one_line(&path.to_string_lossy()).into_owned()
}

/// Writes a value as JSON to standard output.
///
/// # Errors
/// If it cannot be written.
pub(super) fn say_json(value: &impl Serialize) -> anyhow::Result<()> {
    write(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Writes a text to standard output, with nothing in it that moves a terminal.
///
/// # Errors
/// If it cannot be written to.
pub(super) fn say(text: &str) -> anyhow::Result<()> {
    write(&escape::lines(text))
}

/// Writes a text to standard error, with nothing in it that moves a terminal.
pub(super) fn tell(text: &str) {
    eprintln!("{}", escape::lines(text));
}

fn write(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader such as `head` that has seen enough is no failure.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}
