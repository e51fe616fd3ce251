//! All gaps of a tier: from the recorded histograms, or exactly from lists.

use std::collections::BTreeMap;

use super::figures::Percentiles;
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::promise::{PromiseSheet, Tier};
use crate::definitions::record::{GapHistogram, Request};
use crate::definitions::step::Step;
use crate::definitions::window::is_member;
use crate::stats::rank::{PERCENTS, nearest_rank, percentiles};
use crate::units::Nanos;

/// Where the gaps between output events of a step's valid requests are.
#[derive(Clone, Copy, Debug)]
pub enum Gaps<'a> {
    /// One histogram a (step, tier), for the tiers of the sheet they were recorded under. It
    /// answers for any sheet whose tiers are those, or unions of them.
    Recorded {
        /// The tiers while recording.
        tiers: &'a [Tier],
        /// The histograms by (step id, index of the tier).
        histograms: &'a BTreeMap<(u32, usize), GapHistogram>,
    },
    /// Every gap, a list for each of the step's requests in their order.
    Exact(&'a [Vec<Nanos>]),
    /// Nobody kept them.
    None,
}

/// What the gaps of one tier amount to.
pub(crate) struct TierGaps {
    pub(crate) percentiles: Percentiles,
    /// Gaps strictly below the limit (in a histogram: in buckets wholly below it).
    pub(crate) good: u64,
}

impl Gaps<'_> {
    /// The gaps of one tier of a sheet.
    pub(crate) fn of_tier(
        &self,
        step: &Step,
        requests: &[Request],
        sheet: &PromiseSheet,
        tier: usize,
    ) -> Measured<TierGaps> {
        match self {
            Self::None => Measured::Missing(Missing::NotObserved),
            Self::Exact(lists) => {
                let mut all: Vec<u64> = requests
                    .iter()
                    .zip(*lists)
                    .filter(|(request, _)| is_valid_member(request, step))
                    .filter(|(request, _)| sheet.tier_of(request.isl) == Some(tier))
                    .flat_map(|(_, gaps)| gaps.iter().map(|gap| gap.0))
                    .collect();
                let good = all.iter().filter(|&&gap| gap < sheet.itl.0).count() as u64;
                let found = percentiles(&mut all);
                let percentiles = Percentiles::of(all.len(), &found, |gap| Some(Nanos(gap)));
                Measured::Value(TierGaps { percentiles, good })
            }
            Self::Recorded { tiers, histograms } => {
                let Some(parts) = parts_of(&sheet.tiers[tier], tiers) else {
                    return Measured::Missing(Missing::NotRecorded);
                };
                let found: Vec<&GapHistogram> =
                    parts.filter_map(|part| histograms.get(&(step.id, part))).collect();
                Measured::Value(sum_up(&found, sheet.itl))
            }
        }
    }
}

fn is_valid_member(request: &Request, step: &Step) -> bool {
    is_member(step, request) && request.outcome.is_valid()
}

/// The recorded tiers that together are exactly the asked one.
fn parts_of(asked: &Tier, recorded: &[Tier]) -> Option<std::ops::RangeInclusive<usize>> {
    let first = recorded.iter().position(|tier| tier.isl_min == asked.isl_min)?;
    let last = recorded.iter().position(|tier| tier.isl_max == asked.isl_max)?;
    // Tiers of a sheet ascend without a hole, so equal ends make equal ranges.
    (first <= last).then_some(first..=last)
}

/// Percentiles and the good count of several histograms together. A bucket stands for its
/// greatest value.
fn sum_up(histograms: &[&GapHistogram], limit: Nanos) -> TierGaps {
    let mut buckets: Vec<(u64, u64)> = histograms
        .iter()
        .flat_map(|h| {
            h.iter_recorded().map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
        })
        .collect();
    if histograms.len() > 1 {
        buckets.sort_unstable();
    }
    let n = buckets.iter().map(|&(_, count)| count).fold(0, u64::saturating_add);
    let ranks = PERCENTS.map(|percent| nearest_rank(n, percent));
    let mut found = [None; PERCENTS.len()];
    let (mut seen, mut good) = (0_u64, 0);
    for (value, count) in buckets {
        seen = seen.saturating_add(count);
        for (slot, rank) in found.iter_mut().zip(ranks) {
            if slot.is_none() && seen >= rank {
                *slot = Some(Nanos(value));
            }
        }
        if value < limit.0 {
            good = seen;
        }
    }
    let [p50, p90, p95, p99, max] = found;
    TierGaps { percentiles: Percentiles { n, p50, p90, p95, p99, max }, good }
}
