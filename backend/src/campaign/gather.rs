//! Puts what a step left behind into the bundle of its run.

use std::collections::HashMap;

use tokencap_shared::bundle::Bundle;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::step::Step;
use tokencap_shared::definitions::telemetry::Sample;
use tokencap_shared::definitions::window::settles_late;

use crate::step::StepRecord;

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

/// What a reader should know of steps that had not settled when their window began.
///
/// Truncation in retrospect would cut the livelier part off windows that were steady from their
/// start, now and then a third of them, and what is left would look better than the cluster is. So
/// the window stays as it was declared, and the reader is told.
pub(super) fn unsettled(bundle: &Bundle) -> impl Iterator<Item = Note> {
    let is_whole = |step: &&Step| step.stopped.is_none() && step.abandoned.is_none();
    bundle.manifest.steps.iter().filter(is_whole).filter_map(|step| {
        let late = settles_late(step, &bundle.requests)?;
        Some(Note::SettledLate { step: step.id, seconds: late.seconds().get() })
    })
}

#[cfg(test)]
mod tests {
    use tokencap_shared::definitions::record::Request;
    use tokencap_shared::fixture;
    use tokencap_shared::units::{Moment, Nanos};

    use super::*;

    #[test]
    fn a_step_that_settled_late_is_told_and_one_that_was_steady_is_not() {
        let mut bundle = fixture::bundle();
        let told = |bundle: &Bundle| {
            unsettled(bundle).find_map(|note| match note {
                Note::SettledLate { step: 0, seconds } => Some(seconds),
                _ => None,
            })
        };
        assert_eq!(told(&bundle), None);
        let step = bundle.manifest.steps[0].clone();
        let until = Moment(step.w0.0 + (step.w1.0 - step.w0.0) / 3);
        let early = |request: &&mut Request| request.step == step.id && request.sent < until;
        for request in bundle.requests.iter_mut().filter(early) {
            // As if the cache had been cold.
            request.first_token = Some(request.sent + Nanos::from_secs(2));
        }
        let (late, window) = (told(&bundle).unwrap(), step.w1.since(step.w0).seconds().get());
        assert!(0.0 < late && late < window, "{late} s of {window} s");
    }
}
