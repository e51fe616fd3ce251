//! The report as an Excel workbook: the screen's tables as values, and the money as live formulas
//! over assumptions that a reader may change.

use rust_xlsxwriter::{Color, Format, FormatAlign, Note, Workbook, Worksheet};
use tokencap_shared::present::document::table::{Align, Cell, Table, Tone};
use tokencap_shared::present::format::{INFINITE, MISSING};
use tokencap_shared::present::render::export::{Body, Section, of_row, overview};
use tokencap_shared::present::report::{Report, Row};
use tokencap_shared::present::words::Words;

use super::money;

/// Longest name of a sheet.
const MAX_NAME: usize = 31;

/// Why a workbook cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("the workbook cannot be written; export fewer bundles at a time, or another format")]
pub struct XlsxError(#[from] rust_xlsxwriter::XlsxError);

/// The formats that all sheets use.
pub(super) struct Formats {
    pub(super) title: Format,
    pub(super) header: Format,
    pub(super) number: Format,
    pub(super) assumption: Format,
    pub(super) plain: Format,
}

impl Formats {
    fn new() -> Self {
        Self {
            title: Format::new().set_bold().set_font_size(13),
            header: Format::new()
                .set_bold()
                .set_text_wrap()
                .set_border_bottom(rust_xlsxwriter::FormatBorder::Thin),
            number: Format::new().set_align(FormatAlign::Right),
            assumption: Format::new().set_background_color(Color::RGB(0x00FF_F2CC)),
            plain: Format::new(),
        }
    }
}

/// The report as the bytes of an `.xlsx` file.
///
/// # Errors
/// If a table does not fit a sheet.
pub fn xlsx(report: &Report, words: &Words) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let formats = Formats::new();
    let sheet = workbook.add_worksheet();
    sheet.set_name(words.title.report)?;
    sections(sheet, &overview(report, words), &formats)?;
    for (index, row) in report.rows.iter().enumerate() {
        let sheet = workbook.add_worksheet();
        sheet.set_name(name(index, &row.name))?;
        sections(sheet, &of_row(report, row, words), &formats)?;
        if let Some(prices) = &report.prices {
            let sheet = workbook.add_worksheet();
            sheet.set_name(name(index, words.title.money))?;
            money::write(sheet, row, prices, words, &formats)?;
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
    formats: &Formats,
) -> Result<(), XlsxError> {
    let mut at = 0;
    sheet.set_column_width(0, 34)?;
    for section in sections {
        sheet.write_string_with_format(at, 0, &section.title, &formats.title)?;
        at += 1;
        match &section.body {
            Body::Table(table) => at = write_table(sheet, at, table, formats)?,
            Body::Pairs(pairs) => {
                for (name, value) in pairs {
                    sheet.write_string(at, 0, name)?;
                    sheet.write_string(at, 1, value)?;
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
        }
        at += 1;
    }
    Ok(())
}

/// Writes a table from a row on; returns the row after it.
fn write_table(
    sheet: &mut Worksheet,
    mut at: u32,
    table: &Table,
    formats: &Formats,
) -> Result<u32, XlsxError> {
    for (column, head) in (0..).zip(&table.columns) {
        let text = match head.unit.as_str() {
            "" => head.header.clone(),
            unit => format!("{} [{unit}]", head.header),
        };
        sheet.write_string_with_format(at, column, &text, &formats.header)?;
        if column > 0 {
            sheet.set_column_width(column, 14)?;
        }
    }
    at += 1;
    for row in &table.rows {
        for ((column, cell), head) in (0..).zip(row).zip(&table.columns) {
            write_cell(sheet, at, column, cell, head.align, formats)?;
        }
        at += 1;
    }
    Ok(at)
}

fn write_cell(
    sheet: &mut Worksheet,
    row: u32,
    column: u16,
    cell: &Cell,
    align: Align,
    formats: &Formats,
) -> Result<(), XlsxError> {
    let toned = match cell.tone {
        Tone::Good => Some(Color::RGB(0x0000_6100)),
        Tone::Bad => Some(Color::RGB(0x009C_0006)),
        Tone::Unsure => Some(Color::RGB(0x009C_5700)),
        Tone::Plain | Tone::Muted => None,
    };
    let base = if align == Align::Right { &formats.number } else { &formats.plain };
    let format = match toned {
        Some(color) => base.clone().set_font_color(color),
        None => base.clone(),
    };
    match number(&cell.text).filter(|_| align == Align::Right) {
        Some((value, decimals)) => {
            let format = format.set_num_format(number_format(decimals));
            sheet.write_number_with_format(row, column, value, &format)?;
        }
        // Written as text, never as a formula, whatever it starts with.
        None => {
            sheet.write_string_with_format(row, column, &cell.text, &format)?;
        }
    }
    if let Some(note) = &cell.note {
        sheet.insert_note(row, column, &Note::new(note.as_str()).set_author("tokencap"))?;
    }
    Ok(())
}

/// The number that the screen shows, and its decimals.
fn number(text: &str) -> Option<(f64, usize)> {
    if text == MISSING || text == INFINITE {
        return None;
    }
    let bare = text.replace(',', "").replace('\u{2212}', "-");
    let decimals = bare.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some((bare.parse().ok()?, decimals))
}

pub(super) fn number_format(decimals: usize) -> String {
    if decimals == 0 { "#,##0".to_owned() } else { format!("#,##0.{}", "0".repeat(decimals)) }
}

/// Whether a row's numbers are of the simulator, as a word beside its name.
pub(super) fn label(row: &Row, words: &Words) -> String {
    if row.deployment.simulated {
        (words.say.aside)(&row.deployment.model, words.say.simulated)
    } else {
        row.deployment.model.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokencap_shared::fixture;
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
            let bytes = xlsx(&report, words).unwrap();
            assert!(bytes.starts_with(b"PK"));
        }
    }

    #[test]
    fn numbers_are_those_of_the_screen() {
        assert_eq!(number("1,234.50"), Some((1234.5, 2)));
        assert_eq!(number("\u{2212}7"), Some((-7.0, 0)));
        assert_eq!(number(MISSING), None);
        assert_eq!(number_format(2), "#,##0.00");
    }
}
