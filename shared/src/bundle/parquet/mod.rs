//! Reading Parquet files of strangers: the part of the format that bundles use, and not a byte
//! of any other. Nothing is believed before it is checked, nothing is allocated that the file
//! does not hold, and no input can make it panic.
//!
//! Bundles are written with the `parquet` crate, so that every tool reads them. Reading needs a
//! tenth of what that crate can do, in a browser that has to load all of it; and what is read
//! comes from people who are not trusted.

mod encodings;
mod footer;
mod pages;
mod thrift;

use std::ops::Range;

pub(super) use footer::{Chunk, Footer};
pub(super) use pages::{Column, Value};

/// What a file begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";

/// Why a file cannot be read: a phrase that completes "the table … is damaged or foreign: ".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault(pub(super) &'static str);

type Result<T> = std::result::Result<T, Fault>;

/// How a value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Physical {
    /// 32 bits.
    Int32,
    /// 64 bits.
    Int64,
    /// A real number of 64 bits.
    Double,
    /// Bytes, here always a text.
    Bytes,
}

/// What a column's values mean beyond how they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing else.
    AsStored,
    /// Text.
    Utf8,
    /// An unsigned number of 16 bits.
    Unsigned16,
    /// An unsigned number of 32 bits.
    Unsigned32,
}

/// A column as a table must have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spec {
    pub(super) name: &'static str,
    /// How its values are stored.
    pub(super) physical: Physical,
    /// What they mean.
    pub(super) meaning: Meaning,
    /// Whether rows may lack a value.
    pub(super) optional: bool,
}

impl Spec {
    /// A column of which every row has a value.
    pub(super) const fn new(name: &'static str, physical: Physical, meaning: Meaning) -> Self {
        Self { name, physical, meaning, optional: false }
    }

    /// The column, with rows that may lack a value.
    pub(super) const fn optional(self) -> Self {
        Self { optional: true, ..self }
    }
}

/// Where the footer lies in a file, without its length and the closing magic.
fn footer_range(file: &[u8]) -> Result<Range<usize>> {
    const TRAILER: usize = 8;
    let end = file.len().checked_sub(TRAILER).filter(|_| file.starts_with(MAGIC));
    let end = end.ok_or(Fault("it is no Parquet file"))?;
    let (length, magic) = file[end..].split_at(4);
    if magic != MAGIC {
        return Err(Fault("its end is missing"));
    }
    let length = length.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte));
    let start = end.checked_sub(length).filter(|start| *start >= MAGIC.len());
    start.map(|start| start..end).ok_or(Fault("its footer is longer than the file"))
}
