//! The report for other programs: one table as CSV, everything as Markdown.
//!
//! Built from the very tables that the screen shows, so the numbers are the screen's.

use std::fmt::Write;

use crate::definitions::measured::Measured;
use crate::present::document::table::{Align, Cell, Column, Table};
use crate::present::document::{self, Figure, Note, Pair};
use crate::present::format::{INFINITE, MISSING, short_id};
use crate::present::report::{Report, Row};
use crate::present::words::Words;

/// One section of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What stands below.
    pub body: Body,
}

/// What a section holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A table.
    Table(Table),
    /// Facts by name.
    Pairs(Vec<Pair>),
    /// Sentences.
    Notes(Vec<Note>),
}

/// The sections that all rows have in common, in the order of the page.
#[must_use]
pub fn overview(report: &Report, words: &Words) -> Vec<Section> {
    let mut sections = vec![of_table(document::summary(report, words))];
    sections.extend(report.prices.as_ref().map(|prices| of_table(document::prices(prices, words))));
    let title = words.title.attention.to_owned();
    sections.push(Section { title, body: Body::Notes(document::attention(report, words)) });
    sections
}

/// The sections of one row, in the order of the page.
#[must_use]
pub fn of_row(report: &Report, row: &Row, words: &Words) -> Vec<Section> {
    let titles = &words.title;
    let pairs = |title: &str, pairs| Section { title: title.to_owned(), body: Body::Pairs(pairs) };
    let figures = document::headline(row, words).iter().map(|figure| pair(figure, words)).collect();
    let mut sections = vec![pairs(titles.figures, figures)];
    sections.extend(document::promises(row, words).map(of_table));
    sections.push(of_table(document::steps(report, row, words)));
    if let Some(step) = row.shown_step() {
        sections.push(of_table(document::latency(row, step, words)));
        sections.push(of_table(document::input(step, words)));
    }
    if let Measured::Value(money) = document::money(report, row, words) {
        sections.push(of_table(money));
    }
    sections.extend(document::utilisation(report, row, words).map(of_table));
    sections.extend(document::failures(row, words).map(of_table));
    let invalid = document::validity(row, words);
    if !invalid.is_empty() {
        let title = titles.validity.to_owned();
        sections.push(Section { title, body: Body::Notes(invalid) });
    }
    sections.push(pairs(titles.deployment, document::deployment(row, words)));
    sections.push(pairs(titles.provenance, document::provenance(row, words)));
    sections
}

fn of_table(mut table: Table) -> Section {
    Section { title: std::mem::take(&mut table.caption), body: Body::Table(table) }
}

fn pair(figure: &Figure, words: &Words) -> Pair {
    let value = format!("{} {}", figure.text, figure.unit);
    let value = match &figure.note {
        Some(note) => (words.say.aside)(&value, note),
        None => value,
    };
    (figure.label.clone(), value)
}

/// Everything, as Markdown.
#[must_use]
pub fn markdown(report: &Report, words: &Words) -> String {
    let definitions = (words.say.definitions)(report.definitions);
    let mut out = format!("# {}\n", (words.say.aside)(words.title.report, &definitions));
    if report.rows.iter().any(|row| row.deployment.simulated) {
        out.push_str(&format!("\n**{}**\n", words.say.simulated_long));
    }
    for section in overview(report, words) {
        out.push_str(&section_markdown(2, &section, words));
    }
    for row in &report.rows {
        out.push_str(&format!(
            "\n## {} · {}\n",
            escaped(&row.name),
            escaped(&row.deployment.model)
        ));
        for section in of_row(report, row, words) {
            out.push_str(&section_markdown(3, &section, words));
        }
    }
    out
}

fn section_markdown(level: usize, section: &Section, words: &Words) -> String {
    let mut out = format!("\n{} {}\n\n", "#".repeat(level), escaped(&section.title));
    match &section.body {
        Body::Table(table) => out.push_str(&table_markdown(table)),
        Body::Pairs(pairs) => {
            for (name, value) in pairs {
                out.push_str(&format!(
                    "- {}{}{}\n",
                    escaped(name),
                    words.say.colon,
                    escaped(value)
                ));
            }
        }
        Body::Notes(notes) => {
            if notes.is_empty() {
                out.push_str(&format!("{}\n", words.say.nothing_to_note));
            }
            for note in notes {
                let about = match note.about.as_str() {
                    "" => String::new(),
                    about => format!("{}{}", escaped(about), words.say.colon),
                };
                let what = escaped(&note.advice.what);
                let fix = match note.advice.fix.as_str() {
                    "" => String::new(),
                    fix => format!("{}{}", words.say.full_stop, escaped(fix)),
                };
                out.push_str(&format!("- **{}** {about}{what}{fix}\n", escaped(&note.label)));
            }
        }
    }
    out
}

