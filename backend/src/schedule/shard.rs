//! One of several generator processes that share a campaign exactly: the union of their
//! arrivals is the arrival process that one process alone would have run.

use std::fmt;
use std::str::FromStr;

/// Which part of the arrivals is this process's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: u32,
}

/// A text that names no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no part of a campaign: write it like 0/4 for the first of four")]
pub struct ShardError(String);

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
}
