//! Imported records under a promise sheet: the same judgement as for measured ones, as far as the
//! records reach.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::File;
use super::run::{AskedRate, Records, Run};
use crate::bundle::{Bundle, FORMAT_VERSION, Manifest};
use crate::definitions::deployment::Deployment;
use crate::definitions::judge::{
    Counts, Dependence, Evidence, Gaps, PromiseVerdict, TierFigures, Verdict, judge_step,
};
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::note::Note;
use crate::definitions::origin::Origin;
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::GapHistogram;
use crate::definitions::step::{GeneratorEvidence, Step, StepKind};
use crate::definitions::workload::Workload;
use crate::units::{Moment, Nanos, Rate, TokenRate};

/// What the records of one imported result prove under a promise sheet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// How many of each sort.
    pub counts: Counts,
    /// Latencies and compliance by tier.
    pub tiers: Vec<TierFigures>,
    /// Every promise. Without times of sending the dependence between requests is unknown, and
    /// no verdict is better than `insufficient`; the point estimates stand in `screen`.
    pub promises: Vec<PromiseVerdict>,
    /// All signed promises by their point estimates.
    pub screen: Verdict,
    /// Output tokens of compliant requests over the tool's own duration, which is first sent to
    /// last ended in the tools that have records.
    pub goodput: Measured<TokenRate>,
    /// Whether the times of sending are known.
    pub timed: bool,
}

/// Judges the records of an imported result. `None` without records.
#[must_use]
pub fn judge(run: &Run, sheet: &PromiseSheet) -> Option<Judged> {
    let records = run.records.as_ref()?;
    let step = step(run, records);
    let gaps = records.gaps.as_deref().map_or(Gaps::None, Gaps::Exact);
    let evidence = Evidence { step: &step, requests: &records.requests, gaps, telemetry: &[] };
    let judged = judge_step(evidence, sheet, &workload(), Dependence::Estimated);
    let duration = run.duration.clone();
    let compliant = judged.flow.compliant_tokens;
    let goodput = duration.and_then(|duration| {
        let goodput = TokenRate::new(compliant as f64 / duration.get()).ok();
        Measured::of(goodput, Missing::NoRequests)
    });
    let mut promises = judged.promises;
    if !records.sent_known {
        for promise in &mut promises {
            if matches!(promise.verdict, Verdict::Held | Verdict::Broken) {
                promise.verdict = Verdict::Insufficient;
            }
        }
    }
    Some(Judged {
        counts: judged.counts,
        tiers: judged.tiers,
        promises,
        screen: judged.screen,
        goodput,
        timed: records.sent_known,
    })
}

/// Every result that can be judged by a promise sheet, with its judgement.
#[must_use]
pub fn judge_all<'a>(runs: &'a [Run], sheet: &PromiseSheet) -> Vec<(&'a Run, Judged)> {
    runs.iter().filter_map(|run| Some((run, judge(run, sheet)?))).collect()
}

