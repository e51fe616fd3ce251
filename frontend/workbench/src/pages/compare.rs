//! Two runs side by side: one model in tokens; two models are compared in money, elsewhere.

use maud::{Markup, html};
use tokencap_shared::compare::{self, Candidate};
use tokencap_shared::html;
use tokencap_shared::report::view;

use super::Page;
use crate::bench::Item;

/// What the second run is, measured by the first; or why that means nothing.
pub(super) fn section(page: Page<'_>, left: &Item, right: &Item) -> Markup {
    let words = page.words;
    html! {
        section data-testid="comparison" {
            h2 { (page.text.comparison) }
            @match compare::in_tokens(side(left), side(right)) {
                Ok(found) => {
                    @let model = &left.bundle.manifest.deployment.model;
                    @let shown = view::in_tokens(&found, model, [&left.name, &right.name], words);
                    (html::table(&shown.table, "comparison"))
                    p { strong { (shown.verdict) } }
                    @if let Some(unlike) = shown.not_alike(words) { p { (unlike) } }
                }
                Err(refused) => p.problem { (refused) },
            }
        }
    }
}

fn side(item: &Item) -> Candidate<'_> {
    Candidate { manifest: &item.bundle.manifest, capacity: &item.capacity }
}
