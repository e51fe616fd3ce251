//! Frames of a journal: length, checksum, kind, payload. A frame that the end of the file cuts
//! off, or whose checksum is wrong, ends what can be read.

use std::io::{self, Read, Write};

/// First bytes of every journal.
pub(super) const MAGIC: [u8; 16] = *b"tokencap-journal";
/// Version of the format.
pub(super) const VERSION: u32 = 2;
/// Longest payload: what says that it is longer is no length.
pub(super) const MAX_PAYLOAD: usize = 256 << 20;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// The manifest without steps.
    Head = 1,
    /// An error's text: the next number of the dictionary.
    Error = 2,
    /// A telemetry series: the next number of the dictionary.
    Series = 3,
    /// Requests.
    Requests = 4,
    /// Values of series at an instant.
    Telemetry = 5,
    /// A step has ended: its description and its gaps.
    Step = 6,
}

impl Kind {
    const fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::Head,
            2 => Self::Error,
            3 => Self::Series,
            4 => Self::Requests,
            5 => Self::Telemetry,
            6 => Self::Step,
            _ => return None,
        })
    }
}

fn checksum(kind: u8, payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&[kind]);
    crc.update(payload);
    crc.finalize()
}

/// Writes one frame.
pub(super) fn write(out: &mut impl Write, kind: Kind, payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len())
        .ok()
        .filter(|&length| length as usize <= MAX_PAYLOAD)
        .ok_or(io::ErrorKind::FileTooLarge)?;
    let mut head = [0; 9];
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4..8].copy_from_slice(&checksum(kind as u8, payload).to_le_bytes());
    head[8] = kind as u8;
    out.write_all(&head)?;
    out.write_all(payload)
}

/// Reads the next frame; `None` where the journal ends or is damaged. Returns the bytes it
/// takes, too.
pub(super) fn read(from: &mut impl Read) -> io::Result<Option<(Kind, Vec<u8>, u64)>> {
    let mut head = [0; 9];
    if !read_whole(from, &mut head)? {
        return Ok(None);
    }
    let [l0, l1, l2, l3, c0, c1, c2, c3, kind] = head;
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    if length > MAX_PAYLOAD {
        return Ok(None);
    }
    let mut payload = Vec::new();
    // Not allocated at once: a damaged length must not cost memory that the file cannot fill.
    if from.by_ref().take(length as u64).read_to_end(&mut payload)? < length {
        return Ok(None);
    }
    let known = Kind::of(kind);
    let sound = u32::from_le_bytes([c0, c1, c2, c3]) == checksum(kind, &payload);
    Ok(known.filter(|_| sound).map(|kind| (kind, payload, 9 + length as u64)))
}

/// Fills the buffer; false if the end came first.
fn read_whole(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
