//! Requests, telemetry and gaps as bytes. Little-endian throughout; a missing number is the
//! greatest of its type.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tokencap_shared::definitions::record::{GapHistogram, GapSummary, Outcome, Request};
use tokencap_shared::definitions::step::Step;
use tokencap_shared::definitions::telemetry::{Labels, Metric, Sample};
use tokencap_shared::units::{Moment, Nanos};

use crate::histogram::{histogram, record_n};

/// Bytes of one request.
pub(super) const REQUEST: usize = 115;

struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn time(&mut self, time: Option<u64>) {
        self.u64(time.unwrap_or(u64::MAX));
    }
    fn count(&mut self, count: Option<u32>) {
        self.u32(count.unwrap_or(u32::MAX));
    }
}

/// Reads numbers off a payload; `None` once it is too short.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (number, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*number)
    }
    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }
    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }
    fn time(&mut self) -> Option<Option<u64>> {
        self.u64().map(|time| (time != u64::MAX).then_some(time))
    }
    fn count(&mut self) -> Option<Option<u32>> {
        self.u32().map(|count| (count != u32::MAX).then_some(count))
    }
}

/// Appends a request.
pub(super) fn write_request(out: &mut Vec<u8>, request: &Request) {
    let outcome = Outcome::all().position(|outcome| outcome == request.outcome);
    let mut w = Writer(out);
    w.u32(request.step);
    w.u32(request.session);
    w.u32(request.turn);
    w.u64(request.intended.0);
    w.u64(request.sent.0);
    w.time(request.first_token.map(|time| time.0));
    w.time(request.last_token.map(|time| time.0));
    w.u64(request.end.0);
    w.count(request.isl);
    w.count(request.osl);
    w.count(request.cached);
    w.time(request.queue.map(|time| time.0));
    w.u32(request.events);
    w.time(request.gaps.map(|gaps| gaps.max.0));
    w.time(request.gaps.map(|gaps| gaps.p99.0));
    w.time(request.gaps.map(|gaps| gaps.p95.0));
    w.count(request.error);
    w.0.extend_from_slice(&request.status.unwrap_or(u16::MAX).to_le_bytes());
    w.0.push(outcome.map_or(u8::MAX, |index| index as u8));
}

/// Reads a request; `None` if the bytes are none.
pub(super) fn read_request(r: &mut Reader<'_>) -> Option<Request> {
    let (step, session, turn) = (r.u32()?, r.u32()?, r.u32()?);
    let (intended, sent) = (Moment(r.u64()?), Moment(r.u64()?));
    let (first_token, last_token) = (r.time()?.map(Moment), r.time()?.map(Moment));
    let end = Moment(r.u64()?);
    let (isl, osl, cached) = (r.count()?, r.count()?, r.count()?);
    let queue = r.time()?.map(Nanos);
    let events = r.u32()?;
    let (max, p99, p95) = (r.time()?, r.time()?, r.time()?);
    let gaps = match (max, p99, p95) {
        (Some(max), Some(p99), Some(p95)) => {
            Some(GapSummary { max: Nanos(max), p99: Nanos(p99), p95: Nanos(p95) })
        }
        _ => None,
    };
    let error = r.count()?;
    let status = r.u16().map(|status| (status != u16::MAX).then_some(status))?;
    let [outcome] = r.take()?;
    let outcome = Outcome::all().nth(outcome.into())?;
    Some(Request {
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
    })
}

/// A telemetry series, as its frame holds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Series {
    pub(super) source: String,
    pub(super) metric: Metric,
    pub(super) labels: Labels,
}

impl Series {
    pub(super) fn of(sample: &Sample) -> Self {
        let Sample { source, metric, labels, .. } = sample;
        Self { source: source.clone(), metric: *metric, labels: labels.clone() }
    }
}

/// Appends a sample of a series.
pub(super) fn write_sample(out: &mut Vec<u8>, sample: &Sample, series: u32) {
    let mut w = Writer(out);
    w.u64(sample.time.0);
    w.u32(series);
    w.u64(sample.value.to_bits());
}

/// Reads a sample; `None` if the bytes are none.
pub(super) fn read_sample(r: &mut Reader<'_>, series: &[Series]) -> Option<Sample> {
    let (time, number, value) = (Moment(r.u64()?), r.u32()?, f64::from_bits(r.u64()?));
    let Series { source, metric, labels } = series.get(number as usize)?.clone();
    Some(Sample { time, source, metric, labels, value })
}

/// The end of a step, as its frame holds it: gaps as pairs of a value and its count.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StepEnd {
    pub(super) step: Step,
    gaps: BTreeMap<usize, Vec<(u64, u64)>>,
}

impl StepEnd {
    pub(super) fn new(step: &Step, gaps: &BTreeMap<usize, GapHistogram>) -> Self {
        let pairs = |histogram: &GapHistogram| {
            histogram
                .iter_recorded()
                .map(|value| (value.value_iterated_to(), value.count_since_last_iteration()))
                .collect()
        };
        let gaps = gaps.iter().map(|(&tier, histogram)| (tier, pairs(histogram))).collect();
        Self { step: step.clone(), gaps }
    }

    /// The gaps' histograms: each value lies in the bucket that it lay in.
    pub(super) fn gaps(&self) -> impl Iterator<Item = (usize, GapHistogram)> {
        self.gaps.iter().map(|(&tier, pairs)| {
            let mut whole = histogram(3);
            for &(value, times) in pairs {
                record_n(&mut whole, value, times);
            }
            (tier, whole)
        })
    }
}
