//! What one measured cluster offers for the need: a quote, or a refusal with its reasons.

use leptos::prelude::*;
use tokencap_shared::format::{fixed, percent, short_id};
use tokencap_shared::measured::{Measured, Missing};
use tokencap_shared::money::{Money, PriceSheet};
use tokencap_shared::quote::{self, Need, Quote};
use tokencap_shared::units::Share;
use tokencap_shared::words::Lang;

use crate::state::library::Loaded;
use crate::text::Text;
use crate::text::quote::{amount, change, mark, refusal};

/// An offer in the reader's language.
pub(super) struct Offer<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) need: &'a Need,
    pub(super) prices: &'a PriceSheet,
    pub(super) scenario: bool,
    pub(super) lang: Lang,
}

impl Offer<'_> {
    /// The offer as a card.
    pub(super) fn view(&self) -> AnyView {
        let text = Text::of(self.lang);
        let words = text.quote;
        let manifest = &self.loaded.bundle.manifest;
        let deployment = &manifest.deployment;
        let unit = (text.words.say.gpus)(deployment.gpus_serving, &deployment.gpu);
        let made = quote::quote(self.need, &self.loaded.capacity, manifest, self.prices);
        let (pill, class) = match &made {
            Ok(_) => (words.possible, "pill good"),
            Err(_) => (words.refused, "pill bad"),
        };
        let scenario = self
            .scenario
            .then(|| view! { " " <span class="pill unsure">{text.page.scenario}</span> });
        let simulated = deployment
            .simulated
            .then(|| view! { " " <span class="pill unsure">{text.words.say.simulated}</span> });
        let body = match made {
            Ok(quote) => self.quote(&quote, text),
            Err(reasons) => {
                let reasons = reasons.iter().map(|reason| {
                    view! { <li class="blocks">{refusal(reason, text, self.lang)}</li> }
                });
                view! { <ul class="notes" data-testid="refusals">{reasons.collect_view()}</ul> }
                    .into_any()
            }
        };
        view! {
            <article class="offer" data-testid="offer">
                <h3>{deployment.model.clone()}" "<small>{unit}</small></h3>
                <p><span class=class data-testid="offered">{pill}</span>{scenario}{simulated}</p>
                {body}
            </article>
        }
        .into_any()
    }

    fn quote(&self, quote: &Quote, text: Text) -> AnyView {
        let (terms, words) = (&text.words.term, text.quote);
        let missing = |reason: &Missing| format!("— ({})", (text.words.missing)(reason));
        let money = |amount_of: &Measured<Money>| match amount_of {
            Measured::Value(money) => amount(money.get(), &quote.currency),
            Measured::Missing(reason) => missing(reason),
        };
        let sized = &quote.sized;
        let peak_share =
            sized.peak_rate.get() / (quote.lambda.get() * f64::from(sized.units_total));
        let smooth = match (&quote.chain_measured, &quote.chain_if_independent) {
            (Measured::Value(chain), _) => {
                let share = Share::new(chain.smooth as f64 / chain.tasks.max(1) as f64);
                share.map_or_else(|_| "—".to_owned(), |share| percent(share, 1))
            }
            (_, Measured::Value(independent)) => {
                let bounds = quote.chain_bounds.value().map(|(low, high)| {
                    let between = (words.smooth_between)(&percent(*low, 1), &percent(*high, 1));
                    format!(" ({between})")
                });
                format!("≈ {}{}", percent(*independent, 1), bounds.unwrap_or_default())
            }
            (_, Measured::Missing(reason)) => missing(reason),
        };
        let cost_mtok = match &quote.cost_per_mtok_utilised {
            Measured::Value(cost) => match cost.finite() {
                Some(cost) => format!("{} {}/MTok", fixed(cost, 3), quote.currency),
                None => text.words.say.infinite_cost.to_owned(),
            },
            Measured::Missing(reason) => missing(reason),
        };
        let figures = [
            (terms.gpu, sized.gpus.to_string()),
            (words.price_day, money(&quote.price_daily)),
            (words.margin_day, money(&quote.margin_daily)),
        ];
        let manifest = &self.loaded.bundle.manifest;
        let promise = tokencap_shared::report::view::promise_line(&manifest.promise, text.words);
        let spare = sized.units_total - sized.units;
        let pairs = [
            (words.units, (words.units_of)(sized.units, spare, quote.gpus_per_unit)),
            (terms.lambda, format!("{} req/s", fixed(quote.lambda, 2))),
            (words.peak, format!("{} req/s", fixed(sized.peak_rate, 2))),
            (words.headroom, format!("{} %", fixed(100.0 * (1.0 - peak_share), 1))),
            (words.mean_utilisation, percent(sized.mean_utilisation, 1)),
            (terms.tasks_per_day, fixed(sized.tasks_per_day, 0)),
            (terms.steps_per_day, fixed(sized.steps_per_day, 0)),
            (words.smooth, smooth),
            (words.cost_day, money(&quote.cost_daily)),
            (words.cost_task, money(&quote.cost_per_task)),
            (words.price_task, money(&quote.price_per_task)),
            (words.cost_mtok, cost_mtok),
            (words.promise, promise),
            (words.until, quote.valid_until.clone()),
            (words.fingerprint, format!("{} · {}", self.loaded.name, short_id(&manifest.run))),
        ];
        let sensitivities = quote.sensitivities.iter().map(|changed| {
            (change(changed.change, self.lang), format!("{} {}", changed.gpus, terms.gpu))
        });
        let marks = quote.marks.iter().map(|known| {
            view! { <li class="caution">{mark(*known, self.lang)}</li> }
        });
        view! {
            {list("headline", figures)}
            {list("pairs", pairs)}
            <h4>{words.sensitivity}</h4>
            {list("pairs", sensitivities)}
            <h4>{words.rests_on}</h4>
            <ul class="notes" data-testid="marks">{marks.collect_view()}</ul>
        }
        .into_any()
    }
}

fn list(class: &'static str, pairs: impl IntoIterator<Item = (&'static str, String)>) -> AnyView {
    let pairs: Vec<(&'static str, String)> = pairs.into_iter().collect();
    let pairs = pairs.into_iter().map(|(label, value)| {
        view! { <div><dt>{label}</dt><dd>{value}</dd></div> }
    });
    view! { <dl class=class>{pairs.collect_view()}</dl> }.into_any()
}
