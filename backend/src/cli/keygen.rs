//! `tokencap keygen`: makes a key to sign with.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use tokencap_shared::present::words::Lang;

use super::answer::{Answer, shown};
use super::passphrase::Passphrase;
use crate::keys::{Cost, KeyFile};
use crate::trust;
use crate::words;

/// Make a key to sign with, encrypted with a passphrase.
#[derive(Debug, Args)]
pub(super) struct Keygen {
    /// Whose key it is, such as "Wang Li".
    #[arg(long)]
    name: String,
    /// The file to write. It is never overwritten.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    passphrase: Passphrase,
    #[command(flatten)]
    answer: Answer,
}

/// Runs the command.
///
/// # Errors
/// If the passphrase is too short, or the file cannot be written.
pub(super) fn run(args: &Keygen, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    let key = KeyFile::generate(&args.name, &args.passphrase.ask_new(words)?, Cost::default())?;
    key.save(&args.out)?;
    let place = trust::default_path();
    let place = place.map_or_else(|| words.keys_file.to_owned(), |path| path.display().to_string());
    let lines = format!(
        "[[keys]]\nname = {:?}\nkey = \"{}\"\nroles = [\"measured-by\"]   # {}",
        key.name(),
        key.public(),
        words.or_roles
    );
    let print = key.public().fingerprint().to_string();
    let text = (words.key_made)(key.name(), &shown(&args.out), &place, &print, &lines);
    let (public, fingerprint) = (key.public().to_string(), key.public().fingerprint().to_string());
    let value = json!({
        "name": key.name(), "file": args.out, "key": public, "fingerprint": fingerprint
    });
    args.answer.give(&value, &text)
}
