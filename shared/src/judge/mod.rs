//! What the records of one step prove: its validity, its verdicts, its figures.
//!
//! The result types stand here; each submodule computes one part of them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::measured::Measured;
use crate::promise::PromiseKind;
use crate::record::FailureKind;
use crate::step::StepKind;
use crate::units::{Nanos, Rate, Ratio, Seconds, Share, TokenRate, Watts};

/// A promise's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The evidence shows the promise kept.
    Held,
    /// The evidence shows it broken.
    Broken,
    /// Too little evidence for either.
    Insufficient,
    /// There is no source that could tell.
    NotObserved,
}

/// One promise, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromiseVerdict {
    /// Which promise.
    pub kind: PromiseKind,
    /// Index of its tier in the promise sheet; `None` for a promise about the whole step.
    pub tier: Option<usize>,
    /// Whether it decides λ_slo_max, or is only watched.
    pub signed: bool,
    /// The limit, in the quantity of the promise.
    pub limit: Quantity,
    /// What was measured, in the same quantity.
    pub measured: Measured<Quantity>,
    /// The share behind the verdict, with its bounds.
    pub evidence: Measured<ShareEvidence>,
    /// The verdict by confidence bounds, or by the point in `point` mode.
    pub verdict: Verdict,
    /// The point estimate's verdict: what a search screens by. Never signed.
    pub screen: Verdict,
}

/// A promise's limit or measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "unit", content = "value")]
pub enum Quantity {
    /// A share (attainment, success).
    Share(Share),
    /// A time: nanoseconds; `None` is +∞ (requests that never had the quantity).
    Time(Option<Nanos>),
    /// A time only known to lie in `(lo, hi]`, from a server histogram; `hi` `None` is +∞.
    Bracket {
        /// Above this.
        lo: Nanos,
        /// At most this.
        hi: Option<Nanos>,
    },
}

/// `good` of `n`, the share's one-sided bounds, and what they rest on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShareEvidence {
    /// Values that keep the promise.
    pub good: u64,
    /// Values in all.
    pub n: u64,
    /// Target that the share must reach.
    pub target: Share,
    /// One-sided lower bound of the true share.
    pub lower: Share,
    /// One-sided upper bound of the true share.
    pub upper: Share,
    /// Variance inflation by dependence between requests, ≥ 1.
    pub vif: Ratio,
    /// Violations separated by more than 10 s.
    pub episodes: u64,
    /// For `insufficient`: how many more values like these would sign it.
    pub needed: Option<Needed>,
}

/// What is missing for a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Needed {
    /// Values needed in all, at the bad count seen so far.
    pub n: u64,
    /// About how much longer the window must be at this rate.
    pub more: Seconds,
}

/// Why a step is invalid: each with the figure that shows it. The texts, and what to change,
/// are in the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Invalid {
    /// The client sent late.
    GeneratorLate {
        /// Send lag P99.
        p99: Nanos,
        /// Greatest send lag.
        max: Nanos,
        /// Limit on the P99.
        limit: Nanos,
    },
    /// A generator thread had no time left.
    GeneratorSaturated {
        /// Busiest thread.
        cpu: Option<Share>,
        /// Event-loop stall, 99.9th percentile.
        stall: Option<Nanos>,
    },
    /// Arrivals were dropped, capped or missing from the schedule's count by more than 1 %.
    ArrivalsMissing {
        /// Scheduled in the window.
        scheduled: u64,
        /// Sent in it.
        sent: u64,
        /// Dropped or held back.
        dropped: u64,
    },
    /// More than 0.1 % of members were the plan's fault.
    ClientFaults {
        /// How many.
        faults: u64,
        /// Of how many members.
        members: u64,
    },
    /// More than 0.1 % of valid requests lie outside every tier.
    Unpromised {
        /// How many.
        unpromised: u64,
        /// Of how many valid requests.
        valid: u64,
    },
    /// More than 0.1 % of completed requests have no token count.
    UnknownTokens {
        /// How many.
        unknown: u64,
        /// Of how many.
        of: u64,
    },
    /// The hit rate is unlike the declared one.
    CacheContaminated {
        /// Declared.
        declared: Share,
        /// Measured.
        measured: Share,
    },
    /// Telemetry has a hole of more than 3 s although a promise rests on it.
    TelemetryGap {
        /// The longest hole.
        longest: Nanos,
    },
    /// No member at all.
    Empty,
}

/// What a step is worth before any of its values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Validity {
    /// Empty: VALID.
    pub invalid: Vec<Invalid>,
    /// Requests in flight rise through the window: the rate cannot be sustained. Not invalid,
    /// but broken.
    pub unsustainable: bool,
    /// The tail is more than 5 % of the wall time: "window too short".
    pub window_too_short: bool,
}

impl Validity {
    /// Whether the step's values count.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.invalid.is_empty()
    }
}

