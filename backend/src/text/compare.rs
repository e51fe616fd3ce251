//! A comparison of two bundles as text.

use tokencap_shared::present::document::Comparison;
use tokencap_shared::present::words::Words;

use super::table;

/// The table of both, what it says of them, and what they do not share.
#[must_use]
pub fn comparison(compared: &Comparison, words: &Words, width: Option<usize>) -> String {
    let mut text = format!("{}{}\n", table(&compared.table, words, width), compared.verdict);
    if let Some(unlike) = compared.not_alike(words) {
        text.push_str(&format!("{unlike}\n"));
    }
    text
}
