//! Whether a step's values count at all, decided before any of them is looked at.

use serde::Serialize;

use super::figures::Input;
use super::lag::{LAG_MAX, lag_limit};
use super::pass::{Pass, exceeds};
use crate::definitions::measured::Measured;
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::Request;
use crate::definitions::step::Step;
use crate::definitions::window::is_member;
use crate::definitions::workload::Workload;
use crate::stats::rank::{nearest_rank, select};
use crate::units::{Nanos, Share};

/// Why a step is invalid: each with the figure that shows it. The texts, and what to change,
/// are in the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum Invalid {
    /// The client sent late.
    GeneratorLate {
        /// Send lag P99.
        p99: Nanos,
        /// Greatest send lag.
        max: Nanos,
        /// Limit on the P99.
        limit: Nanos,
    },
    /// A generator thread had no time left.
    GeneratorSaturated {
        /// Busiest thread.
        cpu: Option<Share>,
        /// Event-loop stall, 99.9th percentile.
        stall: Option<Nanos>,
    },
    /// Arrivals were dropped, capped or missing from the schedule's count by more than 1 %.
    ArrivalsMissing {
        /// Scheduled in the window.
        scheduled: u64,
        /// Sent in it.
        sent: u64,
        /// Dropped or held back.
        dropped: u64,
    },
    /// More than 0.1 % of members were the plan's fault.
    ClientFaults {
        faults: u64,
        /// Of how many members.
        members: u64,
    },
    /// More than 0.1 % of valid requests lie outside every tier.
    Unpromised {
        unpromised: u64,
        /// Of how many valid requests.
        valid: u64,
    },
    /// More than 0.1 % of completed requests have no token count.
    UnknownTokens {
        unknown: u64,
        /// Of how many.
        of: u64,
    },
    /// The hit rate is unlike the declared one.
    CacheContaminated { declared: Share, measured: Share },
    /// Telemetry has a hole of more than 3 s although a promise rests on it.
    TelemetryGap {
        /// The longest hole.
        longest: Nanos,
    },
    /// It was stopped before its window had ended.
    Stopped {
        /// Why, in the tool's words.
        why: String,
    },
    /// No member at all.
    Empty,
}

/// What a step is worth before any of its values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Validity {
    /// Empty: VALID.
    pub invalid: Vec<Invalid>,
    /// Requests in flight rise through the window: the rate cannot be sustained. Not invalid,
    /// but broken.
    pub unsustainable: bool,
    /// The tail is more than 5 % of the wall time: "window too short".
    pub window_too_short: bool,
}

impl Validity {
    /// Whether the step's values count.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.invalid.is_empty()
    }
}

/// A pinned core may be this busy.
const BUSY: f64 = 0.70;
/// The event loop's lateness, 99.9th percentile.
const STALL: Nanos = Nanos::from_millis(20);
/// Holes in telemetry on which a promise rests.
const HOLE: Nanos = Nanos::from_secs(3);
/// A point of hit rate.
pub(crate) const HIT_RATE_POINT: f64 = 0.01;

/// All reasons that make a step INVALID.
pub(crate) fn reasons(
    step: &Step,
    requests: &[Request],
    pass: &Pass,
    sheet: &PromiseSheet,
    workload: &Workload,
    input: &Input,
    telemetry_hole: Option<Nanos>,
) -> Vec<Invalid> {
    if let Some(why) = &step.stopped {
        return vec![Invalid::Stopped { why: why.clone() }];
    }
    if pass.counts.members == 0 {
        return vec![Invalid::Empty];
    }
    let counts = &pass.counts;
    let (members, valid) = (counts.members, counts.valid);
    let mut reasons = Vec::new();
    let mut add = |reason| reasons.push(reason);

    // The P99 is over its limit if more than a hundredth are late: it is sought only then.
    let rank = nearest_rank(members, 99);
    if members - pass.late < rank || pass.send_lag_max > LAG_MAX {
        let members = requests.iter().filter(|request| is_member(step, request));
        let mut lags: Vec<u64> = members.map(|request| request.send_lag().0).collect();
        let p99 = select(&mut lags, &[rank]).first().copied().map(Nanos).unwrap_or_default();
        add(Invalid::GeneratorLate { p99, max: pass.send_lag_max, limit: lag_limit(sheet) });
    }

    let (cpu, stall) = (step.generator.cpu_busiest, step.generator.stall_p999);
    if cpu.is_some_and(|cpu| cpu.get() > BUSY) || stall.is_some_and(|stall| stall > STALL) {
        add(Invalid::GeneratorSaturated { cpu, stall });
    }

    let (scheduled, dropped) = (step.scheduled, step.generator.dropped);
    let off = u128::from(members.abs_diff(scheduled));
    if dropped > 0 || off * 100 > u128::from(scheduled) {
        add(Invalid::ArrivalsMissing { scheduled, sent: members, dropped });
    }

    if exceeds(counts.client_faults, members) {
        add(Invalid::ClientFaults { faults: counts.client_faults, members });
    }
    if exceeds(counts.unpromised, valid) {
        add(Invalid::Unpromised { unpromised: counts.unpromised, valid });
    }
    if exceeds(counts.unknown_tokens, counts.completed) {
        add(Invalid::UnknownTokens { unknown: counts.unknown_tokens, of: counts.completed });
    }
    if let (Some(declared), Measured::Value(measured)) = (workload.hit_rate, &input.hit_rate)
        && !hit_rate_kept(declared, *measured)
    {
        add(Invalid::CacheContaminated { declared, measured: *measured });
    }
    if let Some(longest) = telemetry_hole.filter(|&hole| hole > HOLE) {
        add(Invalid::TelemetryGap { longest });
    }
    reasons
}

/// Whether a measured hit rate is within a point of the declared one.
pub(crate) fn hit_rate_kept(declared: Share, measured: Share) -> bool {
    // A rounding error of the subtraction is no contamination.
    (declared.get() - measured.get()).abs() <= HIT_RATE_POINT + 1e-12
}
