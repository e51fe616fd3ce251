//! Where passphrases come from: a prompt, a file, or a variable of the environment. Never the
//! command line, which others can read.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use crate::files;

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
    pub(super) fn ask(&self) -> anyhow::Result<String> {
        match self.given()? {
            Some(passphrase) => Ok(passphrase),
            None => prompt("Passphrase of the key: "),
        }
    }

    /// The passphrase of a new key, asked for twice.
    pub(super) fn ask_new(&self) -> anyhow::Result<String> {
        if let Some(passphrase) = self.given()? {
            return Ok(passphrase);
        }
        let first = prompt("Passphrase for the new key: ")?;
        if prompt("The same again: ")? != first {
            bail!("the two passphrases differ: run the command again");
        }
        Ok(first)
    }

    fn given(&self) -> anyhow::Result<Option<String>> {
        if let Some(path) = &self.passphrase_file {
            let text = files::read_secret(path).with_context(|| {
                format!("cannot read the passphrase file {}: check its path", path.display())
            })?;
            let line = text.lines().next().unwrap_or_default();
            return Ok(Some(line.to_owned()));
        }
        Ok(std::env::var(VARIABLE).ok().filter(|passphrase| !passphrase.is_empty()))
    }
}

fn prompt(text: &str) -> anyhow::Result<String> {
    rpassword::prompt_password(text).with_context(|| {
        format!("no terminal to ask for the passphrase: give --passphrase-file or set {VARIABLE}")
    })
}
