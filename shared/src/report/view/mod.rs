//! The report in a language: tables, headline figures and sentences, built once for the
//! terminal, the page and print.

mod details;
mod headline;
mod notes;
mod promises;
mod steps;

pub use details::{deployment, failures, input, provenance};
pub use headline::{Figure, headline, summary};
pub use notes::{Note, attention, validity};
pub use promises::promises;
pub use steps::{latency, steps, window};

use super::table::{Cell, Tone};
use crate::format;
use crate::judge::Verdict;
use crate::measured::Measured;
use crate::units::Share;
use crate::words::Words;

/// A label and its value.
pub type Pair = (String, String);

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// A verdict as a cell.
fn verdict_cell(verdict: Verdict, words: &Words) -> Cell {
    Cell::new((words.verdict)(verdict)).with_tone(match verdict {
        Verdict::Held => Tone::Good,
        Verdict::Broken => Tone::Bad,
        Verdict::Insufficient | Verdict::NotObserved => Tone::Unsure,
    })
}

/// A share in per cent, or a dash because no request could have it.
fn share_cell(share: Option<Share>, words: &Words) -> Cell {
    match share {
        Some(share) => Cell::new(format::percent(share, 2)),
        None => Cell::missing(&crate::measured::Missing::NoRequests, words),
    }
}

/// Numbers of one column, all with the decimals that suit the smallest.
struct Decimals(usize);

impl Decimals {
    fn of<T: Into<f64>>(values: impl IntoIterator<Item = T>) -> Self {
        Self(format::column_decimals(values))
    }

    fn cell(&self, value: impl Into<f64>) -> Cell {
        Cell::new(format::fixed(value, self.0))
    }

    /// The value, or a dash with the reason of its absence.
    fn measured<T: Into<f64> + Copy>(&self, value: &Measured<T>, words: &Words) -> Cell {
        Cell::measured(value, words, |value| format::fixed(*value, self.0))
    }
}
