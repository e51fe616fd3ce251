//! One row a bundle: who can sell how much within which promise, at what cost and price.

use leptos::prelude::*;
use tokencap_shared::definitions::judge::Verdict;
use tokencap_shared::present::document::cell::{Amount, Cell, Number, Value};
use tokencap_shared::present::document::table::{Id, Table};
use tokencap_shared::present::document::{self, Document, Figure, Part, SectionId};
use tokencap_shared::present::format::{fixed, instant, plain, short_id};
use tokencap_shared::present::render::html::tone_class;
use tokencap_shared::present::report::Row;

use crate::components::evidence::FigureButton;
use crate::components::table::{Scrolls, cell_content};
use crate::state::library::Key;
use crate::state::{State, text};
use crate::text::Text;

/// The table.
#[component]
pub(super) fn Summary() -> impl IntoView {
    let state = State::get();
    let text = text();
    let rows = move || {
        let (report, document) = (state.report.read(), state.document.read());
        let keys = state.library.loaded.read();
        let table = document.section(SectionId::Summary)?.table()?;
        let money = report.currency();
        let parts = report.rows.iter().zip(&document.parts).zip(keys.iter());
        let rows = parts.zip(&table.rows).map(|(((row, part), loaded), line)| {
            let (document, key, line) = (&document, loaded.key, line.id);
            Line { document, table, part, row, line, money, key, text, state }.view()
        });
        Some(rows.collect_view())
    };
    let money = move || state.report.read().currency().to_owned();
    let terms = &text.words.term;
    let column = |header: &'static str, unit: &'static str, class: &'static str| {
        view! {
            <th scope="col" class=class>
                {header}{(!unit.is_empty()).then(|| view! { <span class="unit">{unit}</span> })}
            </th>
        }
    };
    let money_column = move |header: &'static str, per: &'static str| {
        view! {
            <th scope="col" class="number">
                {header}<span class="unit">{move || format!("{}{per}", money())}</span>
                {move || state.prices.scenario.get().then(|| {
                    view! { <span class="unit unsure">{text.page.scenario}</span> }
                })}
            </th>
        }
    };
    view! {
        <Scrolls label=text.words.title.summary.to_owned()>
            <table id="summary" data-testid="summary" data-section="summary" class="data summary">
                <caption>{text.words.title.summary}</caption>
                <thead><tr>
                    {column(terms.model, "", "text")}
                    {column(terms.promise, "", "text")}
                    {column(terms.lambda, "req/s", "number")}
                    {column(terms.goodput_per_gpu, "tok/s/GPU", "number")}
                    {column(terms.daily, "Mtok/day", "number")}
                    {column(terms.business, text.words.say.steps_unit, "number")}
                    {money_column(terms.cost_per_mtok, "/MTok")}
                    {money_column(terms.price, "/MTok")}
                    {money_column(terms.value_at_price, "/day")}
                    {column(terms.sign_off, "", "text")}
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </Scrolls>
    }
}

/// One row of the table.
struct Line<'a> {
    document: &'a Document,
    table: &'a Table,
    part: &'a Part,
    row: &'a Row,
    line: Id,
    money: &'a str,
    key: Key,
    text: Text,
    state: State,
}

