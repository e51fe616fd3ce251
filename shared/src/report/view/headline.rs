//! The first screen: one row a bundle, and the figures of one of them.

use serde::Serialize;

use super::super::table::{Cell, Column, Table, Tone};
use super::super::{Report, Row, SignOff};
use super::Decimals;
use crate::capacity::{AtLambda, Standing};
use crate::format::{compact, fixed, percent, plain};
use crate::measured::Measured;
use crate::units::{TokenRate, TokensPerDay};
use crate::words::Words;

/// A headline figure: short on the screen, exact beside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is.
    pub label: String,
    /// As a headline: with the language's own scales.
    pub text: String,
    /// In what unit.
    pub unit: String,
    /// The exact value, or the reason why there is none.
    pub note: Option<String>,
    /// What it means.
    pub tone: Tone,
}

/// One row a bundle: who can sell how much within which promise.
#[must_use]
pub fn summary(report: &Report, words: &Words) -> Table {
    let terms = &words.term;
    let columns = vec![
        Column::text(terms.model),
        Column::text(terms.deployment),
        Column::text(terms.promise),
        Column::number(terms.lambda, "req/s"),
        Column::number(terms.goodput, TokenRate::UNIT),
        Column::number(terms.goodput_per_gpu, "tok/s/GPU"),
        Column::number(terms.daily, "Mtok/day"),
        Column::text(terms.standing),
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
        vec![
            model(row, words),
            Cell::new((words.say.gpus)(row.deployment.gpus_serving, &row.deployment.gpu)),
            Cell::new(&*row.promise.name),
            rate,
            at(&|at| goodput.cell(at.goodput)),
            at(&|at| per_gpu.measured(&at.goodput_per_gpu, words)),
            at(&|at| daily.cell(millions(at.daily))),
            at(&|at| standing(at.standing, words)),
            sign_off(&row.sign_off, words),
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

fn sign_off(state: &SignOff, words: &Words) -> Cell {
    match state {
        SignOff::Unsigned => Cell::new(words.say.unsigned).with_tone(Tone::Unsure),
    }
}

/// λ_slo_max as the bracket it is.
fn bracket(row: &Row, words: &Words) -> String {
    let Some(lambda) = row.capacity.lambda.value() else {
        return String::new();
    };
    let text = |rate: f64| format!("{} req/s", plain(rate));
    match lambda.first_broken {
        Some(broken) => (words.say.bracket)(&text(lambda.rate.get()), &text(broken.get())),
        None => (words.say.no_upper_end)(&text(lambda.rate.get())),
    }
}

/// The figures of one bundle, in the order of their weight.
#[must_use]
pub fn headline(row: &Row, words: &Words) -> Vec<Figure> {
    let (terms, say) = (&words.term, &words.say);
    let at = &row.capacity.at;
    let figure = |label: &str, unit: &str, value: Measured<f64>, note: Option<String>| match value {
        Measured::Value(value) => {
            let short = compact(value, words.lang);
            let exact = fixed(value, if value.abs() < 1e3 { 3 } else { 0 });
            // A figure small enough to be exact in the headline needs no second reading.
            let exact = (value.abs() >= 1e3).then(|| format!("{exact} {unit}"));
            let note = match (exact, note) {
                (Some(exact), Some(note)) => Some(format!("{exact}{}{note}", say.semicolon)),
                (exact, note) => exact.or(note),
            };
            let (label, unit) = (label.to_owned(), unit.to_owned());
            Figure { label, text: short, unit, note, tone: Tone::Plain }
        }
        Measured::Missing(reason) => {
            let cell = Cell::missing(&reason, words);
            let (label, unit) = (label.to_owned(), unit.to_owned());
            Figure { label, text: cell.text, unit, note: cell.note, tone: Tone::Muted }
        }
    };
    let of = |get: &dyn Fn(&AtLambda) -> Measured<f64>| at.clone().and_then(|at| get(&at));
    let lambda = row.capacity.lambda.clone().map(|lambda| lambda.rate.get());
    let per_task = row.steps_per_task.map(f64::from);
    let mut figures = vec![
        figure(terms.daily, "tok/day", of(&|at| Measured::Value(at.daily.get())), {
            let standing = at.value().map(|at| (words.standing)(at.standing));
            standing.map(|standing| format!("{standing}{}{}", say.semicolon, say.flat_day))
        }),
        figure(
            terms.goodput_per_gpu,
            "tok/s/GPU",
            of(&|at| at.goodput_per_gpu.clone().map(TokenRate::get)),
            None,
        ),
        figure(terms.lambda, "req/s", lambda, Some(bracket(row, words))),
        figure(
            terms.goodput,
            TokenRate::UNIT,
            of(&|at| Measured::Value(at.goodput.get())),
            at.value().map(|at| {
                let raw = fixed(at.raw, 0);
                format!("{}{}{raw} {}", terms.raw, say.colon, TokenRate::UNIT)
            }),
        ),
        figure(
            terms.steps_per_day,
            "/day",
            of(&|at| at.steps_per_day.clone().map(|steps| steps.get())),
            at.value()
                .and_then(|at| at.mean_osl.value())
                .map(|tokens| (say.steps_of)(&fixed(*tokens, 1))),
        ),
    ];
    if let Some(per_task) = per_task {
        let tasks = of(&|at| at.steps_per_day.clone().map(|steps| steps.get() / per_task));
        figures.push(figure(terms.tasks_per_day, "/day", tasks, None));
    }
    let worst = of(&|at| at.worst_attainment.clone().map(|share| share.get()));
    figures.push(match (worst, at.value().and_then(|at| at.worst_attainment.value())) {
        (Measured::Value(_), Some(share)) => Figure {
            label: terms.worst_attainment.to_owned(),
            text: percent(*share, 2),
            unit: "%".to_owned(),
            note: None,
            tone: Tone::Plain,
        },
        (missing, _) => figure(terms.worst_attainment, "%", missing, None),
    });
    figures.push(figure(
        terms.goodput_per_watt,
        "tok/J",
        of(&|at| at.goodput_per_watt.clone().map(|ratio| ratio.get())),
        None,
    ));
    figures
}
