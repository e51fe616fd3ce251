//! The one pass over a step's requests, in which everything is counted.

use super::backlog::InFlight;
use super::compliance::{completed_in_time, declared_rule, gaps_comply, three_rules, tpot_within};
use super::figures::Counts;
use super::generator::{Sending, lag_limit};
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::{Outcome, Request};
use crate::definitions::step::Step;
use crate::definitions::window::{WallTime, is_member};
use crate::stats::dependence::{SLOTS, Series, Slots, Values};
use crate::units::{Moment, Nanos};

/// The key of a time that a request never had: +∞.
pub(crate) const NEVER: u64 = u64::MAX;

/// At most one in so many requests may lack what a figure needs.
const TOLERATED: u64 = 1000;

/// What one tier's valid requests amount to.
pub(crate) struct TierPass {
    pub(crate) valid: u64,
    pub(crate) compliant: u64,
    pub(crate) compliant_by_rule: [u64; 3],
    pub(crate) cancelled: u64,
    pub(crate) cancelled_late: u64,
    pub(crate) tpot_undefined: u64,
    /// Keys: nanoseconds, or [`NEVER`].
    pub(crate) ttft: Values,
    pub(crate) ttft_from_intended: Vec<u64>,
    /// Keys: the bits of seconds per token, which sort as the numbers do.
    pub(crate) tpot: Values,
    pub(crate) queue: Values,
    /// Each request's P99 gap; requests without a gap have none.
    pub(crate) gap_p99: Values,
    /// By promise: attainment, TTFT, TPOT, queue.
    pub(crate) attainment: Series,
    pub(crate) ttft_series: Series,
    pub(crate) tpot_series: Series,
    pub(crate) queue_series: Series,
    /// Gaps at the limit or above, as far as request records tell.
    pub(crate) gap_series: Series,
    pub(crate) requests_with_gaps: u64,
}

/// Sums of tokens over a set of requests that may not all say what they cached.
#[derive(Default)]
pub(crate) struct Tokens {
    pub(crate) requests: u64,
    pub(crate) isl: u64,
    pub(crate) osl: u64,
    said: u64,
    said_isl: u64,
    said_cached: u64,
}

impl Tokens {
    fn add(&mut self, request: &Request) {
        self.requests += 1;
        self.isl += u64::from(request.isl.unwrap_or(0));
        self.osl += u64::from(request.osl.unwrap_or(0));
        if let (Some(isl), Some(cached)) = (request.isl, request.cached) {
            self.said += 1;
            self.said_isl += u64::from(isl);
            self.said_cached += u64::from(cached.min(isl));
        }
    }

    /// Requests that do not say how much of their input was cached.
    pub(crate) const fn unknown(&self) -> u64 {
        self.requests - self.said
    }

    /// Input in all and reused, over the requests that say both. Missing if too many do not.
    pub(crate) fn input(&self) -> Measured<(u64, u64)> {
        if self.requests == 0 {
            Measured::Missing(Missing::NoRequests)
        } else if exceeds(self.unknown(), self.requests) {
            Measured::Missing(Missing::NotObserved)
        } else {
            Measured::Value((self.said_isl, self.said_cached))
        }
    }
}

/// Whether `some` are more than 0.1 % of `all`.
pub(crate) const fn exceeds(some: u64, all: u64) -> bool {
    some as u128 * TOLERATED as u128 > all as u128
}

/// Everything that one pass counts.
pub(crate) struct Pass {
    /// Whether the requests stood in the order of sending.
    pub(crate) in_order: bool,
    /// Requests in flight, warm-up and tail included.
    pub(crate) in_flight: InFlight,
    pub(crate) counts: Counts,
    pub(crate) tiers: Vec<TierPass>,
    pub(crate) success: Series,
    pub(crate) sending: Sending,
    pub(crate) wall: WallTime,
    pub(crate) residence: u128,
    pub(crate) output_tokens: u64,
    pub(crate) compliant_tokens: u64,
    pub(crate) compliant_tokens_by_slot: Vec<f64>,
    pub(crate) raw_tokens: u64,
    pub(crate) completed_with_tokens: u64,
    pub(crate) completed_events: u64,
    pub(crate) offered_input: u64,
    pub(crate) prefilled: Tokens,
    pub(crate) sold: Tokens,
}

impl TierPass {
    /// Nothing counted yet, with room for so many requests.
    fn with_capacity(room: usize) -> Self {
        let values = || Values::with_capacity(room);
        Self {
            valid: 0,
            compliant: 0,
            compliant_by_rule: [0; 3],
            cancelled: 0,
            cancelled_late: 0,
            tpot_undefined: 0,
            ttft: values(),
            ttft_from_intended: Vec::with_capacity(room),
            tpot: values(),
            queue: values(),
            gap_p99: values(),
            attainment: Series::new(),
            ttft_series: Series::new(),
            tpot_series: Series::new(),
            queue_series: Series::new(),
            gap_series: Series::new(),
            requests_with_gaps: 0,
        }
    }
}

