//! Whatever a bundle holds, judging it ends, without a panic, NaN or an infinity.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tokencap_shared::bundle::Bundle;
use tokencap_shared::bundle::judged::{of_bundle, of_bundle_under};
use tokencap_shared::definitions::compare::{Candidate, in_tokens};
use tokencap_shared::definitions::judge::{Evidence, Gaps};
use tokencap_shared::definitions::money::Economics;
use tokencap_shared::definitions::promise::{PromiseSheet, VerdictMode};
use tokencap_shared::definitions::quote::{Demand, Need, Sizing, quote};
use tokencap_shared::definitions::record::{GapSummary, Outcome, Request};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::definitions::telemetry::{Metric, Sample};
use tokencap_shared::units::{Moment, Nanos, Ratio};

use crate::build::*;
use crate::invariants;
use crate::money::prices;

/// Times at every edge: 0, around the window, 2^53, the end of the integers.
fn nanos() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0..30 * SECOND,
        1 => Just(0),
        1 => Just(1 << 53),
        1 => Just((1 << 53) + 1),
        1 => Just(u64::MAX),
        1 => any::<u64>(),
    ]
}

fn count() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![
        1 => Just(None),
        4 => (0_u32..12_000).prop_map(Some),
        1 => Just(Some(u32::MAX)),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let all: Vec<Outcome> = Outcome::all().collect();
    prop_oneof![3 => Just(Outcome::Completed), 1 => prop::sample::select(all)]
}

fn request() -> impl Strategy<Value = Request> {
    (
        (0_u32..3, 0_u32..4, 0_u32..5, nanos(), nanos()),
        (prop::option::of(nanos()), prop::option::of(nanos()), nanos()),
        (count(), count(), count(), prop::option::of(nanos()), count()),
        (prop::option::of((nanos(), nanos(), nanos())), outcome()),
    )
        .prop_map(|(ids, times, counts, (gaps, outcome))| Request {
            step: ids.0,
            session: ids.1,
            turn: ids.2,
            intended: Moment(ids.3),
            sent: Moment(ids.4),
            first_token: times.0.map(Moment),
            last_token: times.1.map(Moment),
            end: Moment(times.2),
            isl: counts.0,
            osl: counts.1,
            cached: counts.2,
            queue: counts.3.map(Nanos),
            events: counts.4.unwrap_or(0),
            gaps: gaps.map(|(a, b, c)| GapSummary { max: Nanos(a), p99: Nanos(b), p95: Nanos(c) }),
            outcome,
            status: None,
            error: None,
        })
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop::sample::select(vec![StepKind::Probe, StepKind::Confirm, StepKind::Soak]);
    (0_u32..3, kind, nanos(), nanos(), nanos(), any::<u64>(), any::<u64>()).prop_map(
        |(id, kind, start, w0, w1, scheduled, dropped)| Step {
            start: Moment(start),
            w0: Moment(w0),
            w1: Moment(w1),
            scheduled,
            generator: GeneratorEvidence { dropped, ..GeneratorEvidence::default() },
            ..crate::build::step(id, kind, 1)
        },
    )
}

fn scrape() -> impl Strategy<Value = Sample> {
    let metric = prop::sample::select(Metric::ALL.to_vec());
    let labels = prop::sample::select(vec![
        "",
        "le=0.1",
        "le=+Inf",
        "le=-1",
        "le=NaN",
        "le=1e300,gpu=0",
        ",,le",
    ]);
    let value = prop_oneof![any::<f64>(), 0.0_f64..100.0];
    (nanos(), metric, labels, value).prop_map(|(time, metric, labels, value)| Sample {
        time: Moment(time),
        source: "s".to_owned(),
        metric,
        labels: labels_of(labels),
        value,
    })
}

