//! The report as a document: composed here once, in a language; terminal, page, print and exports
//! only draw it.
//!
//! A document is sections in one order. A section holds a table, facts or sentences, all of typed
//! cells: numbers stay unrounded, with their unit and decimals. Sections, figures, promises, lines
//! and columns are found by what they are about, never by their words.

pub mod cell;
mod compare;
mod composed;
mod details;
mod fact;
mod figure;
mod headline;
mod money;
mod notes;
mod promises;
mod quality;
mod section;
mod signatures;
mod steps;
mod summary;
pub mod table;

pub use compare::{Comparison, in_money, in_tokens};
pub use composed::{Document, Part, document, part};
pub use fact::Fact;
pub use figure::Figure;
pub use headline::headline;
pub use notes::Note;
pub use promises::{promise_id, promise_line};
pub use section::{Body, Section, SectionId};
pub use signatures::signatures;
pub use summary::sign_off;

use cell::{Cell, Number, Tone};

use crate::definitions::judge::Verdict;
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::money::CostPerMTok;
use crate::present::format;
use crate::present::words::Words;
use crate::units::Share;

/// What all signed promises of a step say, and what their point estimates say where that differs.
#[must_use]
pub fn verdict_and_screen(verdict: Verdict, screen: Verdict, words: &Words) -> Cell {
    let text = (words.verdict)(verdict);
    let cell = verdict_cell(verdict, words);
    if verdict == screen {
        return cell;
    }
    let screen = (words.say.screen)((words.verdict)(screen));
    Cell::new((words.say.aside)(text, &screen)).with_tone(cell.tone)
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
        Some(share) => Number::percent(share, 2).into(),
        None => Cell::missing(&Missing::NoRequests, words),
    }
}

/// A cost per million tokens, three decimals; infinite where nothing complied.
fn cost_cell(cost: &Measured<CostPerMTok>, words: &Words) -> Cell {
    match cost {
        Measured::Value(CostPerMTok::Finite(cost)) => Number::fixed(*cost, 3).into(),
        Measured::Value(CostPerMTok::Infinite) => {
            Cell::from(Number::infinite()).with_note(words.say.infinite_cost).with_tone(Tone::Bad)
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
        Number::fixed(value, self.0).into()
    }

    /// The value, or a dash with the reason of its absence.
    fn measured<T: Into<f64> + Copy>(&self, value: &Measured<T>, words: &Words) -> Cell {
        Cell::measured(value, words, |value| Number::fixed(*value, self.0))
    }
}
