//! Whether a step's values count at all, decided before any of them is looked at.

use serde::Serialize;

use super::figures::Input;
use super::generator::of_generator;
use super::invalid::Invalid;
use super::pass::{Pass, exceeds};
use crate::definitions::measured::Measured;
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::Request;
use crate::definitions::step::Step;
use crate::definitions::workload::Workload;
use crate::units::{Nanos, Share};

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

/// Holes in telemetry on which a promise rests.
const HOLE: Nanos = Nanos::from_secs(3);
/// A point of hit rate: what differs by less counts as equal.
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
    let mut reasons = of_generator(step, requests, pass.sending, sheet);
    let mut add = |reason| reasons.push(reason);

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
