//! One bundle in full: its part of the document, with charts.

use leptos::prelude::*;
use tokencap_shared::present::document::{Fact, Figure, Part, SectionId};
use tokencap_shared::present::report::{Report, Row, charts};

use super::run_of;
use crate::components::chart::ChartView;
use crate::components::evidence::FigureButton;
use crate::components::table::section;
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
        let (report, document) = (state.report.read(), state.document.read());
        let key = state.library.selected.get()?;
        let (row, part) = (report.rows.get(index)?, document.parts.get(index)?);
        Some(of_part(&report, row, part, key, text))
    }
}

fn of_part(report: &Report, row: &Row, part: &Part, key: Key, text: Text) -> AnyView {
    let words = text.words;
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
    // The last two stand side by side.
    let (beside, below): (Vec<_>, Vec<_>) = part
        .sections
        .iter()
        .filter(|section| section.id != SectionId::Headline)
        .partition(|section| section.id >= SectionId::Deployment);
    let facts = part.section(SectionId::Headline).map(|section| section.facts());
    view! {
        <section class="details" aria-labelledby="details-title" data-testid="details">
            <h2 id="details-title">
                {row.deployment.model.clone()}" "<small>{run_of(row)}</small>
            </h2>
            {facts.map(|facts| headline(facts, key, text))}
            <div class="charts">
                {drawn.collect_view()}
            </div>
            {below.into_iter().map(|below| section(below, words)).collect_view()}
            <div class="columns">
                {beside.into_iter().map(|beside| section(beside, words)).collect_view()}
            </div>
        </section>
    }
    .into_any()
}

/// The figures of the bundle, large; exact values and remarks under them.
fn headline(facts: &[Fact], key: Key, text: Text) -> AnyView {
    let words = text.words;
    let figures = facts.iter().map(|fact| {
        let number = fact.cell.text(words.lang);
        let number = match Figure::of(fact.id).filter(|_| !fact.cell.is_missing()) {
            Some(figure) => view! { <FigureButton figure key>{number}</FigureButton> }.into_any(),
            None => number.into_any(),
        };
        view! {
            <div>
                <dt>{fact.label.clone()}</dt>
                <dd>
                    <span class="number">{number}</span>" "
                    <span class="unit">{fact.cell.unit.to_string()}</span>
                    <small class="note">{fact.cell.remark(words)}</small>
                </dd>
            </div>
        }
    });
    let figures = figures.collect_view();
    view! {
        <dl class="headline" data-testid="headline" data-section="headline">{figures}</dl>
    }
    .into_any()
}
