//! Draws a table with aligned columns. Han characters take two cells of a terminal; alignment
//! counts cells, not characters.

use tokencap_shared::present::document::Fact;
use tokencap_shared::present::document::cell::Cell;
use tokencap_shared::present::document::table::{Align, Column, Table};
use tokencap_shared::present::words::Words;
use unicode_width::UnicodeWidthStr;

/// Between two columns.
const GAP: &str = "  ";

/// Most rows of a table that is turned to fit the terminal.
const MOST_TURNED: usize = 3;

/// The table as lines of text: caption, header, units, rows, and the cells' notes as numbered
/// footnotes. One that is wider than `width` cells of the terminal and has few rows is drawn
/// with a line a column instead.
#[must_use]
pub fn table(table: &Table, words: &Words, width: Option<usize>) -> String {
    let mut notes: Vec<String> = Vec::new();
    let texts: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| {
            let cells = row.cells.iter().zip(&table.columns);
            cells.map(|(cell, column)| with_mark(cell, column.align, words, &mut notes)).collect()
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
    let unit = |column: &Column| match &*column.unit {
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
            let cells = texts.iter().map(|row| row.get(at).cloned().unwrap_or_default());
            std::iter::once(column.head()).chain(cells).collect()
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
fn with_mark(cell: &Cell, align: Align, words: &Words, notes: &mut Vec<String>) -> String {
    let text = cell.text(words.lang);
    let Some(note) = cell.remark(words) else { return text };
    let at = notes.iter().position(|known| *known == note).unwrap_or_else(|| {
        notes.push(note);
        notes.len() - 1
    });
    match align {
        Align::Left => format!("{text} [{}]", at + 1),
        Align::Right => format!("[{}] {text}", at + 1),
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

/// Facts, a line each, the values in one column.
pub(super) fn facts(facts: &[Fact], words: &Words) -> String {
    let width = facts.iter().map(|fact| fact.label.width()).max().unwrap_or(0);
    let lines = facts.iter().map(|fact| {
        let padding = " ".repeat(width - fact.label.width());
        format!("{}{padding}{GAP}{}\n", fact.label, fact.line(words))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use tokencap_shared::present::document::cell::Number;
    use tokencap_shared::present::document::table::Id;
    use tokencap_shared::present::words::ZH;

    use super::*;

    #[test]
    fn columns_align_by_terminal_cells_and_notes_become_footnotes() {
        let drawn = table(&promises(), &ZH, None);
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
        let drawn = table(&promises(), &ZH, Some(30));
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
        let columns = vec![
            Column::text("promise", "承诺"),
            Column::number("measured", "实测值", "ms"),
            Column::text("verdict", "判定"),
        ];
        let queue = vec![
            Cell::new("排队时间 P99"),
            Number::count(1_234).into(),
            Cell::new("守住").with_note("已修正"),
        ];
        let ttft = vec![
            Cell::new("TTFT P99"),
            Cell::from(Number::fixed(86.7, 0)).with_note("下限"),
            Cell::new("证据不足").with_note("已修正"),
        ];
        Table::new("承诺表", columns, [(Id::one("queue"), queue), (Id::one("ttft"), ttft)])
    }
}
