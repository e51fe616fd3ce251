//! Where passphrases come from: a prompt, a file, or a variable of the environment. Never the
//! command line, which others can read.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::answer::shown;
use crate::files;
use crate::words::CommandWords;

const VARIABLE: &str = "TOKENCAP_PASSPHRASE";

/// How the passphrase of a key is given.
#[derive(Debug, Args)]
pub(super) struct Passphrase {
    /// File whose first line is the passphrase. Without it: the variable TOKENCAP_PASSPHRASE, or
    /// a prompt.
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl Passphrase {
    /// The passphrase of an existing key.
    pub(super) fn ask(&self, words: &CommandWords) -> anyhow::Result<String> {
        match self.given(words)? {
            Some(passphrase) => Ok(passphrase),
            None => prompt(words.ask_passphrase, words),
        }
    }

    /// The passphrase of a new key, asked for twice.
    pub(super) fn ask_new(&self, words: &CommandWords) -> anyhow::Result<String> {
        if let Some(passphrase) = self.given(words)? {
            return Ok(passphrase);
        }
        let first = prompt(words.ask_new_passphrase, words)?;
        if prompt(words.ask_again, words)? != first {
            bail!(words.passphrases_differ);
        }
        Ok(first)
    }

    fn given(&self, words: &CommandWords) -> anyhow::Result<Option<String>> {
        if let Some(path) = &self.passphrase_file {
            let text = files::read_secret(path)
                .with_context(|| (words.no_passphrase_file)(&shown(path)))?;
            let line = text.lines().next().unwrap_or_default();
            return Ok(Some(line.to_owned()));
        }
        Ok(std::env::var(VARIABLE).ok().filter(|passphrase| !passphrase.is_empty()))
    }
}

fn prompt(text: &str, words: &CommandWords) -> anyhow::Result<String> {
    rpassword::prompt_password(text).with_context(|| (words.no_terminal)(VARIABLE))
}
