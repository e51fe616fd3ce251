//! A step while it runs, as whoever steers it sees it.

use std::collections::BTreeMap;

use tokencap_shared::definitions::record::{GapHistogram, Request};
use tokencap_shared::definitions::step::Step;
use tokencap_shared::units::Moment;

/// A step that is running.
#[derive(Debug)]
pub struct Running<'a> {
    /// The step up to now: its window ends now, or where it was planned to.
    pub step: Step,
    /// The instant of this look, on the run's clock.
    pub now: Moment,
    /// Every request that has ended, in any order; whoever looks may put them in another.
    pub ended: &'a mut [Request],
    /// Requests without an end, in the order of sending.
    pub open: Vec<Open>,
    /// Gaps of the window's valid requests that have ended, by tier.
    pub gaps: &'a BTreeMap<usize, GapHistogram>,
}

/// A request without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// When it was sent.
    pub sent: Moment,
    /// Tokens that its prompt is meant to have.
    pub isl: u32,
    /// When its first token came, if it has.
    pub first_token: Option<Moment>,
}

/// What becomes of a running step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// It goes on as planned.
    #[default]
    Go,
    /// Its window ends now; its members are followed to their ends.
    Close,
    /// It is hopeless, for this reason: its window ends now, what is overdue has failed, and the
    /// rest is given up.
    Abandon(String),
}

/// Asked once a second what is to become of a step.
pub type Steer<'a> = dyn FnMut(&mut Running<'_>) -> Control + Send + 'a;
