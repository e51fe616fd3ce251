//! One row a bundle: who can sell how much within which promise, at what cost and price.

use leptos::prelude::*;
use tokencap_shared::definitions::capacity::{AtLambda, Standing};
use tokencap_shared::definitions::judge::Verdict;
use tokencap_shared::definitions::measured::{Measured, Missing};
use tokencap_shared::present::document;
use tokencap_shared::present::document::table::Tone;
use tokencap_shared::present::format::{
    INFINITE, column_decimals, fixed, instant, plain, short_id,
};
use tokencap_shared::present::render::html::tone_class;
use tokencap_shared::present::report::{Report, Row};

use crate::components::evidence::Figure;
use crate::components::table::{Scrolls, cell_content, missing};
use crate::evidence::Subject;
use crate::state::library::Key;
use crate::state::prices::Item;
use crate::state::{State, text};
use crate::text::Text;

/// The table.
#[component]
pub(super) fn Summary() -> impl IntoView {
    let state = State::get();
    let text = text();
    let rows = move || {
        let report = state.report.read();
        let decimals = Decimals::of(&report);
        let keys = state.library.loaded.read();
        let rows = report.rows.iter().zip(keys.iter()).map(|(row, loaded)| {
            let line = Line { report: &report, row, key: loaded.key, decimals, text, state };
            line.view()
        });
        rows.collect_view()
    };
    let money = move || {
        let report = state.report.read();
        report.prices.as_ref().map_or_else(|| "¤".to_owned(), |prices| prices.currency.clone())
    };
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
            <table id="summary" data-testid="summary" class="data summary">
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

/// Decimals of the columns, the same in all rows.
#[derive(Clone, Copy)]
struct Decimals {
    lambda: usize,
    per_gpu: usize,
    daily: usize,
}

impl Decimals {
    fn of(report: &Report) -> Self {
        let ats = || report.rows.iter().filter_map(|row| row.capacity.at.value());
        let lambdas = report.rows.iter().filter_map(|row| row.capacity.lambda.value());
        Self {
            lambda: column_decimals(lambdas.map(|lambda| lambda.rate)),
            per_gpu: column_decimals(ats().filter_map(|at| at.goodput_per_gpu.value().copied())),
            daily: column_decimals(ats().map(|at| at.daily.get() / 1e6)),
        }
    }
}

/// One row of the table.
struct Line<'a> {
    report: &'a Report,
    row: &'a Row,
    key: Key,
    decimals: Decimals,
    text: Text,
    state: State,
}

