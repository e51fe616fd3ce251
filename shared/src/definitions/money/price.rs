//! A dated price sheet. What a price counts is part of its type.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

/// What a price is for. Prices of different bases cannot be mistaken for each other.
pub trait PriceBasis {
    /// The unit as it is printed after the currency.
    const UNIT: &'static str;
    /// How many of the counted things one price buys: 10⁶ tokens, or one GPU-hour.
    const PER: f64;
}

/// One GPU for one hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuHour {}

/// A million output tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {}

/// A million input tokens that are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputUncached {}

/// A million input tokens that come from the prefix cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputCached {}

impl PriceBasis for GpuHour {
    const UNIT: &'static str = "/GPU/h";
    const PER: f64 = 1.0;
}

impl PriceBasis for Output {
    const UNIT: &'static str = "/MTok output";
    const PER: f64 = 1e6;
}

impl PriceBasis for InputUncached {
    const UNIT: &'static str = "/MTok uncached input";
    const PER: f64 = 1e6;
}

impl PriceBasis for InputCached {
    const UNIT: &'static str = "/MTok cached input";
    const PER: f64 = 1e6;
}

/// A price with where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "PriceFields",
    into = "PriceFields",
    bound(serialize = "B: Clone", deserialize = "B: PriceBasis")
)]
pub struct Price<B> {
    price: f64,
    /// Who says so: a contract, a price list with its date.
    pub source: String,
    basis: PhantomData<B>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceFields {
    price: f64,
    #[serde(default)]
    source: String,
}

/// Why a price sheet is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PriceError {
    /// Negative, infinite or not a number.
    #[error("a price must be a number that is not negative, such as 3.99, not {value}")]
    Price {
        /// What was given.
        value: f64,
    },
    /// Not a calendar date.
    #[error("a price sheet needs the date of its prices as YYYY-MM-DD, not `{date}`")]
    Date {
        /// What was given.
        date: String,
    },
    /// No currency.
    #[error("a price sheet must name its currency, such as USD")]
    NoCurrency,
}

impl<B: PriceBasis> Price<B> {
    /// A price in the sheet's currency for what its basis counts.
    ///
    /// # Errors
    /// If it is negative or not finite.
    pub fn new(price: f64, source: impl Into<String>) -> Result<Self, PriceError> {
        if price.is_finite() && price >= 0.0 {
            Ok(Self { price, source: source.into(), basis: PhantomData })
        } else {
            Err(PriceError::Price { value: price })
        }
    }

    /// The number, in the sheet's currency and the basis' unit.
    #[must_use]
    pub const fn get(&self) -> f64 {
        self.price
    }

    /// What so many of the counted things cost: tokens, or GPU-hours.
    pub(crate) fn of(&self, count: f64) -> f64 {
        self.price * count / B::PER
    }
}

impl<B: PriceBasis> TryFrom<PriceFields> for Price<B> {
    type Error = PriceError;
    fn try_from(fields: PriceFields) -> Result<Self, PriceError> {
        Self::new(fields.price, fields.source)
    }
}

impl<B> From<Price<B>> for PriceFields {
    fn from(price: Price<B>) -> Self {
        Self { price: price.price, source: price.source }
    }
}

/// A dated price sheet: what GPUs cost and what tokens sell for. Every part is optional; what
/// is missing is said, never taken as free.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SheetFields")]
pub struct PriceSheet {
    /// Name, such as `reference-2026-11`.
    pub name: String,
    /// Currency of every price, such as `USD`.
    pub currency: String,
    /// Date of the prices, YYYY-MM-DD.
    pub date: String,
    /// What a GPU costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_hour: Option<Price<GpuHour>>,
    /// What output sells for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Price<Output>>,
    /// What computed input sells for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_uncached: Option<Price<InputUncached>>,
    /// What cached input sells for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_cached: Option<Price<InputCached>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SheetFields {
    name: String,
    currency: String,
    date: String,
    gpu_hour: Option<Price<GpuHour>>,
    output: Option<Price<Output>>,
    input_uncached: Option<Price<InputUncached>>,
    input_cached: Option<Price<InputCached>>,
}

impl TryFrom<SheetFields> for PriceSheet {
    type Error = PriceError;
    fn try_from(fields: SheetFields) -> Result<Self, PriceError> {
        let SheetFields { name, currency, date, gpu_hour, output, input_uncached, input_cached } =
            fields;
        if currency.trim().is_empty() {
            return Err(PriceError::NoCurrency);
        }
        if !is_date(&date) {
            return Err(PriceError::Date { date });
        }
        Ok(Self { name, currency, date, gpu_hour, output, input_uncached, input_cached })
    }
}

/// Whether a text is a day of the calendar, YYYY-MM-DD.
pub(crate) fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return false;
    }
    let number = |part: &str| match part.bytes().all(|byte| byte.is_ascii_digit()) {
        true => part.parse::<u32>().ok(),
        false => None,
    };
    let (Some(year), Some(month), Some(day)) = (number(year), number(month), number(day)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: &str = r#"{"name":"s","currency":"USD","date":"2026-11-29",
        "gpu_hour":{"price":3.99,"source":"contract"},"output":{"price":4,"source":"list"}}"#;

    #[test]
    fn parts_are_optional_and_missing_ones_stay_missing() {
        let sheet: PriceSheet = serde_json::from_str(SHEET).expect("valid");
        assert_eq!(sheet.gpu_hour.as_ref().map(Price::get), Some(3.99));
        assert_eq!(sheet.input_cached, None);
        let again = serde_json::to_string(&sheet).expect("serialises");
        assert_eq!(serde_json::from_str::<PriceSheet>(&again).expect("valid"), sheet);
    }

    #[test]
    fn a_price_that_is_no_price_is_refused() {
        for (from, to) in [
            ("3.99", "-1"),
            ("2026-11-29", "2026-02-30"),
            ("2026-11-29", "29.11.2026"),
            ("USD", " "),
            ("gpu_hour", "gpu_day"),
        ] {
            let bad = SHEET.replace(from, to);
            assert!(serde_json::from_str::<PriceSheet>(&bad).is_err(), "{bad}");
        }
    }
}
