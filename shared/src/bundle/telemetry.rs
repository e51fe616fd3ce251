//! The table `telemetry.parquet`: a row a sample of a scraped series.

use std::collections::HashMap;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;

use super::archive::TELEMETRY;
use super::error::BundleError;
use super::table::{Column, Filler, GROUP_ROWS, Layout, Opener};
use crate::telemetry::{Metric, Sample};
use crate::units::Moment;

const LAYOUT: Layout = Layout {
    member: TELEMETRY,
    schema: "message telemetry {
        required int64 time_ns;
        required binary source (UTF8);
        required binary metric (UTF8);
        required binary labels (UTF8);
        required double value;
    }",
    dictionary: &["source", "metric", "labels"],
    plain: &["value"],
};

fn fault(row: usize, column: &'static str, problem: &'static str) -> BundleError {
    BundleError::Row { member: TELEMETRY, row, column, problem }
}

/// What must hold of every sample, whether it is written or read.
fn check(row: usize, sample: &Sample, previous: Moment) -> Result<(), BundleError> {
    if !sample.value.is_finite() {
        return Err(fault(row, "value", "a sample is a finite number, or is left out"));
    }
    if sample.time < previous {
        return Err(fault(row, "time_ns", "samples stand in the order of time"));
    }
    if sample.time.0 > i64::MAX.cast_unsigned() {
        return Err(fault(row, "time_ns", "the time does not fit 63 bits"));
    }
    Ok(())
}

/// Checks samples and writes the table.
pub(super) fn write(samples: &[Sample]) -> Result<Vec<u8>, BundleError> {
    let mut previous = Moment(0);
    for (row, sample) in samples.iter().enumerate() {
        check(row, sample, previous)?;
        previous = sample.time;
    }
    LAYOUT.write(samples, |group, rows| {
        group.required::<Int64Type>(rows.iter().map(|row| row.time.0.cast_signed()))?;
        let mut texts = Interned::default();
        group.required::<ByteArrayType>(rows.iter().map(|row| texts.get(&row.source)))?;
        group.required::<ByteArrayType>(rows.iter().map(|row| texts.get(row.metric.name())))?;
        group.required::<ByteArrayType>(rows.iter().map(|row| texts.get(&row.labels)))?;
        group.required::<DoubleType>(rows.iter().map(|row| row.value))
    })
}

/// Texts that recur row by row, each allocated once.
#[derive(Default)]
struct Interned<'a>(HashMap<&'a str, ByteArray>);

impl<'a> Interned<'a> {
    fn get(&mut self, text: &'a str) -> ByteArray {
        self.0.entry(text).or_insert_with(|| text.into()).clone()
    }
}

/// A row group's columns, in the order of the schema.
struct Columns {
    time: Column<Int64Type>,
    source: Column<ByteArrayType>,
    metric: Column<ByteArrayType>,
    labels: Column<ByteArrayType>,
    value: Column<DoubleType>,
}

impl Columns {
    fn open(open: &mut Opener<'_>) -> Result<Self, ParquetError> {
        Ok(Self {
            time: open.next()?,
            source: open.next()?,
            metric: open.next()?,
            labels: open.next()?,
            value: open.next()?,
        })
    }

    fn fill(&mut self, batch: &mut Filler) -> Result<(), ParquetError> {
        batch.fill(&mut self.time)?;
        batch.fill(&mut self.source)?;
        batch.fill(&mut self.metric)?;
        batch.fill(&mut self.labels)?;
        batch.fill(&mut self.value)
    }

    fn next(&mut self, row: usize) -> Result<Sample, BundleError> {
        let time = u64::try_from(*self.time.required())
            .map_err(|_| fault(row, "time_ns", "a time is never negative"))?;
        let metric = self.metric.required().as_utf8().ok().and_then(Metric::from_name);
        let problem = "there is no such metric; a newer tokencap may know it";
        Ok(Sample {
            time: Moment(time),
            source: text(self.source.required(), row, "source")?,
            metric: metric.ok_or_else(|| fault(row, "metric", problem))?,
            labels: text(self.labels.required(), row, "labels")?,
            value: *self.value.required(),
        })
    }
}

fn text(bytes: &ByteArray, row: usize, column: &'static str) -> Result<String, BundleError> {
    let text = bytes.as_utf8().map_err(|_| fault(row, column, "the text is not UTF-8"))?;
    Ok(text.to_owned())
}

/// Reads and checks the table.
pub(super) fn read(contents: Vec<u8>) -> Result<Vec<Sample>, BundleError> {
    let table = LAYOUT.open(contents)?;
    let mut samples: Vec<Sample> = Vec::with_capacity(table.rows.min(GROUP_ROWS));
    table.read(Columns::open, Columns::fill, |columns, rows| {
        for _ in 0..rows {
            let row = samples.len();
            let sample = columns.next(row)?;
            check(row, &sample, samples.last().map_or(Moment(0), |previous| previous.time))?;
            samples.push(sample);
        }
        Ok(())
    })?;
    Ok(samples)
}
