//! The first screen: one row a bundle.

use super::cell::{Cell, Number, Tone};
use super::figure::Figure;
use super::headline::bracket;
use super::table::{Column, Id, Table};
use super::{Decimals, cost_cell, promise_line};
use crate::definitions::capacity::{AtLambda, Standing};
use crate::definitions::measured::Measured;
use crate::present::report::{Report, Row, SignOff};
use crate::present::words::Words;
use crate::units::{TokenRate, TokensPerDay};

/// The rows of the summary, in the order of the report.
fn bundles() -> impl Iterator<Item = Id> {
    (0..).map(|bundle| Id::nth("bundle", bundle))
}

/// One row a bundle: who can sell how much within which promise.
pub(super) fn summary(report: &Report, words: &Words) -> Table {
    let terms = &words.term;
    let money = report.currency();
    let columns = vec![
        Column::text("model", terms.model),
        Column::text("deployment", terms.deployment),
        Column::text("promise", terms.promise),
        Column::number(Figure::Lambda.name(), terms.lambda, "req/s"),
        Column::number(Figure::Goodput.name(), terms.goodput, TokenRate::UNIT),
        Column::number(Figure::GoodputPerGpu.name(), terms.goodput_per_gpu, "tok/s/GPU"),
        Column::number(Figure::Daily.name(), terms.daily, "Mtok/day"),
        Column::text("standing", terms.standing),
        Column::number(Figure::Cost.name(), terms.cost_per_mtok, format!("{money}/MTok")),
        Column::number(Figure::Value.name(), terms.value_at_price, format!("{money}/day")),
        Column::text("sign-off", terms.sign_off),
    ];
    let ats = || report.rows.iter().filter_map(|row| row.capacity.at.value());
    let lambdas = report.rows.iter().filter_map(|row| row.capacity.lambda.value());
    let lambda = Decimals::of(lambdas.map(|lambda| lambda.rate));
    let goodput = Decimals::of(ats().map(|at| at.goodput));
    let per_gpu = Decimals::of(ats().filter_map(|at| at.goodput_per_gpu.value().copied()));
    let millions = |daily: TokensPerDay| daily.get() / 1e6;
    let daily = Decimals::of(ats().map(|at| millions(at.daily)));
    let rows = report.rows.iter().map(|row| {
        let at = |cell: &dyn Fn(&AtLambda) -> Cell| match &row.capacity.at {
            Measured::Value(at) => cell(at),
            Measured::Missing(reason) => Cell::missing(reason, words),
        };
        let rate = match &row.capacity.lambda {
            Measured::Value(held) => lambda.cell(held.rate).with_note(bracket(row, words)),
            Measured::Missing(reason) => Cell::missing(reason, words),
        };
        let value = row.economics.clone().and_then(|money| money.value_at_price_daily);
        let value = value.and_then(|value| value.total);
        vec![
            model(row, words),
            Cell::new((words.say.gpus)(row.deployment.gpus_serving, &row.deployment.gpu)),
            Cell::new(&*row.promise.name).with_note(promise_line(&row.promise, words)),
            rate,
            at(&|at| goodput.cell(at.goodput)),
            at(&|at| per_gpu.measured(&at.goodput_per_gpu, words)),
            at(&|at| daily.cell(millions(at.daily))),
            at(&|at| standing(at.standing, words)),
            cost_cell(&row.economics.clone().and_then(|money| money.cost), words),
            Cell::measured(&value, words, |total| Number::fixed(*total, 0)),
            if row.rejudged { scenario(words) } else { sign_off(&row.sign_off, words) },
        ]
    });
    Table::new(words.title.summary, columns, bundles().zip(rows))
}

fn model(row: &Row, words: &Words) -> Cell {
    if row.deployment.simulated {
        Cell::new((words.say.aside)(&row.deployment.model, words.say.simulated))
            .with_tone(Tone::Unsure)
    } else {
        Cell::new(&*row.deployment.model)
    }
}

fn standing(standing: Standing, words: &Words) -> Cell {
    Cell::new((words.standing)(standing)).with_tone(match standing {
        Standing::Committed => Tone::Good,
        Standing::Reference => Tone::Unsure,
    })
}

/// Judged by another sheet than the one that was signed: no signature covers it.
fn scenario(words: &Words) -> Cell {
    Cell::new(words.say.scenario).with_tone(Tone::Unsure)
}

/// What the signatures are worth, as a pill.
#[must_use]
pub fn sign_off(state: &SignOff, words: &Words) -> Cell {
    let tone = match state {
        SignOff::Signed { .. } => Tone::Good,
        SignOff::PartlySigned { .. } | SignOff::Unsigned | SignOff::UnknownKey { .. } => {
            Tone::Unsure
        }
        SignOff::BadSignature { .. }
        | SignOff::ContentsChanged { .. }
        | SignOff::NumbersDiffer { .. }
        | SignOff::Expired { .. }
        | SignOff::Superseded { .. }
        | SignOff::Revoked { .. } => Tone::Bad,
    };
    Cell::new((words.sign_off)(state)).with_tone(tone)
}
