//! The table `requests.parquet`: a row a request.

use std::collections::HashMap;

use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;

use super::archive::REQUESTS;
use super::error::BundleError;
use super::pace::Pace;
use super::parquet::{self, Column, Meaning, Physical, Spec};
use super::rows::{Fault, Rules};
use super::table::{Group, Layout, RowGroup};
use crate::definitions::record::{ErrorId, GapSummary, Outcome, Request};
use crate::units::{Moment, Nanos};

const LAYOUT: Layout = Layout {
    member: REQUESTS,
    columns: &[
        whole_number("step"),
        whole_number("session"),
        whole_number("turn"),
        time("intended_ns"),
        time("sent_ns"),
        time("first_token_ns").optional(),
        time("last_token_ns").optional(),
        time("end_ns"),
        whole_number("isl").optional(),
        whole_number("osl").optional(),
        whole_number("cached").optional(),
        time("queue_ns").optional(),
        whole_number("events"),
        time("gap_max_ns").optional(),
        time("gap_p99_ns").optional(),
        time("gap_p95_ns").optional(),
        time("gap_mean_ns").optional(),
        Spec::new("outcome", Physical::Bytes, Meaning::Utf8),
        Spec::new("status", Physical::Int32, Meaning::Unsigned16).optional(),
        Spec::new("error", Physical::Bytes, Meaning::Utf8).optional(),
    ],
    dictionary: &["step", "outcome", "status", "error"],
    plain: &[],
};

const fn whole_number(name: &'static str) -> Spec {
    Spec::new(name, Physical::Int32, Meaning::Unsigned32)
}

const fn time(name: &'static str) -> Spec {
    Spec::new(name, Physical::Int64, Meaning::AsStored)
}

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

/// A row group's columns, in the order of the layout.
struct Columns<'a> {
    step: Column<'a, i32>,
    session: Column<'a, i32>,
    turn: Column<'a, i32>,
    intended: Column<'a, i64>,
    sent: Column<'a, i64>,
    first_token: Column<'a, i64>,
    last_token: Column<'a, i64>,
    end: Column<'a, i64>,
    isl: Column<'a, i32>,
    osl: Column<'a, i32>,
    cached: Column<'a, i32>,
    queue: Column<'a, i64>,
    events: Column<'a, i32>,
    gap_max: Column<'a, i64>,
    gap_p99: Column<'a, i64>,
    gap_p95: Column<'a, i64>,
    gap_mean: Column<'a, i64>,
    outcome: Column<'a, &'a [u8]>,
    status: Column<'a, i32>,
    error: Column<'a, &'a [u8]>,
}

/// Why a row cannot be read: its page is damaged, or one of its values cannot be.
enum RowFault {
    Page(parquet::Fault),
    Value(Fault),
}

impl From<parquet::Fault> for RowFault {
    fn from(fault: parquet::Fault) -> Self {
        Self::Page(fault)
    }
}

impl From<Fault> for RowFault {
    fn from(fault: Fault) -> Self {
        Self::Value(fault)
    }
}

impl<'a> Columns<'a> {
    fn open(group: &mut RowGroup<'a, '_>) -> Result<Self, parquet::Fault> {
        Ok(Self {
            step: group.next()?,
            session: group.next()?,
            turn: group.next()?,
            intended: group.next()?,
            sent: group.next()?,
            first_token: group.next()?,
            last_token: group.next()?,
            end: group.next()?,
            isl: group.next()?,
            osl: group.next()?,
            cached: group.next()?,
            queue: group.next()?,
            events: group.next()?,
            gap_max: group.next()?,
            gap_p99: group.next()?,
            gap_p95: group.next()?,
            gap_mean: group.next()?,
            outcome: group.next()?,
            status: group.next()?,
            error: group.next()?,
        })
    }

