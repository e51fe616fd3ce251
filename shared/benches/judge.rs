//! How long judging takes beside one plain pass over the same records.
//!
//! A million requests, twenty steps, five tiers, in memory. The plain pass counts what complies
//! and its tokens, and nothing else: the least that any judge must read.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a benchmark tells the time"
)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use tokencap_shared::DEFINITIONS_VERSION;
use tokencap_shared::bundle::judged::of_bundle;
use tokencap_shared::bundle::{Bundle, FORMAT_VERSION, Manifest};
use tokencap_shared::definitions::deployment::{Deployment, Parallelism};
use tokencap_shared::definitions::judge::complies;
use tokencap_shared::definitions::origin::Origin;
use tokencap_shared::definitions::promise::{
    Fields, GapQuantile, ItlRule, PromiseSheet, Target, Tier, VerdictMode,
};
use tokencap_shared::definitions::record::{
    FailureKind, GapHistogram, GapSummary, Outcome, Request,
};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::{Moment, Nanos, Rate, Share};

const STEPS: u32 = 20;
const REQUESTS_A_STEP: u64 = 50_000;
const TIERS: [u32; 5] = [1_000, 4_000, 16_000, 64_000, 128_000];
const MS: u64 = 1_000_000;
const WINDOW_MS: u64 = 1_800_000;
const RUNS: usize = 7;

fn main() {
    let bundle = bundle();
    let (n, size) = (bundle.requests.len(), size_of::<Request>());
    println!("{n} requests of {size} bytes, {STEPS} steps, {} tiers", TIERS.len());
    // First of all: memory that was given back would be taken again unseen.
    if let Some(more) = peak_of(|| of_bundle(&bundle)) {
        let (more, records) = (more / 1e6, (n * size) as f64 / 1e6);
        println!(
            "memory      {more:>7.1} MB at the peak of judging, beside {records:.0} MB of records"
        );
    }
    let plain = best(|| {
        let sheet = &bundle.manifest.promise;
        bundle
            .requests
            .iter()
            .filter(|request| complies(request, sheet))
            .map(|request| u64::from(request.osl.unwrap_or(0)))
            .sum::<u64>()
    });
    let judged = best(|| of_bundle(&bundle));
    println!("plain pass  {plain:>7.1} ms");
    println!("judging     {judged:>7.1} ms, {:.1} times the plain pass", judged / plain);
}

/// The best of some runs, in milliseconds: what the work takes when nothing else disturbs it.
fn best<T>(mut work: impl FnMut() -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        black_box(work());
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    best
}

/// By how many bytes the process grows at most while it works, where the system tells.
fn peak_of<T>(work: impl FnOnce() -> T) -> Option<f64> {
    // The highest size so far is forgotten.
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    let size = |name: &str| {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_suffix(" kB"))?;
        line.trim().parse::<f64>().ok()
    };
    let before = size("VmRSS:")?;
    black_box(work());
    Some((size("VmHWM:")? - before) * 1024.0)
}

/// A mixing function: the same numbers in every run.
const fn noise(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z ^ (z >> 31)
}

fn request(step: &Step, i: u64) -> Request {
    let random = noise(i + (u64::from(step.id) << 32));
    let sent = step.w0.0 + i * (WINDOW_MS * MS / REQUESTS_A_STEP) + random % MS;
    let first = sent + (50 + random % 400) * MS + random % MS;
    let tokens = 100 + (random >> 20) as u32 % 300;
    let last = first + u64::from(tokens) * 20 * MS;
    let isl = 1 + (random >> 40) as u32 % TIERS[(random >> 10) as usize % TIERS.len()];
    let failed = random.is_multiple_of(2000);
    let gap = |ms| Nanos(ms * MS + random % MS);
    Request {
        step: step.id,
        session: 0,
        turn: 0,
        intended: Moment(sent - random % 1000),
        sent: Moment(sent),
        first_token: Some(Moment(first)),
        last_token: Some(Moment(last)),
        end: Moment(last + MS),
        isl: Some(isl),
        osl: Some(tokens),
        cached: Some(isl / 2),
        queue: Some(Nanos(random % (100 * MS))),
        events: tokens,
        gaps: Some(GapSummary { max: gap(60), p99: gap(40), p95: gap(30) }),
        outcome: if failed { Outcome::Failed(FailureKind::Timeout) } else { Outcome::Completed },
        status: Some(200),
        error: None,
    }
}

