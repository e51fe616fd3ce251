//! Bundles made up for tests: consistent, of every outcome, with every value missing somewhere.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tokencap_shared::bundle::{Bundle, FORMAT_VERSION, Manifest};
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::record::{GapHistogram, GapSummary, Outcome, Request};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::definitions::telemetry::{Labels, Metric, Sample};
use tokencap_shared::units::{Moment, Nanos, Rate, Share};

pub(crate) const STEP_SECS: u64 = 100;

pub(crate) fn manifest(steps: u32) -> Manifest {
    let json = serde_json::json!({
        "format": FORMAT_VERSION,
        "definitions": tokencap_shared::DEFINITIONS_VERSION,
        "tool": "tokencap 0.1.0",
        "run": "00112233445566778899aabbccddeeff",
        "started": "2026-11-29T10:00:00Z",
        "deployment": {
            "model": "m", "engine": "vllm", "gpu": "H200-141GB",
            "gpus_serving": 8, "gpus_provisioned": 9,
        },
        "promise": {
            "name": "t", "itl_ms": 100, "queue_ms": 300, "success": 0.9995, "attainment": 0.99,
            "itl_rule": {"rule": "gap_share", "q": 0.99, "stall_ms": 1000},
            "tiers": [
                {"name": "S", "isl_min": 1, "isl_max": 1000, "ttft_ms": 500, "tpot_ms": 40},
                {"name": "L", "isl_min": 1001, "isl_max": 9000, "ttft_ms": 900, "tpot_ms": 40},
            ],
        },
        "workload": {
            "name": "w",
            "shape": {"kind": "mix", "classes": [{
                "weight": 1.0,
                "isl": {"dist": "fixed", "tokens": 100},
                "osl": {"dist": "uniform", "min": 1, "max": 9},
            }]},
        },
        "steps": [],
        "environment": {"cpu": "16 × 某处理器"},
        "warnings": [
            {"kind": "resumed", "steps": 2},
            {"kind": "of_a_newer_tool", "figure": 1.5, "says": "something else"},
        ],
        "origin": {"kind": "shard", "index": 1, "of": 2},
        "calendar": {"zero_unix_ns": 1_795_000_000_000_000_000_i64},
        "members": {},
    });
    let mut manifest: Manifest = serde_json::from_value(json).expect("a valid manifest");
    manifest.steps = (0..steps).map(step).collect();
    manifest
}

fn step(id: u32) -> Step {
    let at = |secs: u64| Moment(0) + Nanos::from_secs(u64::from(id) * STEP_SECS + secs);
    Step {
        id,
        kind: [StepKind::Probe, StepKind::Confirm, StepKind::Soak][id as usize % 3],
        asked: Rate::new(f64::from(id) * 1.1 + 0.1).expect("valid"),
        seed: u64::MAX - u64::from(id),
        start: at(0),
        w0: at(10),
        w1: at(60),
        end: at(90),
        scheduled: 50,
        generator: GeneratorEvidence {
            cpu_busiest: Some(Share::new(0.1 + 0.2).expect("valid")),
            ..GeneratorEvidence::default()
        },
        stopped: (id == 1).then(|| Note::sentence("too slow")),
        abandoned: (id == 2).then(|| "hopeless".to_owned()),
    }
}

/// Error texts of every bundle; requests point to some of them.
pub(crate) const ERRORS: [&str; 3] = ["connection reset", "模型过载", ""];

