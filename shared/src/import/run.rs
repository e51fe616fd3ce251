//! One result of another tool, in one vocabulary: what it says, and what it does not say.

use serde::Serialize;

use super::definitions::Definitions;
use super::finding::{Finding, Mark};
use super::tool::Tool;
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::record::Request;
use crate::units::{Nanos, Rate, Seconds, TokenRate, Watts};

/// The load that was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Load {
    /// The arrival rate, if the load was an open one.
    pub rate: Option<AskedRate>,
    /// The cap on requests in flight, if there was one.
    pub concurrency: Option<u32>,
}

/// An arrival rate as other tools ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedRate {
    /// Requests/s.
    Finite(Rate),
    /// All at once, or as fast as a cap on concurrency lets them.
    Unlimited,
}

impl Load {
    /// Whether the server's pace holds back the load: a cap on requests in flight, or all at once.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.concurrency.is_some() || matches!(self.rate, Some(AskedRate::Unlimited))
    }

    /// Whether this is an arrival rate that the server could not slow down: the only load of which
    /// λ_slo_max speaks.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!((self.rate, self.concurrency), (Some(AskedRate::Finite(_)), None))
    }
}

/// A distribution as another tool sums it up. What it does not say is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Spread {
    pub mean: Option<Seconds>,
    /// Median.
    pub p50: Option<Seconds>,
    /// 90th percentile.
    pub p90: Option<Seconds>,
    /// 95th percentile.
    pub p95: Option<Seconds>,
    /// 99th percentile.
    pub p99: Option<Seconds>,
    /// Greatest.
    pub max: Option<Seconds>,
}

impl Spread {
    /// Whether it says anything.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.mean.is_none()
            && self.p50.is_none()
            && self.p90.is_none()
            && self.p95.is_none()
            && self.p99.is_none()
            && self.max.is_none()
    }

    /// As a measurement: missing if it says nothing.
    #[must_use]
    pub fn measured(self) -> Measured<Self> {
        if self.is_empty() {
            Measured::Missing(Missing::NotObserved)
        } else {
            Measured::Value(self)
        }
    }
}

/// Per-request records, as far as the file has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// The requests, in the order of sending. Times count from the first of them.
    pub requests: Vec<Request>,
    /// Every gap between output events, a list for each request; `None` where the tool keeps
    /// none of them.
    pub gaps: Option<Vec<Vec<Nanos>>>,
    /// Texts that [`Request::error`] points into.
    pub errors: Vec<String>,
    /// Whether the file says when each request was sent. If not, all of them are taken as sent at
    /// once, and nothing that depends on time is computed.
    pub sent_known: bool,
    /// Whether the file says when each request should have been sent.
    pub intended_known: bool,
}

/// One result: one load point of one tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Run {
    /// The files it was read from.
    pub files: Vec<String>,
    pub tool: Tool,
    /// Its version, if the file says.
    pub version: Measured<String>,
    /// What the tool's words mean.
    pub definitions: Definitions,
    pub model: Measured<String>,
    /// GPU type.
    pub gpu: Measured<String>,
    /// GPUs that took traffic.
    pub gpus: Measured<u32>,
    /// The load that was asked for.
    pub load: Load,
    /// The time that the tool's rates divide by.
    pub duration: Measured<Seconds>,
    /// Requests that completed.
    pub completed: Measured<u64>,
    /// Requests that failed.
    pub failed: Measured<u64>,
    /// Prompt tokens of the completed ones.
    pub input_tokens: Measured<u64>,
    /// Output tokens of the completed ones.
    pub output_tokens: Measured<u64>,
    /// Completed requests/s.
    pub rate: Measured<Rate>,
    /// Output tokens/s.
    pub output_rate: Measured<TokenRate>,
    /// TTFT, by the tool's definition.
    pub ttft: Measured<Spread>,
    /// TPOT, by the tool's definition.
    pub tpot: Measured<Spread>,
    /// ITL, by the tool's definition.
    pub itl: Measured<Spread>,
    /// From sending to the end.
    pub latency: Measured<Spread>,
    /// Mean power of all devices.
    pub power: Measured<Watts>,
    /// What the audit found, the worst first.
    pub findings: Vec<Finding>,
    /// The records themselves.
    #[serde(skip)]
    pub records: Option<Records>,
}

impl Run {
    /// A result of which nothing is known yet.
    pub(super) fn new(file: &str, tool: Tool) -> Self {
        Self {
            files: vec![file.to_owned()],
            tool,
            version: unsaid(),
            definitions: Definitions::of(tool),
            model: unsaid(),
            gpu: unsaid(),
            gpus: unsaid(),
            load: Load::default(),
            duration: unsaid(),
            completed: unsaid(),
            failed: unsaid(),
            input_tokens: unsaid(),
            output_tokens: unsaid(),
            rate: unsaid(),
            output_rate: unsaid(),
            ttft: unsaid(),
            tpot: unsaid(),
            itl: unsaid(),
            latency: unsaid(),
            power: unsaid(),
            findings: Vec::new(),
            records: None,
        }
    }

    /// The worst mark of the audit.
    #[must_use]
    pub fn mark(&self) -> Mark {
        self.findings.iter().map(|finding| finding.mark).max().unwrap_or(Mark::Green)
    }

    /// The rate by which a sweep's results are sorted: asked, else achieved.
    #[must_use]
    pub fn sort_rate(&self) -> Option<f64> {
        match self.load.rate {
            Some(AskedRate::Finite(rate)) => Some(rate.get()),
            _ => self.rate.value().map(|rate| rate.get()),
        }
    }

    pub(super) fn note(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// Nothing in the file says it.
pub(super) const fn unsaid<T>() -> Measured<T> {
    Measured::Missing(Missing::NotObserved)
}

/// What a file may say, or that it does not.
pub(super) fn said<T>(value: Option<T>) -> Measured<T> {
    Measured::of(value, Missing::NotObserved)
}
