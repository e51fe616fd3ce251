//! Other tools' results: what was read, what its numbers mean, and what may not be concluded.

use maud::{Markup, html};
use tokencap_shared::import;
use tokencap_shared::present::import as view;
use tokencap_shared::present::render::html;

use super::Page;
use crate::errors;

/// A section for each set of files that was read together.
pub(super) fn sections(page: Page<'_>) -> Markup {
    let words = page.words;
    html! {
        @for imported in &page.bench.imported {
            @let found = &imported.found;
            @let judged = import::judge_all(&found.runs, &imported.sheet);
            section.audit data-testid="audit" {
                h2 { (page.text.imported_title) }
                p { (page.text.imported) }
                @for refused in &found.refused { p.problem { (errors::import(refused, words.lang)) } }
                (html::table(&view::results(found, words), "import-results", words))
                @if !judged.is_empty() {
                    (html::table(&view::promises(&judged, &imported.sheet, words), "import-promises", words))
                }
                @for (at, run) in found.runs.iter().enumerate() {
                    (html::table(&view::findings(run, words), &format!("import-findings-{at}"), words))
                }
            }
        }
    }
}