fn request(steps: u32) -> impl Strategy<Value = Request> {
    let outcomes: Vec<Outcome> = Outcome::all().collect();
    let times = (0..STEP_SECS * 500_000_000, 0..1_000_000_u64, 0..5_000_000_000_u64);
    let gaps = prop::collection::vec(0..3_000_000_000_u64, 0..6);
    let tokens = (prop::option::of(0..9000_u32), prop::option::of(any::<u32>()), any::<u32>());
    let rest = (
        prop::sample::select(outcomes),
        prop::option::of(any::<u16>()),
        prop::option::of(0..ERRORS.len() as u32),
        prop::option::of(0..=i64::MAX.cast_unsigned()),
    );
    let place = (0..steps, any::<u32>(), any::<u32>());
    (place, times, any::<bool>(), gaps, tokens, rest).prop_map(
        |(place, (at, lag, wait), output, gaps, (isl, osl, cached), rest)| {
            let (outcome, status, error, queue) = rest;
            let intended = Moment(u64::from(place.0) * STEP_SECS * 1_000_000_000 + at);
            let sent = intended + Nanos(lag);
            let first = output.then_some(sent + Nanos(wait));
            let mut gaps: Vec<Nanos> = gaps.into_iter().filter(|_| output).map(Nanos).collect();
            let last = first.map(|first| first + gaps.iter().copied().sum());
            Request {
                step: place.0,
                session: place.1,
                turn: place.2,
                intended,
                sent,
                first_token: first,
                last_token: last,
                end: last.unwrap_or(sent) + Nanos(lag),
                isl,
                osl,
                cached: isl.map(|isl| cached % (isl + 1)),
                queue: queue.map(Nanos),
                events: if output { gaps.len() as u32 + 1 } else { 0 },
                gaps: GapSummary::of(&mut gaps),
                outcome,
                status,
                error,
            }
        },
    )
}

fn labels() -> impl Strategy<Value = Labels> {
    prop::collection::btree_map("[a-z]{0,3}", ".{0,9}", 0..3)
        .prop_map(|labels| Labels::new(labels.into_iter().collect()))
}

fn sample() -> impl Strategy<Value = Sample> {
    (any::<u32>(), "[a-z]{0,3}", prop::sample::select(&Metric::ALL[..]), labels(), -1e300..1e300)
        .prop_map(|(time, source, metric, labels, value)| Sample {
            time: Moment(time.into()),
            source,
            metric,
            labels,
            value,
        })
}

fn histogram() -> impl Strategy<Value = GapHistogram> {
    prop::collection::vec((0..20_000_000_000_u64, 1..1_000_u64), 0..30).prop_map(|values| {
        let mut histogram = GapHistogram::new(3).expect("3 digits are accepted");
        for (value, count) in values {
            histogram.record_n(value, count).expect("it grows");
        }
        histogram
    })
}

/// Any bundle, with rows in the order that they are written in.
pub(crate) fn bundle() -> impl Strategy<Value = Bundle> {
    (1..5_u32).prop_flat_map(|steps| {
        (
            prop::collection::vec(request(steps), 0..60),
            prop::collection::vec(sample(), 0..40),
            prop::collection::btree_map((0..steps, 0..2_usize), histogram(), 0..4),
            prop::collection::btree_map("[a-z0-9]{1,9}\\.dsse\\.json", ".{0,40}", 0..3),
        )
            .prop_map(move |(mut requests, mut telemetry, gaps, signoffs)| {
                requests.sort_by_key(|request| (request.step, request.sent));
                telemetry.sort_by_key(|sample| sample.time);
                Bundle {
                    manifest: manifest(steps),
                    requests,
                    errors: ERRORS.map(str::to_owned).into(),
                    gaps,
                    telemetry,
                    signoffs,
                }
            })
    })
}

/// A small bundle of one step with three requests.
pub(crate) fn small() -> Bundle {
    let at = |millis| Moment(0) + Nanos::from_millis(millis);
    let request = |sent: u64| {
        let mut gaps = [Nanos::from_millis(30), Nanos::from_millis(20)];
        Request {
            step: 0,
            session: sent as u32,
            turn: 0,
            intended: at(sent),
            sent: at(sent),
            first_token: Some(at(sent + 100)),
            last_token: Some(at(sent + 150)),
            end: at(sent + 151),
            isl: Some(100),
            osl: Some(3),
            cached: Some(64),
            queue: None,
            events: 3,
            gaps: GapSummary::of(&mut gaps),
            outcome: Outcome::Completed,
            status: Some(200),
            error: None,
        }
    };
    let mut gaps = GapHistogram::new(3).expect("3 digits are accepted");
    gaps.record_n(30_000_000, 3).expect("it grows");
    Bundle {
        manifest: manifest(1),
        requests: [11_000, 12_000, 13_000].map(request).into(),
        errors: vec!["connection reset".to_owned()],
        gaps: BTreeMap::from([((0, 0), gaps)]),
        telemetry: vec![Sample {
            time: at(11_000),
            source: "engine".to_owned(),
            metric: Metric::Running,
            labels: Labels::default(),
            value: 2.0,
        }],
        signoffs: BTreeMap::new(),
    }
}
