//! Reading zip archives of strangers: one disk, stored or deflated entries, nothing else.
//! Everything that the archive says twice must be said alike, and no two entries may share bytes.

use std::ops::Range;

use miniz_oxide::inflate::decompress_slice_iter_to_slice;

const LOCAL: &[u8; 4] = b"PK\x03\x04";
const CENTRAL: &[u8; 4] = b"PK\x01\x02";
const END: &[u8; 4] = b"PK\x05\x06";
/// Length of the end record, without its comment.
const END_LENGTH: usize = 22;
/// Longest comment.
const COMMENT: usize = 0xffff;

/// Flag: encrypted.
const ENCRYPTED: u16 = 1;
/// Flag: sizes and checksum stand behind the contents, and the entry's own header has none.
const SIZES_BEHIND: u16 = 1 << 3;
/// The system whose file modes the external attributes hold.
const UNIX: u8 = 3;

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
    /// Bytes, packed.
    pub(super) packed_size: u64,
    flags: u16,
    crc: u32,
    /// Where its own header stands.
    header: usize,
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

/// The entries that an archive's directory lists, in its order.
pub(super) fn directory(archive: &[u8]) -> Result<Vec<Entry<'_>>, Fault> {
    let (range, count) = end_record(archive)?;
    let mut numbers = Numbers(&archive[range]);
    let entries = (0..count).map(|_| entry(&mut numbers)).collect::<Result<_, _>>()?;
    if numbers.0.is_empty() { Ok(entries) } else { Err("its directory holds more than it lists") }
}

/// Where the directory lies, and how many entries it has.
fn end_record(archive: &[u8]) -> Result<(Range<usize>, usize), Fault> {
    let last = archive.len().checked_sub(END_LENGTH).ok_or("it has no directory")?;
    let first = last.saturating_sub(COMMENT);
    let starts = (first..=last).rev();
    let mut ends = starts.filter(|at| archive[*at..].starts_with(END)).filter(|at| {
        let length = &archive[at + END_LENGTH - 2..at + END_LENGTH];
        archive.len() - at - END_LENGTH == usize::from(length[0]) | usize::from(length[1]) << 8
    });
    let at = ends.next().ok_or("its directory, which stands at the end, is missing")?;
    let mut numbers = Numbers(&archive[at + END.len()..]);
    let (disk, start_disk) = (numbers.u16()?, numbers.u16()?);
    let (here, count) = (numbers.u16()?, numbers.u16()?);
    let (size, start) = (numbers.u32()? as usize, numbers.u32()? as usize);
    if disk != 0 || start_disk != 0 || here != count {
        return Err("it is a part of several");
    }
    let end = start.checked_add(size).filter(|end| *end == at);
    end.map(|end| (start..end, usize::from(count))).ok_or("its directory is not where it says")
}

fn entry<'a>(numbers: &mut Numbers<'a>) -> Result<Entry<'a>, Fault> {
    if numbers.take(4)? != CENTRAL {
        return Err("its directory is damaged");
    }
    let made_by = numbers.u16()?;
    numbers.take(2)?;
    let flags = numbers.u16()?;
    let method = method(numbers.u16()?);
    numbers.take(4)?;
    let (crc, packed_size, size) = (numbers.u32()?, numbers.u32()?, numbers.u32()?);
    let (name, extra, comment) = (numbers.u16()?, numbers.u16()?, numbers.u16()?);
    let disk = numbers.u16()?;
    numbers.take(2)?;
    let attributes = numbers.u32()?;
    let header = numbers.u32()? as usize;
    let name = numbers.take(name.into())?;
    numbers.take(usize::from(extra) + usize::from(comment))?;
    // These sizes mean that the true ones stand elsewhere, for archives of more than 4 GiB.
    if disk != 0 || size == u32::MAX || packed_size == u32::MAX || header == u32::MAX as usize {
        return Err("it is larger than any bundle, or a part of several");
    }
    let unix_kind = attributes >> 16 & 0o170_000;
    let is_file = !name.ends_with(b"/")
        && (made_by.to_le_bytes()[1] != UNIX || matches!(unix_kind, 0 | 0o100_000));
    Ok(Entry {
        name,
        method,
        encrypted: flags & ENCRYPTED != 0,
        is_file,
        size: size.into(),
        packed_size: packed_size.into(),
        flags,
        crc,
        header,
    })
}

const fn method(number: u16) -> Method {
    match number {
        0 => Method::Stored,
        8 => Method::Deflated,
        _ => Method::Other,
    }
}

impl<'a> Entry<'a> {
    /// Where the entry lies in the archive, header and packed contents, and where these begin.
    pub(super) fn place(&self, archive: &[u8]) -> Result<(Range<usize>, usize), Fault> {
        let mut numbers = Numbers(archive.get(self.header..).unwrap_or_default());
        let differs = "an entry's header differs from the directory";
        if numbers.take(4)? != LOCAL {
            return Err(differs);
        }
        numbers.take(2)?;
        let flags = numbers.u16()?;
        let packed_in = method(numbers.u16()?);
        numbers.take(4)?;
        let (crc, packed_size, size) = (numbers.u32()?, numbers.u32()?, numbers.u32()?);
        let (name, extra) = (numbers.u16()?, numbers.u16()?);
        let same_sizes = (crc, u64::from(packed_size), u64::from(size))
            == (self.crc, self.packed_size, self.size)
            || (flags & SIZES_BEHIND != 0 && (crc, packed_size, size) == (0, 0, 0));
        if flags != self.flags
            || packed_in != self.method
            || !same_sizes
            || numbers.take(name.into())? != self.name
        {
            return Err(differs);
        }
        numbers.take(extra.into())?;
        let start = archive.len() - numbers.0.len();
        numbers.take(self.packed_size as usize)?;
        Ok((self.header..archive.len() - numbers.0.len(), start))
    }

    /// The contents, exactly as long as declared and of the declared checksum. Allocates what the
    /// directory declares: the caller has compared that with what is there.
    pub(super) fn unpack(&self, archive: &'a [u8]) -> Result<Vec<u8>, Fault> {
        let (range, start) = self.place(archive)?;
        let packed = &archive[start..range.end];
        let contents = match self.method {
            Method::Stored if self.size == self.packed_size => packed.to_vec(),
            Method::Deflated => {
                let mut contents = vec![0; self.size as usize];
                let one = std::iter::once(packed);
                let unpacked = decompress_slice_iter_to_slice(&mut contents, one, false, true);
                if unpacked != Ok(contents.len()) {
                    return Err("it cannot be unpacked, or to another length than declared");
                }
                contents
            }
            Method::Stored | Method::Other => return Err("its length is not the declared one"),
        };
        if crc32(&contents) != self.crc {
            return Err("its checksum is another");
        }
        Ok(contents)
    }
}

/// The archive format's checksum, by a table of 1 KiB.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut at = 0;
        while at < 256 {
            let (mut value, mut bit) = (at as u32, 0);
            while bit < 8 {
                value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
                bit += 1;
            }
            table[at] = value;
            at += 1;
        }
        table
    };
    let end = bytes
        .iter()
        .fold(u32::MAX, |sum, byte| sum >> 8 ^ TABLE[((sum ^ u32::from(*byte)) & 0xff) as usize]);
    !end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_known_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
