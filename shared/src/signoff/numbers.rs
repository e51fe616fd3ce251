//! The numbers that a signature covers, and how recomputed ones are compared with them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bundle::Manifest;
use crate::definitions::capacity::{Basis, Capacity, Standing};
use crate::definitions::judge::{StepJudgement, Verdict};
use crate::definitions::measured::Measured;
use crate::definitions::origin::Origin;
use crate::definitions::promise::{PromiseKind, PromiseSheet, VerdictMode};
use crate::definitions::step::StepKind;
use crate::units::{Rate, TokenRate, TokensPerDay};

/// How far a recomputed number may lie from the signed one, relative to it: room for another
/// order of summation, for nothing else.
const TOLERANCE: f64 = 1e-9;

/// Capacity and promises, as they are signed. Money is derived and not among them. The form is
/// its own, so that later versions of the tool can still compare with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedNumbers {
    /// What was measured.
    pub model: String,
    /// Revision of the weights.
    pub revision: String,
    /// GPU type.
    pub gpu: String,
    /// GPUs that took traffic.
    pub gpus_serving: u32,
    /// True for the simulator.
    pub simulated: bool,
    /// Name of the promise sheet.
    pub promise: String,
    /// λ_slo_max in requests/s.
    pub lambda: Rate,
    /// The lowest broken rate above it.
    pub first_broken: Option<Rate>,
    /// The step that holds it.
    pub step: u32,
    /// SLO goodput of the deployment, tokens/s.
    pub goodput: TokenRate,
    /// Raw throughput in the same step, tokens/s.
    pub raw: TokenRate,
    /// Daily capacity in tokens.
    pub daily: TokensPerDay,
    /// Committed or reference.
    pub standing: Standing,
    /// Input tokens a day.
    pub input_daily: TokensPerDay,
    /// Of which reused, where that is known.
    pub input_reused_daily: Option<TokensPerDay>,
    /// Every promise in the step that holds λ_slo_max.
    pub promises: Vec<SignedPromise>,
    /// Every step.
    pub steps: Vec<SignedStep>,
}

/// One promise, as it is signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct SignedPromise {
    pub kind: PromiseKind,
    /// Its tier's name; absent for a promise about the whole step.
    pub tier: Option<String>,
    /// Whether it decides λ_slo_max.
    pub signed: bool,
    pub verdict: Verdict,
    /// Values that keep it, of how many; absent without such a count.
    pub good_of_n: Option<(u64, u64)>,
}

/// One step, as it is signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct SignedStep {
    /// The step's id.
    pub step: u32,
    /// Why it was run.
    pub kind: StepKind,
    /// Rate offered, requests/s.
    pub offered: Rate,
    /// Whether its values count.
    pub valid: bool,
    pub verdict: Verdict,
    /// Its point estimates' verdict.
    pub screen: Verdict,
    /// SLO goodput, tokens/s; absent where there is none.
    pub goodput: Option<TokenRate>,
}

/// Why numbers cannot be signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "refused")]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum Unsignable {
    /// Point estimates.
    #[error(
        "the promise sheet judges by point estimates (mode = \"point\"), which prove nothing: \
         measure with mode = \"confidence\""
    )]
    PointMode,
    /// No rate held.
    #[error(
        "no tested rate held the promises in a valid step, so there is no capacity to sign: see \
         `tokencap report`, and measure at lower rates"
    )]
    NothingHeld,
    /// Only probes.
    #[error(
        "λ_slo_max rests on short probes only, which screen but prove nothing: run a confirmation \
         (a sweep does, unless told not to)"
    )]
    Screen,
    /// The step is not valid.
    #[error(
        "step {step} is INVALID, and an invalid run is never signed: `tokencap report` says why"
    )]
    Invalid { step: u32 },
    /// Other tools' results.
    #[error(
        "this was imported from another tool's results: it can be shown, but not signed. Measure \
         with `tokencap sweep`"
    )]
    Imported,
}

