//! What the records of one step prove: its validity, its verdicts, its figures.
//!
//! [`judge_step`] makes one pass over the step's requests, in which everything is counted, and
//! then decides each part from the counts.

mod backlog;
mod chain;
mod compliance;
mod figures;
mod gaps;
mod generator;
mod invalid;
mod pass;
mod power;
mod promises;
mod queue;
mod server;
mod shares;
mod soak;
mod validity;
mod verdict;

use std::borrow::Cow;

use serde::Serialize;

use crate::definitions::measured::{Measured, Missing};
use crate::definitions::promise::{PromiseKind, PromiseSheet};
use crate::definitions::record::Request;
use crate::definitions::step::{Step, StepKind};
use crate::definitions::telemetry::Sample;
use crate::definitions::workload::{Shape, Workload};
use crate::stats::bootstrap::sum_interval;
use crate::stats::dependence::{Batches, SLOTS, Series, Values, tail_inflation};
use crate::stats::rank::percentiles;
use crate::units::{Nanos, Rate, Ratio, Seconds, Share, TokenRate, Watts};

pub use chain::chain_probability;
pub use compliance::{completed_in_time, complies, gaps_comply, three_rules, tpot_within};
pub use figures::{Cancelled, Chain, Counts, Flow, Input, Percentiles, Sold, TierFigures};
pub use gaps::Gaps;
pub use generator::{LAG_MAX, generator_invalid};
pub use invalid::Invalid;
pub use queue::QueueHistogram;
pub use server::ServerFigures;
pub use soak::{Degradation, Drift, Soak};
pub use validity::Validity;
pub use verdict::{Dependence, Needed, PromiseVerdict, Quantity, ShareEvidence, Verdict};

use pass::{Pass, TierPass, Tokens};
use promises::{Floors, Judge, TierLatencies};
use verdict::Terms;

pub(crate) use validity::HIT_RATE_POINT;

/// Everything the records of one step prove under one promise sheet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepJudgement {
    /// The step's id.
    pub step: u32,
    /// Why it was run.
    pub kind: StepKind,
    /// Rate asked for.
    pub asked: Rate,
    /// Rate actually offered: members / (W1 − W0).
    pub offered: Rate,
    /// Whether the values count.
    pub validity: Validity,
    /// How many of each sort.
    pub counts: Counts,
    /// First sent to last ended, over members.
    pub wall: Measured<Seconds>,
    /// W1 − W0.
    pub window: Seconds,
    /// 1 − window / wall; 0 where the last request ended inside the window.
    pub edge: Measured<Share>,
    /// Every promise: of each tier in the order of kinds, then of the whole step.
    pub promises: Vec<PromiseVerdict>,
    /// All signed promises together: held only if each is, broken if any is or the rate is
    /// unsustainable. An INVALID step proves nothing: insufficient.
    pub verdict: Verdict,
    /// All signed promises by their point estimates, with the same two exceptions.
    pub screen: Verdict,
    /// Latencies by tier.
    pub tiers: Vec<TierFigures>,
    /// Token flows.
    pub flow: Flow,
    /// Input in three figures.
    pub input: Input,
    /// What the compliant requests carried.
    pub sold: Sold,
    /// Mean requests in flight: Σ residence / wall.
    pub concurrency: Measured<Ratio>,
    /// Mean power of all devices over the window.
    pub power: Measured<Watts>,
    /// What the server showed of itself.
    pub server: ServerFigures,
    /// Tasks whose every step complied, where sessions were run.
    pub chain: Measured<Chain>,
    /// Whether the step is a soak without degradation. Missing for a probe.
    pub soak: Measured<Soak>,
}

/// One step's raw evidence.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Its instants, its kind, and what the generator says of itself.
    pub step: &'a Step,
    /// Its requests, warm-up and tail included.
    pub requests: &'a [Request],
    /// The gaps of its valid requests.
    pub gaps: Gaps<'a>,
    /// The run's scrapes, in the order of time.
    pub telemetry: &'a [Sample],
}

