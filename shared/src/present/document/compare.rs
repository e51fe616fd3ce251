//! Two measured capacities beside each other.

use super::cell::{Cell, Number};
use super::cost_cell;
use super::table::{Column, Id, Table};
use crate::definitions::compare::{InMoney, InTokens, Interval, Told};
use crate::definitions::measured::Measured;
use crate::present::format::{column_decimals, fixed};
use crate::present::words::Words;

/// A comparison in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The figures, each with its interval.
    pub table: Table,
    /// What the second is, measured by the first; or why that cannot be said.
    pub verdict: String,
    /// What the two do not share.
    pub unlike: Vec<&'static str>,
}

impl Comparison {
    /// What the two do not share, in a sentence; `None` where that is nothing.
    #[must_use]
    pub fn not_alike(&self, words: &Words) -> Option<String> {
        if self.unlike.is_empty() {
            return None;
        }
        let unlike = self.unlike.join(words.say.semicolon);
        Some(format!("{}{}{unlike}", words.compare.not_alike, words.say.colon))
    }
}

/// Two capacities of one model, in tokens. `names` are those of the two bundles.
#[must_use]
pub fn in_tokens(compared: &InTokens, model: &str, names: [&str; 2], words: &Words) -> Comparison {
    let say = &words.compare;
    let decimals = decimals(&[&compared.left, &compared.right]);
    let rate = |side| interval_cell(side, decimals, words);
    let rows = [
        (
            Id::one("goodput-per-gpu"),
            vec![
                Cell::new(words.term.goodput_per_gpu),
                Cell::new("tok/s/GPU"),
                rate(&compared.left),
                rate(&compared.right),
            ],
        ),
        (
            Id::one("ratio"),
            vec![
                Cell::new(say.ratio),
                Cell::empty(),
                Number::fixed(1.0, 2).into(),
                interval_cell(&compared.ratio, 2, words),
            ],
        ),
    ];
    Comparison {
        table: table((say.in_tokens)(model), rows, names, words),
        verdict: verdict(&compared.right_is, names, words),
        unlike: compared.unlike.iter().map(|&unlike| (say.unlike)(unlike)).collect(),
    }
}

/// Two capacities in money.
#[must_use]
pub fn in_money(compared: &InMoney, names: [&str; 2], words: &Words) -> Comparison {
    let say = &words.compare;
    let (left, right) = (&compared.left, &compared.right);
    let a_day = format!("{}/GPU/day", compared.currency);
    let per_mtok = format!("{}/MTok", compared.currency);
    let amounts = |name, label: &'static str, sides: [&Measured<Interval<_>>; 2]| {
        let decimals = decimals(&sides);
        let [left, right] = sides.map(|side| interval_cell(side, decimals, words));
        (Id::one(name), vec![Cell::new(label), Cell::new(&*a_day), left, right])
    };
    let costs = [left, right].map(|side| cost_cell(&side.cost, words));
    let revenues = [left, right].map(|side| {
        Cell::measured(&side.revenue_per_mtok, words, |amount| Number::fixed(*amount, 3))
    });
    let beside = |name, label: &str, [left, right]: [Cell; 2]| {
        (Id::one(name), vec![Cell::new(label), Cell::new(&*per_mtok), left, right])
    };
    let rows = [
        amounts("margin", words.term.margin, [&left.margin_per_gpu_day, &right.margin_per_gpu_day]),
        amounts(
            "value",
            words.term.value_at_price,
            [&left.value_per_gpu_day, &right.value_per_gpu_day],
        ),
        beside("revenue", say.revenue_per_mtok, revenues),
        beside("cost", words.term.cost_per_mtok, costs),
    ];
    Comparison {
        table: table((say.in_money)(&compared.currency), rows, names, words),
        verdict: verdict(&compared.right_is, names, words),
        unlike: compared.unlike.iter().map(|&unlike| (say.unlike)(unlike)).collect(),
    }
}

fn table(
    caption: String,
    rows: impl IntoIterator<Item = (Id, Vec<Cell>)>,
    names: [&str; 2],
    words: &Words,
) -> Table {
    let columns = vec![
        Column::text("item", words.term.item),
        Column::text("unit", words.term.unit),
        Column::number("left", names[0], ""),
        Column::number("right", names[1], ""),
    ];
    Table::new(caption, columns, rows)
}

/// The decimals that suit both sides of a row.
fn decimals<T: Copy + Into<f64>>(sides: &[&Measured<Interval<T>>]) -> usize {
    column_decimals(sides.iter().filter_map(|side| side.value()).map(|interval| interval.at))
}

fn interval_cell<T: Copy + Into<f64>>(
    interval: &Measured<Interval<T>>,
    decimals: usize,
    words: &Words,
) -> Cell {
    Cell::measured(interval, words, |interval| {
        let text = |value: T| fixed(value, decimals);
        let high = interval.high.map(text);
        (words.compare.interval)(&text(interval.at), &text(interval.low), high.as_deref())
    })
}

fn verdict(right_is: &Measured<Told>, names: [&str; 2], words: &Words) -> String {
    match right_is {
        Measured::Value(told) => (words.compare.told)(*told, names[0], names[1]),
        Measured::Missing(reason) => {
            let reason = (words.missing)(reason);
            format!("{}{}{reason}", words.compare.cannot, words.say.colon)
        }
    }
}
