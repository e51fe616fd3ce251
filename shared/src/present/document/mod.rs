//! The report in a language: tables, headline figures and sentences, built once for the
//! terminal, the page and print.

mod compare;
mod details;
mod headline;
mod money;
mod notes;
mod promises;
mod quality;
mod signatures;
mod steps;

pub mod table;

pub use compare::{Comparison, in_money, in_tokens};
pub use details::{deployment, failures, input, provenance};
pub use headline::{Figure, headline, sign_off, summary};
pub use money::{money, prices, utilisation};
pub use notes::{Note, attention, soaks, validity};
pub use promises::{promise_line, promises};
pub use quality::{cancelled, latency, rules, window};
pub use signatures::signatures;
pub use steps::steps;

use crate::definitions::judge::Verdict;
use crate::definitions::measured::Measured;
use crate::definitions::money::CostPerMTok;
use crate::present::format;
use crate::present::words::Words;
use crate::units::Share;
use table::{Cell, Tone};

/// A label and its value.
pub type Pair = (String, String);

/// What all signed promises of a step say, and what their point estimates say where that differs.
#[must_use]
pub fn verdict_and_screen(verdict: Verdict, screen: Verdict, words: &Words) -> Cell {
    let cell = verdict_cell(verdict, words);
    if verdict == screen {
        return cell;
    }
    let screen = (words.say.screen)((words.verdict)(screen));
    Cell { text: (words.say.aside)(&cell.text, &screen), ..cell }
}

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
        None => Cell::missing(&crate::definitions::measured::Missing::NoRequests, words),
    }
}

/// A cost per million tokens, three decimals; infinite where nothing complied.
fn cost_cell(cost: &Measured<CostPerMTok>, words: &Words) -> Cell {
    match cost {
        Measured::Value(CostPerMTok::Finite(cost)) => Cell::new(format::fixed(*cost, 3)),
        Measured::Value(CostPerMTok::Infinite) => {
            Cell::new(format::INFINITE).with_note(words.say.infinite_cost).with_tone(Tone::Bad)
        }
        Measured::Missing(reason) => Cell::missing(reason, words),
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
