//! How long is waited for a server.

use std::time::Duration;

use serde::Deserialize;

use crate::net::target;
use crate::seconds;

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
