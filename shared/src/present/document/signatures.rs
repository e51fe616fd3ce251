//! Who signed, and what each signature is worth by itself.

use super::cell::Cell;
use super::table::{Column, Id, Table};
use crate::present::words::Words;
use crate::signoff::{Signature, Verification};

/// Every sign-off of a bundle; `None` without one.
#[must_use]
pub fn signatures(found: &Verification, words: &Words) -> Option<Table> {
    if found.signatures.is_empty() {
        return None;
    }
    let terms = &words.term;
    let columns = [
        Column::text("role", terms.role),
        Column::text("signer", terms.signer),
        Column::text("key", terms.key),
        Column::text("date", terms.date),
        Column::text("until", terms.until),
        Column::text("remark", terms.remark),
    ];
    let rows = found.signatures.iter().map(|signature| row(signature, words));
    let ids = (0..).map(|at| Id::nth("signature", at));
    Some(Table::new(terms.sign_off, columns.into(), ids.zip(rows)))
}

fn row(signature: &Signature, words: &Words) -> Vec<Cell> {
    let text = |text: Option<&str>| text.map_or_else(Cell::empty, Cell::new);
    vec![
        Cell::new(signature.role.map_or(signature.file.as_str(), |role| (words.role)(role))),
        text(signature.signer.as_deref()),
        text(signature.fingerprint.as_deref()),
        text(signature.signed_at.as_ref().map(|time| time.as_str())),
        text(signature.expires.as_ref().map(|time| time.day())),
        signature.problem.as_ref().map_or_else(
            || Cell::new(words.say.counts),
            |problem| Cell::new((words.signature_problem)(problem)),
        ),
    ]
}
