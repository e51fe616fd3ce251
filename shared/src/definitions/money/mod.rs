//! Money: derived from signed capacity and a dated price sheet, never part of a bundle.
//!
//! Cost and price are kept apart. *Daily value at cost* is by construction what the GPUs cost a
//! day: it checks the arithmetic and ranks nothing. *Daily value at price* is what customers
//! would pay for the compliant requests' tokens, and *margin* the difference.

mod cost;
mod price;
mod value;

pub use cost::{
    CostPerMTok, CostPoint, cost_curve, cost_per_mtok, gpu_cost_daily, utilisation_curve,
};
pub(crate) use price::is_date;
pub use price::{
    GpuHour, InputCached, InputUncached, Output, Price, PriceBasis, PriceError, PriceSheet,
};
pub use value::{Economics, ValueAtPrice, daily_value_at_cost, value_at_price};

use serde::{Deserialize, Serialize};

use crate::units::UnitError;

/// An amount of money in the currency of the price sheet it comes from. May be negative (a
/// margin).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Money(f64);

impl Money {
    /// An amount.
    ///
    /// # Errors
    /// If the number is not finite.
    pub fn new(value: f64) -> Result<Self, UnitError> {
        if value.is_finite() {
            Ok(Self(value))
        } else {
            Err(UnitError::NotFinite { unit: "Money", value })
        }
    }

    /// The number, in the price sheet's currency.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Money {
    type Error = UnitError;
    fn try_from(value: f64) -> Result<Self, UnitError> {
        Self::new(value)
    }
}

impl From<Money> for f64 {
    fn from(money: Money) -> f64 {
        money.0
    }
}
