//! What a reader may have to know before using a number, and how grave it is. The words are in the
//! catalogue.

use serde::Serialize;

use crate::definitions::capacity::Binding;
use crate::definitions::judge::Degradation;
use crate::definitions::note::Note;
use crate::definitions::promise::{PromiseKind, PromiseSheet};
use crate::signoff::SignOff;
use crate::units::Rate;

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Nothing may be promised on this row.
    Blocks,
    /// The row may mislead without this.
    Caution,
    /// Good to know.
    Note,
}

/// One thing that needs attention.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attention {
    /// Index of the row in the report; `None` for the report as a whole.
    pub row: Option<usize>,
    /// How grave it is.
    pub severity: Severity,
    /// What it is.
    #[serde(flatten)]
    pub kind: AttentionKind,
}

/// A promise, and the name of its tier if it is about one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct PromiseOfTier {
    pub kind: PromiseKind,
    /// Its tier's name; `None` for a promise about the whole step.
    pub tier: Option<String>,
}

/// What speaks against a soak, and the name of the tier that it is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DegradationOfTier {
    /// What it is.
    #[serde(flatten)]
    pub degradation: Degradation,
    /// The tier's name, if it is about one.
    pub tier_name: Option<String>,
}

/// A part of the daily value at price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MoneyPart {
    /// Output tokens.
    Output,
    /// Input tokens that were computed.
    InputUncached,
    /// Input tokens from the prefix cache.
    InputCached,
}

/// What needs attention. The words are in the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "what")]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum AttentionKind {
    /// The simulator was measured, no hardware.
    Simulated,
    /// No tested rate held the promises.
    NothingHeld {
        /// The lowest rate tested.
        lowest: Option<Rate>,
    },
    /// Steps whose values do not count.
    InvalidSteps {
        steps: Vec<u32>,
        /// Of how many.
        of: usize,
    },
    /// Verdicts by point estimates: never signable.
    PointMode,
    /// λ_slo_max rests on a screen, not on a confirmation.
    Screen,
    /// No soak at this rate: reference only.
    NotSoaked,
    /// The soak at this rate degraded.
    SoakDegraded {
        /// What speaks against it.
        degradations: Vec<DegradationOfTier>,
    },
    /// Parts of the daily value have no price or were not observed.
    PricesIncomplete { missing: Vec<MoneyPart> },
    /// Daily value at cost differs from the GPUs' daily cost, which it must equal.
    IdentityBroken,
    /// No tested rate breaks a promise: λ_slo_max is only a lower end.
    NoUpperEnd,
    /// A rate above a broken one passed.
    NonMonotone,
    /// Signed promises without enough evidence in the step shown.
    Insufficient { promises: Vec<PromiseOfTier> },
    /// Signed promises that nothing could observe: they can never be held.
    NotObserved { promises: Vec<PromiseOfTier> },
    /// Watched promises that broke in the step shown.
    WatchedBroken { promises: Vec<PromiseOfTier> },
    /// The window of the step shown is short against its tail.
    WindowTooShort { step: u32 },
    /// What breaks first beyond λ_slo_max, and what the server shows then.
    Binding {
        promise: PromiseOfTier,
        /// Where it breaks, by how much, and the server's signs.
        binding: Binding,
    },
    /// Requests of the step shown failed.
    Failures {
        failed: u64,
        /// Of how many valid ones.
        valid: u64,
    },
    /// The service does not say how many prompt tokens came from the cache.
    CacheUnknown,
    /// Judged by another promise sheet than the one it was measured for.
    Rejudged,
    /// Measured under other definitions than this report's.
    OtherDefinitions {
        /// The bundle's.
        version: u32,
    },
    /// The bundle is not signed, or its signatures do not count.
    NotSigned {
        /// What its sign-off is worth.
        sign_off: SignOff,
    },
    /// Rows of different models stand side by side.
    DifferentModels,
    /// The measuring tool says so.
    Warning {
        /// What it says.
        note: Note,
    },
}

impl AttentionKind {
    /// How grave it is.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        match self {
            Self::NothingHeld { .. }
            | Self::PointMode
            | Self::NotObserved { .. }
            | Self::IdentityBroken => Severity::Blocks,
            Self::Simulated
            | Self::InvalidSteps { .. }
            | Self::Screen
            | Self::NotSoaked
            | Self::SoakDegraded { .. }
            | Self::PricesIncomplete { .. }
            | Self::NoUpperEnd
            | Self::NonMonotone
            | Self::Insufficient { .. }
            | Self::WatchedBroken { .. }
            | Self::WindowTooShort { .. }
            | Self::Rejudged
            | Self::OtherDefinitions { .. }
            | Self::DifferentModels => Severity::Caution,
            Self::NotSigned { sign_off } => match sign_off {
                SignOff::Signed { .. }
                | SignOff::PartlySigned { .. }
                | SignOff::Unsigned
                | SignOff::UnknownKey { .. } => Severity::Caution,
                SignOff::BadSignature { .. }
                | SignOff::ContentsChanged { .. }
                | SignOff::NumbersDiffer { .. }
                | SignOff::Expired { .. }
                | SignOff::Superseded { .. }
                | SignOff::Revoked { .. } => Severity::Blocks,
            },
            Self::Binding { .. }
            | Self::Failures { .. }
            | Self::CacheUnknown
            | Self::Warning { .. } => Severity::Note,
        }
    }
}

impl PromiseOfTier {
    /// The promise by its tier's index in a sheet.
    #[must_use]
    pub fn new(kind: PromiseKind, tier: Option<usize>, sheet: &PromiseSheet) -> Self {
        let tier = tier.and_then(|tier| sheet.tiers.get(tier)).map(|tier| tier.name.clone());
        Self { kind, tier }
    }
}
