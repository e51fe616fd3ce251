//! HdrHistogram's V2 format, compressed: the counts as ZigZag LEB128 numbers in which a negative
//! one stands for that many zeros, behind a header, in zlib.
//!
//! Reading allocates for the range that the header declares, so the caller says how many counts
//! it may have.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use crate::definitions::record::GapHistogram;

const COMPRESSED_COOKIE: u32 = 0x1c84_9314;
const COOKIE: u32 = 0x1c84_9313;
/// Bytes of cookie and length before the compressed part.
const WRAPPER: usize = 8;
/// Bytes before the counts: cookie, length, offset, digits, lowest, highest, ratio.
const HEADER: usize = 40;
/// How hard to compress, of 10.
const LEVEL: u8 = 6;
/// Longest number, in bytes.
const MAX_NUMBER: usize = 9;

/// Significant decimal digits of every histogram in a bundle.
pub(super) const DIGITS: u8 = 3;
/// Smallest value that is told from zero.
pub(super) const LOWEST: u64 = 1;
/// Exponent of two of the counts in a bucket's upper half: 2^10 ≥ 10^[`DIGITS`].
const HALF: u32 = 10;

/// The place of a value among the counts: [`HALF`] bits of it, and how far they are shifted.
const fn index_of(value: u64) -> usize {
    let shift = (u64::BITS - HALF - 1).saturating_sub((value | ((2 << HALF) - 1)).leading_zeros());
    ((shift as usize) << HALF) + (value >> shift) as usize
}

/// The lowest value of a place.
const fn value_of(index: usize) -> u64 {
    let shift = (index >> HALF).saturating_sub(1);
    ((index - (shift << HALF)) as u64) << shift
}

/// How many counts a histogram up to this value has.
pub(super) const fn counts_up_to(highest: u64) -> usize {
    let halves = (index_of(highest) >> HALF) + 1;
    (if halves < 2 { 2 } else { halves }) << HALF
}

/// The histogram's bytes.
pub(super) fn encode(histogram: &GapHistogram) -> Vec<u8> {
    let mut counts = Vec::new();
    let mut next = 0;
    for recorded in histogram.iter_recorded() {
        let index = index_of(recorded.value_iterated_to());
        match index - next {
            0 => {}
            1 => put_number(&mut counts, 0),
            zeros => put_number(&mut counts, -(zeros as i64)),
        }
        put_number(&mut counts, i64::try_from(recorded.count_at_value()).unwrap_or(i64::MAX));
        next = index + 1;
    }
    if next == 0 {
        // The format has no empty list of counts: an empty histogram is one zero.
        put_number(&mut counts, 0);
    }
    let mut plain = Vec::with_capacity(HEADER + counts.len());
    plain.extend(COOKIE.to_be_bytes());
    plain.extend((counts.len() as u32).to_be_bytes());
    plain.extend(0_u32.to_be_bytes());
    plain.extend(u32::from(DIGITS).to_be_bytes());
    plain.extend(LOWEST.to_be_bytes());
    plain.extend(histogram.high().to_be_bytes());
    plain.extend(1_f64.to_be_bytes());
    plain.extend(counts);
    let packed = compress_to_vec_zlib(&plain, LEVEL);
    let mut whole = Vec::with_capacity(WRAPPER + packed.len());
    whole.extend(COMPRESSED_COOKIE.to_be_bytes());
    whole.extend((packed.len() as u32).to_be_bytes());
    whole.extend(packed);
    whole
}

/// The histogram of these bytes, and what it was worth of `budget`, the counts that may still be
/// allocated.
pub(super) fn decode(packed: &[u8], budget: &mut usize) -> Result<GapHistogram, &'static str> {
    let mut packed = Bytes(packed);
    if packed.u32()? != COMPRESSED_COOKIE {
        return Err("the histogram is not of the compressed V2 format");
    }
    if packed.u32()? as usize != packed.0.len() {
        return Err("the histogram's length is not the declared one");
    }
    let limit = HEADER + MAX_NUMBER * counts_up_to(u64::MAX);
    let plain = decompress_to_vec_zlib_with_limit(packed.0, limit)
        .map_err(|_| "the histogram cannot be unpacked, or to more than any can be")?;
    let mut plain = Bytes(&plain);
    if plain.u32()? != COOKIE {
        return Err("the histogram is not of the V2 format");
    }
    if plain.u32()? as usize != plain.0.len().saturating_sub(HEADER - WRAPPER) {
        return Err("the histogram's length is not the declared one");
    }
    let (offset, digits) = (plain.u32()?, plain.u32()?);
    let (lowest, highest, ratio) = (plain.u64()?, plain.u64()?, plain.u64()?);
    if offset != 0 || ratio != 1_f64.to_bits() || lowest != LOWEST || digits != u32::from(DIGITS) {
        return Err("the histogram is not one of whole nanoseconds with 3 significant digits");
    }
    let room = counts_up_to(highest);
    *budget = budget.checked_sub(room).ok_or("the histograms are larger than a run's can be")?;
    let mut histogram = GapHistogram::new_with_bounds(LOWEST, highest, DIGITS)
        .map_err(|_| "the histogram's range is none")?;
    let mut index = 0_usize;
    while !plain.0.is_empty() {
        let number = plain.number()?;
        let amount = number.unsigned_abs();
        if number < 0 {
            index = index.saturating_add(usize::try_from(amount).unwrap_or(usize::MAX));
        } else {
            let beyond = "the histogram holds counts beyond its range";
            if index >= room {
                return Err(beyond);
            }
            // To record a value no times would still make it the smallest or largest one.
            if number > 0 {
                histogram.record_n(value_of(index), amount).map_err(|_| beyond)?;
            }
            index += 1;
        }
    }
    Ok(histogram)
}

