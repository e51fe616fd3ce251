//! Parquet tables without Arrow: whole columns out, rows in, no allocation a row.

use std::sync::Arc;

use parquet::basic::{Compression, Encoding};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, TypePtr};

use super::error::BundleError;
use super::parquet::{Column, Fault, Footer, Meaning, Physical, Spec, Value};

/// Rows of a row group.
const GROUP_ROWS: usize = 1 << 18;

/// Rows of any table. Beyond it a bundle would not fit a browser's memory.
const MAX_ROWS: usize = 1 << 24;

/// Rows that any table may have, however small it is.
const FREE_ROWS: usize = 1 << 16;

/// Beyond that, rows may not outnumber this times the table's bytes: run-length encoding lets a
/// tiny file claim any number of rows, and measured rows differ from each other.
const ROWS_A_BYTE: usize = 1;

/// A table's columns, and how they are encoded.
pub(super) struct Layout {
    pub(super) member: &'static str,
    pub(super) columns: &'static [Spec],
    /// Columns of few different values.
    pub(super) dictionary: &'static [&'static str],
    /// Columns of real numbers.
    pub(super) plain: &'static [&'static str],
}

impl Layout {
    /// The schema, for the writer.
    fn schema(&self) -> Result<TypePtr, ParquetError> {
        let columns: Vec<String> = self.columns.iter().map(declared).collect();
        parse_message_type(&format!("message table {{ {} }}", columns.join(" "))).map(Arc::new)
    }

    fn damaged(&self, fault: Fault) -> BundleError {
        if Footer::is_other_columns(fault) {
            return BundleError::Schema { member: self.member };
        }
        BundleError::Table { member: self.member, problem: fault.0 }
    }

    /// All other columns are whole numbers near their predecessors: times, lengths, counts.
    /// Their deltas have no redundancy left that compressing would find.
    fn properties(&self) -> WriterProperties {
        let mut properties = WriterProperties::builder()
            .set_created_by("tokencap".to_owned())
            .set_compression(Compression::UNCOMPRESSED)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::DELTA_BINARY_PACKED);
        for &column in self.dictionary {
            properties = properties
                .set_column_dictionary_enabled(ColumnPath::from(column), true)
                .set_column_encoding(ColumnPath::from(column), Encoding::PLAIN);
        }
        for &column in self.plain {
            properties = properties.set_column_encoding(ColumnPath::from(column), Encoding::PLAIN);
        }
        properties.build()
    }

    /// Writes a table, a row group at a time.
    pub(super) fn write<Row>(
        &self,
        rows: &[Row],
        columns: impl Fn(&mut Group<'_>, &[Row]) -> Result<(), ParquetError>,
    ) -> Result<Vec<u8>, BundleError> {
        let written = || {
            let (schema, properties) = (self.schema()?, Arc::new(self.properties()));
            let mut file = SerializedFileWriter::new(Vec::new(), schema, properties)?;
            for rows in rows.chunks(GROUP_ROWS) {
                let mut group = Group(file.next_row_group()?);
                columns(&mut group, rows)?;
                group.0.close()?;
            }
            file.into_inner()
        };
        let written = written().map_err(|error: ParquetError| BundleError::Unwritten {
            member: self.member,
            problem: error.to_string(),
        })?;
        self.check_rows(rows.len() as u64, written.len())?;
        Ok(written)
    }

    fn check_rows(&self, rows: u64, bytes: usize) -> Result<(), BundleError> {
        let limit = bytes.saturating_mul(ROWS_A_BYTE).clamp(FREE_ROWS, MAX_ROWS) as u64;
        if rows > limit {
            return Err(BundleError::TooManyRows { member: self.member, rows, limit });
        }
        Ok(())
    }

    /// Opens a table whose columns are exactly this layout's.
    pub(super) fn open<'a>(&self, file: &'a [u8]) -> Result<Table<'a>, BundleError> {
        let footer = Footer::read(file, self.columns).map_err(|fault| self.damaged(fault))?;
        let claimed = footer.groups.iter().map(|group| group.rows as u64);
        let rows = claimed.fold(0_u64, u64::saturating_add);
        self.check_rows(rows, file.len())?;
        Ok(Table { member: self.member, file, footer, rows: rows as usize })
    }
}

/// A column as a schema declares it.
fn declared(spec: &Spec) -> String {
    let repetition = if spec.optional { "optional" } else { "required" };
    let physical = match spec.physical {
        Physical::Int32 => "int32",
        Physical::Int64 => "int64",
        Physical::Double => "double",
        Physical::Bytes => "binary",
    };
    let meaning = match spec.meaning {
        Meaning::AsStored => "",
        Meaning::Utf8 => " (UTF8)",
        Meaning::Unsigned16 => " (INTEGER(16, false))",
        Meaning::Unsigned32 => " (INTEGER(32, false))",
    };
    format!("{repetition} {physical} {}{meaning};", spec.name)
}

/// A row group being written: its columns in the order of the schema.
pub(super) struct Group<'a>(SerializedRowGroupWriter<'a, Vec<u8>>);

impl Group<'_> {
    /// The next column, of which every row has a value.
    pub(super) fn required<T: DataType>(
        &mut self,
        values: impl Iterator<Item = T::T>,
    ) -> Result<(), ParquetError> {
        let values: Vec<T::T> = values.collect();
        self.column::<T>(&values, None)
    }

    /// The next column, of which some rows have a value.
    pub(super) fn optional<T: DataType>(
        &mut self,
        cells: impl Iterator<Item = Option<T::T>>,
    ) -> Result<(), ParquetError> {
        let mut values = Vec::with_capacity(cells.size_hint().0);
        let present: Vec<i16> = cells
            .map(|cell| {
                let present = i16::from(cell.is_some());
                values.extend(cell);
                present
            })
            .collect();
        self.column::<T>(&values, Some(&present))
    }

    fn column<T: DataType>(
        &mut self,
        values: &[T::T],
        present: Option<&[i16]>,
    ) -> Result<(), ParquetError> {
        let mut column = self.0.next_column()?.ok_or_else(|| {
            ParquetError::General("more columns are written than the schema has".to_owned())
        })?;
        column.typed::<T>().write_batch(values, present, None)?;
        column.close()
    }
}

/// A table being read.
pub(super) struct Table<'a> {
    member: &'static str,
    file: &'a [u8],
    footer: Footer,
    /// Rows it claims to have: few enough to make room for them at once.
    pub(super) rows: usize,
}

impl<'a> Table<'a> {
    /// The row groups.
    pub(super) fn groups(&self) -> impl Iterator<Item = RowGroup<'a, '_>> {
        self.footer.groups.iter().map(|group| RowGroup {
            rows: group.rows,
            file: self.file,
            chunks: group.chunks.iter(),
        })
    }

    /// The error of a page that cannot be decoded.
    pub(super) const fn damaged(&self, fault: Fault) -> BundleError {
        BundleError::Table { member: self.member, problem: fault.0 }
    }
}

/// A row group being read: its columns in the order of the layout.
pub(super) struct RowGroup<'a, 'f> {
    pub(super) rows: usize,
    file: &'a [u8],
    chunks: std::slice::Iter<'f, super::parquet::Chunk>,
}

impl<'a> RowGroup<'a, '_> {
    /// The next column, whose values the layout makes `T`.
    pub(super) fn next<T: Value<'a>>(&mut self) -> Result<Column<'a, T>, Fault> {
        let chunk = self.chunks.next().ok_or(Fault("a column is missing"))?;
        Ok(Column::new(self.file, chunk))
    }
}
