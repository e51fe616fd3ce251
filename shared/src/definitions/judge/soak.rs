//! A soak without degradation: what turns a measured capacity into one that may be promised.

use serde::Serialize;

use super::StepJudgement;
use super::pass::{NEVER, Pass};
use super::promises::Judge;
use super::validity::hit_rate_kept;
use super::verdict::{Dependence, ShareEvidence, Terms, Verdict};
use crate::definitions::measured::Measured;
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::{Outcome, Request};
use crate::definitions::step::Step;
use crate::definitions::telemetry::{Labels, Metric, Sample};
use crate::definitions::window::is_member;
use crate::definitions::workload::Workload;
use crate::stats::dependence::{SLOTS, tail_inflation};
use crate::stats::rank::percentile;
use crate::stats::trend::Trend;
use crate::units::{Moment, Nanos, Seconds, Share};

/// What a soak showed. Without a degradation the capacity at its rate is `committed`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Soak {
    /// Verdicts of the three thirds of the window, over signed promises that are shares of
    /// requests.
    pub thirds: [Verdict; 3],
    /// The drift of every series.
    pub drifts: Vec<Drift>,
    /// All that speaks against the soak.
    pub degradations: Vec<Degradation>,
}

impl Soak {
    /// Whether the capacity at this rate may be promised.
    #[must_use]
    pub fn without_degradation(&self) -> bool {
        self.degradations.is_empty()
    }
}

/// The trend of one figure over 20 blocks of a soak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drift {
    /// The tier whose median TTFT it is; `None` is goodput.
    pub tier: Option<usize>,
    /// Two-sided probability of so strong a trend by chance (Mann–Kendall, Hamed–Rao).
    pub p: Share,
    /// Change over the soak by the Theil–Sen slope, as a part of the median: signed.
    pub change: f64,
    /// Significant (p < 0.01), in the bad direction, and at least 5 %.
    pub bad: bool,
}

/// One thing that speaks against a soak.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "degradation")]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum Degradation {
    /// Less than 1,800 s.
    TooShort { window: Seconds },
    /// The step is INVALID.
    Invalid,
    /// Not every signed promise is held over the whole.
    NotHeld {
        /// What they are together.
        verdict: Verdict,
    },
    /// A third of the window is broken.
    ThirdBroken {
        /// Which, from 0.
        third: u8,
    },
    /// A figure worsens.
    Drift {
        /// The tier whose median TTFT it is; `None` is goodput.
        tier: Option<usize>,
        /// Change over the soak, as a part of the median.
        change: f64,
    },
    /// A block of the soak had no request, or none that was answered: no drift can be tested.
    DriftUnknown {
        /// The tier; `None` is goodput.
        tier: Option<usize>,
    },
    /// Requests in flight rise through the window.
    GrowingBacklog,
    /// A serving process started anew.
    Restart {
        /// How often.
        times: u64,
    },
    /// More than 1 % of the requests were preempted.
    PreemptionStorm {
        /// Preemptions in the window.
        preemptions: u64,
    },
    /// Within 10 s more than 5 % of the requests failed (at least three).
    ErrorEpisode {
        /// How many such spans of 10 s.
        spans: u64,
    },
    /// The hit rate is more than a point off the declared one.
    HitRate { declared: Share, measured: Share },
}

/// Least length of a soak.
const LENGTH: Nanos = Nanos::from_secs(1800);
const BLOCKS: usize = 20;
const SLOTS_A_BLOCK: usize = SLOTS / BLOCKS;
const P: f64 = 0.01;
const CHANGE: f64 = 0.05;
const PREEMPTED_PERCENT: u64 = 1;
const ERROR_SPAN: Nanos = Nanos::from_secs(10);
const ERROR_PERCENT: u64 = 5;
const ERROR_LEAST: u64 = 3;

