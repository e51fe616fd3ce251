//! One step of a run: one offered rate, one window, and the evidence about the generator.

use serde::{Deserialize, Serialize};

use super::note::Note;
use crate::units::{Moment, Nanos, Rate, Share};

/// Why a step was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// To find the neighbourhood of the limit. Screens, never signs.
    Probe,
    /// The confirmation at the answer. Signs.
    Confirm,
    /// A confirmation of at least 1,800 s with the drift tests: makes capacity `committed`.
    Soak,
    /// A closed loop of users, for comparison with tools that measure so. Slow answers hold back
    /// its load, so it never counts towards a capacity.
    Closed,
}

/// One step, as the bundle's manifest holds it. The records decide everything that can be
/// decided from them; here stands only what they cannot tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Number of the step in its run, from 0, in the order they ran.
    pub id: u32,
    /// Why it was run.
    pub kind: StepKind,
    /// Arrival rate that was asked for, in requests/s (steps of sessions count as requests).
    pub asked: Rate,
    /// Seed of its arrivals and prompts.
    pub seed: u64,
    /// First instant of the schedule (start of the warm-up).
    pub start: Moment,
    /// First instant of the window.
    pub w0: Moment,
    /// End of the window, exclusive.
    pub w1: Moment,
    /// When the last request had ended.
    pub end: Moment,
    /// Arrivals that the schedule held in the window. All of them must have been sent.
    pub scheduled: u64,
    /// What the generator knows about itself.
    pub generator: GeneratorEvidence,
    /// Why the step was stopped early, if it was.
    #[serde(default)]
    pub stopped: Option<Note>,
    /// Why a search gave the step up as hopeless, if it did: its window ended there, what was
    /// overdue by then has failed, and the rest was given up by the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abandoned: Option<String>,
}

/// What the generator measured of itself during a step; part of the step's validity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorEvidence {
    /// Busiest generator thread: its share of CPU time. `None`: not observable here.
    pub cpu_busiest: Option<Share>,
    /// 99.9th percentile of the event loop's lateness, from a ticker.
    pub stall_p999: Option<Nanos>,
    /// 99th percentile of the time from "socket readable" to "event parsed", sampled.
    pub read_lag_p99: Option<Nanos>,
    /// Arrivals that were dropped or held back by a cap. Must be 0.
    pub dropped: u64,
}
