//! What needs attention, and which steps are invalid: sentences that say what to do.

use serde::Serialize;

use crate::definitions::step::StepKind;
use crate::present::format::span;
use crate::present::report::{Report, Row, Severity};
use crate::present::words::{Advice, Words};

/// One sentence for the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// How grave it is, as data.
    pub severity: Severity,
    /// And in words.
    pub label: String,
    /// What it is about: a bundle, or a step.
    pub about: String,
    /// What is the matter, and what to do.
    #[serde(flatten)]
    pub advice: Advice,
}

/// Everything that needs attention, the gravest first.
pub(super) fn attention(report: &Report, words: &Words) -> Vec<Note> {
    let notes = report.attention.iter().map(|attention| Note {
        severity: attention.severity,
        label: (words.severity)(attention.severity).to_owned(),
        // With a single bundle there is nothing to tell apart.
        about: attention
            .row
            .filter(|_| report.rows.len() > 1)
            .and_then(|row| report.rows.get(row))
            .map_or_else(String::new, |row| row.name.clone()),
        advice: (words.attention)(&attention.kind),
    });
    notes.collect()
}

/// What each soak of the row showed.
pub(super) fn soaks(row: &Row, words: &Words) -> Vec<Note> {
    let soaked = row.capacity.steps.iter().filter_map(|step| {
        let soak = step.soak.value().filter(|_| step.kind == StepKind::Soak)?;
        let against = row.degradations(&soak.degradations);
        let what = match against.is_empty() {
            true => words.say.soak_without_degradation.to_owned(),
            false => words.degradations(&against),
        };
        Some(Note {
            severity: if against.is_empty() { Severity::Note } else { Severity::Caution },
            label: (words.step_kind)(step.kind).to_owned(),
            about: (words.say.aside)(&(words.say.step_no)(step.step), &span(step.window)),
            advice: Advice { what, fix: String::new() },
        })
    });
    soaked.collect()
}

/// Every reason for which a step of the row is invalid, in the order they ran.
pub(super) fn validity(row: &Row, words: &Words) -> Vec<Note> {
    let reasons = row.capacity.steps.iter().flat_map(|step| {
        step.validity.invalid.iter().map(|reason| Note {
            severity: Severity::Caution,
            label: words.say.invalid.to_owned(),
            about: (words.say.step_no)(step.step),
            advice: (words.invalid)(reason),
        })
    });
    reasons.collect()
}
