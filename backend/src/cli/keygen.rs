//! `tokencap keygen`: makes a key to sign with.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::answer::Answer;
use super::passphrase::Passphrase;
use crate::keys::{Cost, KeyFile};
use crate::trust;

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
pub(super) fn run(args: &Keygen) -> anyhow::Result<()> {
    let key = KeyFile::generate(&args.name, &args.passphrase.ask_new()?, Cost::default())?;
    key.save(&args.out)?;
    let place = trust::default_path();
    let place = place.map_or_else(|| "trusted keys".to_owned(), |path| path.display().to_string());
    let text = format!(
        "Key of {} written to {}. Keep it to yourself; there is no way around the passphrase.\n\
         \n\
         Whoever is to trust it adds this to {place},\n\
         after comparing the fingerprint {} with you by another way:\n\
         \n\
         [[keys]]\n\
         name = {:?}\n\
         key = \"{}\"\n\
         roles = [\"measured-by\"]   # or reviewed-by, approved-by",
        key.name(),
        args.out.display(),
        key.public().fingerprint(),
        key.name(),
        key.public(),
    );
    let (public, fingerprint) = (key.public().to_string(), key.public().fingerprint().to_string());
    let value = json!({
        "name": key.name(), "file": args.out, "key": public, "fingerprint": fingerprint
    });
    args.answer.give(&value, &text)
}
