//! The report as an Excel workbook: the document's cells as unrounded values, and the money as live
//! formulas over assumptions that a reader may change.

use rust_xlsxwriter::{Color, Format, Note, Workbook, Worksheet};
use tokencap_shared::present::document::cell::{Cell, Tone, Value};
use tokencap_shared::present::document::table::{Align, Table};
use tokencap_shared::present::document::{Body, Document, Fact, Section};
use tokencap_shared::present::report::Report;
use tokencap_shared::present::words::Words;

use super::money;
use super::style::{Formats, XlsxError, format_of};

/// Longest name of a sheet.
const MAX_NAME: usize = 31;

/// A report and its document as the bytes of an `.xlsx` file. Figures of the money sheets are named
/// cells: `gpu_hour_1` is the price of a GPU for an hour in the sheet of the first bundle.
///
/// # Errors
/// If a table does not fit a sheet.
pub fn xlsx(report: &Report, document: &Document) -> Result<Vec<u8>, XlsxError> {
    let words = document.language.words();
    let mut workbook = Workbook::new();
    let formats = Formats::new();
    let sheet = workbook.add_worksheet();
    sheet.set_name(words.title.report)?;
    sections(sheet, &document.sections, words, &formats)?;
    for (index, (part, row)) in document.parts.iter().zip(&report.rows).enumerate() {
        let sheet = workbook.add_worksheet();
        sheet.set_name(name(index, &part.name))?;
        sections(sheet, &part.sections, words, &formats)?;
        if let Some(prices) = &report.prices {
            let sheet = workbook.add_worksheet();
            let title = name(index, words.title.money);
            sheet.set_name(&title)?;
            for (id, cell) in money::write(sheet, row, prices, words, &formats)? {
                let id = format!("{}_{}", id.replace('-', "_"), index + 1);
                workbook.define_name(id, &format!("='{title}'!{cell}"))?;
            }
        }
    }
    Ok(workbook.save_to_buffer()?)
}

/// A sheet's name: numbered, so that no two are alike, and without what Excel forbids.
fn name(index: usize, text: &str) -> String {
    let text = text.trim_end_matches(".tokencap");
    let allowed = |character: &char| !"[]:*?/\\'".contains(*character) && !character.is_control();
    format!("{} {}", index + 1, text.chars().filter(allowed).collect::<String>())
        .chars()
        .take(MAX_NAME)
        .collect()
}

fn sections(
    sheet: &mut Worksheet,
    sections: &[Section],
    words: &Words,
    formats: &Formats,
) -> Result<(), XlsxError> {
    let mut at = 0;
    sheet.set_column_width(0, 34)?;
    for section in sections {
        sheet.write_string_with_format(at, 0, &section.title, &formats.title)?;
        at += 1;
        match &section.body {
            Body::Table(table) => {
                at = write_table(sheet, at, &table.unrolled(words), words, formats)?
            }
            Body::Facts(facts) => {
                for fact in facts {
                    write_fact(sheet, at, fact, words, formats)?;
                    at += 1;
                }
            }
            Body::Notes(notes) => {
                for note in notes {
                    sheet.write_string(at, 0, &note.label)?;
                    sheet.write_string(at, 1, &note.about)?;
                    sheet.write_string(at, 2, &note.advice.what)?;
                    sheet.write_string(at, 3, &note.advice.fix)?;
                    at += 1;
                }
            }
            Body::Nothing(sentence) => {
                sheet.write_string(at, 0, *sentence)?;
                at += 1;
            }
        }
        if let Some(remark) = &section.remark {
            sheet.write_string(at, 0, remark)?;
            at += 1;
        }
        at += 1;
    }
    Ok(())
}

/// Name, value, unit and remark of a fact.
fn write_fact(
    sheet: &mut Worksheet,
    at: u32,
    fact: &Fact,
    words: &Words,
    formats: &Formats,
) -> Result<(), XlsxError> {
    sheet.write_string(at, 0, &fact.label)?;
    let bare = Cell { note: None, ..fact.cell.clone() };
    write_cell(sheet, (at, 1), &bare, &formats.plain, words)?;
    sheet.write_string(at, 2, &*fact.cell.unit)?;
    sheet.write_string(at, 3, fact.cell.note.as_deref().unwrap_or_default())?;
    Ok(())
}

/// Writes a table from a row on; returns the row after it.
fn write_table(
    sheet: &mut Worksheet,
    mut at: u32,
    table: &Table,
    words: &Words,
    formats: &Formats,
) -> Result<u32, XlsxError> {
    for (column, head) in (0..).zip(&table.columns) {
        sheet.write_string_with_format(at, column, head.head(), &formats.header)?;
        if column > 0 {
            sheet.set_column_width(column, 14)?;
        }
    }
    at += 1;
    for row in &table.rows {
        for ((column, cell), head) in (0..).zip(&row.cells).zip(&table.columns) {
            let base = if head.align == Align::Right { &formats.number } else { &formats.plain };
            write_cell(sheet, (at, column), cell, base, words)?;
        }
        at += 1;
    }
    Ok(at)
}

fn write_cell(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    cell: &Cell,
    base: &Format,
    words: &Words,
) -> Result<(), XlsxError> {
    let toned = match cell.tone {
        Tone::Good => Some(Color::RGB(0x0000_6100)),
        Tone::Bad => Some(Color::RGB(0x009C_0006)),
        Tone::Unsure => Some(Color::RGB(0x009C_5700)),
        Tone::Plain | Tone::Muted => None,
    };
    let format = match toned {
        Some(color) => base.clone().set_font_color(color),
        None => base.clone(),
    };
    let number = match &cell.value {
        Value::Number(number) => number.amount.finite().map(|value| (number, value)),
        _ => None,
    };
    match number {
        Some((number, value)) => {
            let format = format.set_num_format(format_of(number));
            sheet.write_number_with_format(row, column, value, &format)?;
        }
        // Written as text, never as a formula, whatever it starts with.
        None => {
            sheet.write_string_with_format(row, column, cell.text(words.lang), &format)?;
        }
    }
    if let Some(note) = &cell.note {
        sheet.insert_note(row, column, &Note::new(note.as_str()).set_author("tokencap"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokencap_shared::fixture;
    use tokencap_shared::present::document::document;
    use tokencap_shared::present::report::{Entry, SignOff};
    use tokencap_shared::present::words::{EN, ZH};

    #[test]
    fn a_workbook_is_made_in_either_language_whatever_the_names_are() {
        let bundle = fixture::bundle();
        for words in [&EN, &ZH] {
            let entry =
                |name: &str| Entry::judged(name.to_owned(), &bundle, None, SignOff::Unsigned);
            let odd = "a/b*[c]: 'very long name that goes on and on'.tokencap";
            let report = Report::new(vec![entry(odd), entry(odd)], None);
            let bytes = xlsx(&report, &document(&report, words)).unwrap();
            assert!(bytes.starts_with(b"PK"));
        }
    }
}
