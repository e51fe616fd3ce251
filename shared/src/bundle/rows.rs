//! What must hold of every request, whether it is written or read.

use super::archive::REQUESTS;
use super::error::BundleError;
use crate::definitions::record::Request;
use crate::definitions::step::Step;
use crate::units::Moment;

/// A column, and what is wrong with its value.
pub(super) struct Fault(pub(super) &'static str, pub(super) &'static str);

impl Fault {
    /// The error that names the row as well.
    pub(super) fn at(self, row: usize) -> BundleError {
        BundleError::Row { member: REQUESTS, row, column: self.0, problem: self.1 }
    }
}

/// The rules, over requests in the order of the table.
pub(super) struct Rules {
    /// Ids of the manifest's steps, ascending.
    steps: Vec<u32>,
    /// The previous request's step, and when it was sent.
    previous: Option<(u32, Moment)>,
}

impl Rules {
    /// Rules for the requests of these steps, whose ids ascend.
    pub(super) fn new(steps: &[Step]) -> Self {
        Self { steps: steps.iter().map(|step| step.id).collect(), previous: None }
    }

    /// Checks the next request.
    pub(super) fn check(&mut self, request: &Request) -> Result<(), Fault> {
        if self.previous.is_none_or(|(step, _)| step != request.step)
            && self.steps.binary_search(&request.step).is_err()
        {
            return Err(Fault("step", "the manifest has no such step"));
        }
        if let Some(previous) = self.previous
            && previous > (request.step, request.sent)
        {
            return Err(Fault("sent_ns", "rows stand in the order of steps, then of sending"));
        }
        self.previous = Some((request.step, request.sent));
        times(request)?;
        gaps(request)?;
        if let (Some(cached), Some(isl)) = (request.cached, request.isl)
            && cached > isl
        {
            return Err(Fault("cached", "more tokens are cached than the prompt has (isl)"));
        }
        Ok(())
    }
}

fn times(request: &Request) -> Result<(), Fault> {
    if request.end.0 > i64::MAX.cast_unsigned() {
        return Err(Fault("end_ns", "the time does not fit 63 bits"));
    }
    if request.sent < request.intended {
        return Err(Fault("sent_ns", "it was sent before it was intended"));
    }
    if request.end < request.sent {
        return Err(Fault("end_ns", "it ended before it was sent"));
    }
    match (request.first_token, request.last_token) {
        (None, None) if request.events > 0 => {
            Err(Fault("first_token_ns", "there are events but no first one"))
        }
        (None, None) => Ok(()),
        (Some(_), Some(_)) if request.events == 0 => {
            Err(Fault("events", "there is a first token but no event"))
        }
        (Some(first), Some(last)) => {
            if first < request.sent {
                Err(Fault("first_token_ns", "the first token came before the request was sent"))
            } else if last < first {
                Err(Fault("last_token_ns", "the last token came before the first"))
            } else if request.end < last {
                Err(Fault("end_ns", "it ended before its last token"))
            } else {
                Ok(())
            }
        }
        _ => Err(Fault("last_token_ns", "first and last token stand together or not at all")),
    }
}

fn gaps(request: &Request) -> Result<(), Fault> {
    match request.gaps {
        None if request.events >= 2 => {
            Err(Fault("gap_max_ns", "with two events or more there are gaps"))
        }
        Some(_) if request.events < 2 => {
            Err(Fault("gap_max_ns", "with fewer than two events there is no gap"))
        }
        Some(gaps) if gaps.p95 > gaps.p99 => {
            Err(Fault("gap_p95_ns", "the 95th percentile exceeds the 99th"))
        }
        Some(gaps) if gaps.p99 > gaps.max => {
            Err(Fault("gap_p99_ns", "the 99th percentile exceeds the maximum"))
        }
        Some(gaps) if request.streaming_time().is_none_or(|sum| gaps.max > sum) => {
            Err(Fault("gap_max_ns", "one gap is longer than all of them together"))
        }
        _ => {
            let long = request.queue.is_some_and(|queue| queue.0 > i64::MAX.cast_unsigned());
            if long { Err(Fault("queue_ns", "the time does not fit 63 bits")) } else { Ok(()) }
        }
    }
}
