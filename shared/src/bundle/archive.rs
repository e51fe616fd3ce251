//! The zip archive around the members: known names only, capped before anything is unpacked,
//! and nothing is ever written to a disk by a name that stands in it.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use super::error::BundleError;
use super::unzip::{self, Entry, Method};

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const REQUESTS: &str = "requests.parquet";
pub(super) const GAPS: &str = "gaps.hlog";
pub(super) const TELEMETRY: &str = "telemetry.parquet";

/// The members whose SHA-256 stands in the manifest.
pub(super) const DIGESTED: [&str; 3] = [REQUESTS, GAPS, TELEMETRY];

const SIGNOFF_FOLDER: &str = "signoff/";
const SIGNOFF_EXTENSION: &str = ".dsse.json";

/// Members of one bundle, sign-offs included.
const MAX_ENTRIES: usize = 64;
/// Bytes of all members, unpacked.
const MAX_TOTAL: u64 = 1 << 30;
/// Bytes of the manifest, unpacked.
const MAX_MANIFEST: u64 = 16 << 20;
/// Bytes of one sign-off, unpacked.
const MAX_SIGNOFF: u64 = 1 << 20;
/// How many times larger a member may be unpacked than packed…
const MAX_RATIO: u64 = 200;
/// …once it is larger than this.
const RATIO_FROM: u64 = 1 << 20;
/// How many characters of a foreign name an error shows.
const MAX_SHOWN: usize = 80;

/// The bytes of every member, by name.
pub(super) type Members = BTreeMap<String, Vec<u8>>;

/// The file name of a sign-off, from its member's name.
pub(super) fn signoff_name(member: &str) -> Option<&str> {
    let name = member.strip_prefix(SIGNOFF_FOLDER)?;
    let stem = name.strip_suffix(SIGNOFF_EXTENSION)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let valid = (1..=100).contains(&stem.len())
        && !stem.starts_with('.')
        && !stem.contains("..")
        && stem.bytes().all(plain);
    valid.then_some(name)
}

/// The member's name of a sign-off, from its file name.
pub(super) fn signoff_member(name: &str) -> String {
    format!("{SIGNOFF_FOLDER}{name}")
}

/// The cap on a member's bytes; `None` for a name that no bundle holds.
fn cap(member: &str) -> Option<u64> {
    match member {
        MANIFEST => Some(MAX_MANIFEST),
        REQUESTS | GAPS | TELEMETRY => Some(MAX_TOTAL),
        _ => signoff_name(member).map(|_| MAX_SIGNOFF),
    }
}

/// Unpacks every member, after all of them have passed every check that their directory allows.
pub(super) fn unpack(bytes: &[u8]) -> Result<Members, BundleError> {
    if !bytes.starts_with(b"PK") {
        return Err(BundleError::NotABundle);
    }
    let entries = unzip::directory(bytes).map_err(damaged)?;
    let names = inspect(&entries)?;
    check_overlaps(&entries, bytes)?;
    let mut members = Members::new();
    for (entry, name) in entries.iter().zip(names) {
        // What is allocated for it is what the directory declares, which is known to fit a
        // packed size that really is there.
        let contents = entry.unpack(bytes).map_err(|problem| BundleError::DamagedMember {
            member: name.clone(),
            problem: problem.to_owned(),
        })?;
        members.insert(name, contents);
    }
    Ok(members)
}

/// No two entries may share bytes: such archives unpack to more than they hold.
fn check_overlaps(entries: &[Entry<'_>], bytes: &[u8]) -> Result<(), BundleError> {
    let mut places = Vec::with_capacity(entries.len());
    for entry in entries {
        let (place, _) = entry.place(bytes).map_err(damaged)?;
        places.push((place.start, place.end));
    }
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[0].1 > pair[1].0) {
        return Err(damaged("its members overlap"));
    }
    Ok(())
}

/// Checks the archive's directory: names, kinds, counts, sizes and ratios. The names, in the
/// order of the directory.
fn inspect(entries: &[Entry<'_>]) -> Result<Vec<String>, BundleError> {
    if entries.len() > MAX_ENTRIES {
        let (found, limit) = (entries.len(), MAX_ENTRIES);
        return Err(BundleError::TooManyEntries { found, limit });
    }
    let mut names = Vec::new();
    let (mut total, mut foreign) = (0_u64, None);
    for entry in entries {
        let name = String::from_utf8_lossy(entry.name).into_owned();
        if names.contains(&name) {
            return Err(BundleError::DuplicateMember);
        }
        names.push(name.clone());
        let Some(cap) = cap(&name) else {
            foreign.get_or_insert(shown(&name));
            continue;
        };
        let refused = |what| Err(BundleError::Refused { member: name.clone(), what });
        if entry.encrypted {
            return refused("encrypted");
        }
        if !entry.is_file {
            return refused("a link or a folder");
        }
        if entry.method == Method::Other {
            return refused("packed in an unusual way");
        }
        if entry.size > cap {
            return Err(BundleError::TooLarge {
                what: format!("the member {name}"),
                size: entry.size,
                limit: cap,
            });
        }
        if entry.size > RATIO_FROM && entry.size / MAX_RATIO > entry.packed_size {
            return refused("packed more tightly than measurements can be");
        }
        total += entry.size;
    }
    if names.iter().all(|name| name != MANIFEST) {
        return Err(BundleError::ForeignArchive);
    }
    if let Some(name) = foreign {
        return Err(BundleError::UnknownMember { name });
    }
    check_total(total)?;
    Ok(names)
}

fn check_total(size: u64) -> Result<(), BundleError> {
    if size > MAX_TOTAL {
        let what = "a bundle's contents".to_owned();
        return Err(BundleError::TooLarge { what, size, limit: MAX_TOTAL });
    }
    Ok(())
}

/// Packs members in the order given: the same members make the same bytes, anywhere and any time.
/// Tables are compressed already and are stored; the manifest and sign-offs are deflated.
pub(super) fn pack(members: &[(&str, &[u8])]) -> Result<Vec<u8>, BundleError> {
    if members.len() > MAX_ENTRIES {
        let (found, limit) = (members.len(), MAX_ENTRIES);
        return Err(BundleError::TooManyEntries { found, limit });
    }
    let total = members.iter().map(|(_, contents)| contents.len()).sum::<usize>();
    check_total(total as u64)?;
    let mut zip = ZipWriter::new(Cursor::new(Vec::with_capacity(total + (64 << 10))));
    let fixed = SimpleFileOptions::default()
        .last_modified_time(DateTime::DEFAULT)
        .system(System::Unix)
        .unix_permissions(0o644);
    for &(name, contents) in members {
        let (size, limit) = (contents.len() as u64, cap(name).unwrap_or_default());
        if size > limit {
            return Err(BundleError::TooLarge { what: format!("the member {name}"), size, limit });
        }
        let method = if DIGESTED.contains(&name) {
            CompressionMethod::Stored
        } else {
            CompressionMethod::Deflated
        };
        zip.start_file(name, fixed.compression_method(method)).map_err(unwritten)?;
        zip.write_all(contents).map_err(|error| unwritten(error.into()))?;
    }
    Ok(zip.finish().map_err(unwritten)?.into_inner())
}

/// A name from outside, safe to show: short, and without control characters.
fn shown(name: &str) -> String {
    name.chars().take(MAX_SHOWN).flat_map(char::escape_default).collect()
}

fn damaged(problem: &'static str) -> BundleError {
    BundleError::DamagedArchive { problem }
}

fn unwritten(error: ZipError) -> BundleError {
    BundleError::Unwritten { member: "archive", problem: error.to_string() }
}
