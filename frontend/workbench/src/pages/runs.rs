//! A run in full, for engineers: is it valid, what happened in each step, what binds, who signed.

use maud::{Markup, html};
use tokencap_shared::definitions::step::Step;
use tokencap_shared::present::chart::{Chart, Plan, Size};
use tokencap_shared::present::document::{self, Note, Part, SectionId};
use tokencap_shared::present::render::html;
use tokencap_shared::present::report::charts::{self, Course, Latency};
use tokencap_shared::present::report::{Entry, Report, Row, SignOff};
use tokencap_shared::present::words::Words;

use super::{Page, compare, imported, select, sheet};
use crate::bench::Item;
use tokencap_shared::present::query::Query;

/// Height of a chart in pixels.
const HEIGHT: f64 = 260.0;
/// Wider than this, two charts stand side by side.
const TWO_COLUMNS: f64 = 960.0;
/// Below this a chart is drawn smaller instead of narrower.
const LEAST_WIDTH: f64 = 300.0;
/// What the document says of the step that the reader chose.
const OF_STEP: [SectionId; 7] = [
    SectionId::Promises,
    SectionId::Latency,
    SectionId::Rules,
    SectionId::Cancelled,
    SectionId::Window,
    SectionId::Input,
    SectionId::Failures,
];

/// The page.
pub(super) fn page(page: Page<'_>) -> Markup {
    let text = page.text;
    let Some(item) = page.bench.named(page.query, "run").or_else(|| page.bench.items.first())
    else {
        return html! {
            h1 { (text.runs) }
            @if page.bench.imported.is_empty() {
                p data-testid="nothing-open" { (text.nothing_open) }
            }
            (imported::sections(page))
        };
    };
    let other = page.bench.named(page.query, "with");
    let own = page.bench.report_of(item);
    // Choices made on another run are not about this one.
    let page = match page.query.chosen("of") {
        Some(of) if of != item.id() => Page { query: &Query::default(), ..page },
        _ => page,
    };
    let changed = sheet::changed(&item.bundle.manifest.promise, page.query, page.words.lang);
    let report = match &changed {
        Some(Ok(sheet)) => rejudged(item, sheet),
        _ => own,
    };
    let Some(row) = report.rows.first() else { return Markup::default() };
    let step = step(page, item, row);
    let row = &Row { shown: step.map(|step| step.id).or(row.shown), ..row.clone() };
    html! {
        h1 { (row.deployment.model) " " small { (item.name) } }
        form.bench data-testid="bench" {
            input type="hidden" name="of" value=(item.id());
            (choices(page, item, step))
            @if let Some(other) = other { (compare::section(page, item, other)) }
            (validity(page, item, &report, row))
            @if let Some(step) = step { (of_step(page, item, &report, row, step)) }
            section data-testid="what-if" {
                h2 { (text.what_if) }
                p { (text.what_if_hint) }
                (sheet::form(page, &item.bundle.manifest.promise))
                @if let Some(Err(wrong)) = &changed { p.problem role="alert" { (wrong) } }
            }
            @if item.is_measured { (sign_off(page, item)) }
            (imported::sections(page))
        }
    }
}

/// The bundle judged by another sheet.
fn rejudged(item: &Item, sheet: &tokencap_shared::definitions::promise::PromiseSheet) -> Report {
    let entry = Entry::judged(item.name.clone(), &item.bundle, Some(sheet), SignOff::Unsigned);
    Report::new(vec![entry], None)
}

/// The step that the reader chose, else the one that stands for the run.
fn step<'a>(page: Page<'_>, item: &'a Item, row: &Row) -> Option<&'a Step> {
    let steps = &item.bundle.manifest.steps;
    let asked = page.query.chosen("step").and_then(|id| id.parse::<u32>().ok());
    let of = |id: u32| steps.iter().find(|step| step.id == id);
    asked.and_then(of).or_else(|| of(row.shown?)).or_else(|| steps.first())
}

fn choices(page: Page<'_>, item: &Item, step: Option<&Step>) -> Markup {
    let text = page.text;
    let named = |item: &Item| format!("{} · {}", item.name, item.id());
    let runs = page.bench.items.iter().map(|item| (item.id(), named(item)));
    let ids: Vec<(String, String)> = item
        .bundle
        .manifest
        .steps
        .iter()
        .map(|step| (step.id.to_string(), (page.words.say.step_no)(step.id)))
        .collect();
    let steps = ids.iter().map(|(id, label)| (id.as_str(), label.clone()));
    let chosen = step.map(|step| step.id.to_string()).unwrap_or_default();
    let others = page.bench.items.iter().filter(|other| other.id() != item.id());
    let others = others.map(|other| (other.id(), named(other)));
    let others: Vec<_> = std::iter::once(("", text.nothing.to_owned())).chain(others).collect();
    html! {
        div.fields {
            (select("run", text.run, item.id(), runs))
            (select("step", text.step, &chosen, steps))
            @if others.len() > 1 {
                (select("with", text.with, page.query.chosen("with").unwrap_or_default(), others))
            }
        }
    }
}