/// Judges a confirmation run as a soak: its requests in the order of sending, and what the pass
/// over them counted.
pub(crate) fn judge(
    step: &Step,
    requests: &[Request],
    pass: &Pass,
    sheet: &PromiseSheet,
    workload: &Workload,
    telemetry: &[Sample],
    whole: &StepJudgement,
) -> Soak {
    let mut degradations = Vec::new();
    let mut add = |degradation| degradations.push(degradation);
    if step.w1.since(step.w0) < LENGTH {
        add(Degradation::TooShort { window: whole.window });
    }
    if !whole.validity.is_valid() {
        add(Degradation::Invalid);
    }
    if whole.verdict != Verdict::Held {
        add(Degradation::NotHeld { verdict: whole.verdict });
    }
    let thirds = thirds(step, requests, sheet, workload);
    for (third, verdict) in (0_u8..).zip(thirds) {
        if verdict == Verdict::Broken {
            add(Degradation::ThirdBroken { third });
        }
    }
    let mut drifts = Vec::new();
    for (tier, drift) in all_drifts(pass) {
        match drift {
            None => add(Degradation::DriftUnknown { tier }),
            Some(drift) => {
                if drift.bad {
                    add(Degradation::Drift { tier, change: drift.change });
                }
                drifts.push(drift);
            }
        }
    }
    if whole.validity.unsustainable {
        add(Degradation::GrowingBacklog);
    }
    let times = restarts(step, telemetry);
    if times > 0 {
        add(Degradation::Restart { times });
    }
    let preemptions = increase(step, telemetry, Metric::Preemptions);
    if u128::from(preemptions) * 100 > u128::from(whole.counts.members * PREEMPTED_PERCENT) {
        add(Degradation::PreemptionStorm { preemptions });
    }
    let spans = error_spans(step, requests);
    if spans > 0 {
        add(Degradation::ErrorEpisode { spans });
    }
    if let (Some(declared), Measured::Value(measured)) = (workload.hit_rate, &whole.input.hit_rate)
        && !hit_rate_kept(declared, *measured)
    {
        add(Degradation::HitRate { declared, measured: *measured });
    }
    Soak { thirds, drifts, degradations }
}

/// Each third of the window, judged by the promises that are shares of its requests.
fn thirds(
    step: &Step,
    requests: &[Request],
    sheet: &PromiseSheet,
    workload: &Workload,
) -> [Verdict; 3] {
    let length = step.w1.since(step.w0).0;
    [0, 1, 2].map(|third| {
        let border = |k: u64| Moment(step.w0.0 + (u128::from(length) * u128::from(k) / 3) as u64);
        let part = Step { w0: border(third), w1: border(third + 1), ..step.clone() };
        let from = requests.partition_point(|request| request.sent < part.w0);
        let to = requests.partition_point(|request| request.sent < part.w1);
        let pass = Pass::over(&part, requests.get(from..to).unwrap_or_default(), sheet);
        let terms = Terms {
            confidence: sheet.confidence,
            window: part.w1.since(part.w0).seconds(),
            dependence: Dependence::Estimated,
            batches: super::batches(&part, requests, &pass, sheet, workload),
        };
        Judge { sheet, terms }.shares_together(&pass)
    })
}

/// The drift of each tier's median TTFT and of goodput; `None` where a block has no value.
fn all_drifts(pass: &Pass) -> Vec<(Option<usize>, Option<Drift>)> {
    let mut drifts = Vec::new();
    for (tier, figures) in pass.tiers.iter().enumerate() {
        let mut blocks = vec![Vec::new(); BLOCKS];
        for (slot, key) in figures.ttft.by_slot() {
            blocks[slot / SLOTS_A_BLOCK].push(key);
        }
        let medians: Option<Vec<f64>> = blocks.iter_mut().map(|block| median(block)).collect();
        let drift = medians.and_then(|medians| drift(Some(tier), &medians, 1.0));
        drifts.push((Some(tier), drift));
    }
    let tokens: Vec<f64> = pass
        .compliant_tokens_by_slot
        .chunks(SLOTS_A_BLOCK)
        .map(|block| block.iter().sum())
        .collect();
    drifts.push((None, drift(None, &tokens, -1.0)));
    drifts
}

/// Nearest-rank median of a block; `None` if it has none or never got a first token.
fn median(block: &mut [u64]) -> Option<f64> {
    let value = percentile(block, 50)?;
    (value != NEVER).then_some(value as f64)
}

fn drift(tier: Option<usize>, values: &[f64], bad_direction: f64) -> Option<Drift> {
    let trend = Trend::of(values)?;
    let change = trend.relative_change(values.len())?;
    let bad = trend.p.get() < P && change * bad_direction >= CHANGE;
    Some(Drift { tier, p: trend.p, change, bad })
}

