//! `tokencap revoke`: withdraws the numbers of a bundle, or names the run that replaces it.

use std::path::PathBuf;

use anyhow::bail;
use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args};
use serde_json::json;

use tokencap_shared::present::words::Lang;

use super::answer::Answer;
use super::opened::{Opened, now};
use super::passphrase::Passphrase;
use crate::keys::KeyFile;
use crate::words;
use tokencap_shared::signoff::Signer;

/// Withdraw a bundle's numbers, with a reason, or say which later run replaces it.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("why").required(true).args(["reason", "superseded_by"])))]
pub(super) struct Revoke {
    /// The bundle. The statement is added to it; nothing is deleted.
    bundle: PathBuf,
    /// Why the numbers no longer hold.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    reason: Option<String>,
    /// The bundle of the run that replaces this one.
    #[arg(long, value_name = "BUNDLE")]
    superseded_by: Option<PathBuf>,
    /// The key's file, as `tokencap keygen` wrote it.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    passphrase: Passphrase,
    #[command(flatten)]
    answer: Answer,
}

/// Runs the command.
///
/// # Errors
/// If a bundle cannot be read, or the key does not open.
pub(super) fn run(args: &Revoke, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    let mut opened = Opened::new(&args.bundle, lang)?;
    let later = match &args.superseded_by {
        Some(path) => Some(Opened::new(path, lang)?.bundle.manifest.run),
        None => None,
    };
    let file = KeyFile::load(&args.key)?;
    let key = file.unlock(&args.passphrase.ask(words)?)?;
    let signer = Signer { key: &key, name: file.name(), now: now(lang)? };
    let (manifest, seal) = (&opened.bundle.manifest, &opened.seal);
    let run = manifest.run.clone();
    if later.as_ref() == Some(&run) {
        bail!(words.replaces_itself);
    }
    let (signed, lines, value) = if let Some(by) = later {
        let lines = format!("[[superseded]]\nrun = {run:?}\nby = {by:?}");
        let value = json!({ "superseded": { "run": &run, "by": &by } });
        (signer.supersede(manifest, seal, by), lines, value)
    } else {
        let reason = args.reason.clone().unwrap_or_default();
        let lines = format!("[[revoked]]\nrun = {run:?}\nreason = {reason:?}");
        let value = json!({ "revoked": { "run": &run, "reason": &reason } });
        (signer.revoke(manifest, seal, reason), lines, value)
    };
    opened.add(&signed)?;
    let text = (words.revoked)(&lines);
    args.answer.give(&value, &text)
}