/// Which steps count and why others do not, and every step's figures.
fn validity(page: Page<'_>, item: &Item, report: &Report, row: &Row) -> Markup {
    let words = page.words;
    let part = document::part(report, row, words);
    let notes = [SectionId::Validity, SectionId::Soak].into_iter();
    let notes: Vec<Note> = notes
        .filter_map(|id| part.section(id))
        .flat_map(|section| section.notes().iter().cloned())
        .collect();
    html! {
        section data-testid="validity" {
            h2 { (page.text.validity) }
            @if !item.is_measured { p { (page.text.imported) } }
            @else if notes.is_empty() { p { (page.text.all_valid) } }
            @if !notes.is_empty() { (html::notes(&notes, true, "validity-notes")) }
            @for warning in &row.warnings { p.note { ((page.words.note)(warning)) } }
            (sections(&part, &[SectionId::Steps], words))
            (charts(page, [charts::throughput(row, words), charts::attainment(row, words)]))
            h3 { (page.text.latencies) }
            (charts(page, (0..row.promise.tiers.len()).flat_map(|tier| {
                [Latency::Ttft, Latency::Itl, Latency::Tpot]
                    .map(|latency| charts::latency(row, tier, latency, words))
            })))
        }
    }
}

fn of_step(page: Page<'_>, item: &Item, report: &Report, row: &Row, step: &Step) -> Markup {
    let (text, words) = (page.text, page.words);
    let part = document::part(report, row, words);
    let courses: Vec<Plan> = Course::ALL
        .into_iter()
        .filter_map(|what| charts::course(&item.bundle, step, what, words))
        .collect();
    let distributions = [Latency::Ttft, Latency::Itl, Latency::Tpot]
        .map(|latency| charts::cdf(&item.bundle, row, step, latency, words));
    html! {
        section data-testid="step" {
            h2 {
                ((words.say.step_no)(step.id)) " "
                @if row.rejudged { span.pill.unsure { (text.scenario) } }
            }
            (sections(&part, &OF_STEP, words))
            h3 { (text.distributions) }
            (charts(page, distributions))
            h3 { (text.courses) }
            @if courses.is_empty() { p { (text.no_course) } }
            (charts(page, courses))
        }
    }
}

/// Who signed, who must, and how.
fn sign_off(page: Page<'_>, item: &Item) -> Markup {
    let (text, words) = (page.text, page.words);
    let manifest = &item.bundle.manifest;
    html! {
        section data-testid="sign-off-panel" {
            h2 { (text.signatures) }
            @match page.bench.verified(item) {
                Some(found) => {
                    @let cell = document::sign_off(&found.state, words);
                    @let advice = (words.sign_off_advice)(&found.state);
                    p { span class={ "pill " (html::tone_class(cell.tone)) } { (cell.text(words.lang)) } " "
                        (advice.what) (words.say.full_stop) (advice.fix) }
                    @if let Some(table) = document::signatures(found, words) {
                        (html::table(&table, "signatures", words))
                    }
                }
                None => p { (text.not_verified) },
            }
            label.field { span { (text.keys) }
                input id="keys" type="file" accept=".toml"; }
            p { (text.required) (words.say.colon)
                (manifest.promise.sign_off.iter().map(|role| (words.role)(*role)).collect::<Vec<_>>().join(words.say.comma)) }
            p { (text.sign_with) (words.say.colon) }
            @for role in &manifest.promise.sign_off {
                p { code { "tokencap sign " (item.name) " --role " (role.name()) " --key FILE" } }
            }
        }
    }
}

/// Those of a document's sections that there are.
fn sections(part: &Part, ids: &[SectionId], words: &Words) -> Markup {
    html! {
        @for section in ids.iter().filter_map(|id| part.section(*id)) {
            (html::section(section, words))
        }
    }
}

/// Charts in a grid as wide as the page.
fn charts(page: Page<'_>, plans: impl IntoIterator<Item = Plan>) -> Markup {
    let columns = if page.width >= TWO_COLUMNS { 2.0 } else { 1.0 };
    let size = Size { width: (page.width / columns - 20.0).max(LEAST_WIDTH), height: HEIGHT };
    html! {
        div.charts {
            @for plan in plans {
                figure.chart { (html::chart(&Chart::of(&plan, size))) }
            }
        }
    }
}
