//! One quantity, one type. No bare float crosses a public signature of this crate.
//!
//! Times are whole nanoseconds; everything that is divided is a finite, non-negative float in
//! a newtype that cannot hold NaN or infinity. Deserialising validates.

use std::iter::Sum;
use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

/// Why a number cannot be the quantity it was meant to be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnitError {
    /// NaN or an infinity.
    #[error("{unit} must be a finite number, not {value}")]
    NotFinite {
        /// The unit's name.
        unit: &'static str,
        /// What was given.
        value: f64,
    },
    /// Outside the quantity's domain.
    #[error("{unit} must lie in {domain}, not be {value}")]
    OutOfDomain {
        /// The unit's name.
        unit: &'static str,
        /// The domain in words.
        domain: &'static str,
        /// What was given.
        value: f64,
    },
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $unit:literal, $domain:literal, |$value:ident| $valid:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            #[doc = concat!("The unit as it is printed: `", $unit, "`.")]
            pub const UNIT: &'static str = $unit;

            #[doc = concat!("Makes the quantity of a number in ", $unit, ".")]
            ///
            /// # Errors
            #[doc = concat!("If the number is not finite or not in ", $domain, ".")]
            pub fn new($value: f64) -> Result<Self, UnitError> {
                if !$value.is_finite() {
                    return Err(UnitError::NotFinite { unit: stringify!($name), value: $value });
                }
                let in_domain: bool = $valid;
                if !in_domain {
                    return Err(UnitError::OutOfDomain {
                        unit: stringify!($name), domain: $domain, value: $value,
                    });
                }
                Ok(Self($value))
            }

            #[doc = concat!("The number, in ", $unit, ".")]
            #[must_use]
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = UnitError;
            fn try_from(value: f64) -> Result<Self, UnitError> {
                Self::new(value)
            }
        }

        impl From<$name> for f64 {
            fn from(quantity: $name) -> f64 {
                quantity.0
            }
        }
    };
}

quantity!(
    /// A duration as a real number, for what is divided (means, TPOT, wall time).
    Seconds, "s", "[0, ∞)", |value| value >= 0.0
);
quantity!(
    /// An arrival rate.
    Rate, "req/s", "[0, ∞)", |value| value >= 0.0
);
quantity!(
    /// A token flow: goodput, raw throughput, input.
    TokenRate, "tok/s", "[0, ∞)", |value| value >= 0.0
);
quantity!(
    /// Tokens in a day.
    TokensPerDay, "tok/day", "[0, ∞)", |value| value >= 0.0
);
quantity!(
    /// A part of a whole: attainment, success rate, hit rate, confidence.
    Share, "", "[0, 1]", |value| (0.0..=1.0).contains(&value)
);
quantity!(
    /// A dimensionless ratio, such as input:output or a variance inflation.
    Ratio, "", "[0, ∞)", |value| value >= 0.0
);
quantity!(
    /// Electric power.
    Watts, "W", "[0, ∞)", |value| value >= 0.0
);
quantity!(
    /// Tokens per second and watt, which is tokens per joule.
    TokensPerJoule, "tok/J", "[0, ∞)", |value| value >= 0.0
);

impl Share {
    /// A share of a number that is one but for rounding, or is NaN: then 0.
    pub(crate) const fn clamped(value: f64) -> Self {
        if value >= 1.0 {
            Self(1.0)
        } else if value > 0.0 {
            Self(value)
        } else {
            Self(0.0)
        }
    }

    /// `part` of `whole`; `None` if the whole is empty or smaller than its part.
    #[must_use]
    pub fn of(part: u64, whole: u64) -> Option<Self> {
        (whole > 0 && part <= whole).then(|| Self(part as f64 / whole as f64))
    }
}

impl Share {
    /// Nothing of it.
    pub const ZERO: Self = Self(0.0);

    /// All of it.
    pub const ONE: Self = Self(1.0);
}

impl Rate {
    /// Nothing arrives.
    pub const ZERO: Self = Self(0.0);
}

impl Ratio {
    /// A count as a dimensionless number.
    #[must_use]
    pub const fn count(count: u64) -> Self {
        Self(count as f64)
    }
}

/// An instant: nanoseconds since the run's start, on the run's one monotonic clock.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Moment(pub u64);

/// A duration in whole nanoseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Moment {
    /// Time since an earlier instant; zero if that instant is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Nanos> for Moment {
    type Output = Self;
    fn add(self, later: Nanos) -> Self {
        Self(self.0.saturating_add(later.0))
    }
}

impl Sub<Nanos> for Moment {
    type Output = Self;
    fn sub(self, earlier: Nanos) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl Nanos {
    /// Whole milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// Whole seconds.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1_000_000_000)
    }

    /// A real number of seconds in whole nanoseconds, rounded up: it exceeds a limit of whole
    /// nanoseconds exactly if the real number does.
    #[must_use]
    pub fn rounded_up(time: Seconds) -> Self {
        let nanos = time.get() * 1e9;
        let whole = libm::round(nanos);
        // The error of the floating point itself is not a nanosecond.
        let exact = (nanos - whole).abs() <= 1e-15 * whole;
        Self(if exact { whole } else { libm::ceil(nanos) } as u64)
    }

    /// As a real number of seconds.
    #[must_use]
    pub fn seconds(self) -> Seconds {
        Seconds(self.0 as f64 / 1e9)
    }
}

impl From<std::time::Duration> for Nanos {
    /// 2⁶⁴ ns are 584 years: what is longer counts as that long.
    fn from(time: std::time::Duration) -> Self {
        Self(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanos> for std::time::Duration {
    fn from(time: Nanos) -> Self {
        Self::from_nanos(time.0)
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Nanos {
    fn sum<I: Iterator<Item = Self>>(durations: I) -> Self {
        durations.fold(Self(0), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_infinity_and_negative_numbers_are_no_quantities() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            assert!(Rate::new(bad).is_err(), "{bad}");
            assert!(Seconds::new(bad).is_err(), "{bad}");
        }
        assert!(Share::new(1.000_001).is_err());
    }

    #[test]
    fn deserialising_validates() {
        assert!(serde_json::from_str::<Share>("0.99").is_ok());
        assert!(serde_json::from_str::<Share>("1.5").is_err());
        assert!(serde_json::from_str::<Rate>("-1").is_err());
    }
}