/// How many requests of each sort a window has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Sent in the window.
    pub members: u64,
    /// Members given up by the simulated user.
    pub cancelled: u64,
    /// Members that were the plan's fault.
    pub client_faults: u64,
    /// Members − cancelled − client faults.
    pub valid: u64,
    /// Valid and completed.
    pub completed: u64,
    /// Completed and compliant with their tier.
    pub compliant: u64,
    /// Valid, but of unknown or unpromised prompt length.
    pub unpromised: u64,
    /// Failures by kind.
    pub failures: BTreeMap<FailureKind, u64>,
}

/// Latency figures of one tier.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TierFigures {
    /// Index in the promise sheet.
    pub tier: usize,
    /// Valid requests.
    pub valid: u64,
    /// Compliant under the declared ITL rule.
    pub compliant: u64,
    /// Compliant requests by rule: `gap_share` (or its default), `worst_gap`, `mean_gap`.
    pub compliant_by_rule: [u64; 3],
    /// TTFT.
    pub ttft: Percentiles,
    /// TTFT from the intended instant.
    pub ttft_from_intended: Percentiles,
    /// TPOT, over requests that have one.
    pub tpot: Percentiles,
    /// Valid requests without a TPOT.
    pub tpot_undefined: u64,
    /// ITL over all gaps of the tier.
    pub itl: Measured<Percentiles>,
    /// Queue time per request.
    pub queue: Measured<Percentiles>,
}

/// Nearest-rank percentiles of a set. A time of `None` is +∞ (requests without the quantity).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Percentiles {
    /// Size of the set.
    pub n: u64,
    /// Median.
    pub p50: Option<Nanos>,
    /// 90th.
    pub p90: Option<Nanos>,
    /// 95th.
    pub p95: Option<Nanos>,
    /// 99th.
    pub p99: Option<Nanos>,
    /// Greatest.
    pub max: Option<Nanos>,
}

/// Token flows of a step. Every rate divides by the wall time; `_steady` ones by the window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flow {
    /// Σ OSL over completed members.
    pub output_tokens: u64,
    /// Σ OSL over compliant requests.
    pub compliant_tokens: u64,
    /// Σ OSL over valid requests, partial output of failed ones included.
    pub raw_tokens: u64,
    /// Raw throughput: the machine's limit, never a promise.
    pub raw: TokenRate,
    /// SLO goodput: what can be sold.
    pub goodput: TokenRate,
    /// SLO goodput over the window alone, shown beside.
    pub goodput_steady: TokenRate,
    /// Mean OSL of completed requests.
    pub mean_osl: Measured<Ratio>,
}

/// The three input figures, over members whose prefill produced a token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Input {
    /// Σ ISL.
    pub total: u64,
    /// Σ cached. Missing where any of the requests does not say.
    pub reused: Measured<u64>,
    /// total − reused.
    pub computed: Measured<u64>,
    /// Σ ISL over all members.
    pub offered: u64,
    /// reused / total.
    pub hit_rate: Measured<Share>,
    /// total / output tokens of the same members.
    pub per_output: Measured<Ratio>,
}

/// Input, uncached and cached, and output of the compliant requests: what value at price sells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sold {
    /// Output tokens.
    pub output: u64,
    /// Input tokens that were computed. Missing where caching is unknown.
    pub input_uncached: Measured<u64>,
    /// Input tokens from the prefix cache.
    pub input_cached: Measured<u64>,
}

/// Everything the records of one step prove under one promise sheet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepJudgement {
    /// The step's id.
    pub step: u32,
    /// Why it was run.
    pub kind: StepKind,
    /// Rate asked for.
    pub asked: Rate,
    /// Rate actually offered: members / (W1 − W0).
    pub offered: Rate,
    /// Whether the values count.
    pub validity: Validity,
    /// How many of each sort.
    pub counts: Counts,
    /// First sent to last ended, over members.
    pub wall: Seconds,
    /// W1 − W0.
    pub window: Seconds,
    /// 1 − window / wall.
    pub edge: Share,
    /// Every promise, in the order of kinds and tiers.
    pub promises: Vec<PromiseVerdict>,
    /// All signed promises together: held only if each is, broken if any is.
    pub verdict: Verdict,
    /// All signed promises by their point estimates.
    pub screen: Verdict,
    /// Latencies by tier.
    pub tiers: Vec<TierFigures>,
    /// Token flows.
    pub flow: Flow,
    /// Input in three figures.
    pub input: Input,
    /// What the compliant requests carried.
    pub sold: Sold,
    /// Mean requests in flight: Σ residence / wall.
    pub concurrency: Ratio,
    /// Mean power of all devices over the window.
    pub power: Measured<Watts>,
    /// Share of session tasks whose every step complied, where sessions were run.
    pub chain: Measured<ShareEvidence>,
}
