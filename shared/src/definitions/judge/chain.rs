//! Tasks of several serial steps: the share that went smoothly from end to end.

use super::compliance::complies;
use super::figures::Chain;
use super::pass::TierPass;
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::{Outcome, Request};
use crate::definitions::step::Step;
use crate::definitions::window::is_member;
use crate::definitions::workload::{Shape, Workload};
use crate::stats::share;
use crate::units::{Ratio, Share};

/// Chain probability of n serial steps under independence: p^n.
#[must_use]
pub fn chain_probability(step: Share, steps: u32) -> Share {
    Share::clamped(libm::pow(step.get(), f64::from(steps)))
}

/// The share of smooth tasks, where sessions were run. A task counts if its first step was
/// sent in the window and it is known how it went: all its steps were sent in the window, or
/// one of them failed there. Cancelled tasks do not count.
pub(crate) fn chain(
    step: &Step,
    requests: &[Request],
    sheet: &PromiseSheet,
    workload: &Workload,
    tiers: &[TierPass],
) -> Measured<Chain> {
    let Shape::Sessions { steps, .. } = workload.shape else {
        return Measured::Missing(Missing::NotObserved);
    };
    let attainment: Vec<Share> = tiers
        .iter()
        .map(|tier| Share::of(tier.compliant, tier.valid).unwrap_or(Share::ZERO))
        .collect();
    let mut turns: Vec<(u32, u32, &Request)> = requests
        .iter()
        .filter(|r| is_member(step, r))
        .map(|request| (request.session, request.turn, request))
        .collect();
    turns.sort_unstable_by_key(|&(session, turn, _)| (session, turn));

    let (mut tasks, mut smooth, mut if_independent) = (0_u64, 0_u64, 0.0);
    for task in turns.chunk_by(|a, b| a.0 == b.0) {
        let whole = task.len() as u64 == u64::from(steps);
        let failed = task.iter().any(|(_, _, r)| matches!(r.outcome, Outcome::Failed(_)));
        let excluded = task.iter().any(|(_, _, r)| !r.outcome.is_valid());
        if task[0].1 != 0 || excluded || !(whole || failed) {
            continue;
        }
        tasks += 1;
        smooth += u64::from(whole && task.iter().all(|(_, _, request)| complies(request, sheet)));
        // A task that failed early would have had more steps; its last tier stands for them.
        let tier = |request: &Request| {
            sheet.tier_of(request.isl).map_or(Share::ZERO, |tier| attainment[tier])
        };
        let product: f64 = task.iter().map(|(_, _, request)| tier(request).get()).product();
        let rest = steps.saturating_sub(task.len() as u32);
        let last = task.last().map_or(Share::ZERO, |(_, _, request)| tier(request));
        if_independent += product * chain_probability(last, rest).get();
    }
    if tasks == 0 {
        return Measured::Missing(Missing::NoRequests);
    }
    let (good, bad) = (Ratio::count(smooth), Ratio::count(tasks - smooth));
    Measured::Value(Chain {
        tasks,
        smooth,
        lower: share::at_least(good, bad, sheet.confidence),
        upper: share::at_most(good, bad, sheet.confidence),
        steps,
        if_independent: Share::clamped(if_independent / tasks as f64),
    })
}
