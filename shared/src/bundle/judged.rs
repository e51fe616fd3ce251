//! What the records of a bundle prove: the judgement of its steps, and the capacity that they make.

use super::Bundle;
use crate::definitions::capacity::{Capacity, of_steps};
use crate::definitions::judge::{Dependence, Evidence, Gaps, StepJudgement, judge_step};
use crate::definitions::promise::PromiseSheet;
use crate::definitions::step::Step;

/// Judges a bundle under the promise sheet it was measured for.
#[must_use]
pub fn of_bundle(bundle: &Bundle) -> Capacity {
    of_bundle_under(bundle, &bundle.manifest.promise)
}

/// Judges the same records under another promise sheet: other limits, tiers, ITL rule,
/// confidence. What differs from the bundle's own sheet is a scenario, not signed.
#[must_use]
pub fn of_bundle_under(bundle: &Bundle, sheet: &PromiseSheet) -> Capacity {
    let manifest = &bundle.manifest;
    let steps = manifest.steps.iter().map(|step| of_step(bundle, step, sheet)).collect();
    of_steps(steps, sheet, manifest.deployment.gpus_serving)
}

/// Judges one step of a bundle under a promise sheet: a slice of [`of_bundle_under`], for a page
/// that must answer its reader between two of them. Its requests are found by halving, since
/// they stand in the order of steps.
#[must_use]
pub fn of_step(bundle: &Bundle, step: &Step, sheet: &PromiseSheet) -> StepJudgement {
    let manifest = &bundle.manifest;
    let gaps = Gaps::Recorded { tiers: &manifest.promise.tiers, histograms: &bundle.gaps };
    let all = &bundle.requests;
    let from = all.partition_point(|request| request.step < step.id);
    let to = all.partition_point(|request| request.step <= step.id);
    let requests = all.get(from..to).unwrap_or_default();
    let evidence = Evidence { step, requests, gaps, telemetry: &bundle.telemetry };
    judge_step(evidence, sheet, &manifest.workload, Dependence::Estimated)
}
