//! Parquet tables without Arrow: whole columns out, batches of columns in, no allocation a row.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, TypePtr};

use super::error::BundleError;

/// Rows of a row group.
pub(super) const GROUP_ROWS: usize = 1 << 18;

/// Rows decoded at a time: all columns of a batch together stay in the processor's cache.
const BATCH_ROWS: usize = 4096;

/// Rows of any table. Beyond it a bundle would not fit a browser's memory.
const MAX_ROWS: usize = 1 << 24;

/// Rows that any table may have, however small it is.
const FREE_ROWS: usize = 1 << 20;

/// Beyond that, rows may not outnumber this times the table's bytes: run-length encoding lets a
/// tiny file claim any number of rows, and measured rows differ from each other.
const ROWS_A_BYTE: usize = 4;

/// Kinds of columns, as far as their encoding goes.
pub(super) struct Layout {
    pub(super) member: &'static str,
    pub(super) schema: &'static str,
    /// Columns of few different values.
    pub(super) dictionary: &'static [&'static str],
    /// Columns of real numbers.
    pub(super) plain: &'static [&'static str],
}

impl Layout {
    fn schema(&self) -> Result<TypePtr, BundleError> {
        parse_message_type(self.schema).map(Arc::new).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: ParquetError) -> BundleError {
        BundleError::Table { member: self.member, source }
    }

    /// All other columns are whole numbers near their predecessors: times, lengths, counts.
    fn properties(&self) -> WriterProperties {
        let mut properties = WriterProperties::builder()
            .set_created_by("tokencap".to_owned())
            .set_compression(Compression::SNAPPY)
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
        let schema = self.schema()?;
        let written = || {
            let mut file =
                SerializedFileWriter::new(Vec::new(), schema, Arc::new(self.properties()))?;
            for rows in rows.chunks(GROUP_ROWS) {
                let mut group = Group(file.next_row_group()?);
                columns(&mut group, rows)?;
                group.0.close()?;
            }
            file.into_inner()
        };
        let written = written().map_err(|source| self.failed(source))?;
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
    pub(super) fn open(&self, contents: Vec<u8>) -> Result<Table, BundleError> {
        let size = contents.len();
        let reader = SerializedFileReader::new(Bytes::from(contents))
            .map_err(|source| self.failed(source))?;
        let metadata = reader.metadata();
        if metadata.file_metadata().schema() != &*self.schema()? {
            return Err(BundleError::Schema { member: self.member });
        }
        let claimed = metadata.row_groups().iter().map(|group| group.num_rows());
        let rows = claimed.fold(0_u64, |sum, rows| sum.saturating_add(rows.max(0).cast_unsigned()));
        self.check_rows(rows, size)?;
        Ok(Table { member: self.member, reader, rows: rows as usize })
    }
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
pub(super) struct Table {
    member: &'static str,
    reader: SerializedFileReader<Bytes>,
    /// Rows it claims to have, at most [`MAX_ROWS`].
    pub(super) rows: usize,
}

impl Table {
    /// Reads every row: `columns` opens a row group's columns in the order of the schema, and
    /// `batch` takes a number of rows from them. Rows are numbered through the table from 0.
    pub(super) fn read<Columns>(
        &self,
        columns: impl Fn(&mut Opener<'_>) -> Result<Columns, ParquetError>,
        fill: impl Fn(&mut Columns, &mut Filler) -> Result<(), ParquetError>,
        mut batch: impl FnMut(&mut Columns, usize) -> Result<(), BundleError>,
    ) -> Result<(), BundleError> {
        let failed = |source| BundleError::Table { member: self.member, source };
        for index in 0..self.reader.num_row_groups() {
            let group = self.reader.get_row_group(index).map_err(failed)?;
            let mut left = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
            let mut opener = Opener { group: &*group, next: 0 };
            let mut open = columns(&mut opener).map_err(failed)?;
            while left > 0 {
                let rows = left.min(BATCH_ROWS);
                fill(&mut open, &mut Filler { rows }).map_err(failed)?;
                batch(&mut open, rows)?;
                left -= rows;
            }
        }
        Ok(())
    }
}

/// Opens the columns of a row group one after the other.
pub(super) struct Opener<'a> {
    group: &'a dyn RowGroupReader,
    next: usize,
}

impl Opener<'_> {
    /// The next column. Its type is known to be the schema's, which the table was checked for.
    pub(super) fn next<T: DataType>(&mut self) -> Result<Column<T>, ParquetError> {
        let reader = get_typed_column_reader(self.group.get_column_reader(self.next)?);
        self.next += 1;
        Ok(Column { reader, values: Vec::new(), present: Vec::new(), value: 0, row: 0 })
    }
}

/// Says how many rows every column of a batch must have.
pub(super) struct Filler {
    rows: usize,
}

impl Filler {
    /// Decodes a column's part of the batch.
    pub(super) fn fill<T: DataType>(&self, column: &mut Column<T>) -> Result<(), ParquetError> {
        column.values.clear();
        column.present.clear();
        (column.value, column.row) = (0, 0);
        let mut rows = 0;
        while rows < self.rows {
            let (records, _, _) = column.reader.read_records(
                self.rows - rows,
                Some(&mut column.present),
                None,
                &mut column.values,
            )?;
            if records == 0 {
                return Err(ParquetError::General("a column is shorter than its table".to_owned()));
            }
            rows += records;
        }
        Ok(())
    }
}

/// One column of a batch, read from the front.
pub(super) struct Column<T: DataType> {
    reader: ColumnReaderImpl<T>,
    /// The values that are present.
    values: Vec<T::T>,
    /// 1 where a row has a value; empty for a column of which every row has one.
    present: Vec<i16>,
    value: usize,
    row: usize,
}

impl<T: DataType> Column<T> {
    /// The next row's value, in a column of which every row has one.
    pub(super) fn required(&mut self) -> &T::T {
        self.value += 1;
        &self.values[self.value - 1]
    }

    /// The next row's value, if it has one.
    pub(super) fn optional(&mut self) -> Option<&T::T> {
        self.row += 1;
        (self.present[self.row - 1] == 1).then(|| {
            self.value += 1;
            &self.values[self.value - 1]
        })
    }
}
