//! A table as data: built once in a language, drawn by the terminal, the page and print.

use serde::Serialize;

use crate::definitions::measured::{Measured, Missing};
use crate::present::format::MISSING;
use crate::present::words::Words;

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Headings and alignments, from left to right.
    pub columns: Vec<Column>,
    /// The rows, each with a cell a column.
    pub rows: Vec<Vec<Cell>>,
}

/// A column's head. The unit stands here, not in the cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// What it is.
    pub header: String,
    /// In what unit; empty for texts and pure counts.
    pub unit: String,
    /// Numbers right, texts left.
    pub align: Align,
}

/// To which side a column's cells are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Texts.
    Left,
    /// Numbers.
    Right,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// What stands in it.
    pub text: String,
    /// Why it is missing, or a remark on it.
    pub note: Option<String>,
    /// What it means; never told by colour alone.
    pub tone: Tone,
}

/// What a cell means to its reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// As promised.
    Good,
    /// Not as promised.
    Bad,
    /// Not decided.
    Unsure,
    /// Missing, or beside the point.
    Muted,
}

impl Column {
    /// A column of texts.
    #[must_use]
    pub fn text(header: &str) -> Self {
        Self { header: header.to_owned(), unit: String::new(), align: Align::Left }
    }

    /// A column of numbers in a unit; an empty unit for pure counts.
    #[must_use]
    pub fn number(header: &str, unit: &str) -> Self {
        Self { header: header.to_owned(), unit: unit.to_owned(), align: Align::Right }
    }
}

impl Cell {
    /// A text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), note: None, tone: Tone::Plain }
    }

    /// Nothing, which needs no reason because nothing belongs there.
    #[must_use]
    pub fn empty() -> Self {
        Self::new("")
    }

    /// A missing value and its reason.
    #[must_use]
    pub fn missing(reason: &Missing, words: &Words) -> Self {
        Self { text: MISSING.to_owned(), note: Some((words.missing)(reason)), tone: Tone::Muted }
    }

    /// The value's text, or a dash with the reason of its absence.
    #[must_use]
    pub fn measured<T>(
        value: &Measured<T>,
        words: &Words,
        text: impl FnOnce(&T) -> String,
    ) -> Self {
        match value {
            Measured::Value(value) => Self::new(text(value)),
            Measured::Missing(reason) => Self::missing(reason, words),
        }
    }

    /// With a remark.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// With a tone.
    #[must_use]
    pub const fn with_tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::words::{EN, ZH};

    #[test]
    fn a_missing_value_always_says_why() {
        let missing: Measured<u32> = Measured::Missing(Missing::NoPriceSheet);
        for words in [&EN, &ZH] {
            let cell = Cell::measured(&missing, words, u32::to_string);
            assert_eq!(cell.text, "—");
            assert!(cell.note.is_some_and(|note| !note.is_empty()));
        }
    }
}
