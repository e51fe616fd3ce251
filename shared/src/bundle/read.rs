//! Reading a bundle: from bytes that nobody vouches for to evidence that is whole and consistent.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base16ct::lower::encode_string;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::archive::{
    DIGESTED, GAPS, MANIFEST, Member, Members, REQUESTS, TELEMETRY, signoff_name, unpack,
};
use super::error::BundleError;
use super::pace::{self, Pace, Pause};
use super::pack::is_canonical;
use super::rows::Rules;
use super::{Bundle, FORMAT_VERSION, Manifest, first, gaps, requests, telemetry};
use crate::DEFINITIONS_VERSION;
use crate::definitions::origin::Origin;
use crate::definitions::workload::SenselessWorkload;

/// Bytes that are hashed between two pauses.
const HASHED_AT_ONCE: usize = 2 << 20;

/// What a bundle's file itself is: what signatures are about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// SHA-256 in hex of every member but sign-offs, the manifest included, by name.
    pub digests: BTreeMap<String, String>,
    /// Whether the file is, to the byte, the archive that tokencap makes of its members.
    pub canonical: bool,
}

/// Opens a bundle: checks the archive before anything is unpacked, every member against its
/// SHA-256, and every row. Whether the sign-offs are worth anything is another question.
///
/// # Errors
/// If the bytes are no bundle, or one that is damaged, changed, contradictory, too large, or of
/// a newer format.
pub fn open(bytes: &[u8]) -> Result<(Bundle, Seal), BundleError> {
    pace::at_once(|pace| Box::pin(read_at(bytes, pace)))
}

/// Opens a bundle in slices of some ten milliseconds, and waits after each for the pause: so that
/// a page that reads a large one still answers its reader.
///
/// # Errors
/// As [`open`].
pub async fn open_in_slices(
    bytes: &[u8],
    pause: &mut Pause<'_>,
) -> Result<(Bundle, Seal), BundleError> {
    read_at(bytes, &mut Pace::new(pause)).await
}

/// Opens a bundle for its evidence alone.
///
/// # Errors
/// As [`open`].
pub fn read(bytes: &[u8]) -> Result<Bundle, BundleError> {
    open(bytes).map(|(bundle, _)| bundle)
}

async fn read_at(bytes: &[u8], pace: &mut Pace<'_>) -> Result<(Bundle, Seal), BundleError> {
    let mut members = unpack(bytes)?;
    pace.breathe().await;
    let canonical = is_canonical(&members, bytes);
    let json = take(&mut members, MANIFEST)?;
    let manifest = manifest(&json)?;
    let mut digests = BTreeMap::from([(MANIFEST.to_owned(), sha256(&json))]);
    for member in DIGESTED {
        let contents = &members.get(member).ok_or_else(|| missing(member))?.contents;
        let digest = encode_string(&digest_at(contents, pace).await);
        if manifest.members.get(member) != Some(&digest) {
            return Err(BundleError::Digest { member: member.to_owned() });
        }
        digests.insert(member.to_owned(), digest);
    }
    let rules = Rules::new(&manifest.steps);
    let (requests, errors) = requests::read(&take(&mut members, REQUESTS)?, rules, pace).await?;
    let gaps = gaps::read(&take(&mut members, GAPS)?, &manifest)?;
    pace.breathe().await;
    let labels = if manifest.format == 1 { first::labels } else { telemetry::labels };
    let telemetry = telemetry::read(&take(&mut members, TELEMETRY)?, labels, pace).await?;
    let mut signoffs = BTreeMap::new();
    for (member, Member { contents, .. }) in members {
        let text =
            String::from_utf8(contents.into_owned()).map_err(|_| BundleError::DamagedMember {
                member: member.clone(),
                problem: "it is no text".to_owned(),
            })?;
        if let Some(name) = signoff_name(&member) {
            signoffs.insert(name.to_owned(), text);
        }
    }
    let bundle = Bundle { manifest, requests, errors, gaps, telemetry, signoffs };
    Ok((bundle, Seal { digests, canonical }))
}

/// SHA-256 in hex.
pub(super) fn sha256(contents: &[u8]) -> String {
    encode_string(&Sha256::digest(contents))
}

/// SHA-256, with a pause after every few megabytes.
async fn digest_at(contents: &[u8], pace: &mut Pace<'_>) -> Vec<u8> {
    let mut hasher = Sha256::new();
    for part in contents.chunks(HASHED_AT_ONCE) {
        hasher.update(part);
        pace.breathe().await;
    }
    hasher.finalize().to_vec()
}

fn take<'a>(members: &mut Members<'a>, member: &str) -> Result<Cow<'a, [u8]>, BundleError> {
    members.remove(member).map(|member| member.contents).ok_or_else(|| missing(member))
}

fn missing(member: &str) -> BundleError {
    BundleError::MissingMember { member: member.to_owned() }
}

/// The versions of a manifest, whatever else a later format may put into it.
#[derive(Deserialize)]
struct Versions {
    format: u32,
    definitions: u32,
}

fn manifest(json: &[u8]) -> Result<Manifest, BundleError> {
    let versions: Versions = serde_json::from_slice(json).map_err(BundleError::Manifest)?;
    check_version("format", versions.format, FORMAT_VERSION)?;
    check_version("definitions", versions.definitions, DEFINITIONS_VERSION)?;
    let mut manifest: Manifest = serde_json::from_slice(json).map_err(BundleError::Manifest)?;
    if manifest.format == 1 {
        first::upgrade(&mut manifest);
    }
    check_manifest(&manifest)?;
    if let Some(other) = manifest.members.keys().find(|name| !DIGESTED.contains(&name.as_str())) {
        let problem = format!("it names a member `{}`", other.escape_default());
        return Err(BundleError::Inconsistent { problem });
    }
    Ok(manifest)
}

fn check_version(what: &'static str, found: u32, known: u32) -> Result<(), BundleError> {
    if found > known {
        return Err(BundleError::Newer { what, found, known });
    }
    Ok(())
}

/// What must hold within a manifest, whether it is written or read.
pub(super) fn check_manifest(manifest: &Manifest) -> Result<(), BundleError> {
    check_version("format", manifest.format, FORMAT_VERSION)?;
    check_version("definitions", manifest.definitions, DEFINITIONS_VERSION)?;
    let inconsistent = |problem| Err(BundleError::Inconsistent { problem });
    match manifest.workload.check() {
        // Nobody knows what load another tool's results were measured under.
        Err(SenselessWorkload::Empty(_))
            if manifest.format == 1 || matches!(manifest.origin, Origin::Imported { .. }) => {}
        Err(senseless) => return inconsistent(senseless.to_string()),
        Ok(()) => {}
    }
    for pair in manifest.steps.windows(2) {
        if pair[0].id >= pair[1].id {
            return inconsistent(format!("step {} stands after step {}", pair[1].id, pair[0].id));
        }
    }
    for step in &manifest.steps {
        if !(step.start <= step.w0 && step.w0 <= step.w1 && step.w1 <= step.end) {
            let id = step.id;
            return inconsistent(format!("step {id}: its instants are not start ≤ w0 ≤ w1 ≤ end"));
        }
    }
    Ok(())
}
