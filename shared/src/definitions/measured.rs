//! A value that is there, or the reason why it is not. Missing is never zero and never NaN.

use serde::{Deserialize, Serialize};

/// Why a number is missing. The words for people are in the catalogue of texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason", content = "detail")]
pub enum Missing {
    /// Nothing was observed that could tell: no such metric, no such field in the answers.
    NotObserved,
    /// No request of the set has this quantity.
    NoRequests,
    /// The step is not valid, so it has no value.
    InvalidStep,
    /// No tested rate held the promises.
    NothingHeld,
    /// No price sheet was chosen.
    NoPriceSheet,
    /// The price sheet does not price this.
    NotPriced,
    /// The deployment does not declare this.
    NotDeclared,
    /// The records cannot answer for this promise sheet (its tiers or quantile differ from
    /// those that the gaps were recorded for).
    NotRecorded,
    /// The step is no confirmation run, so nothing was soaked.
    NotSoaked,
    /// The source says so itself, or another reason in its own words.
    Other(String),
}

/// A measurement, or the reason for its absence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured<T> {
    /// What was measured.
    Value(T),
    /// Why nothing was.
    Missing(Missing),
}

impl<T> Measured<T> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing(_) => None,
        }
    }

    /// Transforms the value and keeps the reason.
    pub fn map<U>(self, transform: impl FnOnce(T) -> U) -> Measured<U> {
        match self {
            Self::Value(value) => Measured::Value(transform(value)),
            Self::Missing(reason) => Measured::Missing(reason),
        }
    }

    /// Goes on with the value, or keeps the reason.
    pub fn and_then<U>(self, next: impl FnOnce(T) -> Measured<U>) -> Measured<U> {
        match self {
            Self::Value(value) => next(value),
            Self::Missing(reason) => Measured::Missing(reason),
        }
    }

    /// The value, or missing for the given reason.
    pub fn of(value: Option<T>, reason: Missing) -> Self {
        value.map_or(Self::Missing(reason), Self::Value)
    }
}