fn bundle() -> Bundle {
    let length = WINDOW_MS * MS;
    let steps: Vec<Step> = (0..STEPS)
        .map(|id| {
            let start = u64::from(id) * 2 * length;
            Step {
                id,
                kind: StepKind::Probe,
                asked: Rate::new(27.0).expect("a rate"),
                seed: 1,
                start: Moment(start),
                w0: Moment(start + MS),
                w1: Moment(start + MS + length),
                end: Moment(start + MS + length),
                scheduled: REQUESTS_A_STEP,
                generator: GeneratorEvidence::default(),
                stopped: None,
                abandoned: None,
            }
        })
        .collect();
    let promise = sheet();
    let requests: Vec<Request> =
        steps.iter().flat_map(|step| (0..REQUESTS_A_STEP).map(|i| request(step, i))).collect();
    let mut gaps = BTreeMap::new();
    for request in &requests {
        let Some(tier) = promise.tier_of(request.isl) else { continue };
        let of_tier = gaps
            .entry((request.step, tier))
            .or_insert_with(|| GapHistogram::new(3).expect("three digits"));
        of_tier.record(20 * MS + request.sent.0 % MS).expect("resizes");
    }
    let manifest = Manifest {
        format: FORMAT_VERSION,
        definitions: DEFINITIONS_VERSION,
        tool: "bench".to_owned(),
        run: "0".repeat(32),
        started: "2026-11-29T00:00:00Z".to_owned(),
        deployment: deployment(),
        promise,
        workload: Workload::mix("bench", Vec::new()),
        steps,
        origin: Origin::Measured,
        calendar: None,
        environment: BTreeMap::new(),
        warnings: Vec::new(),
        members: BTreeMap::new(),
    };
    Bundle {
        manifest,
        requests,
        errors: Vec::new(),
        gaps,
        telemetry: Vec::new(),
        signoffs: BTreeMap::new(),
    }
}

fn deployment() -> Deployment {
    Deployment {
        model: "m".to_owned(),
        revision: "r".to_owned(),
        engine: "e".to_owned(),
        engine_version: String::new(),
        gpu: "g".to_owned(),
        gpus_serving: 8,
        gpus_provisioned: 8,
        parallelism: Parallelism::default(),
        quantisation: String::new(),
        kv_cache_dtype: String::new(),
        prefix_cache: String::new(),
        speculative: String::new(),
        server_args: String::new(),
        simulated: false,
    }
}

fn sheet() -> PromiseSheet {
    let mut from = 1;
    let tiers = TIERS
        .into_iter()
        .map(|isl_max| {
            let isl_min = std::mem::replace(&mut from, isl_max + 1);
            let name = isl_max.to_string();
            Tier { name, isl_min, isl_max, ttft: Nanos(420 * MS), tpot: Nanos(40 * MS) }
        })
        .collect();
    PromiseSheet::try_from(Fields {
        name: "bench".to_owned(),
        note: String::new(),
        itl: Nanos(100 * MS),
        itl_rule: ItlRule::GapShare { q: GapQuantile::P99, stall: Nanos(1000 * MS) },
        queue: Nanos(300 * MS),
        success: Target::P99,
        attainment: Target::P99,
        confidence: Share::new(0.95).expect("a share"),
        mode: VerdictMode::Confidence,
        watched: Vec::new(),
        sign_off: Vec::new(),
        tiers,
    })
    .expect("a sheet")
}