/// A bundle of all those results whose records say when each request was sent: a sweep, judged and
/// shown like a measured one. `None` if there is no such result.
///
/// What the client knew of itself is unknown, so the bundle says that it was imported, and is
/// never signed. Its run is the `files` that it was made of: the same files are the same run.
#[must_use]
pub fn to_bundle(runs: &[Run], sheet: &PromiseSheet, files: &[File<'_>]) -> Option<Bundle> {
    let timed = |run: &&Run| run.records.as_ref().is_some_and(|records| records.sent_known);
    let runs: Vec<&Run> = runs.iter().filter(timed).collect();
    let first = runs.first()?;
    let mut tools: Vec<&str> = runs.iter().map(|run| run.tool.name()).collect();
    tools.sort_unstable();
    tools.dedup();
    let mut bundle = Bundle::of(Manifest {
        format: FORMAT_VERSION,
        definitions: crate::DEFINITIONS_VERSION,
        tool: crate::TOOL.to_owned(),
        run: identity(files),
        started: String::new(),
        deployment: deployment(first),
        promise: sheet.clone(),
        workload: workload(),
        steps: Vec::new(),
        origin: Origin::Imported { tools: tools.into_iter().map(str::to_owned).collect() },
        calendar: None,
        environment: BTreeMap::new(),
        warnings: vec![Note::Imported],
        members: BTreeMap::new(),
    });
    let mut offset = Nanos(0);
    for (id, run) in (0..).zip(runs) {
        let Some(records) = &run.records else { continue };
        offset = add(&mut bundle, id, run, records, offset);
    }
    Some(bundle)
}

/// Digest of the files, to 32 hexadecimal digits.
fn identity(files: &[File<'_>]) -> String {
    let mut hasher = Sha256::new();
    for file in files {
        hasher.update(file.bytes);
    }
    base16ct::lower::encode_string(&hasher.finalize()[..16])
}

/// Adds one result as a step; returns where the next one starts.
fn add(bundle: &mut Bundle, id: u32, run: &Run, records: &Records, offset: Nanos) -> Nanos {
    let step = step(run, records);
    let shift = |at: Moment| at + offset;
    let errors = bundle.errors.len() as u32;
    bundle.errors.extend(records.errors.iter().cloned());
    for (index, request) in records.requests.iter().enumerate() {
        let tier = bundle.manifest.promise.tier_of(request.isl);
        let gaps = records.gaps.as_ref().and_then(|gaps| gaps.get(index));
        if let (Some(tier), Some(gaps), true) = (tier, gaps, request.outcome.is_valid())
            && let Some(histogram) = histogram(bundle, (id, tier))
        {
            for gap in gaps {
                histogram.saturating_record(gap.0);
            }
        }
        bundle.requests.push(crate::definitions::record::Request {
            step: id,
            intended: shift(request.intended),
            sent: shift(request.sent),
            first_token: request.first_token.map(shift),
            last_token: request.last_token.map(shift),
            end: shift(request.end),
            error: request.error.map(|error| error + errors),
            ..*request
        });
    }
    let end = shift(step.end);
    bundle.manifest.steps.push(Step {
        id,
        start: shift(step.start),
        w0: shift(step.w0),
        w1: shift(step.w1),
        end,
        ..step
    });
    Nanos(end.0) + Nanos::from_secs(1)
}

fn histogram(bundle: &mut Bundle, key: (u32, usize)) -> Option<&mut GapHistogram> {
    use std::collections::btree_map::Entry;
    match bundle.gaps.entry(key) {
        Entry::Occupied(found) => Some(found.into_mut()),
        // Three digits are always accepted.
        Entry::Vacant(place) => GapHistogram::new(3).ok().map(|histogram| place.insert(histogram)),
    }
}

/// The step that an imported result stands for: everything that was sent is its window.
fn step(run: &Run, records: &Records) -> Step {
    let sent = || records.requests.iter().map(|request| request.sent);
    let first = sent().min().unwrap_or_default();
    let last = sent().max().unwrap_or_default() + Nanos(1);
    let end = records.requests.iter().map(|request| request.end).max().unwrap_or_default();
    let asked = match run.load.rate {
        Some(AskedRate::Finite(rate)) => Some(rate),
        _ => run.rate.value().copied(),
    };
    Step {
        id: 0,
        kind: if run.load.is_closed() { StepKind::Closed } else { StepKind::Probe },
        asked: asked.unwrap_or(Rate::ZERO),
        seed: 0,
        start: Moment(0),
        w0: first,
        w1: last,
        end: end.max(last),
        scheduled: records.requests.len() as u64,
        generator: GeneratorEvidence::default(),
        stopped: None,
        abandoned: None,
    }
}

fn deployment(run: &Run) -> Deployment {
    let text = |value: &Measured<String>| value.value().cloned().unwrap_or_default();
    // 0 GPUs: not declared, and no figure per GPU.
    let gpus = run.gpus.value().copied().unwrap_or(0);
    Deployment {
        model: text(&run.model),
        revision: String::new(),
        engine: String::new(),
        engine_version: String::new(),
        gpu: text(&run.gpu),
        gpus_serving: gpus,
        gpus_provisioned: gpus,
        parallelism: crate::definitions::deployment::Parallelism::default(),
        quantisation: String::new(),
        kv_cache_dtype: String::new(),
        prefix_cache: String::new(),
        speculative: String::new(),
        server_args: String::new(),
        simulated: false,
    }
}

/// Nobody declared one.
fn workload() -> Workload {
    Workload::mix("imported", Vec::new())
}