/// Judges one step under a promise sheet: any sheet, so that a "what if" is answered from the
/// same records by the same code.
///
/// The workload says what hit rate was declared and how long tasks are. The gaps answer only
/// for tiers that they were recorded for (or unions of them): else ITL P99 is `NotRecorded`.
#[must_use]
pub fn judge_step(
    evidence: Evidence<'_>,
    sheet: &PromiseSheet,
    workload: &Workload,
    dependence: Dependence,
) -> StepJudgement {
    let Evidence { step, gaps, telemetry, .. } = evidence;
    let mut requests = Cow::Borrowed(evidence.requests);
    let mut pass = Pass::over(step, &requests, sheet);
    // A bundle holds requests in the order of sending; others are put in order. Exact lists of
    // gaps go by position, so with them the order stays.
    let sort = |requests: &mut Cow<'_, [Request]>| requests.to_mut().sort_by_key(|r| r.sent);
    if !pass.in_order && !matches!(gaps, Gaps::Exact(_)) {
        sort(&mut requests);
        pass = Pass::over(step, &requests, sheet);
    }
    let telemetry = around(step, telemetry);

    let window = step.w1.since(step.w0).seconds();
    let batches = batches(step, &requests, &pass, sheet, workload);
    let terms = Terms { confidence: sheet.confidence, window, dependence, batches };
    let judge = Judge { sheet, terms };
    let queue = QueueHistogram::over(step, telemetry);
    let queue_per_request = pass.tiers.iter().any(|tier| !tier.queue.keys.is_empty());

    let mut promises = Vec::new();
    let mut tiers = Vec::new();
    let mut slowest = [Series::new(), Series::new()];
    for tier in 0..pass.tiers.len() {
        let tier_gaps = gaps.of_tier(step, &requests, sheet, tier);
        let unknown_gaps = pass.counts.unknown_gaps;
        let tier_pass = &mut pass.tiers[tier];
        let TierPass { ttft, tpot, queue, gap_p99, .. } = &*tier_pass;
        let ranked = [ttft, tpot, queue, gap_p99].map(Values::ranked);
        let [ttft, tpot, queue, gaps] = ranked.each_ref().map(|r| tail_inflation(&r.1, batches));
        let floors = Floors { ttft, tpot, queue, gaps };
        for (all, tail) in slowest.iter_mut().zip(&ranked[0].1) {
            all.add(tail);
        }
        let found = ranked.map(|(percentiles, _)| percentiles);
        let figures = latencies(tier, tier_pass, &found, &tier_gaps, queue_per_request);
        let found = TierLatencies {
            ttft: &figures.ttft,
            tpot: &figures.tpot,
            queue: &figures.queue,
            gaps: &tier_gaps,
            floors,
        };
        judge.tier(tier, tier_pass, &found, unknown_gaps, &mut promises);
        tiers.push(figures);
    }
    let floor = tail_inflation(&slowest, batches);
    if let (false, Some(histogram)) = (queue_per_request, &queue) {
        // The server's histogram knows no tiers: one promise stands for all of them.
        promises.retain(|promise| promise.kind != PromiseKind::QueueP99);
        promises.push(judge.queue(histogram, floor));
    }
    promises.push(judge.success(&pass, floor));

    let wall = Measured::of(pass.wall.seconds(), Missing::NoRequests);
    let edge = wall.clone().map(|wall| Share::clamped(1.0 - window.get() / wall.get()));
    let input = input(&pass);
    let hole = queue
        .as_ref()
        .filter(|_| !queue_per_request && sheet.is_signed(PromiseKind::QueueP99))
        .map(QueueHistogram::longest_hole);
    let validity = Validity {
        invalid: validity::reasons(step, &requests, &pass, sheet, workload, &input, hole),
        unsustainable: backlog::grows(
            step,
            &requests,
            workload,
            pass.counts.members,
            pass.in_flight.blocks,
        ),
        window_too_short: edge.value().is_some_and(|edge| edge.get() > LONGEST_EDGE),
    };
    let mut judgement = StepJudgement {
        step: step.id,
        kind: step.kind,
        asked: step.asked,
        offered: per_second(pass.counts.members, window)
            .and_then(|rate| Rate::new(rate).ok())
            .unwrap_or(Rate::ZERO),
        verdict: overall(&validity, &promises, |promise| promise.verdict),
        screen: overall(&validity, &promises, |promise| promise.screen),
        concurrency: concurrency(&pass, &wall),
        power: power::mean_power(step, telemetry),
        server: server::figures(step, telemetry),
        chain: chain::chain(step, &requests, sheet, workload, &pass.tiers),
        flow: flow(&pass, &wall, window, sheet.confidence),
        sold: sold(&pass),
        soak: Measured::Missing(Missing::NotSoaked),
        counts: std::mem::take(&mut pass.counts),
        validity,
        wall,
        window,
        edge,
        promises,
        tiers,
        input,
    };
    if matches!(step.kind, StepKind::Confirm | StepKind::Soak) {
        if !pass.in_order {
            sort(&mut requests);
        }
        let soak = soak::judge(step, &requests, &pass, sheet, workload, telemetry, &judgement);
        judgement.soak = Measured::Value(soak);
    }
    judgement
}

