//! The report for programs.

use serde::Serialize;
use tokencap_shared::present::document::Document;
use tokencap_shared::present::report::Report;

/// Everything that the numbers were made of, and the document that people read beside it: the same
/// sections, with ids, unrounded numbers and their units.
#[derive(Debug, Serialize)]
pub struct Json<'a> {
    /// Bundles, judgements, money.
    #[serde(flatten)]
    pub report: &'a Report,
    /// What is shown of them.
    pub document: &'a Document,
}