impl Line<'_> {
    fn view(&self) -> AnyView {
        let (key, library) = (self.key, self.state.library);
        let chosen = move || library.selected.get() == Some(key);
        let (terms, money) = (&self.text.words.term, self.money);
        // Where a row is a card, on a phone, each figure has its column's name beside it.
        let figure = |name: &str, unit: &str, class: &'static str, figure: AnyView| {
            let label = format!("{name} {unit}");
            view! { <td class=class data-label=label>{figure}</td> }.into_any()
        };
        let (per_mtok, a_day) = (format!("{money}/MTok"), format!("{money}/day"));
        let figures = [
            figure(terms.lambda, "req/s", "number", self.lambda()),
            figure(terms.goodput_per_gpu, "tok/s/GPU", "number", self.per_gpu()),
            figure(terms.daily, "Mtok/day", "number main", self.daily()),
            figure(terms.business, self.text.words.say.steps_unit, "number", self.business()),
            figure(terms.cost_per_mtok, &per_mtok, "number", self.cost()),
            figure(terms.price, &per_mtok, "number", self.price()),
            figure(terms.value_at_price, &a_day, "number", self.value()),
        ];
        view! {
            <tr aria-current=move || chosen().then_some("true") data-testid="summary-row">
                {self.model()}
                {self.promise()}
                {figures.collect_view()}
                {self.sign_off()}
            </tr>
        }
        .into_any()
    }

    /// Model and deployment; whoever clicks the model sees its details.
    fn model(&self) -> AnyView {
        let (key, library, row) = (self.key, self.state.library, self.row);
        let (words, page) = (self.text.words, self.text.page);
        let chosen = move || (library.selected.get() == Some(key)).to_string();
        let deployment = &row.deployment;
        let gpus = (words.say.gpus)(deployment.gpus_serving, &deployment.gpu);
        let engine = format!("{} {}", deployment.engine, deployment.engine_version);
        let simulated = deployment.simulated.then(|| {
            view! { " " <span class="pill unsure">{words.say.simulated}</span> }
        });
        let file = format!("{} · {} · {}", row.name, short_id(&row.run), instant(&row.started));
        view! {
            <th scope="row" class="text">
                <button type="button" class="row-name" aria-pressed=chosen
                    title=(page.show)(&row.name)
                    on:click=move |_| library.selected.set(Some(key))>
                    {deployment.model.clone()}
                </button>
                {simulated}
                <small class="note">{gpus}" · "{engine.trim().to_owned()}</small>
                <small class="note file">{file}</small>
            </th>
        }
        .into_any()
    }

    /// The promise sheet, and how many of its signed promises the shown step keeps.
    fn promise(&self) -> AnyView {
        let signed = self.row.shown_step().map(|step| {
            let signed = step.promises.iter().filter(|promise| promise.signed);
            let held = signed.clone().filter(|promise| promise.verdict == Verdict::Held).count();
            (self.text.page.promises_held)(held, signed.count())
        });
        let name = self.row.promise.name.clone();
        let label = self.text.words.term.promise;
        view! { <td class="text" data-label=label>{name}<small class="note">{signed}</small></td> }
            .into_any()
    }

    fn lambda(&self) -> AnyView {
        let say = &self.text.words.say;
        let above = self.row.capacity.lambda.value().map(|lambda| match lambda.first_broken {
            Some(broken) => {
                format!("{}{}{}", self.text.words.term.first_broken, say.colon, plain(broken))
            }
            None => self.text.page.none_broken.to_owned(),
        });
        self.figure(Figure::Lambda, self.cell(Figure::Lambda), above)
    }

    fn per_gpu(&self) -> AnyView {
        self.figure(Figure::GoodputPerGpu, self.cell(Figure::GoodputPerGpu), None)
    }

    /// The one number of the report, with what it is worth.
    fn daily(&self) -> AnyView {
        let standing = self.table.cell(self.line, "standing").filter(|cell| !cell.is_missing());
        let standing = standing.map(|cell| {
            let class = format!("pill {}", tone_class(cell.tone));
            let text = cell.text(self.text.words.lang);
            view! { <span class=class data-testid="standing">{text}</span> }
        });
        view! { {self.figure(Figure::Daily, self.cell(Figure::Daily), None)}{standing} }.into_any()
    }

    /// Steps and tasks a day, to the last one: the headline rounds them.
    fn business(&self) -> AnyView {
        let whole = |figure: Figure| {
            let cell = self.part.cell(SectionId::Headline, figure.id(), "")?;
            Some(changed(cell, |number| Number::fixed(number, 0)))
        };
        let steps = whole(Figure::StepsPerDay);
        let tasks = whole(Figure::TasksPerDay).filter(|cell| !cell.is_missing()).map(|tasks| {
            let unit = self.text.words.say.tasks_unit;
            view! {
                <small class="note">
                    {self.figure(Figure::TasksPerDay, Some(&tasks), None)}" "{unit}
                </small>
            }
        });
        view! { {self.figure(Figure::StepsPerDay, steps.as_ref(), None)}{tasks} }.into_any()
    }

    /// Cost at the chosen utilisation.
    fn cost(&self) -> AnyView {
        let sold = self.sold();
        let cost = self.cell(Figure::Cost);
        let cost = cost.map(|cost| changed(cost, |cost| Number::fixed(cost / sold, 3)));
        self.figure(Figure::Cost, cost.as_ref(), None)
    }

    /// What output sells for; beside it what all tokens together bring for each million of it.
    fn price(&self) -> AnyView {
        let Some(prices) = self.document.section(SectionId::Prices).and_then(|of| of.table())
        else {
            // Without prices the cost's reason is the price's too.
            return self.figure(Figure::Price, self.cell(Figure::Value), None);
        };
        let price = prices.cell(Id::one("output"), "price");
        let blended = self.part.cell(SectionId::Money, Figure::Value.id(), "mtok");
        let blended = blended.filter(|cell| !cell.is_missing());
        let note =
            blended.map(|cell| (self.text.page.with_input)(&cell.text(self.text.words.lang)));
        self.figure(Figure::Price, price, note.filter(|_| price.is_some_and(|of| !of.is_missing())))
    }

    /// A day's value at price and margin, at the chosen utilisation.
    fn value(&self) -> AnyView {
        let sold = self.sold();
        let own = self.cell(Figure::Value);
        let value = own.map(|value| changed(value, |value| Number::fixed(value * sold, 0)));
        let cost = self.part.cell(SectionId::Money, Id::one("gpu-cost"), "day");
        let margin = own.and_then(number).zip(cost.and_then(number)).map(|(value, cost)| {
            let margin = fixed(value * sold - cost, 0);
            let name = self.text.words.term.margin;
            view! { <small class="note">{name}" "{self.button(Figure::Margin, margin)}</small> }
        });
        view! { {self.figure(Figure::Value, value.as_ref(), None)}{margin} }.into_any()
    }

    fn sign_off(&self) -> AnyView {
        let cell = document::sign_off(&self.row.sign_off, self.text.words);
        let class = format!("pill {}", tone_class(cell.tone));
        let content = cell_content(&cell, self.text.words);
        view! {
            <td class="text" data-label=self.text.words.term.sign_off><span class=class data-testid="sign-off">{content}</span></td>
        }
        .into_any()
    }

    /// The part of the capacity that is sold.
    fn sold(&self) -> f64 {
        self.state.prices.utilisation.get().get()
    }

    /// The figure in this row of the document's summary.
    fn cell(&self, figure: Figure) -> Option<&Cell> {
        self.table.cell(self.line, figure.name())
    }

    /// A number that opens its evidence, and a remark under it; else what stands in its place.
    fn figure(&self, figure: Figure, cell: Option<&Cell>, note: Option<String>) -> AnyView {
        let Some(cell) = cell else { return ().into_any() };
        if number(cell).is_none() {
            return cell_content(cell, self.text.words);
        }
        let note = note.map(|note| view! { <small class="note">{note}</small> });
        let text = cell.text(self.text.words.lang);
        view! { {self.button(figure, text)}{note} }.into_any()
    }

    fn button(&self, figure: Figure, text: String) -> AnyView {
        let key = self.key;
        view! { <FigureButton figure key>{text}</FigureButton> }.into_any()
    }
}

/// A cell's number, unrounded, if it is finite.
fn number(cell: &Cell) -> Option<f64> {
    match &cell.value {
        Value::Number(number) => number.amount.finite(),
        _ => None,
    }
}

/// The cell with another number in place of its own, where it has a finite one.
fn changed(cell: &Cell, change: impl FnOnce(f64) -> Number) -> Cell {
    match &cell.value {
        Value::Number(Number { amount: Amount::Real(value), .. }) => {
            Cell { value: Value::Number(change(*value)), ..cell.clone() }
        }
        _ => cell.clone(),
    }
}
