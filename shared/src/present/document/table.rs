//! A table of a document: columns and lines that are found by what they are about, in any language.

use std::fmt;

use serde::{Serialize, Serializer};

use super::cell::{Cell, Unit, Value};
use crate::present::words::Words;

/// What a line or a fact is about: the same in every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id {
    /// Its kind.
    pub name: &'static str,
    /// Which of its kind, such as the number of a step or the index of a tier.
    pub of: Option<u32>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Headings and alignments, from left to right.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Line>,
}

/// A column's head. Where it has a unit, that is the unit of all its cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// What it is, in every language.
    pub id: &'static str,
    /// What it is, in words.
    pub header: String,
    /// In what unit; empty for texts, pure counts, and where lines differ in it.
    pub unit: Unit,
    /// Numbers right, texts left.
    pub align: Align,
}

/// To which side a column's cells are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Texts.
    Left,
    /// Numbers.
    Right,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What it is about.
    pub id: Id,
    /// A cell a column.
    pub cells: Vec<Cell>,
}

impl Id {
    /// The only one of its kind in its section.
    #[must_use]
    pub const fn one(name: &'static str) -> Self {
        Self { name, of: None }
    }

    /// One of several of its kind.
    #[must_use]
    pub const fn nth(name: &'static str, of: u32) -> Self {
        Self { name, of: Some(of) }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        match self.of {
            Some(of) => write!(f, "/{of}"),
            None => Ok(()),
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Column {
    /// A column of texts.
    #[must_use]
    pub fn text(id: &'static str, header: &str) -> Self {
        Self { id, header: header.to_owned(), unit: Unit::Borrowed(""), align: Align::Left }
    }

    /// A column of numbers in a unit; an empty unit for pure counts.
    #[must_use]
    pub fn number(id: &'static str, header: &str, unit: impl Into<Unit>) -> Self {
        Self { id, header: header.to_owned(), unit: unit.into(), align: Align::Right }
    }

    /// Its header and its unit in one line.
    #[must_use]
    pub fn head(&self) -> String {
        match &*self.unit {
            "" => self.header.clone(),
            unit => format!("{} [{unit}]", self.header),
        }
    }
}

impl Table {
    /// A table whose cells have the units of their columns.
    #[must_use]
    pub fn new(
        caption: impl Into<String>,
        columns: Vec<Column>,
        rows: impl IntoIterator<Item = (Id, Vec<Cell>)>,
    ) -> Self {
        let line = |(id, mut cells): (Id, Vec<Cell>)| {
            for (cell, column) in cells.iter_mut().zip(&columns) {
                if cell.unit.is_empty() {
                    cell.unit = column.unit.clone();
                }
            }
            Line { id, cells }
        };
        let rows = rows.into_iter().map(line).collect();
        Self { caption: caption.into(), columns, rows }
    }

    /// The same with two columns in place of each that holds ranges: one for either end, for
    /// programs, whose cells hold one number.
    #[must_use]
    pub fn unrolled(&self, words: &Words) -> Self {
        let is_range = |cell: &Cell| matches!(cell.value, Value::Range(..));
        let ranges =
            |at: usize| self.rows.iter().any(|line| line.cells.get(at).is_some_and(is_range));
        let mut columns = Vec::new();
        let mut rows: Vec<Line> =
            self.rows.iter().map(|line| Line { id: line.id, cells: Vec::new() }).collect();
        for (at, column) in self.columns.iter().enumerate() {
            if !ranges(at) {
                columns.push(column.clone());
                for (row, line) in rows.iter_mut().zip(&self.rows) {
                    row.cells.extend(line.cells.get(at).cloned());
                }
                continue;
            }
            for end in [words.term.lower, words.term.upper] {
                let header = (words.say.aside)(&column.header, end);
                columns.push(Column { header, ..column.clone() });
            }
            for (row, line) in rows.iter_mut().zip(&self.rows) {
                let Some(cell) = line.cells.get(at) else { continue };
                row.cells.extend(match cell.value {
                    Value::Range(low, high) => {
                        [low, high].map(|end| Cell { value: Value::Number(end), ..cell.clone() })
                    }
                    _ => [cell.clone(), Cell::empty()],
                });
            }
        }
        Self { caption: self.caption.clone(), columns, rows }
    }

    /// The cell of a line in a column.
    #[must_use]
    pub fn cell(&self, line: Id, column: &str) -> Option<&Cell> {
        let at = self.columns.iter().position(|of| of.id == column)?;
        self.rows.iter().find(|of| of.id == line)?.cells.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::document::cell::Number;
    use crate::present::words::EN;

    #[test]
    fn a_cell_is_found_by_what_it_is_about_and_has_its_column_s_unit() {
        let columns = vec![Column::text("tier", "档"), Column::number("ttft", "TTFT", "ms")];
        let row = vec![Cell::new("≤1k"), Number::fixed(2.5, 0).into()];
        let table = Table::new("", columns, [(Id::nth("tier", 0), row)]);
        assert_eq!(table.cell(Id::nth("tier", 0), "ttft").unwrap().unit, "ms");
        assert_eq!(table.cell(Id::nth("tier", 1), "ttft"), None);
        assert_eq!(serde_json::to_value(Id::nth("tier", 0)).unwrap(), "tier/0");
    }

    #[test]
    fn for_programs_a_range_is_two_columns() {
        let columns = vec![Column::number("bounds", "Bounds", "%"), Column::text("x", "X")];
        let range = Cell::range(Number::fixed(1.25, 1), Number::fixed(2.5, 1));
        let rows = [
            (Id::nth("row", 0), vec![range, Cell::new("a")]),
            (Id::nth("row", 1), vec![Number::count(7).into(), Cell::new("b")]),
        ];
        let table = Table::new("", columns, rows).unrolled(&EN);
        let cells: Vec<Vec<String>> =
            table.rows.iter().map(|row| row.cells.iter().map(Cell::exact).collect()).collect();
        assert_eq!(cells, [["1.25", "2.5", "a"], ["7", "", "b"]]);
        assert_eq!(table.columns.iter().filter(|column| column.id == "bounds").count(), 2);
        assert_ne!(table.columns[0].header, table.columns[1].header);
    }
}
