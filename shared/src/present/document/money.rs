//! Cost, value and margin under a dated price sheet: derived, covered by no signature.

use super::cell::{Cell, Number, Tone, Unit};
use super::cost_cell;
use super::figure::Figure;
use super::table::{Column, Id, Table};
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::money::{Economics, Money, Price, PriceBasis, PriceSheet};
use crate::present::report::{Report, Row};
use crate::present::words::Words;

/// Decimals of money per million tokens: two would make different offers look alike.
const PER_MTOK: usize = 3;

/// Where the money of a row comes from and goes to, of a day and of a million output tokens;
/// missing without a price sheet.
pub(super) fn money(report: &Report, row: &Row, words: &Words) -> Measured<Table> {
    row.economics.clone().map(|economics| table(&economics, report.currency(), words))
}

fn table(economics: &Economics, money: &str, words: &Words) -> Table {
    let (terms, say) = (&words.term, &words.say);
    let columns = vec![
        Column::text("item", terms.item),
        Column::number("day", terms.amount_per_day, format!("{money}/day")),
        Column::number("mtok", terms.amount_per_mtok, format!("{money}/MTok")),
    ];
    let day = |amount: &Measured<Money>| {
        Cell::measured(amount, words, |amount| Number::fixed(*amount, 2))
    };
    let per_mtok = |amount: &Measured<Money>| {
        Cell::measured(amount, words, |amount| Number::fixed(*amount, PER_MTOK))
    };
    let value = &economics.value_at_price_daily;
    let part = |get: fn(&crate::definitions::money::ValueAtPrice) -> &Measured<Money>| {
        value.clone().and_then(|value| get(&value).clone())
    };
    let total = part(|value| &value.total);
    let blended = part(|value| &value.blended_per_mtok);
    let margin_per_mtok = blended.clone().and_then(|blended| {
        economics.cost.clone().and_then(|cost| {
            let margin = cost.finite().map(|cost| blended.get() - cost.get());
            let margin = margin.and_then(|margin| Money::new(margin).ok());
            Measured::of(margin, Missing::NothingHeld)
        })
    });
    let complete = value.value().is_none_or(|value| value.complete);
    let total_cell = match complete {
        true => day(&total),
        false => day(&total).with_note(say.value_incomplete).with_tone(Tone::Unsure),
    };
    let row = |name, label: &str, day: Cell, per_mtok: Cell| {
        (Id::one(name), vec![Cell::new(label), day, per_mtok])
    };
    let rows = [
        row(
            "gpu-cost",
            terms.gpu_cost_per_day,
            day(&economics.gpu_cost_daily),
            cost_cell(&economics.cost, words),
        ),
        row(
            "value-at-cost",
            terms.value_at_cost,
            day(&economics.value_at_cost_daily).with_note(say.value_at_cost_remark),
            Cell::empty(),
        ),
        row("output", terms.output, day(&part(|value| &value.output)), Cell::empty()),
        row(
            "input-uncached",
            terms.input_uncached,
            day(&part(|value| &value.input_uncached)),
            Cell::empty(),
        ),
        row(
            "input-cached",
            terms.input_cached,
            day(&part(|value| &value.input_cached)),
            Cell::empty(),
        ),
        row(Figure::Value.name(), terms.value_at_price, total_cell, per_mtok(&blended)),
        row(
            Figure::Margin.name(),
            terms.margin,
            day(&economics.margin_daily),
            per_mtok(&margin_per_mtok),
        ),
    ];
    Table::new(words.title.money, columns, rows)
}

/// Effective cost by utilisation, the first lever; `None` without a cost.
pub(super) fn utilisation(report: &Report, row: &Row, words: &Words) -> Option<Table> {
    let curve = &row.economics.value()?.utilisation_curve;
    if curve.is_empty() {
        return None;
    }
    let money = report.currency();
    let columns = vec![
        Column::number("utilisation", words.term.utilisation, "%"),
        Column::number("cost", words.term.cost_per_mtok, format!("{money}/MTok")),
    ];
    let rows = curve.iter().rev().step_by(2).map(|(utilisation, cost)| {
        vec![Number::percent(*utilisation, 0).into(), cost_cell(&Measured::Value(*cost), words)]
    });
    let ids = (0..).map(|at| Id::nth("utilisation", at));
    Some(Table::new(words.title.utilisation, columns, ids.zip(rows)))
}

/// The prices assumed, each with its source; `None` without a price sheet.
pub(super) fn prices(sheet: &PriceSheet, words: &Words) -> Table {
    let terms = &words.term;
    let columns = vec![
        Column::text("item", terms.item),
        Column::number("price", terms.price, ""),
        Column::text("unit", terms.unit),
        Column::text("source", terms.source),
    ];
    let rows = [
        price("gpu-hour", terms.gpu_hour, sheet.gpu_hour.as_ref(), sheet, words),
        price("output", terms.output, sheet.output.as_ref(), sheet, words),
        price("input-uncached", terms.input_uncached, sheet.input_uncached.as_ref(), sheet, words),
        price("input-cached", terms.input_cached, sheet.input_cached.as_ref(), sheet, words),
    ];
    let named = (words.say.prices_of)(&sheet.name, &sheet.date);
    let caption = format!("{}{}{named}", words.title.prices, words.say.colon);
    Table::new(caption, columns, rows)
}

fn price<B: PriceBasis>(
    name: &'static str,
    label: &str,
    price: Option<&Price<B>>,
    sheet: &PriceSheet,
    words: &Words,
) -> (Id, Vec<Cell>) {
    let unit = format!("{}{}", sheet.currency, B::UNIT);
    let (amount, source) = match price {
        Some(price) => (Number::fixed(price.get(), PER_MTOK).into(), Cell::new(&*price.source)),
        None => (Cell::missing(&Missing::NotPriced, words), Cell::empty()),
    };
    let amount: Cell = amount;
    let amount = amount.in_unit(Unit::Owned(unit.clone()));
    (Id::one(name), vec![Cell::new(label), amount, Cell::new(unit), source])
}
