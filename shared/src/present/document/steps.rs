//! Every step that was tested, and the latencies of one.

use super::cell::{Cell, Number, Tone};
use super::figure::Figure;
use super::table::{Column, Id, Table};
use super::{Decimals, cost_cell, share_cell, verdict_and_screen};
use crate::definitions::judge::StepJudgement;
use crate::definitions::measured::{Measured, Missing};
use crate::present::report::{Report, Row};
use crate::present::words::Words;
use crate::units::TokenRate;

/// Every step by rising rate, the one of λ_slo_max marked.
pub(super) fn steps(report: &Report, row: &Row, words: &Words) -> Table {
    let terms = &words.term;
    let mut columns = vec![
        Column::number("step", terms.step, ""),
        Column::text("kind", terms.step_kind),
        Column::number("offered", terms.offered, "req/s"),
        Column::number(Figure::Goodput.name(), terms.goodput, TokenRate::UNIT),
        Column::number("raw", terms.raw, TokenRate::UNIT),
        Column::number(Figure::WorstAttainment.name(), terms.worst_attainment, "%"),
        Column::number("success", terms.success, "%"),
        Column::number("concurrency", terms.concurrency, ""),
        Column::number("valid", terms.valid, ""),
        Column::text("verdict", terms.verdict),
    ];
    let costs = row.economics.value().map(|money| &money.cost_curve);
    if costs.is_some() {
        let unit = format!("{}/MTok", report.currency());
        columns.insert(
            columns.len() - 1,
            Column::number(Figure::Cost.name(), terms.cost_per_mtok, unit),
        );
    }
    let mut steps: Vec<&StepJudgement> = row.capacity.steps.iter().collect();
    steps.sort_by(|left, right| left.offered.get().total_cmp(&right.offered.get()));
    let rate = Decimals::of(steps.iter().map(|step| step.offered));
    let flows = steps.iter().flat_map(|step| [&step.flow.goodput, &step.flow.raw]);
    let flow = Decimals::of(flows.filter_map(Measured::value).copied());
    let concurrency =
        Decimals::of(steps.iter().filter_map(|step| step.concurrency.value().copied()));
    let best = row.capacity.lambda.value().map(|lambda| lambda.step);
    let rows = steps.into_iter().map(|step| {
        // An invalid step has no value; its verdict says why.
        let value = |cell: Cell| match step.validity.is_valid() {
            true => cell,
            false => Cell::unsaid(&Missing::InvalidStep),
        };
        let marked = best == Some(step.step);
        let kind = (words.step_kind)(step.kind);
        let mut cells = vec![
            Number::count(u64::from(step.step)).into(),
            Cell::new(kind),
            rate.cell(step.offered),
            value(flow.measured(&step.flow.goodput, words)),
            value(flow.measured(&step.flow.raw, words)),
            value(Cell::measured(&step.worst_attainment(), words, |share| {
                Number::percent(*share, 2)
            })),
            value(share_cell(step.success(), words)),
            value(concurrency.measured(&step.concurrency, words)),
            Number::count(step.counts.valid).into(),
            verdict(step, marked, words),
        ];
        if let Some(costs) = costs {
            let point = costs.iter().find(|point| point.step == step.step);
            let cost = Measured::of(point.map(|point| point.cost), Missing::NotPriced);
            cells.insert(cells.len() - 1, value(cost_cell(&cost, words)));
        }
        (Id::nth("step", step.step), cells)
    });
    Table::new(words.title.steps, columns, rows)
}

/// The step's verdict: whether it counts at all, and if so what all signed promises say.
fn verdict(step: &StepJudgement, marked: bool, words: &Words) -> Cell {
    let say = &words.say;
    if !step.validity.is_valid() {
        let reasons = step.validity.invalid.iter().map(|reason| (words.invalid)(reason).what);
        let reasons: Vec<String> = reasons.collect();
        return Cell::new(say.invalid)
            .with_tone(Tone::Muted)
            .with_note(reasons.join(say.semicolon));
    }
    let mut cell = verdict_and_screen(step.verdict, step.screen, words);
    if marked {
        let text = format!("{} ← {}", cell.text(words.lang), words.term.lambda);
        cell = Cell::new(text).with_tone(cell.tone);
    }
    if step.validity.unsustainable {
        cell = cell.with_note(say.unsustainable);
    } else if step.validity.window_too_short {
        cell = cell.with_note(say.window_too_short);
    }
    cell
}
