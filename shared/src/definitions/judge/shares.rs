//! The shares of a judged step by which it is known.

use super::{PromiseVerdict, StepJudgement};
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::promise::PromiseKind;
use crate::units::Share;

impl StepJudgement {
    /// Share of valid requests that completed; `None` without a valid request.
    #[must_use]
    pub fn success(&self) -> Option<Share> {
        Share::of(self.counts.completed, self.counts.valid)
    }

    /// The tier of least attainment, with it. A tier without a value could be the worst: then
    /// nothing is known of the worst.
    #[must_use]
    pub fn worst_tier(&self) -> Measured<(&PromiseVerdict, Share)> {
        let tiers = self.promises.iter().filter(|one| one.kind == PromiseKind::Attainment);
        let shares: Option<Vec<_>> = tiers
            .map(|one| one.evidence.value().and_then(|e| Some((one, Share::of(e.good, e.n)?))))
            .collect();
        let worst = shares
            .and_then(|shares| shares.into_iter().min_by(|a, b| a.1.get().total_cmp(&b.1.get())));
        Measured::of(worst, Missing::NoRequests)
    }

    /// Attainment of the worst tier.
    #[must_use]
    pub fn worst_attainment(&self) -> Measured<Share> {
        self.worst_tier().map(|(_, share)| share)
    }
}
