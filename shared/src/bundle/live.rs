//! A campaign that is running, as others see it: what it does now, how that looks, what came before.
//!
//! For the eye: nothing is judged or signed by it.

use serde::{Deserialize, Serialize};

use crate::definitions::judge::{Quantity, StepJudgement, Verdict};
use crate::definitions::measured::Measured;
use crate::definitions::promise::{PromiseKind, PromiseSheet};
use crate::definitions::step::StepKind;
use crate::units::{Nanos, Rate};

/// A campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// Name of the bundle's file.
    pub bundle: String,
    /// The deployment's model.
    pub model: String,
    /// Name of the promise sheet.
    pub promise: String,
    /// The step that is running.
    pub now: Option<Now>,
    /// The steps that have ended, in their order.
    pub done: Vec<Done>,
    /// Nothing was heard of it for longer than it is ever silent.
    #[serde(default)]
    pub stalled: bool,
}

/// A running step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Now {
    /// Its place among the steps, from 0.
    pub index: usize,
    /// How many there are; a search does not know.
    pub of: Option<usize>,
    /// Why it is run.
    pub kind: StepKind,
    /// Requests per second; `None` in a closed loop.
    pub rate: Option<Rate>,
    /// Users of a closed loop.
    pub users: Option<u32>,
    /// Which part of it this is.
    pub phase: Phase,
    /// Since it began.
    pub elapsed: Nanos,
    /// Its warm-up and its window.
    pub length: Nanos,
    /// For it and the steps after it, where that is known.
    pub left: Option<Nanos>,
    /// Requests without an end.
    pub in_flight: u64,
    /// Requests completed.
    pub completed: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Output tokens of the requests that ended.
    pub tokens: u64,
    /// What its window shows of the promised latencies.
    pub tails: Vec<Tail>,
    /// What its window shows on the point estimates, once it was looked at.
    pub screen: Option<Verdict>,
    /// Whether requests pile up in it, which no rate that can be sustained does.
    #[serde(default)]
    pub unsustainable: bool,
}

/// A part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Before the window.
    WarmUp,
    /// What is judged.
    Window,
    /// The window's last requests come to their end.
    Tail,
}

/// The 99th percentile of a promised latency, in the tier where it is nearest to its limit or
/// furthest beyond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// The promise whose latency it is.
    pub kind: PromiseKind,
    /// Name of the tier, where the sheet has several.
    pub tier: Option<String>,
    /// What is measured; `None` where it has no end.
    pub measured: Option<Nanos>,
    /// What that promise allows, in its tier.
    pub limit: Nanos,
}

/// A step that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Why it was run.
    pub kind: StepKind,
    /// Requests per second that were offered.
    pub offered: Rate,
    /// Whether it counts.
    pub valid: bool,
    /// The promises, with confidence.
    pub verdict: Verdict,
    /// The promises, on the point estimates.
    pub screen: Verdict,
    /// Whether requests piled up in it.
    #[serde(default)]
    pub unsustainable: bool,
    /// Compliant requests of its window.
    pub compliant: u64,
    /// Valid requests of its window.
    pub requests: u64,
}

impl Tail {
    /// The tails of a step, one for each latency that is promised and measured.
    #[must_use]
    pub fn of(judged: &StepJudgement, promise: &PromiseSheet) -> Vec<Self> {
        let kinds = [
            PromiseKind::TtftP99,
            PromiseKind::ItlP99,
            PromiseKind::TpotP99,
            PromiseKind::QueueP99,
        ];
        let of_kind = |kind: PromiseKind| {
            let tails = judged.promises.iter().filter(|one| one.kind == kind).filter_map(|one| {
                let (Quantity::Time(Some(limit)), Measured::Value(Quantity::Time(measured))) =
                    (one.limit, &one.measured)
                else {
                    return None;
                };
                let tier = one.tier.and_then(|tier| promise.tiers.get(tier));
                let tier = tier.filter(|_| promise.tiers.len() > 1).map(|tier| tier.name.clone());
                Some(Self { kind, tier, measured: *measured, limit })
            });
            tails.max_by(|a, b| a.ratio().total_cmp(&b.ratio()))
        };
        kinds.into_iter().filter_map(of_kind).collect()
    }

    /// What is measured, in limits; infinite where it has no end.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.measured.map_or(f64::INFINITY, |time| time.0 as f64 / self.limit.0 as f64)
    }
}

impl Done {
    /// A step as it was judged.
    #[must_use]
    pub fn of(kind: StepKind, judged: &StepJudgement) -> Self {
        Self {
            kind,
            offered: judged.offered,
            valid: judged.validity.is_valid(),
            verdict: judged.verdict,
            screen: judged.screen,
            unsustainable: judged.validity.unsustainable,
            compliant: judged.counts.compliant,
            requests: judged.counts.valid,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::judged;
    use crate::fixture;

    #[test]
    fn each_latency_shows_the_tier_that_is_nearest_to_its_limit() {
        let bundle = fixture::bundle();
        let sheet = &bundle.manifest.promise;
        let judged = judged::of_step(&bundle, &bundle.manifest.steps[0], sheet);
        let tails = Tail::of(&judged, sheet);
        assert!(!tails.is_empty());
        for tail in &tails {
            let of_kind = judged.promises.iter().filter(|one| one.kind == tail.kind);
            for one in of_kind {
                if let (Quantity::Time(Some(limit)), Measured::Value(Quantity::Time(Some(time)))) =
                    (one.limit, &one.measured)
                {
                    assert!(tail.ratio() >= time.0 as f64 / limit.0 as f64, "{tail:?}");
                }
            }
        }
    }
}
