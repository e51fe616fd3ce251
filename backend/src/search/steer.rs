//! A search looks at a running step, and says what is to become of it.

use std::collections::BTreeMap;

use tokencap_shared::definitions::judge::{
    Dependence, Evidence, Gaps, StepJudgement, Verdict, judge_step,
};
use tokencap_shared::definitions::promise::{Fields, PromiseSheet};
use tokencap_shared::definitions::record::{GapHistogram, Request};
use tokencap_shared::definitions::step::{Step, StepKind};
use tokencap_shared::definitions::telemetry::Sample;
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::{Moment, Share};

use super::machine::{Look, Order, Overdue, Search};
use crate::step::{Control, Running};

/// Part of the error that each of several looks at a confirmation run may have.
const STRICTER: f64 = 0.8;
/// First look at a window, in seconds; the next ones come at growing distances.
const FIRST_LOOK: f64 = 8.0;

/// Where the server's own metrics of the step come from.
pub type Scrapes<'a> = &'a (dyn Fn() -> Vec<Sample> + Send + Sync);

/// Looks at one running step.
pub struct Steering<'a> {
    promise: &'a PromiseSheet,
    workload: &'a Workload,
    /// The search that ordered the step, and a stricter sheet for what it signs.
    ordered: Option<(&'a Search, Order, PromiseSheet)>,
    scrapes: Option<Scrapes<'a>>,
    next: f64,
}

impl<'a> Steering<'a> {
    /// Looks on, and lets the step go on as planned.
    #[must_use]
    pub const fn watching(promise: &'a PromiseSheet, workload: &'a Workload) -> Self {
        Self { promise, workload, ordered: None, scrapes: None, next: FIRST_LOOK }
    }

    /// Steers a step that a search ordered.
    #[must_use]
    pub fn searching(
        promise: &'a PromiseSheet,
        workload: &'a Workload,
        search: &'a Search,
        order: Order,
    ) -> Self {
        let ordered = Some((search, order, stricter(promise)));
        Self { ordered, ..Self::watching(promise, workload) }
    }

    /// With the server's own metrics.
    #[must_use]
    pub fn with_scrapes(self, scrapes: Scrapes<'a>) -> Self {
        Self { scrapes: Some(scrapes), ..self }
    }

    /// Says what is to become of the step, and what it shows so far if it was looked at.
    #[must_use]
    pub fn steer(&mut self, running: &mut Running<'_>) -> (Control, Option<StepJudgement>) {
        let Step { w0, w1, .. } = running.step;
        let window = running.now.since(w0).0 as f64 / 1e9;
        // A tail that has no end is worth nothing more than what is overdue by now.
        if w1 < running.now && self.ordered.is_some() {
            let overdue = overdue(running, self.promise);
            let control = match overdue.hopeless() {
                true => Control::Abandon(overdue.reason()),
                false => Control::Go,
            };
            return (control, None);
        }
        // Before its window there is nothing to decide.
        if w1 < running.now || running.now <= w0 || window < self.next {
            return (Control::Go, None);
        }
        let probe = self.ordered.as_ref().is_none_or(|(_, order, _)| order.kind == StepKind::Probe);
        self.next = window * if probe { 1.15 } else { 1.3 };
        // In place: the judge would make a copy of what may be a million requests.
        running.ended.sort_unstable_by_key(|request| (request.sent, request.session, request.turn));
        let telemetry = self.scrapes.map_or_else(Vec::new, |scrapes| scrapes());
        // Up to the oldest request without an end everything is known.
        let end = running.open.first().map_or(running.now, |open| open.sent);
        let known = Step { w1: end.min(w1).max(w0), ..running.step.clone() };
        let under = |sheet: &PromiseSheet| {
            judge(&known, running.ended, running.gaps, &telemetry, sheet, self.workload)
        };
        let judged = under(self.promise);
        let Some((search, order, strict)) = &self.ordered else {
            return (Control::Go, Some(judged));
        };
        let strict = if !probe && judged.verdict == Verdict::Held {
            under(strict).verdict
        } else {
            Verdict::Insufficient
        };
        let overdue = overdue(running, self.promise);
        let control = match search.look(order, &judged, strict, &overdue) {
            Look::Go => Control::Go,
            Look::Enough => Control::Close,
            Look::Hopeless(reason) => Control::Abandon(reason),
        };
        (control, Some(judged))
    }
}

/// Judges a step on the records of it that there are.
#[must_use]
pub fn judge(
    step: &Step,
    requests: &[Request],
    gaps: &BTreeMap<usize, GapHistogram>,
    telemetry: &[Sample],
    promise: &PromiseSheet,
    workload: &Workload,
) -> StepJudgement {
    let gaps: BTreeMap<(u32, usize), GapHistogram> =
        gaps.iter().map(|(&tier, gaps)| ((step.id, tier), gaps.clone())).collect();
    let gaps = Gaps::Recorded { tiers: &promise.tiers, histograms: &gaps };
    let evidence = Evidence { step, requests, gaps, telemetry };
    judge_step(evidence, promise, workload, Dependence::Estimated)
}

/// The sheet with the confidence that several looks at one run ask for.
fn stricter(promise: &PromiseSheet) -> PromiseSheet {
    let mut fields: Fields = promise.clone().into();
    let alpha = 1.0 - fields.confidence.get();
    fields.confidence = Share::new(1.0 - alpha * STRICTER).unwrap_or(fields.confidence);
    PromiseSheet::try_from(fields).unwrap_or_else(|_| promise.clone())
}

/// What the window's requests say that were sent at least their limit ago.
fn overdue(running: &Running<'_>, promise: &PromiseSheet) -> Overdue {
    let (w0, w1) = (running.step.w0, running.step.w1);
    let allowed_ppm = ((1.0 - promise.attainment.share().get()) * 1e6).round() as u64;
    let mut overdue = Overdue { allowed_ppm, ..Overdue::default() };
    let mut count = |sent: Moment, isl: Option<u32>, first: Option<Moment>| {
        let Some(limit) = promise.tier(isl).map(|tier| tier.ttft) else { return };
        if sent < w0 || sent >= w1 || running.now.since(sent) <= limit {
            return;
        }
        overdue.n += 1;
        overdue.bad += u64::from(first.is_none_or(|first| first.since(sent) > limit));
    };
    for request in running.ended.iter().filter(|request| request.outcome.is_valid()) {
        count(request.sent, request.isl, request.first_token);
    }
    for open in &running.open {
        count(open.sent, Some(open.isl), open.first_token);
    }
    overdue
}
