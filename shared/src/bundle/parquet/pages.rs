//! A column's pages, decoded one at a time.

use super::encodings::{deltas, runs, take, take_length};
use super::thrift::{Thrift, fields};
use super::{Chunk, Fault, Result};

const PLAIN: i64 = 0;
const PLAIN_DICTIONARY: i64 = 2;
const RLE: i64 = 3;
const DELTA_BINARY_PACKED: i64 = 5;
const RLE_DICTIONARY: i64 = 8;

const UNUSUAL: Fault = Fault("a page is encoded in a way that a bundle's are not");

/// A value of a column.
pub(crate) trait Value<'a>: Copy {
    /// Takes one from the front of bytes that hold them plainly.
    fn plain(bytes: &mut &'a [u8]) -> Result<Self>;

    /// The value of a whole number; `None` for values that are none.
    const OF_NUMBER: Option<fn(i64) -> Self>;
}

impl Value<'_> for i32 {
    fn plain(bytes: &mut &[u8]) -> Result<Self> {
        let bytes = take(bytes, 4)?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | Self::from(*byte)))
    }

    // Differences of 32 bits wrap around there, not at 64.
    const OF_NUMBER: Option<fn(i64) -> Self> = Some(|number| number as Self);
}

impl Value<'_> for i64 {
    fn plain(bytes: &mut &[u8]) -> Result<Self> {
        let bytes = take(bytes, 8)?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | Self::from(*byte)))
    }

    const OF_NUMBER: Option<fn(i64) -> Self> = Some(|number| number);
}

impl Value<'_> for f64 {
    fn plain(bytes: &mut &[u8]) -> Result<Self> {
        <i64 as Value>::plain(bytes).map(|bits| Self::from_bits(bits.cast_unsigned()))
    }

    const OF_NUMBER: Option<fn(i64) -> Self> = None;
}

impl<'a> Value<'a> for &'a [u8] {
    fn plain(bytes: &mut &'a [u8]) -> Result<Self> {
        let length = take_length(bytes)?;
        take(bytes, length)
    }

    const OF_NUMBER: Option<fn(i64) -> Self> = None;
}

/// A column of a row group, read row by row.
#[derive(Debug)]
pub(crate) struct Column<'a, T> {
    /// The pages that are left.
    pages: &'a [u8],
    /// Rows in them.
    rows_left: usize,
    optional: bool,
    dictionary: Option<Vec<T>>,
    /// The current page's values.
    values: Vec<T>,
    /// Whether each of its rows has one; empty where every row has.
    present: Vec<bool>,
    /// Rows of the current page, and those of them that were read; values likewise.
    rows: usize,
    row: usize,
    value: usize,
}

/// What a page says of itself.
#[derive(Default)]
struct Header {
    kind: Option<i64>,
    length: Option<i64>,
    unpacked: Option<i64>,
    values: Option<i64>,
    encoding: Option<i64>,
    levels: Option<i64>,
}

impl Header {
    fn read(thrift: &mut Thrift<'_>) -> Result<Self> {
        let mut header = Self::default();
        fields!(thrift, field, {
            1 => header.kind = Some(thrift.int(field)?),
            2 => header.unpacked = Some(thrift.int(field)?),
            3 => header.length = Some(thrift.int(field)?),
            5 => {
                thrift.structure(field)?;
                fields!(thrift, field, {
                    1 => header.values = Some(thrift.int(field)?),
                    2 => header.encoding = Some(thrift.int(field)?),
                    3 => header.levels = Some(thrift.int(field)?),
                });
            },
            7 => {
                thrift.structure(field)?;
                fields!(thrift, field, {
                    1 => header.values = Some(thrift.int(field)?),
                    2 => header.encoding = Some(thrift.int(field)?),
                });
            },
        });
        Ok(header)
    }
}

