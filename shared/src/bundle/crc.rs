//! The archive format's checksum, CRC-32 as IEEE 802.3 has it, eight bytes at a time.
//!
//! Own code for the page's sake: in a module of its own it weighs 5 kB, and crc32fast with its
//! tables 23 kB (`scripts/weigh` with `crc32fast::hash(bytes) as usize`, its default features off).

use std::array;
use std::sync::LazyLock;

/// What a byte adds to the checksum, by how many bytes follow it in its word. Computed when first
/// needed, so that a page does not carry it.
static TABLES: LazyLock<[[u32; 256]; WORD]> = LazyLock::new(|| {
    let bit = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    let last: [u32; 256] = array::from_fn(|byte| (0..8).fold(byte as u32, bit));
    let mut next = last;
    array::from_fn(|_| {
        let table = next;
        next = table.map(|sum| sum >> 8 ^ last[(sum & 0xff) as usize]);
        table
    })
});

/// Bytes of a word.
const WORD: usize = 8;

/// The checksum of these bytes.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let tables = &*TABLES;
    let (words, rest) = bytes.as_chunks::<WORD>();
    let mut sum = u32::MAX;
    for word in words {
        let word = u64::from_le_bytes(*word) ^ u64::from(sum);
        let parts = word.to_le_bytes().into_iter().zip(tables.iter().rev());
        sum = parts.fold(0, |sum, (byte, table)| sum ^ table[usize::from(byte)]);
    }
    let step = |sum: u32, byte: &u8| sum >> 8 ^ tables[0][usize::from(sum as u8 ^ byte)];
    !rest.iter().fold(sum, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the standard defines it: bit by bit.
    fn slowly(bytes: &[u8]) -> u32 {
        let mut sum = u32::MAX;
        for bit in bytes.iter().flat_map(|byte| (0..8).map(move |place| byte >> place & 1)) {
            let carry = sum & 1 != u32::from(bit);
            sum = sum >> 1 ^ if carry { 0xedb8_8320 } else { 0 };
        }
        !sum
    }

    #[test]
    fn the_checksum_is_the_known_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn words_and_bits_give_the_same_checksum_at_every_length() {
        let bytes: Vec<u8> =
            (0..100_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for length in 0..bytes.len() {
            assert_eq!(crc32(&bytes[..length]), slowly(&bytes[..length]), "{length} bytes");
        }
    }
}
