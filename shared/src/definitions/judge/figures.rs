//! The figures of a step: counts, latencies, flows of tokens.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::definitions::measured::Measured;
use crate::definitions::record::FailureKind;
use crate::units::{Nanos, Ratio, Seconds, Share, TokenRate};

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
    /// Completed without a known number of output tokens.
    pub unknown_tokens: u64,
    /// Completed with several output events but no record of the gaps between them.
    pub unknown_gaps: u64,
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
    /// Cancelled members of the tier, and what they could mean.
    pub cancelled: Cancelled,
    /// Time to first token, over valid requests; without output it is +∞.
    pub ttft: Percentiles,
    /// TTFT from the intended instant.
    pub ttft_from_intended: Percentiles,
    /// TPOT, over requests that have one.
    pub tpot: Percentiles<Seconds>,
    /// Valid requests without a TPOT.
    pub tpot_undefined: u64,
    /// ITL over all gaps of the tier.
    pub itl: Measured<Percentiles>,
    /// Queue time per request, over the requests for which the server said it.
    pub queue: Measured<Percentiles>,
}

/// Users cancel because of slowness, so leaving them out can flatter: what attainment would be
/// if those who had waited too long counted as bad, and between which bounds it lies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cancelled {
    /// Cancelled members.
    pub n: u64,
    /// Of which the TTFT limit had already been missed.
    pub late: u64,
    /// compliant / (valid + late).
    pub adjusted: Measured<Share>,
    /// compliant / (valid + cancelled): every cancelled one would have been bad.
    pub lowest: Measured<Share>,
    /// (compliant + cancelled − late) / (valid + cancelled): every one in time, good.
    pub highest: Measured<Share>,
}

impl Cancelled {
    pub(crate) fn of(n: u64, late: u64, compliant: u64, valid: u64) -> Self {
        use crate::definitions::measured::Missing::NoRequests;
        let share = |part, whole| Measured::of(Share::of(part, whole), NoRequests);
        Self {
            n,
            late,
            adjusted: share(compliant, valid + late),
            lowest: share(compliant, valid + n),
            highest: share(compliant + n - late, valid + n),
        }
    }
}

/// Nearest-rank percentiles of a set. `None` is +∞ (requests without the quantity), or, with
/// n = 0, no value at all.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Percentiles<Q = Nanos> {
    /// Size of the set.
    pub n: u64,
    /// Median.
    pub p50: Option<Q>,
    /// 90th.
    pub p90: Option<Q>,
    /// 95th.
    pub p95: Option<Q>,
    /// 99th.
    pub p99: Option<Q>,
    /// Greatest.
    pub max: Option<Q>,
}

impl<Q> Percentiles<Q> {
    /// The percentiles of n values, given as keys that sort like them.
    pub(crate) fn of(n: usize, found: &[u64], value: impl Fn(u64) -> Option<Q>) -> Self {
        let at = |index: usize| found.get(index).and_then(|&key| value(key));
        Self { n: n as u64, p50: at(0), p90: at(1), p95: at(2), p99: at(3), max: at(4) }
    }
}

/// Token flows of a step. Every rate divides by the wall time; `_steady` ones by the window.
/// A rate is missing only where there is no time to divide by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flow {
    /// Σ OSL over completed members.
    pub output_tokens: u64,
    /// Σ OSL over compliant requests.
    pub compliant_tokens: u64,
    /// Σ OSL over valid requests, partial output of failed ones included.
    pub raw_tokens: u64,
    /// Raw throughput: the machine's limit, never a promise.
    pub raw: Measured<TokenRate>,
    /// SLO goodput: what can be sold.
    pub goodput: Measured<TokenRate>,
    /// Interval of SLO goodput at the sheet's confidence, two-sided (block bootstrap): what
    /// another window at this rate could give.
    pub goodput_interval: Measured<(TokenRate, TokenRate)>,
    /// SLO goodput over the window alone, shown beside.
    pub goodput_steady: Measured<TokenRate>,
    /// Mean OSL of completed requests.
    pub mean_osl: Measured<Ratio>,
    /// Output tokens per output event of completed requests: a chunk is not a token.
    pub tokens_per_event: Measured<Ratio>,
}

/// The three input figures, over members whose prefill produced a token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Input {
    /// Σ ISL.
    pub total: u64,
    /// Σ cached. Missing where more than 0.1 % of the requests do not say.
    pub reused: Measured<u64>,
    /// total − reused.
    pub computed: Measured<u64>,
    /// Requests left out of all three because they do not say, where they are no more than 0.1 %.
    pub unknown: u64,
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

/// Tasks of several serial steps: how many went smoothly from end to end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chain {
    /// Tasks that ran wholly inside the window, or failed in it.
    pub tasks: u64,
    /// Of which every step complied.
    pub smooth: u64,
    /// One-sided lower bound of the true share of smooth tasks (tasks taken as independent).
    pub lower: Share,
    /// Its upper bound.
    pub upper: Share,
    /// Steps of a task.
    pub steps: u32,
    /// What independence of steps would make of the tiers' attainments: Π p. The difference to
    /// the measured share is the dependence.
    pub if_independent: Share,
}
