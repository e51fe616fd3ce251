//! What a reader must know before using a number: found from the data, hidden never.

use serde::Serialize;

use super::{Row, SignOff};
use crate::definitions::capacity::{AtLambda, Basis, Binding, Standing};
use crate::definitions::judge::{Degradation, StepJudgement, Verdict};
use crate::definitions::measured::Measured;
use crate::definitions::money::ValueAtPrice;
use crate::definitions::promise::{PromiseKind, PromiseSheet, VerdictMode};
use crate::units::Rate;

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Nothing may be promised on this row.
    Blocks,
    /// The row may mislead without this.
    Caution,
    /// Good to know.
    Note,
}

/// One thing that needs attention.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attention {
    /// Index of the row in the report; `None` for the report as a whole.
    pub row: Option<usize>,
    /// How grave it is.
    pub severity: Severity,
    /// What it is.
    #[serde(flatten)]
    pub kind: AttentionKind,
}

/// A promise, and the name of its tier if it is about one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromiseOfTier {
    /// Which promise.
    pub kind: PromiseKind,
    /// Its tier's name; `None` for a promise about the whole step.
    pub tier: Option<String>,
}

/// What speaks against a soak, and the name of the tier that it is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DegradationOfTier {
    /// What it is.
    #[serde(flatten)]
    pub degradation: Degradation,
    /// The tier's name, if it is about one.
    pub tier_name: Option<String>,
}

/// A part of the daily value at price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MoneyPart {
    /// Output tokens.
    Output,
    /// Input tokens that were computed.
    InputUncached,
    /// Input tokens from the prefix cache.
    InputCached,
}

/// What needs attention. The words are in the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum AttentionKind {
    /// The simulator was measured, no hardware.
    Simulated,
    /// No tested rate held the promises.
    NothingHeld {
        /// The lowest rate tested.
        lowest: Option<Rate>,
    },
    /// Steps whose values do not count.
    InvalidSteps {
        /// Which.
        steps: Vec<u32>,
        /// Of how many.
        of: usize,
    },
    /// Verdicts by point estimates: never signable.
    PointMode,
    /// λ_slo_max rests on a screen, not on a confirmation.
    Screen,
    /// No soak at this rate: reference only.
    NotSoaked,
    /// The soak at this rate degraded.
    SoakDegraded {
        /// What speaks against it.
        degradations: Vec<DegradationOfTier>,
    },
    /// Parts of the daily value have no price or were not observed.
    PricesIncomplete {
        /// Which.
        missing: Vec<MoneyPart>,
    },
    /// Daily value at cost differs from the GPUs' daily cost, which it must equal.
    IdentityBroken,
    /// No tested rate breaks a promise: λ_slo_max is only a lower end.
    NoUpperEnd,
    /// A rate above a broken one passed.
    NonMonotone,
    /// Signed promises without enough evidence in the step shown.
    Insufficient {
        /// Which.
        promises: Vec<PromiseOfTier>,
    },
    /// Signed promises that nothing could observe: they can never be held.
    NotObserved {
        /// Which.
        promises: Vec<PromiseOfTier>,
    },
    /// Watched promises that broke in the step shown.
    WatchedBroken {
        /// Which.
        promises: Vec<PromiseOfTier>,
    },
    /// The window of the step shown is short against its tail.
    WindowTooShort {
        /// The step.
        step: u32,
    },
    /// What breaks first beyond λ_slo_max, and what the server shows then.
    Binding {
        /// The promise.
        promise: PromiseOfTier,
        /// Where it breaks, by how much, and the server's signs.
        binding: Binding,
    },
    /// Requests of the step shown failed.
    Failures {
        /// How many.
        failed: u64,
        /// Of how many valid ones.
        valid: u64,
    },
    /// The service does not say how many prompt tokens came from the cache.
    CacheUnknown,
    /// Judged by another promise sheet than the one it was measured for.
    Rejudged,
    /// Measured under other definitions than this report's.
    OtherDefinitions {
        /// The bundle's.
        version: u32,
    },
    /// The bundle is not signed, or its signatures do not count.
    NotSigned {
        /// What its sign-off is worth.
        sign_off: SignOff,
    },
    /// Rows of different models stand side by side.
    DifferentModels,
    /// The measuring tool says so.
    Warning {
        /// In its words.
        text: String,
    },
}

impl AttentionKind {
    /// How grave it is.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        match self {
            Self::NothingHeld { .. }
            | Self::PointMode
            | Self::NotObserved { .. }
            | Self::IdentityBroken => Severity::Blocks,
            Self::Simulated
            | Self::InvalidSteps { .. }
            | Self::Screen
            | Self::NotSoaked
            | Self::SoakDegraded { .. }
            | Self::PricesIncomplete { .. }
            | Self::NoUpperEnd
            | Self::NonMonotone
            | Self::Insufficient { .. }
            | Self::WatchedBroken { .. }
            | Self::WindowTooShort { .. }
            | Self::Rejudged
            | Self::OtherDefinitions { .. }
            | Self::DifferentModels => Severity::Caution,
            Self::NotSigned { sign_off } => match sign_off {
                SignOff::Signed { .. }
                | SignOff::PartlySigned { .. }
                | SignOff::Unsigned
                | SignOff::UnknownKey { .. } => Severity::Caution,
                SignOff::BadSignature { .. }
                | SignOff::ContentsChanged { .. }
                | SignOff::NumbersDiffer { .. }
                | SignOff::Expired { .. }
                | SignOff::Superseded { .. }
                | SignOff::Revoked { .. } => Severity::Blocks,
            },
            Self::Binding { .. }
            | Self::Failures { .. }
            | Self::CacheUnknown
            | Self::Warning { .. } => Severity::Note,
        }
    }
}