impl Line<'_> {
    fn view(&self) -> AnyView {
        let (key, library) = (self.key, self.state.library);
        let chosen = move || library.selected.get() == Some(key);
        let at = |get: &dyn Fn(&AtLambda) -> AnyView| match &self.row.capacity.at {
            Measured::Value(at) => get(at),
            Measured::Missing(reason) => self.dash(reason),
        };
        let terms = &self.text.words.term;
        let money = self.report.prices.as_ref().map_or("¤", |prices| &prices.currency);
        // Where a row is a card, on a phone, each figure has its column's name beside it.
        let figure = |name: &str, unit: &str, class: &'static str, figure: AnyView| {
            let label = format!("{name} {unit}");
            view! { <td class=class data-label=label>{figure}</td> }.into_any()
        };
        let (per_mtok, a_day) = (format!("{money}/MTok"), format!("{money}/day"));
        let figures = [
            figure(terms.lambda, "req/s", "number", self.lambda()),
            figure(terms.goodput_per_gpu, "tok/s/GPU", "number", at(&|at| self.per_gpu(at))),
            figure(terms.daily, "Mtok/day", "number main", at(&|at| self.daily(at))),
            figure(
                terms.business,
                self.text.words.say.steps_unit,
                "number",
                at(&|at| self.business(at)),
            ),
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
        let lambda = match &self.row.capacity.lambda {
            Measured::Value(lambda) => lambda,
            Measured::Missing(reason) => return self.dash(reason),
        };
        let say = &self.text.words.say;
        let above = match lambda.first_broken {
            Some(broken) => {
                format!("{}{}{}", self.text.words.term.first_broken, say.colon, plain(broken))
            }
            None => self.text.page.none_broken.to_owned(),
        };
        self.figure(Subject::Lambda, fixed(lambda.rate, self.decimals.lambda), Some(above))
    }

    fn per_gpu(&self, at: &AtLambda) -> AnyView {
        match &at.goodput_per_gpu {
            Measured::Value(rate) => {
                self.figure(Subject::GoodputPerGpu, fixed(*rate, self.decimals.per_gpu), None)
            }
            Measured::Missing(reason) => self.dash(reason),
        }
    }

    /// The one number of the report, with what it is worth.
    fn daily(&self, at: &AtLambda) -> AnyView {
        let millions = fixed(at.daily.get() / 1e6, self.decimals.daily);
        let tone = match at.standing {
            Standing::Committed => Tone::Good,
            Standing::Reference => Tone::Unsure,
        };
        let class = format!("pill {}", tone_class(tone));
        let standing = (self.text.words.standing)(at.standing);
        view! {
            {self.figure(Subject::Daily, millions, None)}
            <span class=class data-testid="standing">{standing}</span>
        }
        .into_any()
    }

    fn business(&self, at: &AtLambda) -> AnyView {
        let words = self.text.words;
        let steps = match &at.steps_per_day {
            Measured::Value(steps) => self.figure(Subject::StepsPerDay, fixed(*steps, 0), None),
            Measured::Missing(reason) => return self.dash(reason),
        };
        let tasks = self.row.tasks_per_day().map(|tasks| {
            let unit = words.say.tasks_unit;
            view! {
                <small class="note">
                    {self.figure(Subject::TasksPerDay, fixed(tasks, 0), None)}" "{unit}
                </small>
            }
        });
        view! { {steps}{tasks} }.into_any()
    }

    /// Cost at the chosen utilisation.
    fn cost(&self) -> AnyView {
        let cost = self.row.economics.clone().and_then(|economics| economics.cost);
        match cost {
            Measured::Value(cost) => {
                match cost.at_utilisation(self.state.prices.utilisation.get()).finite() {
                    Some(cost) => self.figure(Subject::Cost, fixed(cost, 3), None),
                    None => view! {
                        {INFINITE}<small class="note">{self.text.words.say.infinite_cost}</small>
                    }
                    .into_any(),
                }
            }
            Measured::Missing(reason) => self.dash(&reason),
        }
    }

    /// What output sells for; beside it what all tokens together bring for each million of it.
    fn price(&self) -> AnyView {
        let Some(sheet) = &self.report.prices else { return self.dash(&Missing::NoPriceSheet) };
        let Some((price, _)) = Item::Output.of(sheet) else {
            return self.dash(&Missing::NotPriced);
        };
        let value = self.row.economics.clone().and_then(|economics| economics.value_at_price_daily);
        let blended = value.value().and_then(|value| value.blended_per_mtok.value());
        let note = blended.map(|blended| (self.text.page.with_input)(&fixed(*blended, 3)));
        self.figure(Subject::Price, fixed(price, 3), note)
    }

    /// A day's value at price and margin, at the chosen utilisation.
    fn value(&self) -> AnyView {
        let terms = &self.text.words.term;
        let economics = match &self.row.economics {
            Measured::Value(economics) => economics,
            Measured::Missing(reason) => return self.dash(reason),
        };
        let total = economics.value_at_price_daily.clone().and_then(|value| value.total);
        let total = match total {
            Measured::Value(total) => total.get() * self.state.prices.utilisation.get().get(),
            Measured::Missing(reason) => return self.dash(&reason),
        };
        let margin = economics.gpu_cost_daily.value().map(|cost| {
            let margin = fixed(total - cost.get(), 0);
            view! {
                <small class="note">
                    {terms.margin}" "{self.figure(Subject::Margin, margin, None)}
                </small>
            }
        });
        view! { {self.figure(Subject::Value, fixed(total, 0), None)}{margin} }.into_any()
    }

    fn sign_off(&self) -> AnyView {
        let cell = document::sign_off(&self.row.sign_off, self.text.words);
        let class = format!("pill {}", tone_class(cell.tone));
        view! {
            <td class="text" data-label=self.text.words.term.sign_off><span class=class data-testid="sign-off">{cell_content(&cell)}</span></td>
        }
        .into_any()
    }

    /// A number that opens its evidence, and a remark under it.
    fn figure(&self, subject: Subject, value: String, note: Option<String>) -> AnyView {
        let key = self.key;
        let note = note.map(|note| view! { <small class="note">{note}</small> });
        view! { <Figure subject key>{value}</Figure>{note} }.into_any()
    }

    fn dash(&self, reason: &Missing) -> AnyView {
        missing(&(self.text.words.missing)(reason))
    }
}
