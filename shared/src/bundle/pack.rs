//! The archive as it is written: plain zip, nothing in it that is not a function of its members.
//!
//! Every member is stored as it is, since tables and logs are compressed already. So the same
//! members make the same bytes, anywhere and at any time, and a file can be compared with what
//! its members would make: no comment, no time, no stray byte goes unnoticed.

use super::archive::{MAX_ENTRIES, Member, Members, cap, check_total};
use super::crc::crc32;
use super::error::BundleError;

/// 1980-01-01, zip's first day, in its own notation.
const DATE: u16 = 1 << 5 | 1;
/// Zip 2.0 reads it.
const NEEDED: u16 = 20;
/// Made as under Unix, so that the permissions count.
const MADE_BY: u16 = 3 << 8 | NEEDED;
/// A plain file that its owner may write and everybody may read.
const ATTRIBUTES: u32 = 0o100_644 << 16;

/// A member as it is packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed<'a> {
    name: &'a str,
    contents: &'a [u8],
    crc: u32,
}

impl<'a> Packed<'a> {
    pub(super) fn new(name: &'a str, contents: &'a [u8]) -> Self {
        Self { name, contents, crc: crc32(contents) }
    }
}

/// Members in the order of a bundle.
pub(super) fn in_order<'a>(members: &'a Members<'_>) -> Vec<Packed<'a>> {
    let packed = members.iter();
    packed.map(|(name, Member { contents, crc })| Packed { name, contents, crc: *crc }).collect()
}

/// Packs members in the order given.
pub(super) fn pack(members: &[Packed<'_>]) -> Result<Vec<u8>, BundleError> {
    if members.len() > MAX_ENTRIES {
        let (found, limit) = (members.len(), MAX_ENTRIES);
        return Err(BundleError::TooManyEntries { found, limit });
    }
    for Packed { name, contents, .. } in members {
        let (size, limit) = (contents.len() as u64, cap(name).unwrap_or_default());
        if size > limit {
            let what = format!("the member {name}");
            return Err(BundleError::TooLarge { what, size, limit });
        }
    }
    let total = members.iter().map(|member| member.contents.len()).sum::<usize>();
    check_total(total as u64)?;
    let mut bytes = Vec::with_capacity(total + (64 << 10));
    emit(members, &mut |piece| bytes.extend_from_slice(piece));
    Ok(bytes)
}

/// Whether an archive is, to the byte, what [`pack`] makes of its members. Their checksums are
/// known to be right from unpacking them.
pub(super) fn is_canonical(members: &Members<'_>, bytes: &[u8]) -> bool {
    let mut rest = Some(bytes);
    emit(&in_order(members), &mut |piece| {
        rest = rest.and_then(|bytes| {
            let (here, rest) = bytes.split_at_checked(piece.len())?;
            // A member that was never packed is the piece of the archive itself.
            (std::ptr::eq(here, piece) || here == piece).then_some(rest)
        });
    });
    rest.is_some_and(<[u8]>::is_empty)
}

/// Emits the archive of these members, piece by piece. All lengths fit 32 bits, since the total
/// is capped far below.
fn emit(members: &[Packed<'_>], to: &mut dyn FnMut(&[u8])) {
    let mut directory = Vec::new();
    let mut offset = 0_u32;
    for member @ Packed { name, contents, .. } in members {
        let description = describe(member);
        let mut head = b"PK\x03\x04".to_vec();
        head.extend_from_slice(&description);
        head.extend_from_slice(name.as_bytes());
        to(&head);
        to(contents);

        directory.extend_from_slice(b"PK\x01\x02");
        directory.extend_from_slice(&MADE_BY.to_le_bytes());
        directory.extend_from_slice(&description);
        // No comment, first disk, binary.
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&ATTRIBUTES.to_le_bytes());
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        offset += (head.len() + contents.len()) as u32;
    }
    to(&directory);
    let count = (members.len() as u16).to_le_bytes();
    let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
    end.extend_from_slice(&count);
    end.extend_from_slice(&count);
    end.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    end.extend_from_slice(&offset.to_le_bytes());
    end.extend_from_slice(&[0; 2]);
    to(&end);
}

/// What stands of a member both before its contents and in the directory: versions, flags,
/// method (stored), time, CRC-32, lengths.
fn describe(member: &Packed<'_>) -> [u8; 26] {
    let Packed { name, contents, crc } = member;
    let mut bytes = [0; 26];
    let length = (contents.len() as u32).to_le_bytes();
    bytes[0..2].copy_from_slice(&NEEDED.to_le_bytes());
    bytes[8..10].copy_from_slice(&DATE.to_le_bytes());
    bytes[10..14].copy_from_slice(&crc.to_le_bytes());
    bytes[14..18].copy_from_slice(&length);
    bytes[18..22].copy_from_slice(&length);
    bytes[22..24].copy_from_slice(&(name.len() as u16).to_le_bytes());
    bytes
}
