//! Reading zip archives of strangers: one disk, no zip64, stored or deflated entries, nothing
//! else. Everything that the archive says twice must be said alike, no two entries may share
//! bytes, and the work is bounded by the number of entries that the caller allows.

use std::borrow::Cow;

use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use super::crc::crc32;
use super::error::BundleError;

const LOCAL: &[u8; 4] = b"PK\x03\x04";
const CENTRAL: &[u8; 4] = b"PK\x01\x02";
const END: &[u8; 4] = b"PK\x05\x06";
/// Length of the end record, without its comment.
const END_LENGTH: usize = 22;
/// Longest comment.
const COMMENT: usize = 0xffff;

/// Flags: encrypted, strongly encrypted, names encrypted.
const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
/// Flag: sizes and checksum stand behind the contents, and the entry's own header has none.
const SIZES_BEHIND: u16 = 1 << 3;
/// The system whose file modes the external attributes hold.
const UNIX: u8 = 3;
/// The attribute of a folder, wherever the attributes come from.
const FOLDER: u32 = 0x10;

const DIFFERS: Fault = "an entry's header differs from the directory";

/// Why an archive cannot be read: a phrase.
type Fault = &'static str;

/// How an entry is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Not at all.
    Stored,
    /// By deflate.
    Deflated,
    /// In some other way.
    Other,
}

/// An entry of an archive.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    /// Its name's bytes.
    pub(super) name: &'a [u8],
    /// How it is packed.
    pub(super) method: Method,
    /// Whether it is encrypted.
    pub(super) encrypted: bool,
    /// Whether it is a file, not a link or a folder.
    pub(super) is_file: bool,
    /// Bytes, unpacked, as declared.
    pub(super) size: u64,
    /// Its contents as they are packed.
    pub(super) packed: &'a [u8],
    /// The checksum of its contents, as declared.
    pub(super) crc: u32,
}

/// The entries that an archive's directory lists, in its order.
///
/// # Errors
/// If there are more than `limit`, or the archive contradicts itself.
pub(super) fn directory(archive: &[u8], limit: usize) -> Result<Vec<Entry<'_>>, BundleError> {
    let damaged = |problem| BundleError::DamagedArchive { problem };
    let end = end_record(archive).map_err(damaged)?;
    if end.count > limit {
        return Err(BundleError::TooManyEntries { found: end.count, limit });
    }
    entries(archive, &end).map_err(damaged)
}

/// What the record at an archive's end says of its directory.
struct EndRecord {
    start: usize,
    /// Where the directory ends, and the record begins.
    stop: usize,
    count: usize,
}

fn end_record(archive: &[u8]) -> Result<EndRecord, Fault> {
    let last = archive.len().checked_sub(END_LENGTH).ok_or("it has no directory")?;
    let first = last.saturating_sub(COMMENT);
    // The record is so far from the archive's end as its comment is long.
    let comment = |at: usize| Numbers(&archive[at + END_LENGTH - 2..]).u16();
    let stop = (first..=last)
        .rev()
        .find(|&at| archive[at..].starts_with(END) && comment(at).map(usize::from) == Ok(last - at))
        .ok_or("its directory, which stands at the end, is missing")?;
    let mut numbers = Numbers(&archive[stop + END.len()..]);
    let (disk, start_disk) = (numbers.u16()?, numbers.u16()?);
    let (here, count) = (numbers.u16()?, numbers.u16()?);
    let (size, start) = (numbers.u32()? as usize, numbers.u32()? as usize);
    if disk != 0 || start_disk != 0 || here != count {
        return Err("it is a part of several");
    }
    if start.checked_add(size) != Some(stop) {
        return Err("its directory is not where it says");
    }
    Ok(EndRecord { start, stop, count: count.into() })
}

fn entries<'a>(archive: &'a [u8], end: &EndRecord) -> Result<Vec<Entry<'a>>, Fault> {
    let mut directory = Numbers(&archive[end.start..end.stop]);
    let mut entries = Vec::with_capacity(end.count);
    let mut places = Vec::with_capacity(end.count);
    for _ in 0..end.count {
        let (entry, place) = entry(&archive[..end.start], &mut directory)?;
        entries.push(entry);
        places.push(place);
    }
    if !directory.0.is_empty() {
        return Err("its directory holds more than it lists");
    }
    // Archives whose entries share bytes unpack to more than they hold.
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[0].1 > pair[1].0) {
        return Err("its members overlap");
    }
    Ok(entries)
}

