//! A small bundle for tests: a toy server with one queue, as an exact recurrence.
//!
//! Deterministic to the bit; never part of a product build.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::bundle::{Bundle, FORMAT_VERSION, Manifest};
use crate::definitions::deployment::Deployment;
use crate::definitions::origin::Origin;
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::{FailureKind, GapSummary, Outcome, Request};
use crate::definitions::step::{GeneratorEvidence, Step, StepKind};
use crate::definitions::telemetry::{Labels, Metric, Sample};
use crate::units::{Moment, Nanos, Rate, Share};

const MILLI: f64 = 1e6;
const SECOND: u64 = 1_000_000_000;
/// Warm-up before and tail after each window.
const MARGIN: u64 = 10 * SECOND;
/// Between the starts of two steps' margins.
const PAUSE: u64 = 5 * SECOND;

/// One step of the toy run.
struct Load {
    kind: StepKind,
    rate: f64,
    window: u64,
    /// How late the generator was, in milliseconds.
    lag: f64,
}

/// A multiplicative congruential generator: enough for a toy, the same everywhere.
struct Dice(u64);

impl Dice {
    /// Uniform in (0, 1).
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
}

/// The promise sheet of the toy run.
///
/// # Panics
/// Never: the text is valid.
#[must_use]
pub fn sheet() -> PromiseSheet {
    serde_json::from_value(serde_json::json!({
        "name": "toy", "itl_ms": 100,
        "itl_rule": {"rule": "gap_share", "q": 0.99, "stall_ms": 1000},
        "queue_ms": 300, "success": 0.99, "attainment": 0.95, "watched": ["queue_p99"],
        "tiers": [
            {"name": "≤1k", "isl_min": 1, "isl_max": 1024, "ttft_ms": 500, "tpot_ms": 40},
            {"name": "1k–4k", "isl_min": 1025, "isl_max": 4096, "ttft_ms": 1000, "tpot_ms": 40}
        ]
    }))
    .expect("the toy sheet is valid")
}

/// The toy run as a bundle: five probes, a confirmation run, and a step that its generator
/// spoiled.
///
/// # Panics
/// Never: its numbers are valid.
#[must_use]
pub fn bundle() -> Bundle {
    let probe = |rate| Load { kind: StepKind::Probe, rate, window: 150 * SECOND, lag: 0.2 };
    let loads = [
        probe(2.0),
        probe(4.0),
        probe(8.0),
        probe(12.0),
        Load { lag: 40.0, ..probe(5.0) },
        probe(6.0),
        Load { kind: StepKind::Confirm, window: 900 * SECOND, ..probe(3.0) },
    ];
    let mut bundle = Bundle::of(manifest());
    bundle.errors.push("server overloaded".to_owned());
    let mut start = 0;
    for (id, load) in (0..).zip(loads) {
        start = run(&mut bundle, id, &load, start) + PAUSE;
    }
    bundle
}

fn manifest() -> Manifest {
    let workload = serde_json::json!({
        "name": "toy", "shape": {"kind": "mix", "classes": [
            {"weight": 3.0, "isl": {"dist": "uniform", "min": 200, "max": 1000},
             "osl": {"dist": "uniform", "min": 50, "max": 150}},
            {"weight": 1.0, "isl": {"dist": "uniform", "min": 1100, "max": 4000},
             "osl": {"dist": "uniform", "min": 50, "max": 150}}]}
    });
    Manifest {
        format: FORMAT_VERSION,
        definitions: crate::DEFINITIONS_VERSION,
        tool: "tokencap 0.1.0".to_owned(),
        run: "0123456789abcdef0123456789abcdef".to_owned(),
        started: "2026-11-29T16:04:00Z".to_owned(),
        deployment: Deployment {
            model: "toy-7b".to_owned(),
            revision: "r1".to_owned(),
            engine: "toyengine".to_owned(),
            engine_version: "1.0".to_owned(),
            gpu: "H200-141GB".to_owned(),
            gpus_serving: 2,
            gpus_provisioned: 2,
            parallelism: crate::definitions::deployment::Parallelism {
                replicas: 2,
                ..Default::default()
            },
            quantisation: "fp8".to_owned(),
            kv_cache_dtype: String::new(),
            prefix_cache: String::new(),
            speculative: String::new(),
            server_args: String::new(),
            simulated: true,
        },
        promise: sheet(),
        workload: serde_json::from_value(workload).expect("the toy workload is valid"),
        steps: Vec::new(),
        origin: Origin::Measured,
        calendar: None,
        environment: BTreeMap::new(),
        warnings: Vec::new(),
        members: BTreeMap::new(),
    }
}