/// Everything that needs attention, the gravest first, then by row.
pub(super) fn of(rows: &[Row]) -> Vec<Attention> {
    let mut found = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let kinds = of_row(row).into_iter();
        found.extend(kinds.map(|kind| Attention {
            row: Some(index),
            severity: kind.severity(),
            kind,
        }));
    }
    let differs = |pair: &[Row]| !pair[0].deployment.same_tokens(&pair[1].deployment);
    if rows.windows(2).any(differs) {
        let kind = AttentionKind::DifferentModels;
        found.push(Attention { row: None, severity: kind.severity(), kind });
    }
    found.sort_by_key(|attention| (attention.severity, attention.row));
    found
}

fn of_row(row: &Row) -> Vec<AttentionKind> {
    let mut found = Vec::new();
    let mut note = |condition: bool, kind: AttentionKind| {
        if condition {
            found.push(kind);
        }
    };
    let steps = &row.capacity.steps;
    note(row.deployment.simulated, AttentionKind::Simulated);
    note(row.promise.mode == VerdictMode::Point, AttentionKind::PointMode);
    let invalid: Vec<u32> =
        steps.iter().filter(|step| !step.validity.is_valid()).map(|step| step.step).collect();
    note(!invalid.is_empty(), AttentionKind::InvalidSteps { steps: invalid, of: steps.len() });
    match row.capacity.lambda.value() {
        None => {
            let valid = steps.iter().filter(|step| step.validity.is_valid());
            let rates = valid.map(|step| step.offered);
            let lowest = rates.min_by(|left, right| left.get().total_cmp(&right.get()));
            // Where no step is valid, that is what to know.
            note(lowest.is_some() || steps.is_empty(), AttentionKind::NothingHeld { lowest });
        }
        Some(lambda) => {
            note(lambda.basis == Basis::Screen, AttentionKind::Screen);
            note(lambda.first_broken.is_none(), AttentionKind::NoUpperEnd);
            note(lambda.non_monotone, AttentionKind::NonMonotone);
        }
    }
    if let Some(binding) = &row.capacity.binding {
        let promise = PromiseOfTier::new(binding.kind, binding.tier, &row.promise);
        note(true, AttentionKind::Binding { promise, binding: binding.clone() });
    }
    let reference = |at: &AtLambda| at.standing == Standing::Reference;
    if row.capacity.at.value().is_some_and(reference) {
        note(true, standing(row));
    }
    if let Some(economics) = row.economics.value() {
        note(economics.identity_holds == Measured::Value(false), AttentionKind::IdentityBroken);
        if let Some(value) = economics.value_at_price_daily.value() {
            let missing = missing_parts(value);
            note(!missing.is_empty(), AttentionKind::PricesIncomplete { missing });
        }
    }
    if let Some(step) = row.shown_step() {
        let failed = step.counts.failures.values().sum();
        note(failed > 0, AttentionKind::Failures { failed, valid: step.counts.valid });
        note(step.validity.window_too_short, AttentionKind::WindowTooShort { step: step.step });
        note(step.input.reused.value().is_none(), AttentionKind::CacheUnknown);
        let promises = |signed, verdict| promises(row, step, signed, verdict);
        let signed = |verdict| promises(true, verdict);
        let insufficient = signed(Verdict::Insufficient);
        note(!insufficient.is_empty(), AttentionKind::Insufficient { promises: insufficient });
        let unobserved = signed(Verdict::NotObserved);
        note(!unobserved.is_empty(), AttentionKind::NotObserved { promises: unobserved });
        let watched = promises(false, Verdict::Broken);
        note(!watched.is_empty(), AttentionKind::WatchedBroken { promises: watched });
    }
    note(row.rejudged, AttentionKind::Rejudged);
    note(
        row.definitions != crate::DEFINITIONS_VERSION,
        AttentionKind::OtherDefinitions { version: row.definitions },
    );
    let sign_off = row.sign_off.clone();
    note(!sign_off.is_signed(), AttentionKind::NotSigned { sign_off });
    found.extend(row.warnings.iter().cloned().map(|text| AttentionKind::Warning { text }));
    found
}

/// Why the row's capacity may not be promised yet.
fn standing(row: &Row) -> AttentionKind {
    let soak = row.shown_step().and_then(|step| step.soak.value());
    let against = soak.map_or(&[][..], |soak| &soak.degradations);
    // A confirmation run that was never meant as a soak is just too short for one.
    if against.iter().all(|one| matches!(one, Degradation::TooShort { .. })) {
        AttentionKind::NotSoaked
    } else {
        AttentionKind::SoakDegraded { degradations: row.degradations(against) }
    }
}

fn missing_parts(value: &ValueAtPrice) -> Vec<MoneyPart> {
    let parts = [
        (&value.output, MoneyPart::Output),
        (&value.input_uncached, MoneyPart::InputUncached),
        (&value.input_cached, MoneyPart::InputCached),
    ];
    let missing = parts.into_iter().filter(|(amount, _)| amount.value().is_none());
    missing.map(|(_, part)| part).collect()
}

fn promises(row: &Row, step: &StepJudgement, signed: bool, verdict: Verdict) -> Vec<PromiseOfTier> {
    let asked = step.promises.iter().filter(|promise| promise.signed == signed);
    let found = asked.filter(|promise| promise.verdict == verdict);
    found.map(|promise| PromiseOfTier::new(promise.kind, promise.tier, &row.promise)).collect()
}

impl PromiseOfTier {
    /// The promise by its tier's index in a sheet.
    #[must_use]
    pub fn new(kind: PromiseKind, tier: Option<usize>, sheet: &PromiseSheet) -> Self {
        let tier = tier.and_then(|tier| sheet.tiers.get(tier)).map(|tier| tier.name.clone());
        Self { kind, tier }
    }
}
