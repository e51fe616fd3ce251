//! A document, or one table of it, as CSV (RFC 4180): numbers as they are, a missing one empty.

use crate::present::document::cell::{Cell, Value};
use crate::present::document::table::{Align, Column, Table};
use crate::present::document::{Body, Document, Part, Section};
use crate::present::format::short_id;
use crate::present::words::Words;

/// Everything, with a line a cell: which run and section, which line and column of it, its name in
/// words, the value, its unit, and a remark or the reason why the value is missing.
#[must_use]
pub fn document(document: &Document) -> String {
    let names = ["run", "section", "line", "column", "name", "value", "unit", "remark"];
    let mut out = line(names.map(str::to_owned).into_iter());
    let words = document.language.words();
    for section in &document.sections {
        section_lines(&mut out, "", section, words);
    }
    for Part { run, sections, .. } in &document.parts {
        for section in sections {
            section_lines(&mut out, short_id(run), section, words);
        }
    }
    out
}

fn section_lines(out: &mut String, run: &str, section: &Section, words: &Words) {
    let mut write = |id: &str, column: &str, name: &str, cell: &Cell| {
        let remark = harmless(cell.note.as_deref().unwrap_or_default());
        let place = [run, section.id.name(), id, column].map(str::to_owned);
        let rest = [harmless(name), value(cell), harmless(&cell.unit), remark];
        out.push_str(&line(place.into_iter().chain(rest)));
    };
    match &section.body {
        Body::Table(table) => {
            let table = table.unrolled(words);
            for row in &table.rows {
                for (column, cell) in table.columns.iter().zip(&row.cells) {
                    write(&row.id.to_string(), column.id, &column.header, cell);
                }
            }
        }
        Body::Facts(facts) => {
            for fact in facts {
                write(&fact.id.to_string(), "", &fact.label, &fact.cell);
            }
        }
        Body::Notes(notes) => {
            for (at, note) in notes.iter().enumerate() {
                let cell = Cell::new(&*note.advice.what);
                let fix = Some(note.advice.fix.clone()).filter(|fix| !fix.is_empty());
                write(&format!("note/{at}"), &note.about, &note.label, &Cell { note: fix, ..cell });
            }
        }
        Body::Nothing(sentence) => write("", "", &section.title, &Cell::new(*sentence)),
    }
    if let Some(remark) = &section.remark {
        write("remark", "", &section.title, &Cell::new(&**remark));
    }
}

/// The summary as a table: which run each row is of, then its columns.
#[must_use]
pub fn summary(document: &Document, summary: &Table) -> String {
    let words = document.language.words();
    let mut summary = summary.clone();
    summary.columns.insert(0, Column::text("run", words.term.run));
    for (line, part) in summary.rows.iter_mut().zip(&document.parts) {
        line.cells.insert(0, Cell::new(format!("{} {}", part.name, short_id(&part.run))));
    }
    table(&summary, words)
}

/// A table by itself, with units in the header.
#[must_use]
pub fn table(table: &Table, words: &Words) -> String {
    let table = table.unrolled(words);
    let mut out = line(table.columns.iter().map(Column::head));
    for row in &table.rows {
        let cells = row.cells.iter().zip(&table.columns);
        out.push_str(&line(cells.map(|(cell, column)| match column.align {
            Align::Right => value(cell),
            Align::Left => harmless(&cell.exact()),
        })));
    }
    out
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = cells.map(|cell| {
        if cell.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\r\n"
}

/// A number as programs read it, or a text.
fn value(cell: &Cell) -> String {
    match &cell.value {
        Value::Text(text) => harmless(text),
        _ => cell.exact(),
    }
}

/// A text that a spreadsheet does not take for a formula.
fn harmless(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::measured::Missing;
    use crate::present::document::cell::Number;
    use crate::present::document::table::Id;
    use crate::present::words::EN;

    #[test]
    fn numbers_are_unrounded_missing_ones_empty_and_no_text_is_a_formula() {
        let cells = vec![
            Cell::new("=HYPERLINK(\"x\")"),
            Number::fixed(1_234.567, 1).into(),
            Number::fixed(-5.25, 0).into(),
            Cell::unsaid(&Missing::NotPriced),
            Number::infinite().into(),
        ];
        let numbers = ["b", "c", "d", "e"].map(|name| Column::number(name, name, "ms"));
        let columns = [Column::text("a", "a")].into_iter().chain(numbers).collect();
        let made = Table::new("", columns, [(Id::one("x"), cells)]);
        assert_eq!(
            table(&made, &EN),
            "a,b [ms],c [ms],d [ms],e [ms]\r\n\"'=HYPERLINK(\"\"x\"\")\",1234.567,-5.25,,inf\r\n"
        );
    }
}
