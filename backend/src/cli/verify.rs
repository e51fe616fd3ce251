//! `tokencap verify`: recomputes every number of a bundle and checks its signatures.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use tokencap_shared::present::document;
use tokencap_shared::present::words::{Lang, Words};
use tokencap_shared::signoff::Verification;

use super::answer::{say, say_json, shown};
use super::opened::Opened;
use super::report::terminal_width;
use crate::{text, trust, words};

/// Recompute every number from the raw records, then check the signatures. Exit code 0 only if
/// the bundle is signed.
#[derive(Debug, Args)]
pub(super) struct Verify {
    bundle: PathBuf,
    /// Your trusted keys. Without it: tokencap/trusted.toml in your configuration folder.
    #[arg(long, value_name = "FILE", env = "TOKENCAP_TRUST")]
    trust: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// If the bundle cannot be read, or is not signed.
pub(super) fn run(args: &Verify, lang: Lang) -> anyhow::Result<()> {
    let trust = trust::load(args.trust.as_deref())?;
    let words = lang.words();
    let found = Opened::new(&args.bundle, lang)?.verify(&trust, lang)?;
    if args.json {
        say_json(&found)?;
    } else {
        say(&told(&found, words))?;
    }
    if !found.state.is_signed() {
        let state = if lang == Lang::En {
            found.state.name().to_owned()
        } else {
            (words.sign_off)(&found.state)
        };
        bail!((words::of(lang).not_signed)(&shown(&args.bundle), &state));
    }
    Ok(())
}

fn told(found: &Verification, words: &Words) -> String {
    let advice = (words.sign_off_advice)(&found.state);
    let (state, stop) = ((words.sign_off)(&found.state), words.say.full_stop);
    let head = format!("{state}\n{}{stop}{}\n", advice.what, advice.fix);
    match document::signatures(found, words) {
        Some(table) => format!("{head}\n{}", text::table(&table, words, terminal_width())),
        None => head,
    }
}
