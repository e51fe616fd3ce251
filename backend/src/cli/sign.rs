//! `tokencap sign`: answers for the numbers of a bundle.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde_json::json;
use tokencap_shared::definitions::promise::Role;
use tokencap_shared::present::words::Lang;
use tokencap_shared::signoff::{SignOff, Signature, SignedNumbers, Signer, Verification};

use super::answer::{Answer, say};
use super::opened::{Opened, in_days, now};
use super::passphrase::Passphrase;
use crate::keys::KeyFile;
use crate::{trust, words};

/// Sign the numbers of a bundle: recomputes them from the raw records first.
#[derive(Debug, Args)]
pub(super) struct Sign {
    /// The bundle. The signature is added to it.
    bundle: PathBuf,
    /// In which role.
    #[arg(long, value_name = "measured-by|reviewed-by|approved-by", value_parser = role)]
    role: Role,
    /// The key's file, as `tokencap keygen` wrote it.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// For how many days the signature holds; 0: without end.
    #[arg(long, default_value_t = 365)]
    valid_days: u32,
    /// Your trusted keys, to check the signatures that are there.
    #[arg(long, value_name = "FILE", env = "TOKENCAP_TRUST")]
    trust: Option<PathBuf>,
    #[command(flatten)]
    passphrase: Passphrase,
    #[command(flatten)]
    answer: Answer,
}

fn role(name: &str) -> Result<Role, String> {
    Role::of_name(name)
        .ok_or_else(|| "roles are measured-by, reviewed-by and approved-by".to_owned())
}

/// Runs the command.
///
/// # Errors
/// If the bundle holds nothing that may be signed, its signatures are bad, or the key does not
/// open.
pub(super) fn run(args: &Sign, lang: Lang) -> anyhow::Result<()> {
    let (words, told) = (lang.words(), words::of(lang));
    let trust = trust::load(args.trust.as_deref())?;
    let mut opened = Opened::new(&args.bundle, lang)?;
    let Verification { state: before, signatures } = opened.verify(&trust, lang)?;
    if let SignOff::BadSignature { .. }
    | SignOff::ContentsChanged { .. }
    | SignOff::NumbersDiffer { .. }
    | SignOff::Superseded { .. }
    | SignOff::Revoked { .. } = before
    {
        let advice = (words.sign_off_advice)(&before);
        bail!((told.not_on_top)(&advice.what, &advice.fix));
    }
    let numbers = SignedNumbers::of(&opened.bundle.manifest, &opened.capacity)?;
    if !args.answer.json {
        say(&((told.signs)(&numbers) + "\n"))?;
    }

    let file = KeyFile::load(&args.key)?;
    let own = file.public().fingerprint().to_string();
    let same = |signature: &&Signature| {
        signature.fingerprint.as_ref() == Some(&own)
            && signature.role.is_some_and(|role| role != args.role)
    };
    if let Some(role) = signatures.iter().find(same).and_then(|signature| signature.role) {
        let role = if lang == Lang::En { role.name() } else { (words.role)(role) };
        bail!((told.signed_already)(role));
    }
    let key = file.unlock(&args.passphrase.ask(told)?)?;
    let signer = Signer { key: &key, name: file.name(), now: now(lang)? };
    let expires = if args.valid_days == 0 { None } else { Some(in_days(args.valid_days, lang)?) };
    let role = args.role;
    let (manifest, seal) = (&opened.bundle.manifest, &opened.seal);
    let signed = signer.sign_off(manifest, seal, &opened.capacity, role, expires)?;
    opened.add(&signed)?;
    let state = opened.verify(&trust, lang)?.state;
    let text = (told.signed)((words.role)(role), file.name(), &own, &(words.sign_off)(&state));
    let value = json!({
        "role": role, "name": file.name(), "fingerprint": own, "numbers": numbers,
        "sign_off": state
    });
    args.answer.give(&value, &text)
}
