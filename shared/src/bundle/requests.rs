//! The table `requests.parquet`: a row a request.

use std::collections::HashMap;

use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;

use super::archive::REQUESTS;
use super::error::BundleError;
use super::rows::Rules;
use super::table::{Column, Filler, GROUP_ROWS, Group, Layout, Opener};
use crate::record::{ErrorId, GapSummary, Outcome, Request};
use crate::units::{Moment, Nanos};

const LAYOUT: Layout = Layout {
    member: REQUESTS,
    schema: "message requests {
        required int32 step (INTEGER(32, false));
        required int32 session (INTEGER(32, false));
        required int32 turn (INTEGER(32, false));
        required int64 intended_ns;
        required int64 sent_ns;
        optional int64 first_token_ns;
        optional int64 last_token_ns;
        required int64 end_ns;
        optional int32 isl (INTEGER(32, false));
        optional int32 osl (INTEGER(32, false));
        optional int32 cached (INTEGER(32, false));
        optional int64 queue_ns;
        required int32 events (INTEGER(32, false));
        optional int64 gap_max_ns;
        optional int64 gap_p99_ns;
        optional int64 gap_p95_ns;
        optional int64 gap_mean_ns;
        required binary outcome (UTF8);
        optional int32 status (INTEGER(16, false));
        optional binary error (UTF8);
    }",
    dictionary: &["step", "outcome", "status", "error"],
    plain: &[],
};

/// Writes the table. The requests stand in their order and have been checked.
pub(super) fn write(requests: &[Request], errors: &[String]) -> Result<Vec<u8>, BundleError> {
    let names: HashMap<Outcome, ByteArray> =
        Outcome::all().map(|outcome| (outcome, outcome.name().into())).collect();
    let errors: Vec<ByteArray> = errors.iter().map(|text| text.as_str().into()).collect();
    LAYOUT.write(requests, |group, rows| {
        whole(group, rows, |row| row.step)?;
        whole(group, rows, |row| row.session)?;
        whole(group, rows, |row| row.turn)?;
        group.required::<Int64Type>(rows.iter().map(|row| row.intended.0.cast_signed()))?;
        group.required::<Int64Type>(rows.iter().map(|row| row.sent.0.cast_signed()))?;
        times(group, rows, |row| Some(row.first_token?.0))?;
        times(group, rows, |row| Some(row.last_token?.0))?;
        group.required::<Int64Type>(rows.iter().map(|row| row.end.0.cast_signed()))?;
        counts(group, rows, |row| row.isl)?;
        counts(group, rows, |row| row.osl)?;
        counts(group, rows, |row| row.cached)?;
        times(group, rows, |row| Some(row.queue?.0))?;
        whole(group, rows, |row| row.events)?;
        times(group, rows, |row| Some(row.gaps?.max.0))?;
        times(group, rows, |row| Some(row.gaps?.p99.0))?;
        times(group, rows, |row| Some(row.gaps?.p95.0))?;
        times(group, rows, |row| Some(mean_gap(row)?.0))?;
        group.required::<ByteArrayType>(rows.iter().map(|row| names[&row.outcome].clone()))?;
        counts(group, rows, |row| row.status.map(u32::from))?;
        group.optional::<ByteArrayType>(
            rows.iter().map(|row| row.error.map(|error| errors[error as usize].clone())),
        )
    })
}

fn whole(
    group: &mut Group<'_>,
    rows: &[Request],
    value: impl Fn(&Request) -> u32,
) -> Result<(), ParquetError> {
    group.required::<Int32Type>(rows.iter().map(|row| value(row).cast_signed()))
}

fn counts(
    group: &mut Group<'_>,
    rows: &[Request],
    value: impl Fn(&Request) -> Option<u32>,
) -> Result<(), ParquetError> {
    group.optional::<Int32Type>(rows.iter().map(|row| value(row).map(u32::cast_signed)))
}

