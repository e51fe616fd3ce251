//! What was declared of a run before it was measured: without it no number is allowed.

use super::deployment::Deployment;
use super::promise::PromiseSheet;
use super::workload::Workload;

/// The declaration of a run: runs go together, compare and are quoted by it.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// What was measured.
    pub deployment: &'a Deployment,
    /// What was promised.
    pub promise: &'a PromiseSheet,
    /// What the load was.
    pub workload: &'a Workload,
}

impl Declared<'_> {
    /// What keeps this run from going together with another one, in a word; `None` where nothing
    /// does.
    #[must_use]
    pub fn differs(self, other: Declared<'_>) -> Option<&'static str> {
        if self.deployment != other.deployment {
            Some("deployments")
        } else if self.promise != other.promise {
            Some("promise sheets")
        } else if self.workload != other.workload {
            Some("workloads")
        } else {
            None
        }
    }
}