fn hostile() -> impl Strategy<Value = Bundle> {
    let gap = (0_u32..3, 0_usize..4, prop::collection::vec((nanos(), any::<u64>()), 0..4));
    (
        prop::collection::vec(step(), 0..4),
        prop::collection::vec(request(), 0..60),
        prop::collection::vec(scrape(), 0..60),
        prop::collection::vec(gap, 0..4),
        (any::<u32>(), any::<u32>(), any::<bool>()),
    )
        .prop_map(|(steps, requests, telemetry, gaps, (serving, provisioned, sessions))| {
            let mut histograms = BTreeMap::new();
            for (step, tier, values) in gaps {
                let mut histogram = tokencap_shared::definitions::record::GapHistogram::new(3)
                    .expect("three digits");
                for (value, count) in values {
                    let _ = histogram.record_n(value, count);
                }
                histograms.insert((step, tier), histogram);
            }
            let mut bundle = bundle(vec![], vec![], telemetry);
            bundle.manifest.steps = steps;
            bundle.manifest.deployment = deployment(serving, provisioned);
            if sessions {
                bundle.manifest.workload = crate::build::sessions(serving % 6);
            }
            bundle.requests = requests;
            bundle.requests.sort_by_key(|request| request.step);
            bundle.gaps = histograms;
            bundle
        })
}

fn need() -> impl Strategy<Value = Need> {
    let ratio = || {
        prop_oneof![0.0_f64..1e6, 0.0_f64..f64::MAX].prop_map(|v| Ratio::new(v).expect("finite"))
    };
    (ratio(), ratio(), ratio(), ratio(), ratio(), any::<u32>(), any::<u32>(), 0.0_f64..=1.0)
        .prop_map(
            |(tasks, peak_to_mean, growth, mean_isl, mean_osl, steps_per_task, max_isl, part)| {
                Need {
                    sizing: Sizing {
                        demand: Demand::TasksPerDay { tasks, peak_to_mean },
                        steps_per_task,
                        growth,
                        utilisation_ceiling: share(part),
                        spare_units: max_isl,
                    },
                    mean_isl,
                    max_isl,
                    mean_osl,
                    hit_rate: share(part),
                    valid_until: "2026-12-31".to_owned(),
                }
            },
        )
}

/// No number in it is NaN or an infinity. (JSON would hide them: it has `null` for both.)
fn finite(value: &impl std::fmt::Debug) -> bool {
    let text = format!("{value:?}");
    !text.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "NaN" | "inf"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn judging_never_panics(bundle in hostile(), need in need()) {
        let capacity = of_bundle(&bundle);
        let other: PromiseSheet = sheet_with(|fields| {
            fields.tiers[0].isl_min = 0;
            fields.tiers[1].isl_max = u32::MAX;
            fields.watched.clear();
        });
        let _ = of_bundle_under(&bundle, &other);
        let money = Economics::of(&capacity, &bundle.manifest.deployment, &prices());
        let quoted = quote(&need, &capacity, bundle.manifest.declared(), &prices());
        let side = Candidate { declared: bundle.manifest.declared(), capacity: &capacity };
        prop_assert!(in_tokens(side, side).is_ok());
        prop_assert!(finite(&capacity) && finite(&money) && finite(&quoted));
        prop_assert!(serde_json::to_value(&capacity).is_ok() && serde_json::to_value(&money).is_ok());
    }

    #[test]
    fn what_holds_of_every_judgement_holds(bundle in hostile(), point in any::<bool>()) {
        let manifest = &bundle.manifest;
        let sheet = sheet_with(|fields| {
            if point {
                fields.mode = VerdictMode::Point;
            }
        });
        for step in &manifest.steps {
            let of_step = |request: &&Request| request.step == step.id;
            let requests: Vec<Request> = bundle.requests.iter().filter(of_step).copied().collect();
            let gaps = Gaps::Recorded { tiers: &sheet.tiers, histograms: &bundle.gaps };
            let evidence =
                Evidence { step, requests: &requests, gaps, telemetry: &bundle.telemetry };
            invariants::check(evidence, &sheet, &manifest.workload);
        }
    }

    #[test]
    fn worked_examples_of_any_bytes_are_refused_not_panicked_at(bytes in ".*") {
        let _ = tokencap_shared::golden::evaluate(&bytes);
        let _ = tokencap_shared::golden::evaluate_sweep_quote(&bytes);
        let _ = tokencap_shared::golden::compare(&bytes, &bytes);
    }
}