impl SignedNumbers {
    /// The numbers of a bundle that a signature covers.
    ///
    /// # Errors
    /// If they are none that anybody may sign.
    pub fn of(manifest: &Manifest, capacity: &Capacity) -> Result<Self, Unsignable> {
        if matches!(manifest.origin, Origin::Imported { .. }) {
            return Err(Unsignable::Imported);
        }
        if manifest.promise.mode == VerdictMode::Point {
            return Err(Unsignable::PointMode);
        }
        let invalid = || {
            let long = capacity.steps.iter().find(|step| {
                matches!(step.kind, StepKind::Confirm | StepKind::Soak) && !step.validity.is_valid()
            });
            long.map(|step| Unsignable::Invalid { step: step.step })
        };
        let (Measured::Value(lambda), Measured::Value(at)) = (&capacity.lambda, &capacity.at)
        else {
            return Err(invalid().unwrap_or(Unsignable::NothingHeld));
        };
        if lambda.basis == Basis::Screen {
            return Err(invalid().unwrap_or(Unsignable::Screen));
        }
        let step = capacity.held().ok_or(Unsignable::NothingHeld)?;
        if !step.validity.is_valid() {
            return Err(Unsignable::Invalid { step: step.step });
        }
        let deployment = &manifest.deployment;
        Ok(Self {
            model: deployment.model.clone(),
            revision: deployment.revision.clone(),
            gpu: deployment.gpu.clone(),
            gpus_serving: deployment.gpus_serving,
            simulated: deployment.simulated,
            promise: manifest.promise.name.clone(),
            lambda: lambda.rate,
            first_broken: lambda.first_broken,
            step: lambda.step,
            goodput: at.goodput,
            raw: at.raw,
            daily: at.daily,
            standing: at.standing,
            input_daily: at.input_daily,
            input_reused_daily: at.input_reused_daily.value().copied(),
            promises: promises(step, &manifest.promise),
            steps: capacity.steps.iter().map(SignedStep::of).collect(),
        })
    }
}

fn promises(step: &StepJudgement, sheet: &PromiseSheet) -> Vec<SignedPromise> {
    let promises = step.promises.iter();
    promises
        .map(|promise| SignedPromise {
            kind: promise.kind,
            tier: promise.tier.and_then(|tier| sheet.tiers.get(tier)).map(|tier| tier.name.clone()),
            signed: promise.signed,
            verdict: promise.verdict,
            good_of_n: promise.evidence.value().map(|evidence| (evidence.good, evidence.n)),
        })
        .collect()
}

impl SignedStep {
    fn of(step: &StepJudgement) -> Self {
        Self {
            step: step.step,
            kind: step.kind,
            offered: step.offered,
            valid: step.validity.is_valid(),
            verdict: step.verdict,
            screen: step.screen,
            goodput: step.flow.goodput.value().copied(),
        }
    }
}

/// One number that does not recompute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which, as a path such as `steps/2/goodput`.
    pub what: String,
    /// As it was signed.
    pub signed: String,
    /// As the raw records give it.
    pub recomputed: String,
}

/// Every signed number that the raw records do not give again.
#[must_use]
pub fn differences(signed: &SignedNumbers, recomputed: &SignedNumbers) -> Vec<Difference> {
    let mut found = Vec::new();
    let json = |numbers| serde_json::to_value(numbers).unwrap_or_default();
    compare("", &json(signed), &json(recomputed), &mut found);
    found
}

fn compare(path: &str, signed: &Value, recomputed: &Value, found: &mut Vec<Difference>) {
    let below = |name: &str| {
        if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
    };
    match (signed, recomputed) {
        (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
            for (name, value) in left {
                let other = right.get(name).unwrap_or(&Value::Null);
                compare(&below(name), value, other, found);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (value, other)) in left.iter().zip(right).enumerate() {
                compare(&below(&index.to_string()), value, other, found);
            }
        }
        _ if same(signed, recomputed) => {}
        _ => found.push(Difference {
            what: path.to_owned(),
            signed: shown(signed),
            recomputed: shown(recomputed),
        }),
    }
}

fn same(left: &Value, right: &Value) -> bool {
    if left == right {
        return true;
    }
    // Counts are compared exactly, above; only what was divided may differ by rounding.
    match (left, right) {
        (Value::Number(left), Value::Number(right)) if left.is_f64() && right.is_f64() => {
            let (left, right) = (left.as_f64(), right.as_f64());
            left.zip(right).is_some_and(|(left, right)| {
                (left - right).abs() <= TOLERANCE * left.abs().max(right.abs())
            })
        }
        _ => false,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(values) => format!("{} entries", values.len()),
        Value::Object(_) => "an entry".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