/// Appends a number: seven bits a byte, the lowest first, the ninth byte whole.
fn put_number(to: &mut Vec<u8>, number: i64) {
    let mut left = ((number << 1) ^ (number >> 63)).cast_unsigned();
    for _ in 1..MAX_NUMBER {
        if left < 0x80 {
            break;
        }
        to.push(left as u8 | 0x80);
        left >>= 7;
    }
    to.push(left as u8);
}

/// Bytes, taken from the front.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let (front, rest) = self.0.split_first_chunk().ok_or("the histogram ends too early")?;
        self.0 = rest;
        Ok(*front)
    }

    fn u32(&mut self) -> Result<u32, &'static str> {
        self.array().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, &'static str> {
        self.array().map(u64::from_be_bytes)
    }

    fn number(&mut self) -> Result<i64, &'static str> {
        let mut folded = 0_u64;
        for place in 0..MAX_NUMBER {
            let [byte] = self.array()?;
            let last = place == MAX_NUMBER - 1;
            let bits = if last { byte } else { byte & 0x7f };
            folded |= u64::from(bits) << (7 * place);
            if last || byte < 0x80 {
                break;
            }
        }
        Ok((folded >> 1).cast_signed() ^ -(folded & 1).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::Deserializer;
    use proptest::prelude::*;

    use super::*;

    fn histogram(values: &[(u64, u64)]) -> GapHistogram {
        let mut histogram = GapHistogram::new(DIGITS).expect("3 digits are accepted");
        for &(value, count) in values {
            histogram.record_n(value, count).expect("it grows");
        }
        histogram
    }

    proptest! {
        #[test]
        fn places_are_those_of_the_crate(value in any::<u64>(), shift in 0_u32..64) {
            let value = value >> shift;
            let histogram = histogram(&[(value.max(1), 1)]);
            prop_assert_eq!(value_of(index_of(value)), histogram.lowest_equivalent(value));
            prop_assert_eq!(index_of(value_of(index_of(value))), index_of(value));
            prop_assert_eq!(counts_up_to(histogram.high()), histogram.distinct_values());
        }

        #[test]
        fn both_this_and_the_crates_own_reader_read_what_is_written(
            values in prop::collection::vec((any::<u64>(), 0_u32..64, 1_u64..1 << 50), 0..40),
        ) {
            let values: Vec<_> = values.into_iter().map(|(v, shift, n)| (v >> shift, n)).collect();
            let written = histogram(&values);
            let bytes = encode(&written);
            let read = decode(&bytes, &mut usize::MAX.clone()).expect("it was just written");
            prop_assert_eq!(&read, &written);
            prop_assert_eq!(read.high(), written.high());
            let theirs: GapHistogram =
                Deserializer::new().deserialize(&mut &bytes[..]).expect("the format is theirs");
            prop_assert_eq!(&theirs, &written);
        }

        #[test]
        fn any_bytes_are_refused_or_read_without_a_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..80),
            cut in 0_usize..200,
        ) {
            let mut framed = Vec::from(COMPRESSED_COOKIE.to_be_bytes());
            framed.extend((bytes.len() as u32).to_be_bytes());
            framed.extend(&bytes);
            prop_assert!(decode(&framed, &mut 1_000_000).is_err());
            let good = encode(&histogram(&[(5, 1), (1_000_000, 7)]));
            if cut < good.len() {
                prop_assert!(decode(&good[..cut], &mut 1_000_000).is_err());
            }
        }
    }

    #[test]
    fn a_declared_range_is_refused_before_it_is_allocated() {
        let mut budget = counts_up_to(1 << 40) - 1;
        let bytes = encode(&GapHistogram::new_with_max(1 << 40, DIGITS).expect("valid"));
        assert_eq!(
            decode(&bytes, &mut budget).expect_err("beyond the budget"),
            "the histograms are larger than a run's can be"
        );
    }
}