fn times(
    group: &mut Group<'_>,
    rows: &[Request],
    value: impl Fn(&Request) -> Option<u64>,
) -> Result<(), ParquetError> {
    group.optional::<Int64Type>(rows.iter().map(|row| value(row).map(u64::cast_signed)))
}

/// Mean of a request's gaps in whole nanoseconds, rounded down: stored for readers of the table
/// alone, since it follows from the other columns.
fn mean_gap(request: &Request) -> Option<Nanos> {
    request.gaps?;
    Some(Nanos(request.streaming_time()?.0.checked_div(request.gap_count().into())?))
}

/// A row group's columns, in the order of the schema.
struct Columns {
    step: Column<Int32Type>,
    session: Column<Int32Type>,
    turn: Column<Int32Type>,
    intended: Column<Int64Type>,
    sent: Column<Int64Type>,
    first_token: Column<Int64Type>,
    last_token: Column<Int64Type>,
    end: Column<Int64Type>,
    isl: Column<Int32Type>,
    osl: Column<Int32Type>,
    cached: Column<Int32Type>,
    queue: Column<Int64Type>,
    events: Column<Int32Type>,
    gap_max: Column<Int64Type>,
    gap_p99: Column<Int64Type>,
    gap_p95: Column<Int64Type>,
    gap_mean: Column<Int64Type>,
    outcome: Column<ByteArrayType>,
    status: Column<Int32Type>,
    error: Column<ByteArrayType>,
}

impl Columns {
    fn open(open: &mut Opener<'_>) -> Result<Self, ParquetError> {
        Ok(Self {
            step: open.next()?,
            session: open.next()?,
            turn: open.next()?,
            intended: open.next()?,
            sent: open.next()?,
            first_token: open.next()?,
            last_token: open.next()?,
            end: open.next()?,
            isl: open.next()?,
            osl: open.next()?,
            cached: open.next()?,
            queue: open.next()?,
            events: open.next()?,
            gap_max: open.next()?,
            gap_p99: open.next()?,
            gap_p95: open.next()?,
            gap_mean: open.next()?,
            outcome: open.next()?,
            status: open.next()?,
            error: open.next()?,
        })
    }

    fn fill(&mut self, batch: &mut Filler) -> Result<(), ParquetError> {
        batch.fill(&mut self.step)?;
        batch.fill(&mut self.session)?;
        batch.fill(&mut self.turn)?;
        batch.fill(&mut self.intended)?;
        batch.fill(&mut self.sent)?;
        batch.fill(&mut self.first_token)?;
        batch.fill(&mut self.last_token)?;
        batch.fill(&mut self.end)?;
        batch.fill(&mut self.isl)?;
        batch.fill(&mut self.osl)?;
        batch.fill(&mut self.cached)?;
        batch.fill(&mut self.queue)?;
        batch.fill(&mut self.events)?;
        batch.fill(&mut self.gap_max)?;
        batch.fill(&mut self.gap_p99)?;
        batch.fill(&mut self.gap_p95)?;
        batch.fill(&mut self.gap_mean)?;
        batch.fill(&mut self.outcome)?;
        batch.fill(&mut self.status)?;
        batch.fill(&mut self.error)
    }

