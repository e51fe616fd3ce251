//! A document as Markdown.

use std::fmt::Write;

use crate::present::document::table::{Align, Table};
use crate::present::document::{Body, Document, Note, Section};
use crate::present::words::Words;

/// Everything, as Markdown.
#[must_use]
pub fn markdown(document: &Document) -> String {
    let words = document.language.words();
    let mut out = format!("# {}\n", document.title);
    if let Some(warning) = document.warning {
        out.push_str(&format!("\n**{warning}**\n"));
    }
    for section in &document.sections {
        out.push_str(&section_markdown(2, section, words));
    }
    for part in &document.parts {
        out.push_str(&format!("\n## {}\n", escaped(&part.title)));
        for section in &part.sections {
            out.push_str(&section_markdown(3, section, words));
        }
    }
    out
}

fn section_markdown(level: usize, section: &Section, words: &Words) -> String {
    let mut out = format!("\n{} {}\n\n", "#".repeat(level), escaped(&section.title));
    match &section.body {
        Body::Table(table) => out.push_str(&table_markdown(table, words)),
        Body::Facts(facts) => {
            for fact in facts {
                let (name, value) = (escaped(&fact.label), escaped(&fact.line(words)));
                out.push_str(&format!("- {name}{}{value}\n", words.say.colon));
            }
        }
        Body::Notes(notes) => {
            for note in notes {
                out.push_str(&note_markdown(note, words));
            }
        }
        Body::Nothing(sentence) => out.push_str(&format!("{sentence}\n")),
    }
    if let Some(remark) = &section.remark {
        out.push_str(&format!("\n{}\n", escaped(remark)));
    }
    out
}

fn note_markdown(note: &Note, words: &Words) -> String {
    let about = match note.about.as_str() {
        "" => String::new(),
        about => format!("{}{}", escaped(about), words.say.colon),
    };
    let what = escaped(&note.advice.what);
    let fix = match note.advice.fix.as_str() {
        "" => String::new(),
        fix => format!("{}{}", words.say.full_stop, escaped(fix)),
    };
    format!("- **{}** {about}{what}{fix}\n", escaped(&note.label))
}

fn table_markdown(table: &Table, words: &Words) -> String {
    let mut notes: Vec<String> = Vec::new();
    let header = table.columns.iter().map(|column| match &*column.unit {
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
            .cells
            .iter()
            .map(|cell| {
                let text = escaped(&cell.text(words.lang));
                let Some(note) = cell.remark(words) else { return text };
                let known = notes.iter().position(|other| *other == note);
                let at = known.unwrap_or_else(|| {
                    notes.push(note);
                    notes.len() - 1
                });
                format!("{text} ({})", at + 1)
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
pub(super) fn escaped(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::present::document::document;
    use crate::present::report::{Entry, Report, SignOff};
    use crate::present::words::{EN, ZH};

    #[test]
    fn no_name_breaks_a_table() {
        let bundle = fixture::bundle();
        let mut entry = Entry::judged("a|b.tokencap".to_owned(), &bundle, None, SignOff::Unsigned);
        entry.manifest.deployment.model = "=x|y\n*z*".to_owned();
        let report = Report::new(vec![entry], None);
        for words in [&EN, &ZH] {
            let text = markdown(&document(&report, words));
            assert!(text.contains("a\\|b.tokencap") && text.contains("=x\\|y \\*z\\*"), "{text}");
            let tables = text.lines().filter(|line| line.starts_with('|'));
            let widths = tables.map(|line| line.replace("\\|", "").matches('|').count());
            assert!(widths.into_iter().all(|width| width >= 3));
        }
    }
}
