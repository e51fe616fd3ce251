//! One bundle in full: figures, promises, input, steps, where it all comes from.

use leptos::prelude::*;
use tokencap_shared::present::document;
use tokencap_shared::present::document::table::Tone;
use tokencap_shared::present::report::{Report, Row, charts};

use super::run_of;
use crate::components::chart::ChartView;
use crate::components::evidence::Figure;
use crate::components::table::{data_table, pairs};
use crate::evidence::Subject;
use crate::state::library::Key;
use crate::state::{State, text};
use crate::text::Text;

/// The details of the selected bundle.
#[component]
pub(super) fn Details() -> impl IntoView {
    let state = State::get();
    let text = text();
    move || {
        let index = state.selected_row()?;
        let report = state.report.read();
        let key = state.library.selected.get()?;
        Some(of_row(&report, report.rows.get(index)?, key, text))
    }
}

fn of_row(report: &Report, row: &Row, key: Key, text: Text) -> AnyView {
    let words = text.words;
    let titles = &words.title;
    let promises = document::promises(row, words).map(|table| data_table(&table, "promises"));
    let shown = row.shown_step().map(|step| {
        view! {
            {data_table(&document::input(step, words), "input")}
            {data_table(&document::latency(row, step, words), "latency")}
        }
    });
    let plans = [
        ("chart-throughput", Some(charts::throughput(row, words))),
        ("chart-attainment", Some(charts::attainment(row, words))),
        ("chart-cost", charts::cost(report, row, words)),
        ("chart-utilisation", charts::utilisation(report, row, words)),
    ];
    let drawn = plans.into_iter().filter_map(|(id, plan)| {
        let plan = plan?;
        Some(view! { <ChartView plan id/> })
    });
    let failures = match document::failures(row, words) {
        Some(table) => data_table(&table, "failures"),
        None => view! { <p class="quiet">{words.say.no_failures}</p> }.into_any(),
    };
    view! {
        <section class="details" aria-labelledby="details-title" data-testid="details">
            <h2 id="details-title">
                {row.deployment.model.clone()}" "<small>{run_of(row)}</small>
            </h2>
            {headline(row, key, text)}
            <div class="charts">
                {drawn.collect_view()}
            </div>
            {promises}
            {shown}
            {data_table(&document::steps(report, row, words), "steps")}
            {failures}
            <div class="columns">
                <section><h3>{titles.deployment}</h3>
                    {pairs(&document::deployment(row, words), "deployment")}</section>
                <section><h3>{titles.provenance}</h3>
                    {pairs(&document::provenance(row, words), "provenance")}</section>
            </div>
        </section>
    }
    .into_any()
}

/// The figures of the row, large; exact values and remarks under them.
fn headline(row: &Row, key: Key, text: Text) -> impl IntoView + use<> {
    let figures = document::headline(row, text.words).into_iter().map(|figure| {
        let subject = subject(&figure.label, text).filter(|_| figure.tone != Tone::Muted);
        let number = match subject {
            Some(subject) => view! { <Figure subject key>{figure.text}</Figure> }.into_any(),
            None => figure.text.into_any(),
        };
        view! {
            <div>
                <dt>{figure.label}</dt>
                <dd>
                    <span class="number">{number}</span>" "<span class="unit">{figure.unit}</span>
                    <small class="note">{figure.note}</small>
                </dd>
            </div>
        }
    });
    view! { <dl class="headline" data-testid="headline">{figures.collect_view()}</dl> }
}

/// What a headline figure is, by its label.
fn subject(label: &str, text: Text) -> Option<Subject> {
    let terms = &text.words.term;
    let subjects = [
        (terms.daily, Subject::Daily),
        (terms.goodput_per_gpu, Subject::GoodputPerGpu),
        (terms.lambda, Subject::Lambda),
        (terms.goodput, Subject::Goodput),
        (terms.steps_per_day, Subject::StepsPerDay),
        (terms.tasks_per_day, Subject::TasksPerDay),
        (terms.worst_attainment, Subject::WorstAttainment),
        (terms.goodput_per_watt, Subject::GoodputPerWatt),
    ];
    let found = subjects.into_iter().find(|(term, _)| *term == label);
    found.map(|(_, subject)| subject)
}
