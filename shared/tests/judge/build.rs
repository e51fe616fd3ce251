//! Steps, requests and scrapes for the tests of the judge.

use std::collections::BTreeMap;

use tokencap_shared::bundle::{Bundle, FORMAT_VERSION, Manifest};
use tokencap_shared::definitions::deployment::{Deployment, Parallelism};
use tokencap_shared::definitions::judge::{Dependence, Evidence, Gaps, StepJudgement, judge_step};
use tokencap_shared::definitions::origin::Origin;
use tokencap_shared::definitions::promise::{
    Fields, GapQuantile, ItlRule, PromiseKind, PromiseSheet, Target, Tier, VerdictMode,
};
use tokencap_shared::definitions::record::{FailureKind, GapSummary, Outcome, Request};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::definitions::telemetry::{Labels, Metric, Sample};
use tokencap_shared::definitions::workload::{Length, Shape, Think, Workload};
use tokencap_shared::units::{Moment, Nanos, Rate, Share};

pub(crate) const SECOND: u64 = 1_000_000_000;
pub(crate) const FAILED: Outcome = Outcome::Failed(FailureKind::ServerError);

pub(crate) fn share(value: f64) -> Share {
    Share::new(value).expect("a share")
}

pub(crate) fn rate(value: f64) -> Rate {
    Rate::new(value).expect("a rate")
}

/// One tier 1–1000, another to 10,000; attainment 0.99, success 0.99; queue watched.
pub(crate) fn sheet() -> PromiseSheet {
    let tier = |name: &str, isl_min, isl_max, ttft| Tier {
        name: name.to_owned(),
        isl_min,
        isl_max,
        ttft: Nanos::from_millis(ttft),
        tpot: Nanos::from_millis(40),
    };
    PromiseSheet::try_from(Fields {
        name: "test".to_owned(),
        note: String::new(),
        itl: Nanos::from_millis(100),
        itl_rule: ItlRule::GapShare { q: GapQuantile::P99, stall: Nanos::from_secs(1) },
        queue: Nanos::from_millis(300),
        success: Target::try_from(0.99).expect("a target"),
        attainment: Target::try_from(0.99).expect("a target"),
        confidence: share(0.95),
        mode: VerdictMode::Confidence,
        watched: vec![PromiseKind::QueueP99],
        sign_off: Vec::new(),
        tiers: vec![tier("S", 1, 1000, 500), tier("L", 1001, 10_000, 2000)],
    })
    .expect("a sheet")
}

/// The sheet with some fields changed.
pub(crate) fn sheet_with(change: impl FnOnce(&mut Fields)) -> PromiseSheet {
    let mut fields = Fields::from(sheet());
    change(&mut fields);
    PromiseSheet::try_from(fields).expect("a sheet")
}

pub(crate) fn workload() -> Workload {
    Workload::mix("test", Vec::new())
}

pub(crate) fn sessions(steps: u32) -> Workload {
    let fixed = Length::Fixed { tokens: 10 };
    let think = Think { mean_ns: Nanos(0), cv: 0.0 };
    let (new_tokens, output_tokens) = (fixed, fixed);
    let shape = Shape::Sessions { shared_prefix: 0, steps, new_tokens, output_tokens, think };
    Workload { shape, ..workload() }
}

/// A step with the window [10 s, 10 s + length).
pub(crate) fn step(id: u32, kind: StepKind, length: u64) -> Step {
    Step {
        id,
        kind,
        asked: rate(1.0),
        seed: 1,
        start: Moment(0),
        w0: Moment(10 * SECOND),
        w1: Moment((10 + length) * SECOND),
        end: Moment((11 + length) * SECOND),
        scheduled: 0,
        generator: GeneratorEvidence::default(),
        stopped: None,
        abandoned: None,
    }
}

/// A quick answer of ten tokens, sent at `sent` nanoseconds.
pub(crate) fn request(step: u32, sent: u64) -> Request {
    let ms = 1_000_000;
    Request {
        step,
        session: 0,
        turn: 0,
        intended: Moment(sent),
        sent: Moment(sent),
        first_token: Some(Moment(sent + 100 * ms)),
        last_token: Some(Moment(sent + 190 * ms)),
        end: Moment(sent + 191 * ms),
        isl: Some(if (sent / 1000).is_multiple_of(2) { 500 } else { 5000 }),
        osl: Some(10),
        cached: Some(100),
        queue: None,
        events: 10,
        gaps: GapSummary::of(&mut [Nanos(10 * ms); 9]),
        outcome: Outcome::Completed,
        status: Some(200),
        error: None,
    }
}

