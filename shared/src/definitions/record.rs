//! One request as it was seen from outside, and how it ended.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::stats::rank::nearest_rank;
use crate::units::{Moment, Nanos, Seconds};

/// Index of a text in a bundle's dictionary of error messages.
pub type ErrorId = u32;

/// One request of a run. A retry is a new request.
///
/// `Copy`, so that a million of them are one flat allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// The step it belongs to ([`crate::definitions::step::Step::id`]).
    pub step: u32,
    /// The session (task) it belongs to; every request of an independent mix has its own.
    pub session: u32,
    /// Its place in the session, from 0.
    pub turn: u32,
    /// When the arrival process scheduled it.
    pub intended: Moment,
    /// When the client began to send it.
    pub sent: Moment,
    /// Arrival of the first event that carries output: when it came in at this machine, where its
    /// kernel tells, else when it was read.
    pub first_token: Option<Moment>,
    /// Arrival of the last event that carries output.
    pub last_token: Option<Moment>,
    /// Arrival of the last byte of the response.
    pub end: Moment,
    /// Prompt tokens, from usage. A request that failed or was cancelled before any usage came has
    /// the length that was measured out for its prompt: it belongs to its tier as much as an
    /// answered one. Unknown is unknown.
    pub isl: Option<u32>,
    /// Output tokens actually generated: from usage, token ids or the declared tokenizer, never
    /// the number asked for, never the number of chunks.
    pub osl: Option<u32>,
    /// Prompt tokens reused from the prefix cache; unknown is not 0.
    pub cached: Option<u32>,
    /// Wait at the server before computation started, where the server says it per request.
    pub queue: Option<Nanos>,
    /// Number of events that carried output.
    pub events: u32,
    /// The gaps between them, summed up; `None` with fewer than two events.
    pub gaps: Option<GapSummary>,
    /// How it ended.
    pub outcome: Outcome,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The error's text in the bundle's dictionary.
    pub error: Option<ErrorId>,
}

/// A request's gaps between consecutive output events (ITL), in the form that decides every
/// ITL rule exactly, whatever the limit: the rule "at most ⌊(1−q)·m⌋ of m gaps exceed L" is the
/// same as "the ⌈q·m⌉-th smallest gap is ≤ L". There are `events − 1` gaps, and their sum is
/// `last_token − first_token`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapSummary {
    /// Worst gap.
    pub max: Nanos,
    /// Nearest-rank 99th percentile: the ⌈0.99·m⌉-th smallest.
    pub p99: Nanos,
    /// Nearest-rank 95th percentile: the ⌈0.95·m⌉-th smallest.
    pub p95: Nanos,
}

/// Every gap in nanoseconds between the output events of many requests: those of one window and
/// tier.
pub type GapHistogram = Histogram<u64>;

impl GapSummary {
    /// Sums up a request's gaps. Sorts them in place. `None` without a gap.
    #[must_use]
    pub fn of(gaps: &mut [Nanos]) -> Option<Self> {
        gaps.sort_unstable();
        let max = *gaps.last()?;
        let n = gaps.len() as u64;
        let rank = |percent| gaps[nearest_rank(n, percent) as usize - 1];
        Some(Self { max, p99: rank(99), p95: rank(95) })
    }
}

impl Request {
    /// How late the client was: `sent − intended`.
    #[must_use]
    pub const fn send_lag(&self) -> Nanos {
        self.sent.since(self.intended)
    }

    /// Time to first token: `first_token − sent`; `None` without output.
    #[must_use]
    pub fn ttft(&self) -> Option<Nanos> {
        Some(self.first_token?.since(self.sent))
    }

    /// Time from the scheduled instant to the first token, shown beside TTFT.
    #[must_use]
    pub fn ttft_from_intended(&self) -> Option<Nanos> {
        Some(self.first_token?.since(self.intended))
    }

    /// Last minus first output event: the sum of all gaps.
    #[must_use]
    pub fn streaming_time(&self) -> Option<Nanos> {
        Some(self.last_token?.since(self.first_token?))
    }

    /// Time per output token after the first: `streaming_time / (OSL − 1)`; `None` for fewer than
    /// two output tokens, for unknown OSL, and without output. Never 0 for want of tokens.
    #[must_use]
    pub fn tpot(&self) -> Option<Seconds> {
        let tokens = self.osl?.checked_sub(1).filter(|&tokens| tokens > 0)?;
        Seconds::new(self.streaming_time()?.seconds().get() / f64::from(tokens)).ok()
    }

    /// Number of gaps between output events.
    #[must_use]
    pub const fn gap_count(&self) -> u32 {
        self.events.saturating_sub(1)
    }

