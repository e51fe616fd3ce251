//! Why a step's values do not count.

use serde::Serialize;

use crate::definitions::note::Note;
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
        /// Why.
        why: Note,
    },
    /// No member at all.
    Empty,
}
