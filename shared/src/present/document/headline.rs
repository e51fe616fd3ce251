//! The first screen: one row a bundle, and the figures of one of them.

use serde::Serialize;

use super::table::{Cell, Column, Table, Tone};
use super::{Decimals, cost_cell, promise_line};
use crate::definitions::capacity::{AtLambda, Standing};
use crate::definitions::measured::Measured;
use crate::present::format::{MISSING, compact, fixed, percent, plain};
use crate::present::report::{Report, Row, SignOff};
use crate::present::words::Words;
use crate::units::{Ratio, TokenRate, TokensPerDay, TokensPerJoule};

/// A headline figure: short on the screen, exact beside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is.
    pub label: String,
    /// As a headline: with the language's own scales.
    pub text: String,
    /// In what unit.
    pub unit: String,
    /// The exact value where the headline is rounded, and remarks; for a missing value, why.
    pub note: Option<String>,
    /// What it means.
    pub tone: Tone,
}

/// From this on a headline rounds, and its exact value stands in the note.
const ROUNDED_FROM: f64 = 1e4;

/// One row a bundle: who can sell how much within which promise.
#[must_use]
pub fn summary(report: &Report, words: &Words) -> Table {
    let terms = &words.term;
    let money = report.currency();
    let columns = vec![
        Column::text(terms.model),
        Column::text(terms.deployment),
        Column::text(terms.promise),
        Column::number(terms.lambda, "req/s"),
        Column::number(terms.goodput, TokenRate::UNIT),
        Column::number(terms.goodput_per_gpu, "tok/s/GPU"),
        Column::number(terms.daily, "Mtok/day"),
        Column::text(terms.standing),
        Column::number(terms.cost_per_mtok, &format!("{money}/MTok")),
        Column::number(terms.value_at_price, &format!("{money}/day")),
        Column::text(terms.sign_off),
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
            Cell::measured(&value.and_then(|value| value.total), words, |total| fixed(*total, 0)),
            if row.rejudged { scenario(words) } else { sign_off(&row.sign_off, words) },
        ]
    });
    let rows = rows.collect();
    Table { caption: words.title.summary.to_owned(), columns, rows }
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

/// λ_slo_max as the bracket it is, and on what it rests.
fn bracket(row: &Row, words: &Words) -> String {
    let Some(lambda) = row.capacity.lambda.value() else {
        return String::new();
    };
    let text = |rate: f64| format!("{} req/s", plain(rate));
    let bracket = match lambda.first_broken {
        Some(broken) => (words.say.bracket)(&text(lambda.rate.get()), &text(broken.get())),
        None => (words.say.no_upper_end)(&text(lambda.rate.get())),
    };
    format!("{bracket}{}{}", words.say.semicolon, (words.basis)(lambda.basis))
}

/// The figures of one bundle, in the order of their weight.
#[must_use]
pub fn headline(row: &Row, words: &Words) -> Vec<Figure> {
    let (terms, say) = (&words.term, &words.say);
    let at = row.capacity.at.value();
    let of =
        |get: &dyn Fn(&AtLambda) -> Measured<f64>| row.capacity.at.clone().and_then(|at| get(&at));
    let steps = of(&|at| at.steps_per_day.clone().map(Ratio::get));
    let standing =
        at.map(|at| format!("{}{}{}", (words.standing)(at.standing), say.semicolon, say.flat_day));
    let raw =
        at.map(|at| format!("{}{}{} {}", terms.raw, say.colon, plain(at.raw), TokenRate::UNIT));
    let tokens = at.and_then(|at| at.mean_osl.value());
    let tokens = tokens.map(|tokens| (say.steps_of)(&fixed(*tokens, 1)));
    let lambda = row.capacity.lambda.clone().map(|lambda| lambda.rate.get());
    let daily = of(&|at| Measured::Value(at.daily.get()));
    let per_gpu = of(&|at| at.goodput_per_gpu.clone().map(TokenRate::get));
    let goodput = of(&|at| Measured::Value(at.goodput.get()));
    let mut figures = vec![
        figure(terms.daily, "tok/day", &daily, standing, words),
        figure(terms.goodput_per_gpu, "tok/s/GPU", &per_gpu, None, words),
        figure(terms.lambda, "req/s", &lambda, Some(bracket(row, words)), words),
        figure(terms.goodput, TokenRate::UNIT, &goodput, raw, words),
        figure(terms.steps_per_day, say.steps_unit, &steps, tokens, words),
    ];
    if let Some(per_task) = row.steps_per_task {
        let tasks = steps.map(|steps| steps / f64::from(per_task));
        let note = (say.tasks_of)(per_task);
        figures.push(figure(terms.tasks_per_day, say.tasks_unit, &tasks, Some(note), words));
    }
    let worst = row.capacity.at.clone().and_then(|at| at.worst_attainment);
    figures.push(match &worst {
        Measured::Value(share) => Figure {
            text: percent(*share, 2),
            ..figure(terms.worst_attainment, "%", &Measured::Value(0.0), None, words)
        },
        Measured::Missing(reason) => {
            let missing = Measured::Missing(reason.clone());
            figure(terms.worst_attainment, "%", &missing, None, words)
        }
    });
    let per_watt = of(&|at| at.goodput_per_watt.clone().map(TokensPerJoule::get));
    figures.push(figure(terms.goodput_per_watt, TokensPerJoule::UNIT, &per_watt, None, words));
    figures
}

fn figure(
    label: &str,
    unit: &str,
    value: &Measured<f64>,
    remark: Option<String>,
    words: &Words,
) -> Figure {
    let (text, note, tone) = match value {
        Measured::Value(value) if value.abs() < ROUNDED_FROM => {
            (plain(*value), remark, Tone::Plain)
        }
        Measured::Value(value) => {
            let exact = format!("{} {unit}", fixed(*value, 0));
            let notes: Vec<String> = std::iter::once(exact).chain(remark).collect();
            let note = notes.join(words.say.semicolon);
            (compact(*value, words.lang), Some(note), Tone::Plain)
        }
        Measured::Missing(reason) => {
            (MISSING.to_owned(), Some((words.missing)(reason)), Tone::Muted)
        }
    };
    Figure { label: label.to_owned(), text, unit: unit.to_owned(), note, tone }
}