fn table_markdown(table: &Table) -> String {
    let mut notes: Vec<&str> = Vec::new();
    let header = table.columns.iter().map(|column| match column.unit.as_str() {
        "" => escaped(&column.header),
        unit => format!("{} [{}]", escaped(&column.header), escaped(unit)),
    });
    let rule = table.columns.iter().map(|column| match column.align {
        Align::Left => "---".to_owned(),
        Align::Right => "---:".to_owned(),
    });
    let mut out = line(header) + &line(rule);
    for row in &table.rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| match cell.note.as_deref() {
                None => escaped(&cell.text),
                Some(note) => {
                    let known = notes.iter().position(|other| *other == note);
                    let at = known.unwrap_or_else(|| {
                        notes.push(note);
                        notes.len() - 1
                    });
                    format!("{} ({})", escaped(&cell.text), at + 1)
                }
            })
            .collect();
        out.push_str(&line(cells.into_iter()));
    }
    if !notes.is_empty() {
        out.push('\n');
    }
    for (index, note) in notes.iter().enumerate() {
        // Writing to a text does not fail.
        let _ = writeln!(out, "({}) {}  ", index + 1, escaped(note));
    }
    out
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let mut out = "|".to_owned();
    for cell in cells {
        out.push_str(&format!(" {cell} |"));
    }
    out + "\n"
}

/// A text that means itself in Markdown, also in a table: names come from bundles that anybody
/// may have made.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '\\' | '#' => {
                out.push('\\');
                out.push(character);
            }
            '\n' | '\r' => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}

/// The summary as CSV: which run each row is of, then what the screen shows.
#[must_use]
pub fn summary_csv(report: &Report, words: &Words) -> String {
    let mut table = document::summary(report, words);
    table.columns.insert(0, Column::text(words.term.run));
    for (cells, row) in table.rows.iter_mut().zip(&report.rows) {
        cells.insert(0, Cell::new(format!("{} {}", row.name, short_id(&row.run))));
    }
    csv(&table)
}

/// A table as CSV (RFC 4180), with units in the header. Numbers lose their grouping; a missing
/// one is empty.
#[must_use]
pub fn csv(table: &Table) -> String {
    let header = table.columns.iter().map(|column| match column.unit.as_str() {
        "" => column.header.clone(),
        unit => format!("{} [{unit}]", column.header),
    });
    let mut out = csv_line(header);
    for row in &table.rows {
        let cells = row.iter().zip(&table.columns);
        out.push_str(&csv_line(cells.map(|(cell, column)| match column.align {
            Align::Right => number(cell),
            Align::Left => harmless(&cell.text),
        })));
    }
    out
}

fn csv_line(cells: impl Iterator<Item = String>) -> String {
    let quoted = cells.map(|cell| {
        if cell.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\r\n"
}

/// A number as programs read it.
fn number(cell: &Cell) -> String {
    match cell.text.as_str() {
        MISSING => String::new(),
        INFINITE => "inf".to_owned(),
        text => text.replace(',', "").replace('\u{2212}', "-"),
    }
}

/// A text that a spreadsheet does not take for a formula.
fn harmless(text: &str) -> String {
    if text == MISSING {
        String::new()
    } else if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::present::document::table::Column;
    use crate::present::report::{Entry, SignOff};
    use crate::present::words::{EN, ZH};

    fn report() -> Report {
        let bundle = fixture::bundle();
        let mut entry = Entry::judged("a|b.tokencap".to_owned(), &bundle, None, SignOff::Unsigned);
        entry.manifest.deployment.model = "=HYPERLINK(\"x\")".to_owned();
        Report::new(vec![entry], None)
    }

    #[test]
    fn csv_has_the_screen_s_numbers_and_no_formula() {
        let report = report();
        let table = document::summary(&report, &EN);
        let runs = summary_csv(&report, &EN);
        assert!(
            runs.starts_with("Run,Model,") && runs.contains("a|b.tokencap 01234567,"),
            "{runs}"
        );
        let text = csv(&table);
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(lines.len(), 3, "a header, a row, the end");
        assert!(lines[1].starts_with("\"'=HYPERLINK(\"\"x\"\") "), "{text}");
        for (cell, column) in table.rows[0].iter().zip(&table.columns) {
            if column.align == Align::Right && cell.text != MISSING {
                let number = cell.text.replace(',', "");
                assert!(lines[1].split(',').any(|found| found == number), "{number} in {text}");
            }
        }
    }

    #[test]
    fn numbers_are_bare_and_missing_ones_empty() {
        let cells = ["1,234.50", "\u{2212}5", MISSING, INFINITE].map(Cell::new);
        let table = Table {
            caption: String::new(),
            columns: ["a", "b", "c", "d"].map(|name| Column::number(name, "ms")).into(),
            rows: vec![cells.into()],
        };
        assert_eq!(csv(&table), "a [ms],b [ms],c [ms],d [ms]\r\n1234.50,-5,,inf\r\n");
    }

    #[test]
    fn markdown_holds_every_number_of_the_screen_in_either_language() {
        let report = report();
        for words in [&EN, &ZH] {
            let text = markdown(&report, words);
            let row = &report.rows[0];
            let tables = [document::summary(&report, words), document::steps(&report, row, words)];
            for cell in tables.iter().flat_map(|table| table.rows.iter().flatten()) {
                assert!(text.contains(&escaped(&cell.text)), "{}", cell.text);
            }
            assert!(text.contains("a\\|b.tokencap"), "a name cannot break a table");
            let widths: Vec<usize> = text
                .lines()
                .filter(|line| line.starts_with('|'))
                .map(|line| line.replace("\\|", "").matches('|').count())
                .collect();
            assert!(widths.iter().all(|width| *width >= 3));
        }
    }
}
