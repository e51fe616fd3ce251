//! Instants of sign-offs, as texts that sort like the time they mean.
//!
//! Own code for the page's sake: of a calendar it needs what a date looks like, for which jiff
//! weighs 55 kB (`scripts/weigh` with `str::parse::<jiff::Timestamp>`, its default features off).

use serde::{Deserialize, Serialize};

use crate::definitions::money::is_date;

/// An instant in UTC: `YYYY-MM-DDTHH:MM:SSZ`. Read also from `YYYY-MM-DD`, which is that day's
/// first second. The fixed form makes the order of texts the order of time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UtcTime(String);

/// Not an instant of the calendar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time must be written as YYYY-MM-DDTHH:MM:SSZ or YYYY-MM-DD, not `{0}`")]
pub struct TimeError(String);

impl UtcTime {
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The day alone, `YYYY-MM-DD`.
    #[must_use]
    pub fn day(&self) -> &str {
        self.0.split('T').next().unwrap_or(&self.0)
    }
}

impl std::fmt::Display for UtcTime {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::str::FromStr for UtcTime {
    type Err = TimeError;
    fn from_str(text: &str) -> Result<Self, TimeError> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for UtcTime {
    type Error = TimeError;
    fn try_from(text: String) -> Result<Self, TimeError> {
        match text.split_once('T') {
            None if is_date(&text) => Ok(Self(format!("{text}T00:00:00Z"))),
            Some((day, time)) if is_date(day) && is_time_of_day(time) => Ok(Self(text)),
            _ => Err(TimeError(text.chars().take(40).collect())),
        }
    }
}

impl From<UtcTime> for String {
    fn from(time: UtcTime) -> Self {
        time.0
    }
}

/// `HH:MM:SSZ`.
fn is_time_of_day(text: &str) -> bool {
    let Some(time) = text.strip_suffix('Z') else { return false };
    let parts: Vec<&str> = time.split(':').collect();
    let below = |part: &str, limit: u8| {
        part.len() == 2
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse::<u8>().is_ok_and(|number| number < limit)
    };
    matches!(parts[..], [h, m, s] if below(h, 24) && below(m, 60) && below(s, 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_sort_and_a_day_is_its_first_second() {
        let time = |text: &str| text.parse::<UtcTime>().unwrap();
        assert_eq!(time("2026-11-29"), time("2026-11-29T00:00:00Z"));
        assert!(time("2026-11-29") < time("2026-11-29T00:00:01Z"));
        assert!(time("2026-11-29T23:59:59Z") < time("2026-11-30"));
        assert_eq!(time("2026-11-29T10:00:00Z").day(), "2026-11-29");
    }

    #[test]
    fn other_forms_are_refused() {
        for bad in [
            "",
            "2026-02-30",
            "2026-11-29T24:00:00Z",
            "2026-11-29T10:00:00",
            "2026-11-29T10:00:00+02:00",
            "2026-11-29T10:00:00.5Z",
            "2026-11-29T1:00:00Z",
        ] {
            assert!(bad.parse::<UtcTime>().is_err(), "{bad}");
        }
    }
}
