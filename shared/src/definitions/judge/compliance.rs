//! Which request complies with its tier, and by which ITL rule.

use crate::definitions::promise::{GapQuantile, ItlRule, PromiseSheet, Tier};
use crate::definitions::record::{Outcome, Request};
use crate::units::Nanos;

/// The stall limit of the default `gap_share` rule, in ITL limits.
const DEFAULT_STALL: u64 = 10;

/// Whether a request's gaps comply with an ITL rule at a limit (limits themselves comply).
/// `None` where the record holds no gaps although it has more than one output event.
#[must_use]
pub fn gaps_comply(request: &Request, rule: ItlRule, limit: Nanos) -> Option<bool> {
    // No gap satisfies any limit.
    if request.gap_count() == 0 {
        return Some(true);
    }
    Some(match rule {
        ItlRule::GapShare { q, stall } => {
            let gaps = request.gaps?;
            let most = match q {
                GapQuantile::P95 => gaps.p95,
                GapQuantile::P99 => gaps.p99,
            };
            most <= limit && gaps.max <= stall
        }
        ItlRule::WorstGap => request.gaps?.max <= limit,
        ItlRule::MeanGap => {
            let sum = request.streaming_time()?;
            u128::from(sum.0) <= u128::from(limit.0) * u128::from(request.gap_count())
        }
    })
}

/// The three rules that always stand side by side: `gap_share` (the declared one, else its
/// default q = 0.99, stall = 10 limits), `worst_gap`, `mean_gap`.
#[must_use]
pub fn three_rules(sheet: &PromiseSheet) -> [ItlRule; 3] {
    let share = match sheet.itl_rule {
        rule @ ItlRule::GapShare { .. } => rule,
        ItlRule::WorstGap | ItlRule::MeanGap => ItlRule::GapShare {
            q: GapQuantile::P99,
            stall: Nanos(sheet.itl.0.saturating_mul(DEFAULT_STALL)),
        },
    };
    [share, ItlRule::WorstGap, ItlRule::MeanGap]
}

/// Index of the declared rule among [`three_rules`].
#[must_use]
pub(crate) const fn declared_rule(rule: ItlRule) -> usize {
    match rule {
        ItlRule::GapShare { .. } => 0,
        ItlRule::WorstGap => 1,
        ItlRule::MeanGap => 2,
    }
}

/// Whether a request completed with its first token in time; the other half of compliance.
#[must_use]
pub fn completed_in_time(request: &Request, tier: &Tier) -> bool {
    request.outcome == Outcome::Completed && request.ttft().is_some_and(|ttft| ttft <= tier.ttft)
}

/// Compliant(r) ⇔ Completed ∧ TTFT ≤ its tier's limit ∧ the ITL rule holds. TPOT and queue time
/// take no part. A request outside every tier never complies.
#[must_use]
pub fn complies(request: &Request, sheet: &PromiseSheet) -> bool {
    let Some(tier) = sheet.tier_of(request.isl) else { return false };
    completed_in_time(request, &sheet.tiers[tier])
        && gaps_comply(request, sheet.itl_rule, sheet.itl) == Some(true)
}

/// Whether a request's TPOT is within a limit (≤), in integers; `None` where it has no TPOT
/// (fewer than two output tokens, or no output at all).
#[must_use]
pub fn tpot_within(request: &Request, limit: Nanos) -> Option<bool> {
    let tokens = u128::from(request.osl?.checked_sub(1).filter(|&tokens| tokens > 0)?);
    Some(u128::from(request.streaming_time()?.0) <= u128::from(limit.0) * tokens)
}
