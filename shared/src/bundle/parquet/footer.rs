//! A file's footer: its columns, and where the chunks of each row group lie.

use std::ops::Range;

use super::thrift::{Field, Thrift, fields};
use super::{Fault, MAGIC, Meaning, Physical, Result, Spec, footer_range};

const OTHER_COLUMNS: Fault = Fault("it does not have the columns of a bundle's format");

/// The footer of a file whose columns are as they must be.
#[derive(Debug)]
pub(crate) struct Footer {
    /// The row groups.
    pub(crate) groups: Vec<Group>,
}

/// A row group.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) rows: usize,
    /// Its columns, in their order.
    pub(crate) chunks: Vec<Chunk>,
}

/// One column of one row group.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// Where its pages lie in the file.
    pub(crate) pages: Range<usize>,
    pub(crate) rows: usize,
    /// Whether rows may lack a value.
    pub(crate) optional: bool,
}

impl Footer {
    /// Reads the footer of a file that must have exactly these columns.
    pub(crate) fn read(file: &[u8], specs: &[Spec]) -> Result<Self> {
        let range = footer_range(file)?;
        let mut thrift = Thrift::new(&file[range.clone()]);
        let mut columns_fit = false;
        let mut groups = Vec::new();
        fields!(thrift, field, {
            2 => columns_fit = schema(&mut thrift, field, specs)?,
            4 => {
                for _ in 0..thrift.structures(field)? {
                    groups.push(group(&mut thrift, specs, range.start)?);
                }
            },
        });
        if columns_fit { Ok(Self { groups }) } else { Err(OTHER_COLUMNS) }
    }

    /// Whether the only thing wrong with a file is that its columns are others.
    pub(crate) fn is_other_columns(fault: Fault) -> bool {
        fault == OTHER_COLUMNS
    }
}

/// Whether the schema is flat and has exactly these columns.
fn schema(thrift: &mut Thrift<'_>, field: Field, specs: &[Spec]) -> Result<bool> {
    let count = thrift.structures(field)?;
    let mut fits = count == specs.len() + 1;
    for index in 0..count {
        let (mut kind, mut repetition, mut children, mut converted) = (None, None, None, None);
        let mut name: &[u8] = &[];
        fields!(thrift, field, {
            1 => kind = Some(thrift.int(field)?),
            3 => repetition = Some(thrift.int(field)?),
            4 => name = thrift.binary(field)?,
            5 => children = Some(thrift.int(field)?),
            6 => converted = Some(thrift.int(field)?),
        });
        fits &= match index.checked_sub(1).map(|at| specs.get(at)) {
            // The first element stands for the whole row.
            None => children == i64::try_from(specs.len()).ok(),
            Some(None) => false,
            Some(Some(spec)) => {
                name == spec.name.as_bytes()
                    && children.unwrap_or(0) == 0
                    && kind == Some(spec.physical.code())
                    && converted == spec.meaning.code()
                    && repetition == Some(i64::from(spec.optional))
            }
        };
    }
    Ok(fits)
}

fn group(thrift: &mut Thrift<'_>, specs: &[Spec], end: usize) -> Result<Group> {
    let mut rows = None;
    let mut found = Vec::new();
    fields!(thrift, field, {
        1 => {
            for _ in 0..thrift.structures(field)? {
                found.push(ChunkFields::read(thrift)?);
            }
        },
        3 => rows = Some(thrift.int(field)?),
    });
    let rows = rows.and_then(|rows| usize::try_from(rows).ok());
    let rows = rows.ok_or(Fault("a row group has no number of rows"))?;
    if found.len() != specs.len() {
        return Err(OTHER_COLUMNS);
    }
    let chunks = found.into_iter().zip(specs).map(|(chunk, spec)| chunk.checked(rows, spec, end));
    Ok(Group { rows, chunks: chunks.collect::<Result<_>>()? })
}

/// What the footer says of a chunk.
#[derive(Default)]
struct ChunkFields {
    elsewhere: bool,
    kind: Option<i64>,
    codec: Option<i64>,
    values: Option<i64>,
    length: Option<i64>,
    data: Option<i64>,
    dictionary: Option<i64>,
}

impl ChunkFields {
    fn read(thrift: &mut Thrift<'_>) -> Result<Self> {
        let mut chunk = Self::default();
        fields!(thrift, field, {
            1 => {
                chunk.elsewhere = true;
                thrift.skip(field)?;
            },
            3 => {
                thrift.structure(field)?;
                fields!(thrift, field, {
                    1 => chunk.kind = Some(thrift.int(field)?),
                    4 => chunk.codec = Some(thrift.int(field)?),
                    5 => chunk.values = Some(thrift.int(field)?),
                    7 => chunk.length = Some(thrift.int(field)?),
                    9 => chunk.data = Some(thrift.int(field)?),
                    11 => chunk.dictionary = Some(thrift.int(field)?),
                });
            },
        });
        Ok(chunk)
    }

    fn checked(self, rows: usize, spec: &Spec, end: usize) -> Result<Chunk> {
        if self.elsewhere {
            return Err(Fault("a column lies in another file"));
        }
        // Pages are never compressed on their own: a page could claim any size.
        if self.codec != Some(0) {
            return Err(Fault("its pages are compressed, which a bundle's are not"));
        }
        if self.kind != Some(spec.physical.code()) || self.values != i64::try_from(rows).ok() {
            return Err(Fault("a column contradicts its table"));
        }
        // Some writers say 0 where there is no dictionary.
        let start = self.dictionary.filter(|at| *at > 0).or(self.data);
        let whole = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
        let pages = whole(start).zip(whole(self.length)).and_then(|(start, length)| {
            let stop = start.checked_add(length)?;
            (start >= MAGIC.len() && stop <= end).then_some(start..stop)
        });
        let pages = pages.ok_or(Fault("a column lies outside the file"))?;
        Ok(Chunk { pages, rows, optional: spec.optional })
    }
}

impl Physical {
    const fn code(self) -> i64 {
        match self {
            Self::Int32 => 1,
            Self::Int64 => 2,
            Self::Double => 5,
            Self::Bytes => 6,
        }
    }
}

impl Meaning {
    const fn code(self) -> Option<i64> {
        match self {
            Self::AsStored => None,
            Self::Utf8 => Some(0),
            Self::Unsigned16 => Some(12),
            Self::Unsigned32 => Some(13),
        }
    }
}