    /// From sending to the last byte of the response.
    #[must_use]
    pub const fn residence(&self) -> Nanos {
        self.end.since(self.sent)
    }
}

/// How a request ended: exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "kind")]
pub enum Outcome {
    /// HTTP 200, a terminal finish reason for each choice, no error object, at least one event with
    /// output.
    Completed,
    /// The service failed the request.
    Failed(FailureKind),
    /// Given up by the simulated user: not a failure.
    Cancelled,
    /// The request was wrong (4xx other than 408 and 429): the plan's fault, not the service's.
    ClientFault(ClientFaultKind),
}

/// In what way the service failed a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// 5xx other than 503 and 529; 499, with which some servers give a request up.
    ServerError,
    /// 429, 503, 529, or the same said inside a 200 stream.
    Rejected,
    /// A time limit of the client or the server passed (408 included).
    Timeout,
    /// Reset, or the stream ended without a finish reason.
    Disconnected,
    /// An error object inside a 200 stream.
    StreamError,
    /// No connection: refused, DNS, TLS.
    Unreachable,
    /// Finished without output.
    Empty,
    /// The response is not what the protocol says.
    Malformed,
}

/// In what way a request was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientFaultKind {
    /// 401 or 403.
    Unauthorised,
    /// 404: unknown model or path.
    NotFound,
    /// The prompt does not fit the model's context.
    PromptTooLong,
    /// Any other 4xx.
    BadRequest,
}

impl FailureKind {
    /// Every kind, in declaration order.
    pub const ALL: [Self; 8] = [
        Self::ServerError,
        Self::Rejected,
        Self::Timeout,
        Self::Disconnected,
        Self::StreamError,
        Self::Unreachable,
        Self::Empty,
        Self::Malformed,
    ];
}

impl ClientFaultKind {
    /// Every kind, in declaration order.
    pub const ALL: [Self; 4] =
        [Self::Unauthorised, Self::NotFound, Self::PromptTooLong, Self::BadRequest];
}

impl Outcome {
    /// The name under which the outcome is stored: `completed`, `cancelled`,
    /// `failed:rejected`, `client_fault:not_found`…
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Failed(FailureKind::ServerError) => "failed:server_error",
            Self::Failed(FailureKind::Rejected) => "failed:rejected",
            Self::Failed(FailureKind::Timeout) => "failed:timeout",
            Self::Failed(FailureKind::Disconnected) => "failed:disconnected",
            Self::Failed(FailureKind::StreamError) => "failed:stream_error",
            Self::Failed(FailureKind::Unreachable) => "failed:unreachable",
            Self::Failed(FailureKind::Empty) => "failed:empty",
            Self::Failed(FailureKind::Malformed) => "failed:malformed",
            Self::ClientFault(ClientFaultKind::Unauthorised) => "client_fault:unauthorised",
            Self::ClientFault(ClientFaultKind::NotFound) => "client_fault:not_found",
            Self::ClientFault(ClientFaultKind::PromptTooLong) => "client_fault:prompt_too_long",
            Self::ClientFault(ClientFaultKind::BadRequest) => "client_fault:bad_request",
        }
    }

    /// Every outcome.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Completed, Self::Cancelled]
            .into_iter()
            .chain(FailureKind::ALL.into_iter().map(Self::Failed))
            .chain(ClientFaultKind::ALL.into_iter().map(Self::ClientFault))
    }

    /// The outcome stored under this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|outcome| outcome.name() == name)
    }

    /// A valid request counts in quality and success: neither cancelled nor the plan's fault.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        matches!(self, Self::Completed | Self::Failed(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_its_own_name() {
        let names: std::collections::BTreeSet<_> = Outcome::all().map(Outcome::name).collect();
        assert_eq!(names.len(), Outcome::all().count());
        for outcome in Outcome::all() {
            assert_eq!(Outcome::from_name(outcome.name()), Some(outcome));
        }
        assert_eq!(Outcome::from_name("failed"), None);
    }

    #[test]
    fn the_summary_of_gaps_decides_the_share_rule_for_every_limit() {
        // bad ≤ ⌊m/100⌋ ⇔ p99 ≤ L, checked on every length around the rounding edges.
        for m in [1_u64, 2, 99, 100, 101, 199, 200, 201, 246] {
            for bad in 0..=m.min(5) {
                let mut gaps: Vec<Nanos> =
                    (0..m).map(|i| Nanos(if i < bad { 101 } else { 100 })).collect();
                let summary = GapSummary::of(&mut gaps).expect("m ≥ 1");
                assert_eq!(bad <= m / 100, summary.p99 <= Nanos(100), "m {m}, bad {bad}");
            }
        }
        assert_eq!(GapSummary::of(&mut []), None);
    }
}