/// The same, as an instant failure.
pub(crate) fn failure(step: u32, sent: u64) -> Request {
    Request {
        first_token: None,
        last_token: None,
        end: Moment(sent + 1_000_000),
        osl: None,
        cached: None,
        events: 0,
        gaps: None,
        outcome: FAILED,
        status: Some(500),
        ..request(step, sent)
    }
}

/// `n` quick answers, equally spaced over the step's window, tiers in turn; the step says it
/// scheduled as many.
pub(crate) fn quick(step: &mut Step, n: u64) -> Vec<Request> {
    let length = step.w1.0 - step.w0.0;
    step.scheduled = n;
    let at = |i: u64| step.w0.0 + (u128::from(length) * u128::from(i) / u128::from(n)) as u64;
    (0..n).map(|i| request(step.id, at(i) / 2000 * 2000 + 1000 * (i % 2))).collect()
}

pub(crate) fn judge(step: &Step, requests: &[Request], telemetry: &[Sample]) -> StepJudgement {
    judge_under(step, requests, telemetry, &sheet(), &workload())
}

pub(crate) fn judge_under(
    step: &Step,
    requests: &[Request],
    telemetry: &[Sample],
    sheet: &PromiseSheet,
    workload: &Workload,
) -> StepJudgement {
    let gaps = exact_gaps(requests);
    let evidence = Evidence { step, requests, gaps: Gaps::Exact(&gaps), telemetry };
    judge_step(evidence, sheet, workload, Dependence::Estimated)
}

/// Equal gaps that fill each request's streaming time.
pub(crate) fn exact_gaps(requests: &[Request]) -> Vec<Vec<Nanos>> {
    let of = |request: &Request| {
        let m = request.gap_count() as usize;
        let gap = request.streaming_time().unwrap_or_default().0 / (m as u64).max(1);
        vec![Nanos(gap); m]
    };
    requests.iter().map(of).collect()
}

pub(crate) fn sample(seconds: f64, metric: Metric, labels: &str, value: f64) -> Sample {
    Sample {
        time: Moment((seconds * 1e9) as u64),
        source: "a".to_owned(),
        metric,
        labels: labels_of(labels),
        value,
    }
}

/// Labels of the form `name=value,name=value`.
pub(crate) fn labels_of(text: &str) -> Labels {
    let pair = |pair: &str| pair.split_once('=').map(|(name, value)| (name.into(), value.into()));
    Labels::new(text.split(',').filter_map(pair).collect())
}

pub(crate) fn deployment(gpus_serving: u32, gpus_provisioned: u32) -> Deployment {
    Deployment {
        model: "m".to_owned(),
        revision: "r1".to_owned(),
        engine: "e".to_owned(),
        engine_version: String::new(),
        gpu: "G".to_owned(),
        gpus_serving,
        gpus_provisioned,
        parallelism: Parallelism::default(),
        quantisation: String::new(),
        kv_cache_dtype: String::new(),
        prefix_cache: String::new(),
        speculative: String::new(),
        server_args: String::new(),
        simulated: false,
    }
}

pub(crate) fn bundle(steps: Vec<Step>, requests: Vec<Request>, telemetry: Vec<Sample>) -> Bundle {
    let promise = sheet();
    let mut gaps = BTreeMap::new();
    for request in &requests {
        let Some(step) = steps.iter().find(|step| step.id == request.step) else { continue };
        let member = step.w0 <= request.sent && request.sent < step.w1;
        let (Some(tier), true) = (promise.tier_of(request.isl), member) else { continue };
        if request.outcome.is_valid() {
            let histogram = gaps.entry((step.id, tier)).or_insert_with(|| {
                tokencap_shared::definitions::record::GapHistogram::new(3).expect("three digits")
            });
            for gap in &exact_gaps(&[*request])[0] {
                histogram.record(gap.0).expect("resizes");
            }
        }
    }
    Bundle {
        manifest: Manifest {
            format: FORMAT_VERSION,
            definitions: tokencap_shared::DEFINITIONS_VERSION,
            tool: "test".to_owned(),
            run: "0".repeat(32),
            started: "2026-11-29T00:00:00Z".to_owned(),
            deployment: deployment(4, 5),
            promise,
            workload: workload(),
            steps,
            origin: Origin::Measured,
            calendar: None,
            environment: BTreeMap::new(),
            warnings: Vec::new(),
            members: BTreeMap::new(),
        },
        requests,
        errors: Vec::new(),
        gaps,
        telemetry,
        signoffs: BTreeMap::new(),
    }
}
