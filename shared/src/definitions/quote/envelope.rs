//! What was measured, and so what may be quoted.

use serde::Serialize;

use super::{Need, QuoteError};
use crate::definitions::capacity::{Basis, Capacity, Standing};
use crate::definitions::declared::Declared;
use crate::definitions::judge::{HIT_RATE_POINT, StepJudgement, Verdict};
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::money::PriceSheet;
use crate::definitions::promise::PromiseKind;
use crate::units::{Rate, Ratio, Share};

/// Why a need is refused. The measurement does not cover it, and nothing is extrapolated.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "refusal")]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum Refusal {
    /// The need itself cannot be sized.
    Need {
        #[serde(serialize_with = "as_text")]
        error: QuoteError,
    },
    /// There is no capacity to quote.
    NoCapacity { reason: Missing },
    /// The validity date is no date.
    NoDate {
        /// What was given.
        given: String,
    },
    /// Longer prompts occur than any tier promises.
    IslOutside {
        /// The longest prompt needed.
        needed: u32,
        /// The longest promised.
        promised: u32,
    },
    /// A tier that the need reaches was not held: broken, or too little was known.
    UnmetTier {
        /// Index of the tier in the promise sheet.
        tier: usize,
        kind: PromiseKind,
        verdict: Verdict,
    },
    /// Mean prompts are longer than measured.
    IslAboveMeasured {
        /// Mean prompt tokens needed.
        needed: Ratio,
        /// Mean prompt tokens measured.
        measured: Ratio,
    },
    /// Mean answers are longer than measured.
    OslAboveMeasured {
        /// Mean output tokens needed.
        needed: Ratio,
        /// Mean output tokens measured.
        measured: Ratio,
    },
    /// Fewer prefix hits than measured: more input to compute than was shown to fit.
    HitRateBelowMeasured {
        /// Hit rate needed.
        needed: Share,
        /// Hit rate measured.
        measured: Share,
    },
    /// The hit rate was not observed, so a need that counts on one has no evidence.
    HitRateUnknown,
}

fn as_text<S: serde::Serializer>(error: &QuoteError, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(error)
}

/// What a reader must know before relying on a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Measured, but not soaked: no promise may rest on it.
    ReferenceOnly,
    /// The promises are held by point estimates only.
    ScreenOnly,
    /// Measured on the simulator, not on hardware.
    Simulated,
    /// Several units are taken to carry the sum of what one carries; routing and prefix
    /// affinity between them were not measured.
    UnitsAddUp,
    /// Steps of a task are taken as independent; no task of this length was measured.
    ChainByIndependence,
    /// Prices are missing.
    PricesIncomplete,
}

/// Mean lengths within 2 % of each other count as equal.
const LENGTH: f64 = 0.02;

/// The step at λ_slo_max and its rate, if it covers the need.
pub(super) fn check<'a>(
    need: &Need,
    capacity: &'a Capacity,
    declared: Declared<'_>,
) -> Result<(&'a StepJudgement, Rate), Vec<Refusal>> {
    let lambda = match &capacity.lambda {
        Measured::Value(lambda) => lambda,
        Measured::Missing(reason) => {
            return Err(vec![Refusal::NoCapacity { reason: reason.clone() }]);
        }
    };
    let Some(step) = capacity.held() else {
        return Err(vec![Refusal::NoCapacity { reason: Missing::NothingHeld }]);
    };
    let mut refusals = Vec::new();
    if !crate::definitions::money::is_date(&need.valid_until) {
        refusals.push(Refusal::NoDate { given: need.valid_until.clone() });
    }
    let tiers = &declared.promise.tiers;
    let promised = tiers.last().map_or(0, |tier| tier.isl_max);
    if need.max_isl > promised {
        refusals.push(Refusal::IslOutside { needed: need.max_isl, promised });
    }
    let held = |promise: &crate::definitions::judge::PromiseVerdict| match lambda.basis {
        Basis::Confidence => promise.verdict,
        Basis::Screen => promise.screen,
    };
    for promise in step.promises.iter().filter(|promise| promise.signed) {
        let Some(tier) = promise.tier else { continue };
        let reached = tiers.get(tier).is_some_and(|tier| tier.isl_min <= need.max_isl);
        let verdict = held(promise);
        if reached && verdict != Verdict::Held {
            refusals.push(Refusal::UnmetTier { tier, kind: promise.kind, verdict });
        }
    }
    lengths(need, step, &mut refusals);
    hit_rate(need, step, &mut refusals);
    if refusals.is_empty() { Ok((step, lambda.rate)) } else { Err(refusals) }
}

fn lengths(need: &Need, step: &StepJudgement, refusals: &mut Vec<Refusal>) {
    let above = |needed: Ratio, measured: Ratio| needed.get() > measured.get() * (1.0 + LENGTH);
    let members = step.counts.members.max(1);
    let measured = Ratio::new(step.input.offered as f64 / members as f64);
    if let Ok(measured) = measured
        && above(need.mean_isl, measured)
    {
        refusals.push(Refusal::IslAboveMeasured { needed: need.mean_isl, measured });
    }
    match &step.flow.mean_osl {
        Measured::Value(measured) if !above(need.mean_osl, *measured) => {}
        Measured::Value(measured) => {
            let (needed, measured) = (need.mean_osl, *measured);
            refusals.push(Refusal::OslAboveMeasured { needed, measured });
        }
        Measured::Missing(reason) => {
            refusals.push(Refusal::NoCapacity { reason: reason.clone() });
        }
    }
}

fn hit_rate(need: &Need, step: &StepJudgement, refusals: &mut Vec<Refusal>) {
    match &step.input.hit_rate {
        Measured::Value(measured) if need.hit_rate.get() < measured.get() - HIT_RATE_POINT => {
            let (needed, measured) = (need.hit_rate, *measured);
            refusals.push(Refusal::HitRateBelowMeasured { needed, measured });
        }
        Measured::Missing(_) => refusals.push(Refusal::HitRateUnknown),
        Measured::Value(_) => {}
    }
}

/// Everything to know before relying on the quote.
pub(super) fn marks(
    need: &Need,
    capacity: &Capacity,
    declared: Declared<'_>,
    prices: &PriceSheet,
    step: &StepJudgement,
) -> Vec<Mark> {
    let committed = capacity.at.value().is_some_and(|at| at.standing == Standing::Committed);
    let screen = capacity.lambda.value().is_some_and(|lambda| lambda.basis == Basis::Screen);
    let steps = need.sizing.steps_per_task;
    let chain = step.chain.value().is_some_and(|chain| chain.steps == steps);
    let priced = prices.gpu_hour.is_some()
        && prices.output.is_some()
        && prices.input_uncached.is_some()
        && prices.input_cached.is_some();
    [
        (!committed, Mark::ReferenceOnly),
        (screen, Mark::ScreenOnly),
        (declared.deployment.simulated, Mark::Simulated),
        (true, Mark::UnitsAddUp),
        (steps > 1 && !chain, Mark::ChainByIndependence),
        (!priced, Mark::PricesIncomplete),
    ]
    .into_iter()
    .filter_map(|(applies, mark)| applies.then_some(mark))
    .collect()
}