impl<'a, T: Value<'a>> Column<'a, T> {
    /// The column of a chunk of a file.
    pub(crate) fn new(file: &'a [u8], chunk: &Chunk) -> Self {
        Self {
            pages: file.get(chunk.pages.clone()).unwrap_or_default(),
            rows_left: chunk.rows,
            optional: chunk.optional,
            dictionary: None,
            values: Vec::new(),
            present: Vec::new(),
            rows: 0,
            row: 0,
            value: 0,
        }
    }

    /// The next row's value, if it has one.
    pub(crate) fn next(&mut self) -> Result<Option<T>> {
        while self.row == self.rows {
            self.next_page()?;
        }
        let present = self.present.get(self.row).copied().unwrap_or(true);
        self.row += 1;
        if !present {
            return Ok(None);
        }
        self.value += 1;
        Ok(self.values.get(self.value - 1).copied())
    }

    /// The next row's value, in a column of which every row has one.
    pub(crate) fn required(&mut self) -> Result<T> {
        self.next()?.ok_or(Fault("a row lacks a value that every row has"))
    }

    /// Decodes the next page.
    fn next_page(&mut self) -> Result<()> {
        if self.rows_left == 0 || self.pages.is_empty() {
            return Err(Fault("a column is shorter than its table"));
        }
        let mut thrift = Thrift::new(self.pages);
        let header = Header::read(&mut thrift)?;
        let whole = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
        let mut rest = thrift.rest();
        let length = whole(header.length).filter(|_| header.length == header.unpacked);
        let page = take(&mut rest, length.ok_or(Fault("a page has no length"))?)?;
        self.pages = rest;
        let values = whole(header.values).ok_or(Fault("a page has no number of values"))?;
        match header.kind {
            Some(0) => self.data_page(page, values, &header),
            Some(2) => self.dictionary_page(page, values, &header),
            _ => Err(Fault("a page is of a kind that a bundle's are not")),
        }
    }

    fn dictionary_page(&mut self, mut page: &'a [u8], count: usize, header: &Header) -> Result<()> {
        if !matches!(header.encoding, Some(PLAIN | PLAIN_DICTIONARY)) || self.dictionary.is_some() {
            return Err(UNUSUAL);
        }
        // Every value takes a byte or more, so no count makes room for what is not there.
        let mut dictionary = Vec::with_capacity(count.min(page.len()));
        for _ in 0..count {
            dictionary.push(T::plain(&mut page)?);
        }
        self.dictionary = Some(dictionary);
        Ok(())
    }

    fn data_page(&mut self, mut page: &'a [u8], rows: usize, header: &Header) -> Result<()> {
        let left = self.rows_left.checked_sub(rows);
        self.rows_left = left.ok_or(Fault("a page holds more rows than its table"))?;
        (self.rows, self.row, self.value) = (rows, 0, 0);
        self.present.clear();
        self.values.clear();
        let mut count = rows;
        if self.optional {
            if header.levels != Some(RLE) {
                return Err(UNUSUAL);
            }
            let length = take_length(&mut page)?;
            let (levels, present) = (take(&mut page, length)?, &mut self.present);
            count = 0;
            runs(levels, 1, rows, |level, times| {
                present.extend(std::iter::repeat_n(level == 1, times));
                count += usize::from(level == 1) * times;
                if level > 1 { Err(UNUSUAL) } else { Ok(()) }
            })?;
        }
        let values = &mut self.values;
        values.reserve(count);
        match header.encoding {
            Some(PLAIN) => {
                for _ in 0..count {
                    values.push(T::plain(&mut page)?);
                }
            }
            Some(RLE_DICTIONARY | PLAIN_DICTIONARY) => {
                let dictionary = self.dictionary.as_ref().ok_or(UNUSUAL)?;
                if count == 0 {
                    return Ok(());
                }
                let width = u32::from(take(&mut page, 1)?[0]);
                if width > 32 {
                    return Err(UNUSUAL);
                }
                runs(page, width, count, |index, times| {
                    let value = dictionary.get(index as usize);
                    let value = *value.ok_or(Fault("a page names a value that there is not"))?;
                    values.extend(std::iter::repeat_n(value, times));
                    Ok(())
                })?;
            }
            Some(DELTA_BINARY_PACKED) => {
                deltas(page, count, values, T::OF_NUMBER.ok_or(UNUSUAL)?)?;
            }
            _ => return Err(UNUSUAL),
        }
        Ok(())
    }
}
