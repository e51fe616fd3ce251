//! A time that a file states in seconds.

use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(from)?;
    if !(seconds.is_finite() && seconds > 0.0 && seconds < 1e7) {
        return Err(D::Error::custom("a time must be a positive number of seconds"));
    }
    Ok(Duration::from_secs_f64(seconds))
}
