//! The zip archive around the members: known names only, capped before anything is unpacked,
//! and nothing is ever written to a disk by a name that stands in it.

use std::borrow::Cow;

use super::error::BundleError;
use super::unzip::{Entry, Method, directory};

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const REQUESTS: &str = "requests.parquet";
pub(super) const GAPS: &str = "gaps.hlog";
pub(super) const TELEMETRY: &str = "telemetry.parquet";

/// The members whose SHA-256 stands in the manifest.
pub(super) const DIGESTED: [&str; 3] = [REQUESTS, GAPS, TELEMETRY];

const SIGNOFF_FOLDER: &str = "signoff/";
const SIGNOFF_EXTENSION: &str = ".dsse.json";

/// Members of one bundle, sign-offs included.
pub(super) const MAX_ENTRIES: usize = 64;
/// Bytes of all members, unpacked.
const MAX_TOTAL: u64 = 1 << 30;
/// Bytes of the manifest, unpacked.
const MAX_MANIFEST: u64 = 16 << 20;
/// Bytes of one sign-off, unpacked.
const MAX_SIGNOFF: u64 = 1 << 20;
/// How many times larger a member may be unpacked than packed…
const MAX_RATIO: u64 = 50;
/// …once it is larger than this. Tables are packed already, whoever packs them again.
const RATIO_FROM: u64 = 4 << 20;
/// How many characters of a foreign name an error shows.
const MAX_SHOWN: usize = 80;

/// A member's bytes, in their place in the archive where they are not packed, and their checksum
/// there.
#[derive(Clone, Debug)]
pub(super) struct Member<'a> {
    pub(super) contents: Cow<'a, [u8]>,
    pub(super) crc: u32,
}

/// Every member once, in the order of a bundle: the manifest, the raw records, then sign-offs by
/// name.
#[derive(Clone, Debug, Default)]
pub(super) struct Members<'a>(Vec<(String, Member<'a>)>);

impl<'a> Members<'a> {
    /// A member.
    pub(super) fn get(&self, name: &str) -> Option<&Member<'a>> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, member)| member)
    }

    /// Takes a member out.
    pub(super) fn remove(&mut self, name: &str) -> Option<Member<'a>> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Puts a member in its place, or in that of another one of its name.
    pub(super) fn insert(&mut self, name: String, member: Member<'a>) {
        self.remove(&name);
        let place = |name: &str| {
            let fixed = [MANIFEST].into_iter().chain(DIGESTED);
            fixed.zip(0..).find(|(fixed, _)| *fixed == name).map_or(usize::MAX, |(_, place)| place)
        };
        let before = |known: &str| (place(known), known) < (place(&name), name.as_str());
        let at = self.0.iter().take_while(|(known, _)| before(known)).count();
        self.0.insert(at, (name, member));
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Member<'a>)> {
        self.0.iter().map(|(name, member)| (name.as_str(), member))
    }
}

impl<'a> IntoIterator for Members<'a> {
    type Item = (String, Member<'a>);
    type IntoIter = std::vec::IntoIter<(String, Member<'a>)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

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

/// Whether an archive says that it holds sign-offs: a glance at its directory, which tells before
/// it is opened whether there will be anything to verify.
#[must_use]
pub fn has_signoffs(bytes: &[u8]) -> bool {
    let signed = |entry: &Entry<'_>| entry.name.starts_with(SIGNOFF_FOLDER.as_bytes());
    directory(bytes, MAX_ENTRIES).is_ok_and(|entries| entries.iter().any(signed))
}

/// The member's name of a sign-off, from its file name.
pub(super) fn signoff_member(name: &str) -> String {
    format!("{SIGNOFF_FOLDER}{name}")
}

/// The cap on a member's bytes; `None` for a name that no bundle holds.
pub(super) fn cap(member: &str) -> Option<u64> {
    match member {
        MANIFEST => Some(MAX_MANIFEST),
        REQUESTS | GAPS | TELEMETRY => Some(MAX_TOTAL),
        _ => signoff_name(member).map(|_| MAX_SIGNOFF),
    }
}

/// Unpacks every member, after all of them have passed every check that their directory allows.
pub(super) fn unpack(bytes: &[u8]) -> Result<Members<'_>, BundleError> {
    if !bytes.starts_with(b"PK") {
        return Err(BundleError::NotABundle);
    }
    let entries = directory(bytes, MAX_ENTRIES)?;
    let names: Vec<String> =
        entries.iter().map(|entry| String::from_utf8_lossy(entry.name).into_owned()).collect();
    inspect(&entries, &names)?;
    let mut members = Members::default();
    for (entry, name) in entries.iter().zip(names) {
        // What is allocated for it is what the directory declares, which is known to fit a
        // packed size that really is there.
        let contents = entry.unpack().map_err(|problem| BundleError::DamagedMember {
            member: name.clone(),
            problem: problem.to_owned(),
        })?;
        members.insert(name, Member { contents, crc: entry.crc });
    }
    Ok(members)
}

/// Checks the archive's directory: names, kinds, sizes and ratios.
fn inspect(entries: &[Entry<'_>], names: &[String]) -> Result<(), BundleError> {
    // They are few: the directory was refused otherwise.
    if (1..names.len()).any(|at| names[..at].contains(&names[at])) {
        return Err(BundleError::DuplicateMember);
    }
    if names.iter().all(|name| name != MANIFEST) {
        return Err(BundleError::ForeignArchive);
    }
    for (entry, name) in entries.iter().zip(names) {
        let Some(limit) = cap(name) else {
            return Err(BundleError::UnknownMember { name: shown(name) });
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
        if entry.size > limit {
            let what = format!("the member {name}");
            return Err(BundleError::TooLarge { what, size: entry.size, limit });
        }
        if entry.size > RATIO_FROM && entry.size / MAX_RATIO > entry.packed.len() as u64 {
            return refused("packed more tightly than measurements can be");
        }
    }
    check_total(entries.iter().map(|entry| entry.size).sum())
}

pub(super) fn check_total(size: u64) -> Result<(), BundleError> {
    if size > MAX_TOTAL {
        let what = "a bundle's contents".to_owned();
        return Err(BundleError::TooLarge { what, size, limit: MAX_TOTAL });
    }
    Ok(())
}

/// A name from outside, safe to show: short, and without control characters.
fn shown(name: &str) -> String {
    name.chars().take(MAX_SHOWN).flat_map(char::escape_default).collect()
}
