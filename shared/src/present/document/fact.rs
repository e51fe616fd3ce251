//! A single figure or statement with its name.

use serde::Serialize;

use super::cell::Cell;
use super::table::Id;
use crate::present::words::Words;

/// A name and what stands behind it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// What it is about.
    pub id: Id,
    /// Its name in words.
    pub label: String,
    /// Its value.
    pub cell: Cell,
}

impl Fact {
    /// The only fact of its kind.
    #[must_use]
    pub fn new(name: &'static str, label: &str, cell: impl Into<Cell>) -> Self {
        Self { id: Id::one(name), label: label.to_owned(), cell: cell.into() }
    }

    /// A fact in words.
    #[must_use]
    pub fn text(name: &'static str, label: &str, text: impl Into<String>) -> Self {
        Self::new(name, label, Cell::new(text))
    }

    /// Its value with unit and remark, in one line.
    #[must_use]
    pub fn line(&self, words: &Words) -> String {
        let value = self.cell.text_with_unit(words.lang);
        match self.cell.remark(words) {
            Some(remark) => (words.say.aside)(&value, &remark),
            None => value,
        }
    }
}