/// A tail longer than this part of the wall time flags the window as too short.
const LONGEST_EDGE: f64 = 0.05;

/// The signed promises together, under the step's validity.
fn overall(
    validity: &Validity,
    promises: &[PromiseVerdict],
    of: impl Fn(&PromiseVerdict) -> Verdict,
) -> Verdict {
    if !validity.is_valid() {
        Verdict::Insufficient
    } else if validity.unsustainable {
        Verdict::Broken
    } else {
        signed_together(promises, of)
    }
}

/// The signed promises together.
pub(crate) fn signed_together(
    promises: &[PromiseVerdict],
    of: impl Fn(&PromiseVerdict) -> Verdict,
) -> Verdict {
    Verdict::together(promises.iter().filter(|promise| promise.signed).map(of))
}

/// The scrapes of a step, with a margin on either side for counters.
fn around<'a>(step: &Step, telemetry: &'a [Sample]) -> &'a [Sample] {
    const MARGIN: Nanos = Nanos::from_secs(60);
    let from = telemetry.partition_point(|sample| sample.time < step.w0 - MARGIN);
    let to = telemetry.partition_point(|sample| sample.time <= step.w1 + MARGIN);
    telemetry.get(from..to).unwrap_or_default()
}

/// Batches long enough for the requests and sessions of a step.
fn batches(
    step: &Step,
    requests: &[Request],
    pass: &Pass,
    sheet: &PromiseSheet,
    workload: &Workload,
) -> Batches {
    let mean = |sum: u128, n: usize| Nanos((sum / n.max(1) as u128).min(u64::MAX.into()) as u64);
    let mean_session = match workload.shape {
        Shape::Mix { .. } | Shape::Trace { .. } => None,
        Shape::Sessions { .. } => {
            let sessions = backlog::sessions(requests);
            let sum = sessions.iter().map(|(from, to)| u128::from(to.since(*from).0)).sum();
            Some(mean(sum, sessions.len()))
        }
    };
    let mean_request = mean(pass.residence, pass.counts.members as usize);
    Batches::of(step.w1.since(step.w0), mean_request, mean_session, sheet.confidence)
}

fn latencies(
    tier: usize,
    pass: &mut TierPass,
    [ttft, tpot, queue, _]: &[Vec<u64>; 4],
    gaps: &Measured<gaps::TierGaps>,
    queue_per_request: bool,
) -> TierFigures {
    let nanos = |key| (key != pass::NEVER).then_some(Nanos(key));
    let from_intended = percentiles(&mut pass.ttft_from_intended);
    let queue = if !queue.is_empty() {
        Measured::Value(Percentiles::of(pass.queue.keys.len(), queue, nanos))
    } else if queue_per_request && pass.valid == 0 {
        Measured::Missing(Missing::NoRequests)
    } else {
        Measured::Missing(Missing::NotObserved)
    };
    TierFigures {
        tier,
        valid: pass.valid,
        compliant: pass.compliant,
        compliant_by_rule: pass.compliant_by_rule,
        cancelled: Cancelled::of(pass.cancelled, pass.cancelled_late, pass.compliant, pass.valid),
        ttft: Percentiles::of(pass.ttft.keys.len(), ttft, nanos),
        ttft_from_intended: Percentiles::of(pass.ttft.keys.len(), &from_intended, nanos),
        tpot: Percentiles::of(pass.tpot.keys.len(), tpot, |bits| {
            Seconds::new(f64::from_bits(bits)).ok()
        }),
        tpot_undefined: pass.tpot_undefined,
        itl: match gaps {
            Measured::Value(gaps) => Measured::Value(gaps.percentiles.clone()),
            Measured::Missing(reason) => Measured::Missing(reason.clone()),
        },
        queue,
    }
}

