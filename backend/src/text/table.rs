//! Draws a table with aligned columns. Han characters take two cells of a terminal; alignment
//! counts cells, not characters.

use tokencap_shared::report::table::{Align, Cell, Table};
use unicode_width::UnicodeWidthStr;

/// Between two columns.
const GAP: &str = "  ";

/// The table as lines of text: caption, header, units, rows, and the cells' notes as numbered
/// footnotes.
#[must_use]
pub fn table(table: &Table) -> String {
    let mut notes: Vec<&str> = Vec::new();
    let texts: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| {
            let cells = row.iter().zip(&table.columns);
            cells.map(|(cell, column)| with_mark(cell, column.align, &mut notes)).collect()
        })
        .collect();
    let units: Vec<String> = table
        .columns
        .iter()
        .map(
            |column| {
                if column.unit.is_empty() { String::new() } else { format!("[{}]", column.unit) }
            },
        )
        .collect();
    let headers: Vec<String> = table.columns.iter().map(|column| column.header.clone()).collect();
    let has_units = units.iter().any(|unit| !unit.is_empty());
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|at| {
            let cells = texts.iter().filter_map(|row| row.get(at));
            let all = cells.chain([&headers[at], &units[at]]);
            all.map(|text| text.width()).max().unwrap_or(0)
        })
        .collect();
    let mut lines = Vec::new();
    if !table.caption.is_empty() {
        lines.push(table.caption.clone());
    }
    let aligns: Vec<Align> = table.columns.iter().map(|column| column.align).collect();
    lines.push(line(&headers, &widths, &aligns));
    if has_units {
        lines.push(line(&units, &widths, &aligns));
    }
    let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    lines.push(rule.join(GAP));
    lines.extend(texts.iter().map(|row| line(row, &widths, &aligns)));
    lines.extend(notes.iter().enumerate().map(|(at, note)| format!("[{}] {note}", at + 1)));
    lines.join("\n") + "\n"
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
    use tokencap_shared::report::table::Column;

    use super::*;

    #[test]
    fn columns_align_by_terminal_cells_and_notes_become_footnotes() {
        let drawn = table(&Table {
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
        });
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
}
