//! Puts what a step left behind into the bundle of its run.

use std::collections::HashMap;

use tokencap_shared::bundle::Bundle;
use tokencap_shared::telemetry::Sample;

use crate::load::step::StepRecord;

/// Adds a step's records, and the scrapes taken meanwhile.
pub(super) fn add(bundle: &mut Bundle, record: StepRecord, scrapes: Option<Vec<Sample>>) {
    let StepRecord { step, mut requests, gaps, errors } = record;
    let mut known: HashMap<String, u32> = bundle.errors.iter().cloned().zip(0..).collect();
    let ids: Vec<u32> = errors
        .into_iter()
        .map(|text| {
            *known.entry(text).or_insert_with_key(|text| {
                bundle.errors.push(text.clone());
                bundle.errors.len() as u32 - 1
            })
        })
        .collect();
    for request in &mut requests {
        request.error = request.error.map(|id| ids[id as usize]);
    }
    bundle.gaps.extend(gaps.into_iter().map(|(tier, gaps)| ((step.id, tier), gaps)));
    if bundle.requests.is_empty() {
        // A step may have a million requests: they are not copied without need.
        bundle.requests = requests;
    } else {
        bundle.requests.append(&mut requests);
    }
    bundle.manifest.steps.push(step);
    bundle.telemetry.extend(scrapes.into_iter().flatten());
}