    /// Reads the next row, and gives the stored mean of its gaps.
    fn read_row(
        &mut self,
        requests: &mut Vec<Request>,
        texts: &mut Texts,
    ) -> Result<Option<Nanos>, RowFault> {
        let step = self.step.required()?.cast_unsigned();
        let session = self.session.required()?.cast_unsigned();
        let turn = self.turn.required()?.cast_unsigned();
        let intended = moment(self.intended.required()?, "intended_ns")?;
        let sent = moment(self.sent.required()?, "sent_ns")?;
        let first_token = optional_moment(self.first_token.next()?, "first_token_ns")?;
        let last_token = optional_moment(self.last_token.next()?, "last_token_ns")?;
        let end = moment(self.end.required()?, "end_ns")?;
        let isl = self.isl.next()?.map(i32::cast_unsigned);
        let osl = self.osl.next()?.map(i32::cast_unsigned);
        let cached = self.cached.next()?.map(i32::cast_unsigned);
        let queue = duration(self.queue.next()?, "queue_ns")?;
        let events = self.events.required()?.cast_unsigned();
        let max = duration(self.gap_max.next()?, "gap_max_ns")?;
        let p99 = duration(self.gap_p99.next()?, "gap_p99_ns")?;
        let p95 = duration(self.gap_p95.next()?, "gap_p95_ns")?;
        let mean = duration(self.gap_mean.next()?, "gap_mean_ns")?;
        let gaps = match (max, p99, p95) {
            (Some(max), Some(p99), Some(p95)) => Some(GapSummary { max, p99, p95 }),
            (None, None, None) => None,
            _ => {
                let problem = "gap_max, gap_p99 and gap_p95 stand together";
                return Err(Fault("gap_max_ns", problem).into());
            }
        };
        let outcome = texts.outcome(self.outcome.required()?)?;
        let status = self.status.next()?.map(u16::try_from).transpose();
        let status = status.map_err(|_| Fault("status", "an HTTP status has at most 65,535"))?;
        let error = self.error.next()?.map(|text| texts.error(text)).transpose()?;
        requests.push(Request {
            step,
            session,
            turn,
            intended,
            sent,
            first_token,
            last_token,
            end,
            isl,
            osl,
            cached,
            queue,
            events,
            gaps,
            outcome,
            status,
            error,
        });
        Ok(mean)
    }
}

fn nanos(value: i64, column: &'static str) -> Result<u64, Fault> {
    u64::try_from(value).map_err(|_| Fault(column, "a time is never negative"))
}

fn moment(value: i64, column: &'static str) -> Result<Moment, Fault> {
    nanos(value, column).map(Moment)
}

fn optional_moment(value: Option<i64>, column: &'static str) -> Result<Option<Moment>, Fault> {
    value.map(|value| moment(value, column)).transpose()
}

fn duration(value: Option<i64>, column: &'static str) -> Result<Option<Nanos>, Fault> {
    value.map(|value| nanos(value, column).map(Nanos)).transpose()
}

/// The texts of rows: outcomes by their names, and errors in the order of their first
/// appearance.
#[derive(Default)]
struct Texts {
    /// The name that was looked up last: one outcome follows its like.
    last: Option<(Vec<u8>, Outcome)>,
    ids: HashMap<Vec<u8>, ErrorId>,
    errors: Vec<String>,
}

impl Texts {
    fn outcome(&mut self, name: &[u8]) -> Result<Outcome, Fault> {
        if let Some((last, outcome)) = &self.last
            && last == name
        {
            return Ok(*outcome);
        }
        let found = std::str::from_utf8(name).ok().and_then(Outcome::from_name);
        let unknown = Fault("outcome", "there is no such outcome; a newer tokencap may know it");
        let outcome = found.ok_or(unknown)?;
        self.last = Some((name.to_owned(), outcome));
        Ok(outcome)
    }

    fn error(&mut self, text: &[u8]) -> Result<ErrorId, Fault> {
        if let Some(&id) = self.ids.get(text) {
            return Ok(id);
        }
        let valid = std::str::from_utf8(text);
        let valid = valid.map_err(|_| Fault("error", "the text is not UTF-8"))?;
        let id = self.errors.len() as ErrorId;
        self.errors.push(valid.to_owned());
        self.ids.insert(text.to_owned(), id);
        Ok(id)
    }
}

/// Reads and checks the table: requests, and the texts that their errors point into.
pub(super) async fn read(
    contents: &[u8],
    mut rules: Rules,
    pace: &mut Pace<'_>,
) -> Result<(Vec<Request>, Vec<String>), BundleError> {
    let table = LAYOUT.open(contents)?;
    let mut requests = Vec::with_capacity(table.rows);
    let mut texts = Texts::default();
    for mut group in table.groups() {
        let mut columns = Columns::open(&mut group).map_err(|fault| table.damaged(fault))?;
        for _ in 0..group.rows {
            let row = requests.len();
            let mean =
                columns.read_row(&mut requests, &mut texts).map_err(|fault| match fault {
                    RowFault::Page(fault) => table.damaged(fault),
                    RowFault::Value(fault) => fault.at(row),
                })?;
            let request = &requests[row];
            rules.check(request).map_err(|fault| fault.at(row))?;
            if mean != mean_gap(request) {
                return Err(Fault("gap_mean_ns", "it is not (last − first) / (events − 1)").at(row));
            }
            pace.rows(requests.len(), table.rows).await;
        }
    }
    Ok((requests, texts.errors))
}
