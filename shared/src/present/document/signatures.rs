//! Who signed, and what each signature is worth by itself.

use crate::present::document::table::{Cell, Column, Table};
use crate::present::words::Words;
use crate::signoff::{Signature, Verification};

/// Every sign-off of a bundle; `None` without one.
#[must_use]
pub fn signatures(found: &Verification, words: &Words) -> Option<Table> {
    if found.signatures.is_empty() {
        return None;
    }
    let terms = &words.term;
    Some(Table {
        caption: terms.sign_off.to_owned(),
        columns: [terms.role, terms.signer, terms.key, terms.date, terms.until, terms.remark]
            .map(Column::text)
            .into(),
        rows: found.signatures.iter().map(|signature| row(signature, words)).collect(),
    })
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
