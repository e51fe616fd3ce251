//! Who made a run's records, and by which clock.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Who made the records of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", try_from = "OriginFields")]
pub enum Origin {
    /// One process of this tool, which sent every arrival.
    #[default]
    Measured,
    /// One of several processes, which sent its part of the arrivals.
    Shard(Shard),
    /// Several processes, whose parts were joined.
    Merged {
        /// How many.
        processes: u32,
    },
    /// Other tools, whose results were read: shown, never signed.
    Imported {
        /// Their names.
        tools: Vec<String>,
    },
}

/// An origin as it is read: a plain object costs the page less than a half of what serde derives
/// for a tagged one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OriginFields {
    kind: String,
    index: Option<u32>,
    of: Option<u32>,
    processes: Option<u32>,
    tools: Option<Vec<String>>,
}

impl TryFrom<OriginFields> for Origin {
    type Error = String;
    fn try_from(fields: OriginFields) -> Result<Self, String> {
        let OriginFields { kind, index, of, processes, tools } = fields;
        match (kind.as_str(), index, of, processes, tools) {
            ("measured", None, None, None, None) => Ok(Self::Measured),
            ("shard", Some(index), Some(of), None, None) => {
                Shard::new(index, of).map(Self::Shard).map_err(|error| error.to_string())
            }
            ("merged", None, None, Some(processes), None) => Ok(Self::Merged { processes }),
            ("imported", None, None, None, Some(tools)) => Ok(Self::Imported { tools }),
            _ => Err(format!("`{kind}` with these fields is no origin of a run")),
        }
    }
}

/// Which part of the arrivals one process of several sends: the union of all parts is the arrival
/// process that one process alone would have sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ShardFields")]
pub struct Shard {
    index: u32,
    of: u32,
}

#[derive(Deserialize)]
struct ShardFields {
    index: u32,
    of: u32,
}

impl TryFrom<ShardFields> for Shard {
    type Error = ShardError;
    fn try_from(ShardFields { index, of }: ShardFields) -> Result<Self, ShardError> {
        Self::new(index, of)
    }
}

/// A text that names no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no part of a campaign: write it like 0/4 for the first of four")]
pub struct ShardError(pub String);

impl Shard {
    /// The whole.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// The part with the given index, from 0, of so many.
    ///
    /// # Errors
    /// Unless index < of.
    pub fn new(index: u32, of: u32) -> Result<Self, ShardError> {
        if index < of { Ok(Self { index, of }) } else { Err(ShardError(format!("{index}/{of}"))) }
    }

    /// The part's index, from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many parts there are.
    #[must_use]
    pub const fn of(self) -> u32 {
        self.of
    }

    /// Whether the arrival with this number belongs to the part.
    #[must_use]
    pub const fn has(self, number: u32) -> bool {
        number % self.of == self.index
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, of)| Some((index.trim().parse().ok()?, of.trim().parse().ok()?)));
        let (index, of) = numbers.ok_or_else(|| ShardError(text.into()))?;
        Self::new(index, of)
    }
}

/// The calendar of the process that measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calendar {
    /// When the run's clock stood at zero: nanoseconds since 1970 by the machine's calendar.
    pub zero_unix_ns: i64,
    /// The machine's calendar minus the target's; absent where nobody compared them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead_of_target_ms: Option<Skew>,
}

/// One machine's calendar minus the target's: between two bounds, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skew {
    least: i64,
    most: i64,
}

impl Skew {
    /// The bounds; `None` unless they are in order.
    #[must_use]
    pub const fn new(least: i64, most: i64) -> Option<Self> {
        if least <= most { Some(Self { least, most }) } else { None }
    }

    /// What both of two bounds allow.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { least: self.least.max(other.least), most: self.most.min(other.most) }
    }

    /// The lower and the upper bound, in milliseconds.
    #[must_use]
    pub const fn bounds(self) -> (i64, i64) {
        (self.least, self.most)
    }

    /// How far apart two machines' calendars are, at least and at most, in milliseconds.
    #[must_use]
    pub fn apart(self, other: Self) -> (i64, i64) {
        let a = self.least.saturating_sub(other.most);
        let b = other.least.saturating_sub(self.most);
        let at_least = a.max(b).max(0);
        (at_least, a.saturating_neg().max(b.saturating_neg()).max(at_least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arrival_belongs_to_exactly_one_part() {
        let parts: Vec<Shard> = (0..3).map(|index| Shard::new(index, 3).unwrap()).collect();
        for number in 0..100 {
            assert_eq!(parts.iter().filter(|part| part.has(number)).count(), 1);
        }
        assert!((0..100).all(|number| Shard::WHOLE.has(number)));
    }

    #[test]
    fn a_part_is_written_as_index_and_count() {
        assert_eq!("2/4".parse(), Shard::new(2, 4));
        assert_eq!(Shard::new(2, 4).unwrap().to_string(), "2/4");
        for text in ["4/4", "1", "a/2", "-1/2", "0/0", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_origin_is_one_of_four_and_a_part_is_one_that_there_is() {
        for (origin, json) in [
            (Origin::Measured, r#"{"kind":"measured"}"#),
            (Origin::Shard(Shard { index: 1, of: 2 }), r#"{"kind":"shard","index":1,"of":2}"#),
            (Origin::Merged { processes: 2 }, r#"{"kind":"merged","processes":2}"#),
            (Origin::Imported { tools: vec!["a".into()] }, r#"{"kind":"imported","tools":["a"]}"#),
        ] {
            assert_eq!(serde_json::to_string(&origin).unwrap(), json);
            assert_eq!(serde_json::from_str::<Origin>(json).unwrap(), origin);
        }
        let none = r#"{"kind":"shard","index":2,"of":2}"#;
        assert!(serde_json::from_str::<Origin>(none).is_err());
    }
}