impl Pass {
    /// Goes over the members of the window [W0, W1): those *sent* in it, followed to their end.
    pub(crate) fn over(step: &Step, requests: &[Request], sheet: &PromiseSheet) -> Self {
        // As if the tiers were of one size.
        let room = requests.len() / sheet.tiers.len().max(1);
        let mut pass = Self {
            in_order: true,
            in_flight: InFlight::over(step),
            counts: Counts::default(),
            tiers: sheet.tiers.iter().map(|_| TierPass::with_capacity(room)).collect(),
            success: Series::new(),
            sending: Sending::default(),
            wall: WallTime::default(),
            residence: 0,
            output_tokens: 0,
            compliant_tokens: 0,
            compliant_tokens_by_slot: vec![0.0; SLOTS],
            raw_tokens: 0,
            completed_with_tokens: 0,
            completed_events: 0,
            offered_input: 0,
            prefilled: Tokens::default(),
            sold: Tokens::default(),
        };
        let slots = Slots::of(step.w0, step.w1);
        let rules = three_rules(sheet);
        let lag_limit = lag_limit(sheet);
        let mut last = Moment(0);
        for request in requests {
            pass.in_order &= last <= request.sent;
            last = request.sent;
            pass.in_flight.add(request.sent, request.end);
            if !is_member(step, request) {
                continue;
            }
            let slot = slots.at(request.sent);
            pass.member(request, lag_limit);
            let tier = sheet.tier_of(request.isl);
            match request.outcome {
                Outcome::ClientFault(_) => pass.counts.client_faults += 1,
                Outcome::Cancelled => {
                    pass.counts.cancelled += 1;
                    if let Some(tier) = tier {
                        let limit = sheet.tiers[tier].ttft;
                        let waited = request.ttft().unwrap_or(request.residence());
                        pass.tiers[tier].cancelled += 1;
                        pass.tiers[tier].cancelled_late += u64::from(waited > limit);
                    }
                }
                Outcome::Completed | Outcome::Failed(_) => {
                    pass.valid(request, slot);
                    match tier {
                        None => pass.counts.unpromised += 1,
                        Some(tier) => pass.in_tier(request, slot, tier, sheet, &rules),
                    }
                }
            }
        }
        pass
    }

    fn member(&mut self, request: &Request, lag_limit: Nanos) {
        self.counts.members += 1;
        self.wall.add(request);
        self.residence += u128::from(request.residence().0);
        self.sending.add(request, lag_limit);
        self.offered_input += u64::from(request.isl.unwrap_or(0));
        if request.first_token.is_some() {
            self.prefilled.add(request);
        }
    }

    fn valid(&mut self, request: &Request, slot: usize) {
        self.counts.valid += 1;
        self.raw_tokens += u64::from(request.osl.unwrap_or(0));
        if let Outcome::Failed(kind) = request.outcome {
            *self.counts.failures.entry(kind).or_default() += 1;
        } else {
            self.counts.completed += 1;
            if let Some(osl) = request.osl {
                self.completed_with_tokens += 1;
                self.output_tokens += u64::from(osl);
                self.completed_events += u64::from(request.events);
            } else {
                self.counts.unknown_tokens += 1;
            }
        }
        self.success.count(slot, request.sent, request.outcome != Outcome::Completed);
    }

    fn in_tier(
        &mut self,
        request: &Request,
        slot: usize,
        tier: usize,
        sheet: &PromiseSheet,
        rules: &[crate::definitions::promise::ItlRule; 3],
    ) {
        let limits = &sheet.tiers[tier];
        let figures = &mut self.tiers[tier];
        figures.valid += 1;

        let in_time = completed_in_time(request, limits);
        let mut by_rule = [false; 3];
        if in_time {
            for (complies, rule) in by_rule.iter_mut().zip(rules) {
                *complies = gaps_comply(request, *rule, sheet.itl) == Some(true);
            }
        }
        for (count, complies) in figures.compliant_by_rule.iter_mut().zip(by_rule) {
            *count += u64::from(complies);
        }
        let compliant = by_rule[declared_rule(sheet.itl_rule)];
        figures.attainment.count(slot, request.sent, !compliant);
        if compliant {
            figures.compliant += 1;
            self.counts.compliant += 1;
            let tokens = request.osl.unwrap_or(0);
            self.compliant_tokens += u64::from(tokens);
            self.compliant_tokens_by_slot[slot] += f64::from(tokens);
            self.sold.add(request);
        }
        let no_gaps = request.gap_count() > 0 && request.gaps.is_none();
        self.counts.unknown_gaps += u64::from(no_gaps && request.outcome == Outcome::Completed);

        let ttft = request.ttft();
        figures.ttft.push(slot, ttft.map_or(NEVER, |time| time.0));
        figures.ttft_from_intended.push(request.ttft_from_intended().map_or(NEVER, |time| time.0));
        figures.ttft_series.count(slot, request.sent, ttft.is_none_or(|time| time > limits.ttft));

        match request.tpot().zip(tpot_within(request, limits.tpot)) {
            None => figures.tpot_undefined += 1,
            Some((tpot, within)) => {
                figures.tpot.push(slot, tpot.get().to_bits());
                figures.tpot_series.count(slot, request.sent, !within);
            }
        }
        if let Some(queue) = request.queue {
            figures.queue.push(slot, queue.0);
            // The promise on a set's queue P99 is strict.
            figures.queue_series.count(slot, request.sent, queue >= sheet.queue);
        }
        if request.gap_count() > 0 {
            figures.requests_with_gaps += 1;
            figures.gap_p99.push(slot, request.gaps.map_or(0, |gaps| gaps.p99.0));
            let bad = gaps_at_least(request, sheet.itl);
            figures.gap_series.count_many(slot, request.sent, request.gap_count(), bad);
        }
    }
}

/// How many of a request's gaps are at least `limit`, by the least that its record allows.
fn gaps_at_least(request: &Request, limit: Nanos) -> u32 {
    let Some(gaps) = request.gaps else { return 0 };
    let m = u64::from(request.gap_count());
    let above = |percent: u8| m - crate::stats::rank::nearest_rank(m, percent) + 1;
    let bad = if gaps.p95 >= limit {
        above(95)
    } else if gaps.p99 >= limit {
        above(99)
    } else {
        u64::from(gaps.max >= limit)
    };
    bad as u32
}