/// Series of one metric within the window, by source and labels.
pub(crate) fn series<'a>(
    step: &Step,
    telemetry: &'a [Sample],
    metric: Metric,
) -> impl Iterator<Item = Vec<(Moment, f64)>> + use<'a> {
    let mut series: std::collections::BTreeMap<(&str, &Labels), Vec<(Moment, f64)>> =
        std::collections::BTreeMap::new();
    let (w0, w1) = (step.w0, step.w1);
    for sample in telemetry.iter().filter(|s| s.metric == metric && w0 <= s.time && s.time <= w1) {
        if sample.value.is_finite() {
            let key = (sample.source.as_str(), &sample.labels);
            series.entry(key).or_default().push((sample.time, sample.value));
        }
    }
    series.into_values()
}

/// How often a process started anew: its uptime fell, or its start time jumped.
fn restarts(step: &Step, telemetry: &[Sample]) -> u64 {
    const SLACK: f64 = 2.0;
    series(step, telemetry, Metric::ProcessStart)
        .map(|values| {
            values
                .windows(2)
                .filter(|pair| {
                    let elapsed = pair[1].0.since(pair[0].0).seconds().get();
                    let change = pair[1].1 - pair[0].1;
                    change < -SLACK || change > elapsed + SLACK
                })
                .count() as u64
        })
        .sum()
}

/// How much a counter rose, over all its series; a fall is a restart at 0.
pub(crate) fn increase(step: &Step, telemetry: &[Sample], metric: Metric) -> u64 {
    series(step, telemetry, metric)
        .flat_map(|values| {
            let rise = |pair: &[(Moment, f64)]| {
                let (before, after) = (pair[0].1, pair[1].1);
                if after >= before { after - before } else { after }
            };
            values.windows(2).map(rise).collect::<Vec<_>>()
        })
        .sum::<f64>()
        .max(0.0) as u64
}

/// Spans of 10 s in which more than 5 % of the valid requests failed, and at least three.
fn error_spans(step: &Step, requests: &[Request]) -> u64 {
    let valid = |request: &&Request| is_member(step, request) && request.outcome.is_valid();
    let is_bad =
        |all: u64, failed: u64| failed >= ERROR_LEAST && failed * 100 > all * ERROR_PERCENT;
    let (mut span, mut all, mut failed, mut bad) = (0, 0, 0, 0);
    for request in requests.iter().filter(valid) {
        let at = request.sent.since(step.w0).0 / ERROR_SPAN.0;
        if at != span {
            bad += u64::from(is_bad(all, failed));
            (span, all, failed) = (at, 0, 0);
        }
        all += 1;
        failed += u64::from(matches!(request.outcome, Outcome::Failed(_)));
    }
    bad + u64::from(is_bad(all, failed))
}

impl Judge<'_> {
    /// The signed promises that are shares of requests, together, each by its own bounds.
    fn shares_together(&self, pass: &Pass) -> Verdict {
        use crate::definitions::promise::PromiseKind::{Attainment, Success, TpotP99, TtftP99};
        let of =
            |series, target, floor| ShareEvidence::of(series, target, floor, self.terms).verdict();
        let batches = self.terms.batches;
        let tails: Vec<_> = pass.tiers.iter().map(|tier| tier.ttft.ranked().1).collect();
        let floor = tails.iter().map(|tails| tail_inflation(tails, batches)).fold(1.0, f64::max);
        let mut verdicts = vec![(Success, of(&pass.success, self.sheet.success, floor))];
        for (tier, tails) in pass.tiers.iter().zip(&tails) {
            let floor = tail_inflation(tails, batches);
            verdicts.push((Attainment, of(&tier.attainment, self.sheet.attainment, floor)));
            verdicts.push((TtftP99, of(&tier.ttft_series, super::promises::P99, floor)));
            verdicts.push((TpotP99, of(&tier.tpot_series, super::promises::P99, floor)));
        }
        let signed = verdicts.into_iter().filter(|(kind, _)| self.sheet.is_signed(*kind));
        Verdict::together(signed.map(|(_, verdict)| verdict))
    }
}