fn per_second(count: u64, time: Seconds) -> Option<f64> {
    (time.get() > 0.0).then(|| count as f64 / time.get())
}

fn flow(pass: &Pass, wall: &Measured<Seconds>, window: Seconds, confidence: Share) -> Flow {
    let rate = |tokens: u64, time: &Measured<Seconds>| {
        time.clone().and_then(|time| {
            let rate = per_second(tokens, time).and_then(|rate| TokenRate::new(rate).ok());
            Measured::of(rate, Missing::NoRequests)
        })
    };
    let ratio = |part: u64, of: u64| {
        Measured::of((of > 0).then(|| part as f64 / of as f64), Missing::NoRequests)
            .and_then(|ratio| Measured::of(Ratio::new(ratio).ok(), Missing::NoRequests))
    };
    // Blocks of a twentieth of the window, as long as the batches of the variance estimate.
    let tokens = sum_interval(&pass.compliant_tokens_by_slot, SLOTS / 20, confidence);
    let goodput_interval = wall.clone().and_then(|wall| {
        let rate = |tokens: f64| TokenRate::new(tokens / wall.get()).ok();
        let ends = tokens.and_then(|(low, high)| Some((rate(low)?, rate(high)?)));
        Measured::of(ends, Missing::NoRequests)
    });
    Flow {
        goodput_interval,
        output_tokens: pass.output_tokens,
        compliant_tokens: pass.compliant_tokens,
        raw_tokens: pass.raw_tokens,
        raw: rate(pass.raw_tokens, wall),
        goodput: rate(pass.compliant_tokens, wall),
        goodput_steady: rate(pass.compliant_tokens, &Measured::Value(window)),
        mean_osl: ratio(pass.output_tokens, pass.completed_with_tokens),
        tokens_per_event: ratio(pass.output_tokens, pass.completed_events),
    }
}

fn input(pass: &Pass) -> Input {
    let tokens = &pass.prefilled;
    let said = tokens.input();
    let total = said.value().map_or(tokens.isl, |&(isl, _)| isl);
    let per_output = (tokens.osl > 0).then(|| tokens.isl as f64 / tokens.osl as f64);
    Input {
        total,
        reused: said.clone().map(|(_, cached)| cached),
        computed: said.clone().map(|(isl, cached)| isl - cached),
        unknown: tokens.unknown(),
        offered: pass.offered_input,
        hit_rate: said
            .and_then(|(isl, cached)| Measured::of(Share::of(cached, isl), Missing::NoRequests)),
        per_output: Measured::of(
            per_output.and_then(|ratio| Ratio::new(ratio).ok()),
            Missing::NoRequests,
        ),
    }
}

fn sold(pass: &Pass) -> Sold {
    let input = |tokens: &Tokens| match tokens.input() {
        // Nothing was sold, which is a fact and no gap in knowledge.
        Measured::Missing(Missing::NoRequests) => Measured::Value((0, 0)),
        known => known,
    };
    Sold {
        output: pass.sold.osl,
        input_uncached: input(&pass.sold).map(|(isl, cached)| isl - cached),
        input_cached: input(&pass.sold).map(|(_, cached)| cached),
    }
}

fn concurrency(pass: &Pass, wall: &Measured<Seconds>) -> Measured<Ratio> {
    wall.clone().and_then(|wall| {
        let mean = pass.residence as f64 / 1e9 / wall.get();
        Measured::of(Ratio::new(mean).ok(), Missing::NoRequests)
    })
}
