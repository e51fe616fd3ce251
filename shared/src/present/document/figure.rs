//! The figures that a report is read for. Each has evidence.

use super::table::Id;

/// A figure of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// λ_slo_max.
    Lambda,
    /// SLO goodput.
    Goodput,
    /// SLO goodput by serving GPU.
    GoodputPerGpu,
    /// Daily capacity.
    Daily,
    /// Steps a day.
    StepsPerDay,
    /// Tasks a day.
    TasksPerDay,
    /// Attainment of the worst tier.
    WorstAttainment,
    /// Goodput by watt.
    GoodputPerWatt,
    /// Cost of a million compliant output tokens.
    Cost,
    /// What a million output tokens sell for.
    Price,
    /// What a day of compliant tokens sells for.
    Value,
    /// That, less what the GPUs cost.
    Margin,
}

impl Figure {
    /// Every figure.
    pub const ALL: [Self; 12] = [
        Self::Lambda,
        Self::Goodput,
        Self::GoodputPerGpu,
        Self::Daily,
        Self::StepsPerDay,
        Self::TasksPerDay,
        Self::WorstAttainment,
        Self::GoodputPerWatt,
        Self::Cost,
        Self::Price,
        Self::Value,
        Self::Margin,
    ];

    /// Its name in documents, addresses and tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lambda => "lambda",
            Self::Goodput => "goodput",
            Self::GoodputPerGpu => "goodput-per-gpu",
            Self::Daily => "daily",
            Self::StepsPerDay => "steps-per-day",
            Self::TasksPerDay => "tasks-per-day",
            Self::WorstAttainment => "worst-attainment",
            Self::GoodputPerWatt => "goodput-per-watt",
            Self::Cost => "cost",
            Self::Price => "price",
            Self::Value => "value",
            Self::Margin => "margin",
        }
    }

    /// As what a line or a fact is about.
    #[must_use]
    pub const fn id(self) -> Id {
        Id::one(self.name())
    }

    /// The figure that a fact is about, if it is one.
    #[must_use]
    pub fn of(id: Id) -> Option<Self> {
        Self::ALL.into_iter().find(|figure| figure.id() == id)
    }

    /// Whether it is derived from prices, and thus covered by no signature.
    #[must_use]
    pub const fn is_money(self) -> bool {
        matches!(self, Self::Cost | Self::Price | Self::Value | Self::Margin)
    }
}
