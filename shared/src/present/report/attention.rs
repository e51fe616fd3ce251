//! What a reader must know before using a number: found from the data, hidden never.

use super::Row;
use crate::definitions::capacity::{AtLambda, Basis, Standing};
use crate::definitions::judge::{Degradation, StepJudgement, Verdict};
use crate::definitions::measured::Measured;
use crate::definitions::money::ValueAtPrice;
use crate::definitions::promise::VerdictMode;
use crate::present::attention::{Attention, AttentionKind, MoneyPart, PromiseOfTier};

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
    found.extend(row.warnings.iter().cloned().map(|note| AttentionKind::Warning { note }));
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