    /// The next row, and the stored mean of its gaps.
    fn next(&mut self, texts: &mut Texts) -> Result<(Request, Option<Nanos>), Fault> {
        let (max, p99, p95) = (
            duration(self.gap_max.optional(), "gap_max_ns")?,
            duration(self.gap_p99.optional(), "gap_p99_ns")?,
            duration(self.gap_p95.optional(), "gap_p95_ns")?,
        );
        let gaps = match (max, p99, p95) {
            (Some(max), Some(p99), Some(p95)) => Some(GapSummary { max, p99, p95 }),
            (None, None, None) => None,
            _ => return Err(Fault("gap_max_ns", "gap_max, gap_p99 and gap_p95 stand together")),
        };
        let request = Request {
            step: self.step.required().cast_unsigned(),
            session: self.session.required().cast_unsigned(),
            turn: self.turn.required().cast_unsigned(),
            intended: moment(self.intended.required(), "intended_ns")?,
            sent: moment(self.sent.required(), "sent_ns")?,
            first_token: optional_moment(self.first_token.optional(), "first_token_ns")?,
            last_token: optional_moment(self.last_token.optional(), "last_token_ns")?,
            end: moment(self.end.required(), "end_ns")?,
            isl: self.isl.optional().copied().map(i32::cast_unsigned),
            osl: self.osl.optional().copied().map(i32::cast_unsigned),
            cached: self.cached.optional().copied().map(i32::cast_unsigned),
            queue: duration(self.queue.optional(), "queue_ns")?,
            events: self.events.required().cast_unsigned(),
            gaps,
            outcome: outcome(self.outcome.required())?,
            status: self
                .status
                .optional()
                .map(|&status| u16::try_from(status))
                .transpose()
                .map_err(|_| Fault("status", "an HTTP status has at most 65,535"))?,
            error: self.error.optional().map(|text| texts.id(text)).transpose()?,
        };
        Ok((request, duration(self.gap_mean.optional(), "gap_mean_ns")?))
    }
}

/// A column, and what is wrong with its value.
pub(super) struct Fault(pub(super) &'static str, pub(super) &'static str);

impl Fault {
    /// The error that names the row as well.
    pub(super) fn at(self, row: usize) -> BundleError {
        BundleError::Row { member: REQUESTS, row, column: self.0, problem: self.1 }
    }
}

fn nanos(value: i64, column: &'static str) -> Result<u64, Fault> {
    u64::try_from(value).map_err(|_| Fault(column, "a time is never negative"))
}

fn moment(value: &i64, column: &'static str) -> Result<Moment, Fault> {
    nanos(*value, column).map(Moment)
}

fn optional_moment(value: Option<&i64>, column: &'static str) -> Result<Option<Moment>, Fault> {
    value.map(|value| moment(value, column)).transpose()
}

fn duration(value: Option<&i64>, column: &'static str) -> Result<Option<Nanos>, Fault> {
    value.map(|&value| nanos(value, column).map(Nanos)).transpose()
}

fn outcome(name: &ByteArray) -> Result<Outcome, Fault> {
    let name = name.as_utf8().ok();
    name.and_then(Outcome::from_name)
        .ok_or(Fault("outcome", "there is no such outcome; a newer tokencap may know it"))
}

/// The error texts, in the order of their first appearance.
#[derive(Default)]
struct Texts {
    ids: HashMap<Vec<u8>, ErrorId>,
    texts: Vec<String>,
}

impl Texts {
    fn id(&mut self, text: &ByteArray) -> Result<ErrorId, Fault> {
        if let Some(&id) = self.ids.get(text.data()) {
            return Ok(id);
        }
        let valid = text.as_utf8().map_err(|_| Fault("error", "the text is not UTF-8"))?;
        let id = self.texts.len() as ErrorId;
        self.texts.push(valid.to_owned());
        self.ids.insert(text.data().to_vec(), id);
        Ok(id)
    }
}

/// Reads and checks the table: requests, and the texts that their errors point into.
pub(super) fn read(
    contents: Vec<u8>,
    mut rules: Rules,
) -> Result<(Vec<Request>, Vec<String>), BundleError> {
    let table = LAYOUT.open(contents)?;
    let mut requests = Vec::with_capacity(table.rows.min(GROUP_ROWS));
    let mut texts = Texts::default();
    table.read(Columns::open, Columns::fill, |columns, rows| {
        for _ in 0..rows {
            let row = requests.len();
            let (request, mean) = columns.next(&mut texts).map_err(|fault| fault.at(row))?;
            rules.check(&request).map_err(|fault| fault.at(row))?;
            if mean != mean_gap(&request) {
                return Err(Fault("gap_mean_ns", "it is not (last − first) / (events − 1)").at(row));
            }
            requests.push(request);
        }
        Ok(())
    })?;
    Ok((requests, texts.texts))
}