/// Adds a step that starts at `start`; returns when it ended.
fn run(bundle: &mut Bundle, id: u32, load: &Load, start: u64) -> u64 {
    let mut dice = Dice(u64::from(id) + 7);
    let (w0, w1) = (start + MARGIN, start + MARGIN + load.window);
    let sheet = sheet();
    let (mut now, mut free) = (start as f64, 0.0_f64);
    let (mut end, mut scheduled) = (w1, 0);
    loop {
        now -= dice.roll().ln() / load.rate * 1e9;
        if now >= (w1 + MARGIN) as f64 {
            break;
        }
        let intended = now as u64;
        let sent = intended + (dice.roll() * load.lag * 2.0 * MILLI) as u64;
        let request = answer(id, intended, sent, load.rate, &mut free, &mut dice, bundle);
        let member = (w0..w1).contains(&request.sent.0);
        scheduled += u64::from(member);
        end = end.max(request.end.0);
        if member && let (Some(tier), Some(gaps)) = (sheet.tier_of(request.isl), request.gaps) {
            let histogram = bundle.gaps.entry((id, tier)).or_insert_with(|| {
                Histogram::new(3).expect("three significant digits are allowed")
            });
            let usual = u64::from(request.events).saturating_sub(2);
            let recorded = histogram.record_n(gaps.p95.0, usual);
            recorded.and(histogram.record(gaps.max.0)).expect("the histogram grows as needed");
        }
        bundle.requests.push(request);
    }
    bundle.requests.sort_by_key(|request| (request.step, request.sent));
    let busy = (load.rate / 11.0).min(1.0);
    for second in (start / SECOND)..=(end / SECOND) {
        for (metric, value) in [
            (Metric::PowerWatts, 250.0 + 400.0 * busy),
            (Metric::Running, load.rate * 3.0 + (second % 5) as f64),
            (Metric::Waiting, (load.rate - 8.0).max(0.0) * (second % 7) as f64),
            (Metric::KvUse, 0.3 + 0.5 * busy),
        ] {
            bundle.telemetry.push(Sample {
                time: Moment(second * SECOND),
                source: "toy".to_owned(),
                metric,
                labels: Labels::default(),
                value,
            });
        }
    }
    bundle.manifest.steps.push(Step {
        id,
        kind: load.kind,
        asked: Rate::new(load.rate).expect("a rate"),
        seed: 7,
        start: Moment(start),
        w0: Moment(w0),
        w1: Moment(w1),
        end: Moment(end),
        scheduled,
        generator: GeneratorEvidence {
            cpu_busiest: Share::new(0.2).ok(),
            stall_p999: Some(Nanos::from_millis(1)),
            read_lag_p99: None,
            dropped: 0,
        },
        stopped: None,
        abandoned: None,
    });
    end
}

/// One request: waits for the prefill before it, is prefilled, streams its answer. Beyond a
/// backlog of four seconds the server refuses.
fn answer(
    step: u32,
    intended: u64,
    sent: u64,
    rate: f64,
    free: &mut f64,
    dice: &mut Dice,
    bundle: &Bundle,
) -> Request {
    let isl = if dice.roll() < 0.75 {
        200.0 + dice.roll() * 800.0
    } else {
        1_100.0 + dice.roll() * 2_900.0
    };
    let cached = isl * 0.6;
    let osl = (50.0 + dice.roll() * 100.0) as u32;
    let wait = (*free - sent as f64).max(0.0);
    let refused = wait > 4e9;
    let base = Request {
        step,
        session: bundle.requests.len() as u32,
        turn: 0,
        intended: Moment(intended),
        sent: Moment(sent),
        first_token: None,
        last_token: None,
        end: Moment(sent + 2_000_000),
        isl: Some(isl as u32),
        osl: None,
        cached: None,
        queue: None,
        events: 0,
        gaps: None,
        outcome: Outcome::Failed(FailureKind::Rejected),
        status: Some(503),
        error: Some(0),
    };
    if refused {
        return base;
    }
    let prefill = (10.0 + (isl - cached) * 0.2) * MILLI;
    *free = sent as f64 + wait + prefill;
    let first = *free as u64;
    let gap = (18.0 + rate * 0.8 + dice.roll()) * MILLI;
    let worst = gap * 2.0;
    let last = first + (gap * f64::from(osl - 2) + worst) as u64;
    Request {
        first_token: Some(Moment(first)),
        last_token: Some(Moment(last)),
        end: Moment(last + 100_000),
        osl: Some(osl),
        cached: Some(cached as u32),
        queue: Some(Nanos(wait as u64)),
        events: osl,
        gaps: Some(GapSummary {
            max: Nanos(worst as u64),
            p99: Nanos(gap as u64),
            p95: Nanos(gap as u64),
        }),
        outcome: Outcome::Completed,
        status: Some(200),
        error: None,
        ..base
    }
}