/// The next entry of the directory, and from where to where it lies in the `files` before the
/// directory, its own header included.
fn entry<'a>(
    files: &'a [u8],
    directory: &mut Numbers<'a>,
) -> Result<(Entry<'a>, (usize, usize)), Fault> {
    if directory.take(4)? != CENTRAL {
        return Err("its directory is damaged");
    }
    let made_by = directory.u16()?;
    directory.take(2)?;
    let (flags, method) = (directory.u16()?, directory.u16()?);
    directory.take(4)?;
    let sums = [directory.u32()?, directory.u32()?, directory.u32()?];
    let (name, extra, comment) = (directory.u16()?, directory.u16()?, directory.u16()?);
    let disk = directory.u16()?;
    directory.take(2)?;
    let attributes = directory.u32()?;
    let header = directory.u32()?;
    let name = directory.take(name.into())?;
    directory.take(usize::from(extra) + usize::from(comment))?;
    let [crc, packed_size, size] = sums;
    // These numbers mean that the true ones stand elsewhere, for archives of more than 4 GiB.
    if disk != 0 || [size, packed_size, header].contains(&u32::MAX) {
        return Err("it is larger than any bundle, or a part of several");
    }

    let header = header as usize;
    let mut own = Numbers(files.get(header..).unwrap_or_default());
    if own.take(4)? != LOCAL {
        return Err(DIFFERS);
    }
    own.take(2)?;
    let alike = (own.u16()?, own.u16()?) == (flags, method);
    own.take(4)?;
    let own_sums = [own.u32()?, own.u32()?, own.u32()?];
    let (own_name, own_extra) = (own.u16()?, own.u16()?);
    let alike_sums = own_sums == sums || (flags & SIZES_BEHIND != 0 && own_sums == [0; 3]);
    if !alike || !alike_sums || own.take(own_name.into())? != name {
        return Err(DIFFERS);
    }
    own.take(own_extra.into())?;
    let packed = own.take(packed_size as usize)?;

    let unix_kind = attributes >> 16 & 0o170_000;
    let is_file = !name.ends_with(b"/")
        && attributes & FOLDER == 0
        && (made_by.to_le_bytes()[1] != UNIX || matches!(unix_kind, 0 | 0o100_000));
    let method = match method {
        0 => Method::Stored,
        8 => Method::Deflated,
        _ => Method::Other,
    };
    let encrypted = flags & ENCRYPTED != 0;
    let entry = Entry { name, method, encrypted, is_file, size: size.into(), packed, crc };
    Ok((entry, (header, files.len() - own.0.len())))
}

impl<'a> Entry<'a> {
    /// The contents, exactly as long as declared and of the declared checksum. What is packed is
    /// allocated as the directory declares it: the caller has compared that with what is there.
    pub(super) fn unpack(&self) -> Result<Cow<'a, [u8]>, Fault> {
        let contents = match self.method {
            Method::Stored if self.size == self.packed.len() as u64 => Cow::Borrowed(self.packed),
            Method::Deflated => {
                let mut contents = vec![0; self.size as usize];
                let packed = std::iter::once(self.packed);
                let unpacked = decompress_slice_iter_to_slice(&mut contents, packed, false, true);
                if unpacked != Ok(contents.len()) {
                    return Err("it cannot be unpacked, or to another length than declared");
                }
                contents.into()
            }
            Method::Stored | Method::Other => return Err("its length is not the declared one"),
        };
        if crc32(&contents) == self.crc { Ok(contents) } else { Err("its checksum is another") }
    }
}

/// Little-endian numbers from the front.
struct Numbers<'a>(&'a [u8]);

impl<'a> Numbers<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("a header is cut off")?;
        self.0 = rest;
        Ok(taken)
    }

    fn u16(&mut self) -> Result<u16, Fault> {
        let bytes = self.take(2)?;
        Ok(u16::from(bytes[0]) | u16::from(bytes[1]) << 8)
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from(self.u16()?) | u32::from(self.u16()?) << 16)
    }
}
