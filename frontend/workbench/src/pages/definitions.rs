//! The glossary, searchable.

use maud::{Markup, html};
use tokencap_shared::present::glossary::{TERMS, Term};
use tokencap_shared::present::words::Lang;

use super::Page;

/// Every term, or those that hold what the reader searches for, in either language.
pub(super) fn page(page: Page<'_>) -> Markup {
    let (text, sought) = (page.text, page.query.chosen("q").unwrap_or_default());
    let found: Vec<&Term> = TERMS.iter().filter(|term| matches(term, sought)).collect();
    html! {
        h1 { (text.definitions) }
        p { (text.definitions_intro) }
        form.bench {
            label.field {
                span { (text.search) }
                input id="q" name="q" type="search" value=(sought) autocomplete="off";
            }
        }
        @if found.is_empty() { p role="status" { (text.none_found) } }
        dl.glossary data-testid="glossary" {
            @for term in found {
                @let (name, other, note) = match page.lang {
                    Lang::En => (term.en, term.zh, term.note_en),
                    Lang::Zh => (term.zh, term.en, term.note_zh),
                };
                div {
                    dt {
                        (name) " "
                        small lang=(other_lang(page.lang)) { (other) }
                        @if !term.unit.is_empty() { " " span.unit { "[" (term.unit) "]" } }
                    }
                    dd {
                        p { (text.formula) ": " code { (term.formula) } }
                        p { (text.example) ": " (term.example) }
                        @if !note.is_empty() { p { (note) } }
                        p.quiet { (text.computed_by) ": " code { (term.path) } }
                    }
                }
            }
        }
    }
}

const fn other_lang(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "zh-CN",
        Lang::Zh => "en",
    }
}

/// Whether a term holds every word of the search, in any case.
fn matches(term: &Term, sought: &str) -> bool {
    let Term { zh, en, unit, formula, example, note_zh, note_en, path } = term;
    let all =
        [zh, en, unit, formula, example, note_zh, note_en, path].map(|text| text.to_lowercase());
    sought.to_lowercase().split_whitespace().all(|word| all.iter().any(|text| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_found_by_either_language_in_any_case_and_by_all_words() {
        let found = |sought: &str| TERMS.iter().filter(|term| matches(term, sought)).count();
        assert_eq!(found(""), TERMS.len());
        for sought in ["TTFT", "首 token", "goodput gpu"] {
            assert!((1..TERMS.len()).contains(&found(sought)), "{sought}");
        }
        assert_eq!(found("ttft no-such-word"), 0);
    }
}
