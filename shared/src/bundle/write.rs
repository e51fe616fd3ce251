//! Writing a bundle: only what [`super::read()`] will read again.

use super::archive::{
    GAPS, MANIFEST, Member, REQUESTS, TELEMETRY, signoff_member, signoff_name, unpack,
};
use super::crc::crc32;
use super::error::BundleError;
use super::pack::{Packed, in_order, pack};
use super::read::{check_manifest, sha256};
use super::rows::{Fault, Rules};
use super::{Bundle, FORMAT_VERSION, Manifest, gaps, requests, telemetry};
use crate::definitions::record::Request;

/// Writes a bundle. The manifest's digests are filled in; requests are put in the order of steps
/// and sending. The same bundle makes the same bytes.
///
/// # Errors
/// If the bundle holds what none may: it is checked as on reading, so that nothing is written
/// that could not be read.
pub fn write(bundle: &Bundle) -> Result<Vec<u8>, BundleError> {
    let mut manifest = Manifest { format: FORMAT_VERSION, ..bundle.manifest.clone() };
    check_manifest(&manifest)?;
    let requests = requests(bundle)?;
    let gaps = gaps::write(&bundle.gaps, &bundle.manifest)?;
    let telemetry = telemetry::write(&bundle.telemetry)?;
    manifest.members = [
        (REQUESTS.to_owned(), sha256(&requests)),
        (GAPS.to_owned(), sha256(gaps.as_bytes())),
        (TELEMETRY.to_owned(), sha256(&telemetry)),
    ]
    .into();
    let manifest = serde_json::to_vec_pretty(&manifest).map_err(BundleError::Manifest)?;
    let mut signoffs = Vec::new();
    for (name, text) in &bundle.signoffs {
        signoffs.push((checked_signoff_member(name)?, text.as_bytes()));
    }
    let mut members = vec![
        Packed::new(MANIFEST, &manifest),
        Packed::new(REQUESTS, &requests),
        Packed::new(GAPS, gaps.as_bytes()),
        Packed::new(TELEMETRY, &telemetry),
    ];
    members.extend(signoffs.iter().map(|(member, text)| Packed::new(member, text)));
    pack(&members)
}

/// Puts a sign-off into a bundle's file, in the place of one of the same name. Every other member
/// stays as it is, to the byte.
///
/// # Errors
/// If the bytes are no bundle, the name is none that a sign-off may have, or the bundle holds
/// too many of them.
pub fn with_signoff(bytes: &[u8], name: &str, envelope: &str) -> Result<Vec<u8>, BundleError> {
    let mut members = unpack(bytes)?;
    let contents = envelope.as_bytes().into();
    let crc = crc32(envelope.as_bytes());
    members.insert(checked_signoff_member(name)?, Member { contents, crc });
    pack(&in_order(&members))
}

fn checked_signoff_member(name: &str) -> Result<String, BundleError> {
    let member = signoff_member(name);
    if signoff_name(&member).is_none() {
        let name = name.escape_default().to_string();
        return Err(BundleError::UnknownMember { name });
    }
    Ok(member)
}

/// The table of requests, put in order and checked.
fn requests(bundle: &Bundle) -> Result<Vec<u8>, BundleError> {
    let place = |request: &Request| (request.step, request.sent);
    let mut sorted = Vec::new();
    let requests = if bundle.requests.is_sorted_by_key(place) {
        &bundle.requests
    } else {
        sorted.clone_from(&bundle.requests);
        sorted.sort_by_key(place);
        &sorted
    };
    let mut rules = Rules::new(&bundle.manifest.steps);
    for (row, request) in requests.iter().enumerate() {
        rules.check(request).map_err(|fault| fault.at(row))?;
        if request.error.is_some_and(|error| error as usize >= bundle.errors.len()) {
            let problem = "it points to no text of the bundle";
            return Err(Fault("error", problem).at(row));
        }
    }
    requests::write(requests, &bundle.errors)
}
