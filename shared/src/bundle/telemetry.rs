//! The table `telemetry.parquet`: a row a sample of a scraped series.

use std::collections::HashMap;

use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};

use super::archive::TELEMETRY;
use super::error::BundleError;
use super::pace::Pace;
use super::parquet::{self, Column, Meaning, Physical, Spec};
use super::table::{Layout, RowGroup, Table};
use crate::definitions::telemetry::{Labels, Metric, Sample};
use crate::units::Moment;

const LAYOUT: Layout = Layout {
    member: TELEMETRY,
    columns: &[
        Spec::new("time_ns", Physical::Int64, Meaning::AsStored),
        Spec::new("source", Physical::Bytes, Meaning::Utf8),
        Spec::new("metric", Physical::Bytes, Meaning::Utf8),
        Spec::new("labels", Physical::Bytes, Meaning::Utf8),
        Spec::new("value", Physical::Double, Meaning::AsStored),
    ],
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
        let mut labels: HashMap<&Labels, ByteArray> = HashMap::new();
        let written = rows.iter().map(|row| {
            // Texts always become JSON.
            let json = || serde_json::to_string(&row.labels).unwrap_or_default().as_str().into();
            labels.entry(&row.labels).or_insert_with(json).clone()
        });
        group.required::<ByteArrayType>(written)?;
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

/// A row group's columns, in the order of the layout.
struct Columns<'a> {
    time: Column<'a, i64>,
    source: Column<'a, &'a [u8]>,
    metric: Column<'a, &'a [u8]>,
    labels: Column<'a, &'a [u8]>,
    value: Column<'a, f64>,
}

impl<'a> Columns<'a> {
    fn open(group: &mut RowGroup<'a, '_>) -> Result<Self, parquet::Fault> {
        Ok(Self {
            time: group.next()?,
            source: group.next()?,
            metric: group.next()?,
            labels: group.next()?,
            value: group.next()?,
        })
    }

    fn next(
        &mut self,
        table: &Table<'_>,
        known: &mut Known<'a>,
        row: usize,
    ) -> Result<Sample, BundleError> {
        let damaged = |fault| table.damaged(fault);
        let time = self.time.required().map_err(damaged)?;
        let time =
            u64::try_from(time).map_err(|_| fault(row, "time_ns", "a time is never negative"))?;
        let source = text(self.source.required().map_err(damaged)?, row, "source")?;
        let metric = self.metric.required().map_err(damaged)?;
        let metric = std::str::from_utf8(metric).ok().and_then(Metric::from_name);
        let problem = "there is no such metric; a newer tokencap may know it";
        let metric = metric.ok_or_else(|| fault(row, "metric", problem))?;
        let labels = self.labels.required().map_err(damaged)?;
        let labels = known.get(labels, row)?;
        let value = self.value.required().map_err(damaged)?;
        Ok(Sample { time: Moment(time), source, metric, labels, value })
    }
}

fn text(bytes: &[u8], row: usize, column: &'static str) -> Result<String, BundleError> {
    let text = std::str::from_utf8(bytes);
    Ok(text.map_err(|_| fault(row, column, "the text is not UTF-8"))?.to_owned())
}

/// Labels that recur row by row, each read once.
struct Known<'a> {
    read: fn(&str) -> Option<Labels>,
    labels: HashMap<&'a [u8], Labels>,
}

impl<'a> Known<'a> {
    fn get(&mut self, written: &'a [u8], row: usize) -> Result<Labels, BundleError> {
        if let Some(known) = self.labels.get(written) {
            return Ok(known.clone());
        }
        let text = std::str::from_utf8(written);
        let text = text.map_err(|_| fault(row, "labels", "the text is not UTF-8"))?;
        let problem = "it is no JSON object of texts";
        let labels = (self.read)(text).ok_or_else(|| fault(row, "labels", problem))?;
        self.labels.insert(written, labels.clone());
        Ok(labels)
    }
}

/// Labels as they are written: a JSON object.
pub(super) fn labels(text: &str) -> Option<Labels> {
    serde_json::from_str(text).ok()
}

/// Reads and checks the table, whose labels are in a form that `labels` reads.
pub(super) async fn read(
    contents: &[u8],
    labels: fn(&str) -> Option<Labels>,
    pace: &mut Pace<'_>,
) -> Result<Vec<Sample>, BundleError> {
    let table = LAYOUT.open(contents)?;
    let mut samples: Vec<Sample> = Vec::with_capacity(table.rows);
    let mut known = Known { read: labels, labels: HashMap::new() };
    for mut group in table.groups() {
        let mut columns = Columns::open(&mut group).map_err(|fault| table.damaged(fault))?;
        for _ in 0..group.rows {
            let row = samples.len();
            let sample = columns.next(&table, &mut known, row)?;
            check(row, &sample, samples.last().map_or(Moment(0), |previous| previous.time))?;
            samples.push(sample);
            pace.rows(samples.len(), table.rows).await;
        }
    }
    Ok(samples)
}
