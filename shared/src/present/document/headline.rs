//! The figures of one bundle.

use super::cell::{Cell, Number};
use super::fact::Fact;
use super::figure::Figure;
use crate::definitions::capacity::AtLambda;
use crate::definitions::measured::Measured;
use crate::present::format::{fixed, plain};
use crate::present::report::Row;
use crate::present::words::Words;
use crate::units::{Ratio, TokenRate, TokensPerJoule};

/// λ_slo_max as the bracket it is, and on what it rests.
pub(super) fn bracket(row: &Row, words: &Words) -> String {
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
pub fn headline(row: &Row, words: &Words) -> Vec<Fact> {
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
    let figure = |figure: Figure, label: &str, unit, value: &Measured<f64>, remark| {
        let cell = Cell::measured(value, words, |value| {
            let cell = Cell::from(Number::headline(*value));
            Cell { note: remark, ..cell }
        });
        Fact::new(figure.name(), label, cell.in_unit(unit))
    };
    let mut figures = vec![
        figure(Figure::Daily, terms.daily, "tok/day", &daily, standing),
        figure(Figure::GoodputPerGpu, terms.goodput_per_gpu, "tok/s/GPU", &per_gpu, None),
        figure(Figure::Lambda, terms.lambda, "req/s", &lambda, Some(bracket(row, words))),
        figure(Figure::Goodput, terms.goodput, TokenRate::UNIT, &goodput, raw),
        figure(Figure::StepsPerDay, terms.steps_per_day, say.steps_unit, &steps, tokens),
    ];
    if let Some(per_task) = row.steps_per_task {
        let tasks = steps.map(|steps| steps / f64::from(per_task));
        let note = (say.tasks_of)(per_task);
        let unit = say.tasks_unit;
        figures.push(figure(Figure::TasksPerDay, terms.tasks_per_day, unit, &tasks, Some(note)));
    }
    let worst = row.capacity.at.clone().and_then(|at| at.worst_attainment);
    let worst = Cell::measured(&worst, words, |share| Number::percent(*share, 2)).in_unit("%");
    figures.push(Fact::new(Figure::WorstAttainment.name(), terms.worst_attainment, worst));
    let per_watt = of(&|at| at.goodput_per_watt.clone().map(TokensPerJoule::get));
    let unit = TokensPerJoule::UNIT;
    figures.push(figure(Figure::GoodputPerWatt, terms.goodput_per_watt, unit, &per_watt, None));
    figures
}
