//! Verdicts: what evidence about a share says of a promise.

use serde::{Deserialize, Serialize};

use crate::definitions::measured::Measured;
use crate::definitions::promise::{PromiseKind, Target};
use crate::stats::dependence::{Batches, Series};
use crate::stats::share;
use crate::units::{Nanos, Ratio, Seconds, Share};

/// A promise's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The evidence shows the promise kept.
    Held,
    /// The evidence shows it broken.
    Broken,
    /// Too little evidence for either.
    Insufficient,
    /// There is no source that could tell.
    NotObserved,
}

impl Verdict {
    /// Several promises together: held only if each is, broken if any is; else insufficient if
    /// any is, and not observed where only sources are lacking. No promises prove nothing.
    pub fn together(verdicts: impl IntoIterator<Item = Self>) -> Self {
        let severity = |verdict: &Self| match verdict {
            Self::Held => 0,
            Self::NotObserved => 1,
            Self::Insufficient => 2,
            Self::Broken => 3,
        };
        verdicts.into_iter().max_by_key(severity).unwrap_or(Self::Insufficient)
    }
}

/// One promise, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromiseVerdict {
    /// What is promised.
    pub kind: PromiseKind,
    /// Index of its tier in the promise sheet; `None` for a promise about the whole step.
    pub tier: Option<usize>,
    /// Whether it decides λ_slo_max, or is only watched.
    pub signed: bool,
    /// The limit, in the quantity of the promise.
    pub limit: Quantity,
    /// What was measured, in the same quantity.
    pub measured: Measured<Quantity>,
    /// The share behind the verdict, with its bounds.
    pub evidence: Measured<ShareEvidence>,
    /// The verdict by confidence bounds, or by the point in `point` mode.
    pub verdict: Verdict,
    /// The point estimate's verdict: what a search screens by. Never signed.
    pub screen: Verdict,
}

/// A promise's limit or measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "unit", content = "value")]
pub enum Quantity {
    /// A share (attainment, success).
    Share(Share),
    /// A time: nanoseconds, a fraction of one rounded up; `None` is +∞ (requests that never had
    /// the quantity).
    Time(Option<Nanos>),
    /// A time only known to lie in `(lo, hi]`, from a server histogram; `hi` `None` is +∞.
    Bracket {
        /// Above this.
        lo: Nanos,
        /// At most this.
        hi: Option<Nanos>,
    },
}

/// `good` of `n`, the share's one-sided bounds, and what they rest on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShareEvidence {
    /// Values that keep the promise.
    pub good: u64,
    /// Values in all.
    pub n: u64,
    /// Target that the share must reach.
    pub target: Share,
    /// One-sided lower bound of the true share.
    pub lower: Share,
    /// One-sided upper bound of the true share.
    pub upper: Share,
    /// Variance inflation by dependence between requests, the price of estimating it included;
    /// n / vif is what the bounds rest on. ≥ 1.
    pub vif: Ratio,
    /// Violations separated by more than 10 s.
    pub episodes: u64,
    /// For `insufficient`: how many more values like these would sign it.
    pub needed: Option<Needed>,
}

/// What is missing for a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Needed {
    /// Values needed in all, at the bad count seen so far.
    pub n: u64,
    /// About how much longer the window must be at this rate; `None` where no value arrived.
    pub more: Option<Seconds>,
}

/// How values of one run depend on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dependence {
    /// Estimated from the run, as every verdict about a measurement must.
    #[default]
    Estimated,
    /// Declared independent: for worked examples and simulated indicators only.
    Independent,
}

/// What judging a share needs to know besides its counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) confidence: Share,
    pub(crate) window: Seconds,
    pub(crate) dependence: Dependence,
    pub(crate) batches: Batches,
}

impl ShareEvidence {
    /// Judges the share of good values in a series against a target. `floor` is the least
    /// variance inflation to assume.
    pub(crate) fn of(series: &Series, target: Target, floor: f64, terms: Terms) -> Self {
        let (n, bad) = (series.n(), series.bad());
        let inflation = series.inflation(terms.batches).max(floor);
        Self::new(n - bad, n, target, inflation, series.episodes(), terms)
    }

    /// Judges `good` of `n` at a given variance inflation.
    pub(crate) fn new(
        good: u64,
        n: u64,
        target: Target,
        inflation: f64,
        episodes: u64,
        terms: Terms,
    ) -> Self {
        let vif = match terms.dependence {
            Dependence::Independent => 1.0,
            Dependence::Estimated => inflation.max(1.0),
        };
        let alpha = 1.0 - terms.confidence.get();
        let effective = |count: u64| Ratio::new(count as f64 / vif).unwrap_or(Ratio::count(0));
        let (good_effective, bad_effective) = (effective(good), effective(n - good));
        let mut evidence = Self {
            good,
            n,
            target: target.share(),
            lower: share::at_least(good_effective, bad_effective, terms.confidence),
            upper: share::at_most(good_effective, bad_effective, terms.confidence),
            vif: Ratio::new(vif).unwrap_or(Ratio::count(1)),
            episodes,
            needed: None,
        };
        if evidence.verdict() == Verdict::Insufficient {
            evidence.needed = evidence.needed(alpha, terms.window);
        }
        evidence
    }

    /// Held if the lower bound reaches the target, broken if the upper one misses it.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.n > 0 && self.lower >= self.target {
            Verdict::Held
        } else if self.upper < self.target {
            Verdict::Broken
        } else {
            Verdict::Insufficient
        }
    }

    fn needed(&self, alpha: f64, window: Seconds) -> Option<Needed> {
        let bad = self.n - self.good;
        let n = if self.vif.get() <= 1.0 {
            share::needed(bad, self.target, Share::clamped(1.0 - alpha))?
        } else {
            let effective = bad as f64 / self.vif.get();
            (share::needed_effective(effective, self.target.get(), alpha)? * self.vif.get()).ceil()
                as u64
        };
        let more = (self.n > 0)
            .then(|| n.saturating_sub(self.n) as f64 * window.get() / self.n as f64)
            .and_then(|seconds| Seconds::new(seconds).ok());
        Some(Needed { n, more })
    }
}

/// The point estimate's verdict, in integers.
pub(crate) fn screen(good: u64, n: u64, target: Target) -> Verdict {
    match (n, target.reached_by(good, n)) {
        (0, _) => Verdict::Insufficient,
        (_, true) => Verdict::Held,
        (_, false) => Verdict::Broken,
    }
}
