//! Tables, lists and charts as HTML, for the page: written once for whatever part of it shows them.
//!
//! Texts are escaped by the template language: what a bundle or another tool's file says can never
//! become markup.

use maud::{Markup, html};

use crate::present::chart::{Chart, svg};
use crate::present::document::table::{Align, Cell, Table, Tone};
use crate::present::document::{Note, Pair};
use crate::present::format::MISSING;
use crate::present::report::Severity;

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

/// A table in a frame whose wide content scrolls sideways, with the keyboard too. The first column
/// names the rows; units stand under the headers.
#[must_use]
pub fn table(table: &Table, id: &str) -> Markup {
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
                        @for (at, cell) in row.iter().enumerate() {
                            @let class = format!("{} {}", aligned(at), tone_class(cell.tone));
                            @if at == 0 { th scope="row" class=(class) { (content(cell)) } }
                            @else { td class=(class) { (content(cell)) } }
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
pub fn content(cell: &Cell) -> Markup {
    match &cell.note {
        Some(note) if cell.text == MISSING => missing(note),
        note => html! { (cell.text) @if let Some(note) = note { small.note { (note) } } },
    }
}

/// A dash with the reason why there is no value.
#[must_use]
pub fn missing(reason: &str) -> Markup {
    html! { span.missing { span aria-hidden="true" { (MISSING) } small.note { (reason) } } }
}

/// Labels and their values.
#[must_use]
pub fn pairs(pairs: &[Pair], id: &str) -> Markup {
    html! {
        dl.pairs id=(id) data-testid=(id) {
            @for (label, value) in pairs { div { dt { (label) } dd { (value) } } }
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
    use crate::present::document::table::Column;

    #[test]
    fn no_text_of_a_table_becomes_markup() {
        let hostile = "<img src=x onerror=alert(1)>\"'&";
        let shown = table(
            &Table {
                caption: hostile.to_owned(),
                columns: vec![Column::text(hostile), Column::number("n", hostile)],
                rows: vec![vec![Cell::new(hostile), Cell::new(hostile).with_note(hostile)]],
            },
            "id",
        );
        let shown = shown.into_string() + &pairs(&[(hostile.into(), hostile.into())], "p").0;
        assert!(!shown.contains("<img") && !shown.contains("x onerror=alert(1)>\""), "{shown}");
        assert_eq!(shown.matches("&lt;img").count(), 9);
    }

    #[test]
    fn a_missing_value_is_a_dash_with_its_reason() {
        let cell =
            Cell { text: MISSING.to_owned(), note: Some("why".to_owned()), tone: Tone::Muted };
        let shown = content(&cell).into_string();
        assert_eq!(
            shown,
            "<span class=\"missing\"><span aria-hidden=\"true\">—</span>\
             <small class=\"note\">why</small></span>"
        );
    }
}
