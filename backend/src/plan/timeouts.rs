//! How long is waited for a server.

use std::time::Duration;

use serde::Deserialize;

use crate::net::target;

/// Time limits of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// For a connection.
    #[serde(with = "seconds")]
    pub connect_s: Duration,
    /// For the first output; at least three times the greatest TTFT limit is wise, because
    /// nothing is known about a tail that was cut.
    #[serde(with = "seconds")]
    pub first_token_s: Duration,
    /// Between two events.
    #[serde(with = "seconds")]
    pub gap_s: Duration,
    /// For the whole response.
    #[serde(with = "seconds")]
    pub whole_s: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect_s: Duration::from_secs(10),
            first_token_s: Duration::from_secs(120),
            gap_s: Duration::from_secs(60),
            whole_s: Duration::from_secs(600),
        }
    }
}

impl From<Timeouts> for target::Timeouts {
    fn from(limits: Timeouts) -> Self {
        let Timeouts { connect_s, first_token_s, gap_s, whole_s } = limits;
        Self { connect: connect_s, first_token: first_token_s, gap: gap_s, whole: whole_s }
    }
}

pub(crate) mod seconds {
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
}
