//! Sections of a document, and charts, as HTML: for the page, for whatever part of it shows them, and
//! for its print.
//!
//! Texts are escaped by the template language: what a bundle or another tool's file says can never
//! become markup.

use maud::{Markup, html};

use crate::present::chart::{Chart, svg};
use crate::present::document::cell::{Cell, Tone};
use crate::present::document::table::{Align, Table};
use crate::present::document::{Body, Fact, Note, Section};
use crate::present::format::MISSING;
use crate::present::report::Severity;
use crate::present::words::Words;

/// The class of a tone in the style sheet.
#[must_use]
pub const fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Unsure => "unsure",
        Tone::Muted => "muted",
    }
}

/// A section of a document. Its element has the section's name, whatever the language.
#[must_use]
pub fn section(section: &Section, words: &Words) -> Markup {
    let id = section.id.name();
    html! {
        section data-section=(id) {
            @match &section.body {
                // A table's title is its caption.
                Body::Table(shown) => (table(shown, id, words)),
                Body::Facts(shown) => { h3 { (section.title) } (facts(shown, id, words)) },
                Body::Notes(shown) => { h3 { (section.title) } (notes(shown, true, id)) },
                Body::Nothing(sentence) => { h3 { (section.title) } p.quiet { (sentence) } },
            }
            @if let Some(remark) = &section.remark { p.quiet { (remark) } }
        }
    }
}

/// A table in a frame whose wide content scrolls sideways, with the keyboard too. The first column
/// names the rows; units stand under the headers.
#[must_use]
pub fn table(table: &Table, id: &str, words: &Words) -> Markup {
    let aligned = |at: usize| table.columns.get(at).map_or("text", |column| class(column.align));
    html! {
        div.scrolls role="region" aria-label=(table.caption) tabindex="0" {
            table.data id=(id) data-testid=(id) {
                caption { (table.caption) }
                thead { tr {
                    @for column in &table.columns {
                        // A column of marks needs no name, and an empty header is none.
                        @if column.header.is_empty() && column.unit.is_empty() { td {} }
                        @else {
                            th scope="col" class=(class(column.align)) {
                                (column.header)
                                @if !column.unit.is_empty() { span.unit { (column.unit) } }
                            }
                        }
                    }
                } }
                tbody {
                    @for row in &table.rows { tr {
                        @for (at, cell) in row.cells.iter().enumerate() {
                            @let class = format!("{} {}", aligned(at), tone_class(cell.tone));
                            @if at == 0 { th scope="row" class=(class) { (content(cell, words)) } }
                            @else { td class=(class) { (content(cell, words)) } }
                        }
                    } }
                }
            }
        }
    }
}

/// A cell's text and its remark. A missing value is a dash to the eye and its reason to the ear,
/// and the reason shows beside it where the pointer or the keyboard asks for it.
#[must_use]
pub fn content(cell: &Cell, words: &Words) -> Markup {
    match &cell.note {
        Some(reason) if cell.is_missing() => missing(reason),
        _ => html! {
            (cell.text(words.lang))
            @if let Some(note) = cell.remark(words) { small.note { (note) } }
        },
    }
}

/// A dash with the reason why there is no value.
#[must_use]
pub fn missing(reason: &str) -> Markup {
    html! { span.missing { span aria-hidden="true" { (MISSING) } small.note { (reason) } } }
}

/// Facts by name.
#[must_use]
pub fn facts(facts: &[Fact], id: &str, words: &Words) -> Markup {
    html! {
        dl.pairs id=(id) data-testid=(id) {
            @for fact in facts { div { dt { (fact.label) } dd { (fact.line(words)) } } }
        }
    }
}

/// Sentences that need attention, each with how grave it is; with what it is about where there are
/// several of those.
#[must_use]
pub fn notes(notes: &[Note], several: bool, id: &str) -> Markup {
    html! {
        ul.notes data-testid=(id) {
            @for note in notes {
                li class=(severity_class(note.severity)) {
                    span.severity { (note.label) } " "
                    @if several && !note.about.is_empty() { span.about { (note.about) } " " }
                    span.what { (note.advice.what) } " "
                    span.fix { (note.advice.fix) }
                }
            }
        }
    }
}

/// The class of a severity in the style sheet.
const fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Blocks => "blocks",
        Severity::Caution => "caution",
        Severity::Note => "note",
    }
}

/// A chart with its title.
#[must_use]
pub fn chart(chart: &Chart) -> Markup {
    html! { figcaption { (chart.title) } (svg::drawing(chart)) }
}

const fn class(align: Align) -> &'static str {
    match align {
        Align::Left => "text",
        Align::Right => "number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::measured::Missing;
    use crate::present::document::table::{Column, Id};
    use crate::present::words::EN;

    #[test]
    fn no_text_of_a_table_becomes_markup() {
        let hostile = "<img src=x onerror=alert(1)>\"'&";
        let columns = vec![Column::text("a", hostile), Column::number("b", "n", hostile)];
        let cells = vec![Cell::new(hostile), Cell::new(hostile).with_note(hostile)];
        let shown = table(&Table::new(hostile, columns, [(Id::one("x"), cells)]), "id", &EN);
        let facts = facts(&[Fact::text("x", hostile, hostile)], "p", &EN);
        let shown = shown.into_string() + &facts.0;
        assert!(!shown.contains("<img") && !shown.contains("x onerror=alert(1)>\""), "{shown}");
        assert_eq!(shown.matches("&lt;img").count(), 9);
    }

    #[test]
    fn a_missing_value_is_a_dash_with_its_reason() {
        let cell = Cell::unsaid(&Missing::NotPriced).with_note("why");
        let shown = content(&cell, &EN).into_string();
        assert_eq!(
            shown,
            "<span class=\"missing\"><span aria-hidden=\"true\">—</span>\
             <small class=\"note\">why</small></span>"
        );
    }
}
