//! The form of a worked case, and its translation into the records of a run.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::definitions::promise::{
    self, GapQuantile, ItlRule, PromiseError, PromiseSheet, Target, Tier,
};
use crate::definitions::record::{ClientFaultKind, FailureKind, GapSummary, Outcome, Request};
use crate::definitions::step::{GeneratorEvidence, Step, StepKind};
use crate::definitions::workload::Workload;
use crate::units::{Moment, Nanos, Rate, Share, UnitError};

/// Why a case cannot be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// Not the JSON of a case.
    #[error("the case is not of the form slo-capacity-case/1: {0}")]
    Json(#[from] serde_json::Error),
    /// Its promises make no promise sheet.
    #[error("the case's promises are no promise sheet: {0}")]
    Promise(#[from] PromiseError),
    /// A number is out of its domain.
    #[error("a number of the case is out of its domain: {0}")]
    Unit(#[from] UnitError),
    /// A price is none.
    #[error("a price of the case is none: {0}")]
    Price(#[from] crate::definitions::money::PriceError),
    /// A quote cannot be sized.
    #[error("the case's quote cannot be sized: {0}")]
    Quote(#[from] crate::definitions::quote::QuoteError),
    /// A text that should be a decimal number.
    #[error("`{0}` should be a decimal number")]
    Number(String),
}

#[derive(Deserialize)]
pub(super) struct Case {
    pub(super) window_us: [u64; 2],
    pub(super) slo: Slo,
    pub(super) deployment: BTreeMap<String, Deployed>,
    pub(super) requests: Vec<CaseRequest>,
}

#[derive(Deserialize)]
pub(super) struct Slo {
    alpha: f64,
    pub(super) tiers: Vec<CaseTier>,
    itl_limit_us: u64,
    itl_q: [u32; 2],
    itl_stall_us: u64,
    queue_limit_us: u64,
    success: [u32; 2],
    attainment: [u32; 2],
}

#[derive(Deserialize)]
pub(super) struct CaseTier {
    pub(super) id: String,
    isl_min: u32,
    isl_max: u32,
    ttft_limit_us: u64,
    tpot_limit_us: u64,
}

#[derive(Deserialize)]
pub(super) struct Deployed {
    pub(super) n_gpus: u32,
    pub(super) gpu_usd_per_hour: Decimal,
    pub(super) avg_power_w: Option<Decimal>,
    pub(super) tokens_per_step: Option<Decimal>,
    pub(super) price_usd_per_mtok: CasePrices,
}

#[derive(Deserialize)]
pub(super) struct CasePrices {
    pub(super) out: Decimal,
    pub(super) in_uncached: Decimal,
    pub(super) in_cached: Decimal,
}

/// A number, written as a number or as a text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Decimal {
    Number(f64),
    Text(String),
}

impl Decimal {
    pub(super) fn get(&self) -> Result<f64, CaseError> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Text(text) => text.parse().map_err(|_| CaseError::Number(text.clone())),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct CaseRequest {
    pub(super) model: String,
    t_intended: u64,
    t_send: u64,
    t_first: Option<u64>,
    #[serde(default)]
    gaps: Vec<[u64; 2]>,
    osl: Option<u32>,
    t_end: u64,
    status: Status,
    isl: Option<u32>,
    cached: Option<u32>,
    queue: Option<u64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Success,
    Cancelled,
    #[serde(alias = "failure", alias = "error", alias = "timeout")]
    Failed,
    #[serde(alias = "client_fault")]
    ClientError,
}

const fn nanos(micros: u64) -> Nanos {
    Nanos(micros.saturating_mul(1_000))
}

const fn moment(micros: u64) -> Moment {
    Moment(nanos(micros).0)
}

/// The ITL rules of a case, by the names under which their results stand.
#[derive(Clone, Copy, Debug)]
pub(super) enum RuleName {
    Frac,
    Max,
    Mean,
}

impl RuleName {
    pub(super) const ALL: [(&'static str, Self); 3] =
        [("frac", Self::Frac), ("max", Self::Max), ("mean", Self::Mean)];
}

impl Slo {
    /// The promise sheet of the case under one ITL rule.
    pub(super) fn sheet(&self, rule: RuleName) -> Result<PromiseSheet, CaseError> {
        let itl_rule = match rule {
            RuleName::Max => ItlRule::WorstGap,
            RuleName::Mean => ItlRule::MeanGap,
            // Whatever the case's quantile is, `CaseRequest::record` puts it where P99 stands.
            RuleName::Frac => {
                ItlRule::GapShare { q: GapQuantile::P99, stall: nanos(self.itl_stall_us) }
            }
        };
        let tiers = self.tiers.iter().map(|tier| Tier {
            name: tier.id.clone(),
            isl_min: tier.isl_min,
            isl_max: tier.isl_max,
            ttft: nanos(tier.ttft_limit_us),
            tpot: nanos(tier.tpot_limit_us),
        });
        let fields = promise::Fields {
            name: "case".to_owned(),
            note: String::new(),
            itl: nanos(self.itl_limit_us),
            itl_rule,
            queue: nanos(self.queue_limit_us),
            success: Target::new(self.success[0], self.success[1])?,
            attainment: Target::new(self.attainment[0], self.attainment[1])?,
            confidence: Share::new(1.0 - self.alpha)?,
            mode: promise::VerdictMode::Confidence,
            watched: Vec::new(),
            sign_off: Vec::new(),
            tiers: tiers.collect(),
        };
        Ok(PromiseSheet::try_from(fields)?)
    }
}

impl CaseRequest {
    /// All gaps, each on its own.
    pub(super) fn gaps(&self) -> Vec<Nanos> {
        let runs = self.gaps.iter();
        runs.flat_map(|&[gap, count]| std::iter::repeat_n(nanos(gap), count as usize)).collect()
    }

    /// The record of the request. The rank of the case's own quantile stands where P99 does.
    pub(super) fn record(&self, slo: &Slo) -> Request {
        let mut gaps = self.gaps();
        let first = self.t_first.map(moment);
        let streamed: Nanos = gaps.iter().copied().sum();
        let summary = GapSummary::of(&mut gaps).map(|summary| {
            let [part, of] = slo.itl_q.map(u64::from);
            let rank = (gaps.len() as u64 * part).div_ceil(of.max(1)).max(1) as usize;
            GapSummary { p99: gaps.get(rank - 1).copied().unwrap_or(summary.max), ..summary }
        });
        Request {
            step: 0,
            session: 0,
            turn: 0,
            intended: moment(self.t_intended),
            sent: moment(self.t_send),
            first_token: first,
            last_token: first.map(|first| first + streamed),
            end: moment(self.t_end),
            isl: self.isl,
            osl: self.osl,
            cached: self.cached,
            queue: self.queue.map(nanos),
            events: first.map_or(0, |_| gaps.len() as u32 + 1),
            gaps: summary,
            outcome: match self.status {
                Status::Success => Outcome::Completed,
                Status::Cancelled => Outcome::Cancelled,
                Status::Failed => Outcome::Failed(FailureKind::ServerError),
                Status::ClientError => Outcome::ClientFault(ClientFaultKind::BadRequest),
            },
            status: None,
            error: None,
        }
    }

    /// Arrivals of the output tokens, one an event.
    pub(super) fn token_times(&self) -> Vec<Moment> {
        let Some(first) = self.t_first.map(moment) else { return Vec::new() };
        let mut times = vec![first];
        let mut at = first;
        for gap in self.gaps() {
            at = at + gap;
            times.push(at);
        }
        times
    }
}

impl Case {
    /// The step that the case's window is.
    pub(super) fn step(&self) -> Step {
        let [w0, w1] = self.window_us.map(moment);
        Step {
            id: 0,
            kind: StepKind::Probe,
            asked: Rate::ZERO,
            seed: 0,
            start: Moment(0),
            w0,
            w1,
            end: w1,
            scheduled: 0,
            generator: GeneratorEvidence::default(),
            stopped: None,
            abandoned: None,
        }
    }
}

/// The workload of a case: nothing is declared.
pub(super) fn workload() -> Workload {
    Workload::mix("case", Vec::new())
}
