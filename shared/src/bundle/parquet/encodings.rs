//! How Parquet packs numbers: runs and bit-packed groups, and differences to the number before.

use super::{Fault, Result};

const CUT: Fault = Fault("a page ends too early");

/// Most values in a block of differences; writers use 128 or 256.
const MAX_BLOCK: usize = 1 << 16;

/// Takes bytes from the front.
pub(super) fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length).ok_or(CUT)?;
    *bytes = rest;
    Ok(taken)
}

/// Takes a length of 32 bits from the front.
pub(super) fn take_length(bytes: &mut &[u8]) -> Result<usize> {
    let length = take(bytes, 4)?;
    Ok(length.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte)))
}

fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut value = 0_u64;
    for place in 0..10 {
        let byte = take(bytes, 1)?[0];
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Fault("a page holds a number that never ends"))
}

fn zigzag(bytes: &mut &[u8]) -> Result<i64> {
    let value = varint(bytes)?;
    Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
}

/// The number of `width` bits, at most 64, that starts at bit `at`. The caller has made sure that
/// all of its bits are there.
fn bits(bytes: &[u8], at: usize, width: u32) -> u64 {
    let (byte, shift) = (at / 8, (at % 8) as u32);
    let rest = bytes.get(byte..).unwrap_or_default();
    let low = match rest.first_chunk::<8>() {
        Some(window) => u64::from_le_bytes(*window),
        None => rest.iter().rev().fold(0, |low, byte| low << 8 | u64::from(*byte)),
    };
    let mut value = low >> shift;
    if shift + width > 64 {
        // The ninth byte; a shift of 64 cannot be, since then nothing would be missing.
        value |= u64::from(rest.get(8).copied().unwrap_or_default()) << (64 - shift);
    }
    if width >= 64 { value } else { value & !(u64::MAX << width) }
}

/// Reads `count` numbers of `width` bits, at most 32, written as runs of one number and groups
/// of packed ones; `each` is told a number and how often it comes.
pub(super) fn runs(
    mut bytes: &[u8],
    width: u32,
    count: usize,
    mut each: impl FnMut(u32, usize) -> Result<()>,
) -> Result<()> {
    let mut left = count;
    while left > 0 {
        let head = varint(&mut bytes)?;
        let length = usize::try_from(head >> 1).map_err(|_| CUT)?;
        if head & 1 == 0 {
            let value = take(&mut bytes, width.div_ceil(8) as usize)?;
            let value = value.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
            let repeated = length.min(left);
            if repeated == 0 {
                return Err(Fault("a page holds an empty run"));
            }
            each(value, repeated)?;
            left -= repeated;
        } else {
            // Groups of eight, each as many bytes as a number has bits.
            let packed = take(&mut bytes, length.checked_mul(width as usize).ok_or(CUT)?)?;
            let values = length.saturating_mul(8).min(left);
            if values == 0 {
                return Err(Fault("a page holds an empty run"));
            }
            for at in 0..values {
                each(bits(packed, at * width as usize, width) as u32, 1)?;
            }
            left -= values;
        }
    }
    Ok(())
}

/// Reads `count` numbers written as differences: each the one before, plus the block's least
/// difference, plus a packed rest. All sums wrap around. `each` makes values of the numbers.
pub(super) fn deltas<T>(
    mut bytes: &[u8],
    count: usize,
    values: &mut Vec<T>,
    each: impl Fn(i64) -> T,
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let block = usize::try_from(varint(&mut bytes)?).map_err(|_| CUT)?;
    let parts = usize::try_from(varint(&mut bytes)?).map_err(|_| CUT)?;
    let total = varint(&mut bytes)?;
    let part = block.checked_div(parts).unwrap_or_default();
    if block > MAX_BLOCK || part == 0 || !part.is_multiple_of(8) || !block.is_multiple_of(parts) {
        return Err(Fault("a page's blocks of differences are not as Parquet's would be"));
    }
    if total != count as u64 {
        return Err(Fault("a page holds another number of values than it says"));
    }
    let mut last = zigzag(&mut bytes)?;
    values.push(each(last));
    let mut left = count - 1;
    while left > 0 {
        let least = zigzag(&mut bytes)?;
        let widths = take(&mut bytes, parts)?;
        for &width in widths {
            if left == 0 {
                // Parts that are not needed have a width and nothing else.
                break;
            }
            let width = u32::from(width);
            if width > 64 {
                return Err(Fault("a page holds numbers of more than 64 bits"));
            }
            let packed = take(&mut bytes, part / 8 * width as usize)?;
            let here = part.min(left);
            values.extend((0..here).map(|at| {
                let rest = bits(packed, at * width as usize, width).cast_signed();
                last = last.wrapping_add(least).wrapping_add(rest);
                each(last)
            }));
            left -= here;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all_runs(bytes: &[u8], width: u32, count: usize) -> Result<Vec<u32>> {
        let mut values = Vec::new();
        runs(bytes, width, count, |value, times| {
            values.extend(std::iter::repeat_n(value, times));
            Ok(())
        })?;
        Ok(values)
    }

    #[test]
    fn runs_and_packed_groups_follow_each_other() {
        // Five times 3, then 0 1 2 3 4 5 6 7 in three bits each.
        let bytes = [10, 3, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        assert_eq!(all_runs(&bytes, 3, 13).unwrap(), [3, 3, 3, 3, 3, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(all_runs(&bytes, 3, 7).unwrap(), [3, 3, 3, 3, 3, 0, 1]);
        assert_eq!(all_runs(&bytes, 3, 14), Err(CUT));
        assert!(all_runs(&[0, 3], 3, 1).is_err(), "an empty run would never end");
        assert_eq!(all_runs(&[200], 0, 4).unwrap_err(), CUT);
        assert_eq!(all_runs(&[8], 0, 4).unwrap(), [0, 0, 0, 0]);
    }

    proptest! {
        #[test]
        fn bits_are_those_of_the_whole_number(
            bytes in proptest::collection::vec(any::<u8>(), 1..40), at in 0_usize..320, width in 0_u32..=64
        ) {
            prop_assume!(at + width as usize <= bytes.len() * 8);
            let expected = (0..width as usize).fold(0_u64, |value, bit| {
                let place = at + bit;
                value | u64::from(bytes[place / 8] >> (place % 8) & 1) << bit
            });
            prop_assert_eq!(bits(&bytes, at, width), expected);
        }

        #[test]
        fn no_bytes_make_the_readers_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..64), width in 0_u32..=32, count in 0_usize..200
        ) {
            if let Ok(values) = all_runs(&bytes, width, count) {
                prop_assert_eq!(values.len(), count);
            }
            let mut values = Vec::new();
            if deltas(&bytes, count, &mut values, |value| value).is_ok() {
                prop_assert_eq!(values.len(), count);
            }
        }
    }
}
