//! Draws a table with aligned columns. Han characters take two cells of a terminal; alignment
//! counts cells, not characters.

use tokencap_shared::present::document::table::{Align, Cell, Column, Table};
use unicode_width::UnicodeWidthStr;

/// Between two columns.
const GAP: &str = "  ";

/// Most rows of a table that is turned to fit the terminal.
const MOST_TURNED: usize = 3;

/// The table as lines of text: caption, header, units, rows, and the cells' notes as numbered
/// footnotes. One that is wider than `width` cells of the terminal and has few rows is drawn
/// with a line a column instead.
#[must_use]
pub fn table(table: &Table, width: Option<usize>) -> String {
    let mut notes: Vec<&str> = Vec::new();
    let texts: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| {
            let cells = row.iter().zip(&table.columns);
            cells.map(|(cell, column)| with_mark(cell, column.align, &mut notes)).collect()
        })
        .collect();
    let upright = upright(table, &texts);
    let widest = upright.iter().map(|line| line.width()).max().unwrap_or(0);
    let fits = width.is_none_or(|width| widest <= width);
    let lines =
        if fits || table.rows.len() > MOST_TURNED { upright } else { turned(table, &texts) };
    let caption = Some(table.caption.clone()).filter(|caption| !caption.is_empty());
    let notes = notes.iter().enumerate().map(|(at, note)| format!("[{}] {note}", at + 1));
    let all: Vec<String> = caption.into_iter().chain(lines).chain(notes).collect();
    all.join("\n") + "\n"
}

/// A line a row.
fn upright(table: &Table, texts: &[Vec<String>]) -> Vec<String> {
    let unit = |column: &Column| match column.unit.as_str() {
        "" => String::new(),
        unit => format!("[{unit}]"),
    };
    let units: Vec<String> = table.columns.iter().map(unit).collect();
    let headers: Vec<String> = table.columns.iter().map(|column| column.header.clone()).collect();
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|at| {
            let cells = texts.iter().filter_map(|row| row.get(at));
            let all = cells.chain([&headers[at], &units[at]]);
            all.map(|text| text.width()).max().unwrap_or(0)
        })
        .collect();
    let aligns: Vec<Align> = table.columns.iter().map(|column| column.align).collect();
    let mut lines = vec![line(&headers, &widths, &aligns)];
    if units.iter().any(|unit| !unit.is_empty()) {
        lines.push(line(&units, &widths, &aligns));
    }
    let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    lines.push(rule.join(GAP));
    lines.extend(texts.iter().map(|row| line(row, &widths, &aligns)));
    lines
}

/// A line a column: its header and unit, then each row's cell.
fn turned(table: &Table, texts: &[Vec<String>]) -> Vec<String> {
    let lines: Vec<Vec<String>> = table
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let header = match column.unit.as_str() {
                "" => column.header.clone(),
                unit => format!("{} [{unit}]", column.header),
            };
            let cells = texts.iter().map(|row| row.get(at).cloned().unwrap_or_default());
            std::iter::once(header).chain(cells).collect()
        })
        .collect();
    let columns = table.rows.len() + 1;
    let widths: Vec<usize> = (0..columns)
        .map(|at| lines.iter().map(|line| line[at].width()).max().unwrap_or(0))
        .collect();
    let aligns = vec![Align::Left; columns];
    lines.iter().map(|texts| line(texts, &widths, &aligns)).collect()
}

/// The cell's text, with the number of its note: before a number, so that digits stay aligned,
/// and behind a text. Equal notes share a number.
fn with_mark<'a>(cell: &'a Cell, align: Align, notes: &mut Vec<&'a str>) -> String {
    let Some(note) = cell.note.as_deref() else {
        return cell.text.clone();
    };
    let at = notes.iter().position(|known| *known == note).unwrap_or_else(|| {
        notes.push(note);
        notes.len() - 1
    });
    match align {
        Align::Left => format!("{} [{}]", cell.text, at + 1),
        Align::Right => format!("[{}] {}", at + 1, cell.text),
    }
}

fn line(texts: &[String], widths: &[usize], aligns: &[Align]) -> String {
    let cells = texts.iter().zip(widths).zip(aligns).map(|((text, width), align)| {
        let padding = " ".repeat(width.saturating_sub(text.width()));
        match align {
            Align::Left => format!("{text}{padding}"),
            Align::Right => format!("{padding}{text}"),
        }
    });
    cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
}

/// Labels and values, the values in one column.
pub(super) fn pairs(pairs: &[(String, String)]) -> String {
    let width = pairs.iter().map(|(label, _)| label.width()).max().unwrap_or(0);
    let lines = pairs.iter().map(|(label, value)| {
        let padding = " ".repeat(width - label.width());
        format!("{label}{padding}{GAP}{value}\n")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    #[test]
    fn columns_align_by_terminal_cells_and_notes_become_footnotes() {
        let drawn = table(&promises(), None);
        assert_snapshot!(drawn, @r"
        承诺表
        承诺          实测值  判定
                        [ms]
        ────────────  ──────  ────────────
        排队时间 P99   1,234  守住 [1]
        TTFT P99      [2] 87  证据不足 [1]
        [1] 已修正
        [2] 下限
        ");
    }

    #[test]
    fn a_table_too_wide_for_the_terminal_is_turned() {
        let drawn = table(&promises(), Some(30));
        assert_snapshot!(drawn, @r"
        承诺表
        承诺         排队时间 P99  TTFT P99
        实测值 [ms]  1,234         [2] 87
        判定         守住 [1]      证据不足 [1]
        [1] 已修正
        [2] 下限
        ");
    }

    fn promises() -> Table {
        Table {
            caption: "承诺表".to_owned(),
            columns: vec![
                Column::text("承诺"),
                Column::number("实测值", "ms"),
                Column::text("判定"),
            ],
            rows: vec![
                vec![
                    Cell::new("排队时间 P99"),
                    Cell::new("1,234"),
                    Cell::new("守住").with_note("已修正"),
                ],
                vec![
                    Cell::new("TTFT P99"),
                    Cell::new("87").with_note("下限"),
                    Cell::new("证据不足").with_note("已修正"),
                ],
            ],
        }
    }
}
