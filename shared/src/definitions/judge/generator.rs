//! What the generator's own evidence must show for a step's values to count.

use super::invalid::Invalid;
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::Request;
use crate::definitions::step::Step;
use crate::definitions::window::is_member;
use crate::stats::rank::{nearest_rank, percentile};
use crate::units::Nanos;

/// Send lag P99 may be this, or 1 % of the tightest TTFT limit if that is less.
const LAG_P99: Nanos = Nanos::from_millis(10);
/// Send lag may never be more than this, or the step is INVALID.
pub const LAG_MAX: Nanos = Nanos::from_millis(100);
/// A pinned core may be this busy.
const BUSY: f64 = 0.70;
/// The event loop's lateness, 99.9th percentile.
const STALL: Nanos = Nanos::from_millis(20);

/// Limit on the send lag's P99.
pub(crate) fn lag_limit(sheet: &PromiseSheet) -> Nanos {
    let tightest = sheet.tiers.iter().map(|tier| tier.ttft.0).min().unwrap_or(u64::MAX);
    LAG_P99.min(Nanos(tightest / 100))
}

/// How late the members of a window were sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sending {
    members: u64,
    /// Sent later than the limit on the P99 allows.
    late: u64,
    max: Nanos,
}

impl Sending {
    /// One more member.
    pub(crate) fn add(&mut self, member: &Request, limit: Nanos) {
        let lag = member.send_lag();
        self.members += 1;
        self.late += u64::from(lag > limit);
        self.max = self.max.max(lag);
    }
}

/// What the generator's evidence has against a step under a promise sheet: it sent late, had no
/// time left, or did not send every arrival. Part of each step's validity, and all that counts
/// where only the generator is measured.
#[must_use]
pub fn generator_invalid(step: &Step, requests: &[Request], sheet: &PromiseSheet) -> Vec<Invalid> {
    let limit = lag_limit(sheet);
    let mut sending = Sending::default();
    for request in requests.iter().filter(|request| is_member(step, request)) {
        sending.add(request, limit);
    }
    of_generator(step, requests, sending, sheet)
}

/// The same, of members that were counted already.
pub(crate) fn of_generator(
    step: &Step,
    requests: &[Request],
    sending: Sending,
    sheet: &PromiseSheet,
) -> Vec<Invalid> {
    let Sending { members, late, max } = sending;
    let mut reasons = Vec::new();
    // The P99 is over its limit if more than a hundredth are late: it is sought only then.
    if members - late < nearest_rank(members, 99) || max > LAG_MAX {
        let members = requests.iter().filter(|request| is_member(step, request));
        let mut lags: Vec<u64> = members.map(|request| request.send_lag().0).collect();
        let p99 = percentile(&mut lags, 99).map(Nanos).unwrap_or_default();
        reasons.push(Invalid::GeneratorLate { p99, max, limit: lag_limit(sheet) });
    }
    let (cpu, stall) = (step.generator.cpu_busiest, step.generator.stall_p999);
    if cpu.is_some_and(|cpu| cpu.get() > BUSY) || stall.is_some_and(|stall| stall > STALL) {
        reasons.push(Invalid::GeneratorSaturated { cpu, stall });
    }
    let (scheduled, dropped) = (step.scheduled, step.generator.dropped);
    let off = u128::from(members.abs_diff(scheduled));
    if dropped > 0 || off * 100 > u128::from(scheduled) {
        reasons.push(Invalid::ArrivalsMissing { scheduled, sent: members, dropped });
    }
    reasons
}
