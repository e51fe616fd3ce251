//! What a step leaves behind, and who is told of it while it runs.

use std::collections::BTreeMap;
use std::io;

use tokencap_shared::definitions::record::{GapHistogram, Request};
use tokencap_shared::definitions::step::Step;
use tokencap_wire::gaps::Gaps;

/// What a step left behind.
#[derive(Clone, Debug)]
pub struct StepRecord {
    /// The step, for the bundle's manifest.
    pub step: Step,
    /// Every request, in the order of sending; [`Request::error`] points into `errors`.
    pub requests: Vec<Request>,
    /// Every gap of the window's valid requests, by index of the promise sheet's tier.
    pub gaps: BTreeMap<usize, GapHistogram>,
    /// Different texts of errors.
    pub errors: Vec<String>,
}

/// Who is told of every request as it ends, in the order of ending.
pub trait Recorder {
    /// Takes a request down, with its gaps in the order in which they came. Its `error` is not
    /// set; the text is given instead.
    ///
    /// # Errors
    /// If it cannot be taken down: the step then stops.
    fn request(&mut self, request: &Request, error: Option<&str>, gaps: &Gaps) -> io::Result<()>;
}

/// Takes nothing down.
impl Recorder for () {
    fn request(&mut self, _: &Request, _: Option<&str>, _: &Gaps) -> io::Result<()> {
        Ok(())
    }
}
