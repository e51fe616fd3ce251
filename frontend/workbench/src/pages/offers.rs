//! What each measured cluster offers for a customer's need: a quote, or a refusal with its reasons.

use maud::{Markup, html};
use tokencap_shared::definitions::measured::{Measured, Missing};
use tokencap_shared::definitions::money::Money;
use tokencap_shared::definitions::quote::{self, Answers, Need, Quote};
use tokencap_shared::present::document::promise_line;
use tokencap_shared::present::format::{fixed, short_id};
use tokencap_shared::units::Share;

use super::Page;
use super::quote_text::{self, amount, change, mark, per_cent, refusal};
use crate::bench::Item;

/// The offers, side by side.
pub(super) fn page(page: Page<'_>) -> Markup {
    let items = || page.bench.items.iter().filter(|item| item.is_measured);
    let measured = items().next().and_then(|first| first.capacity.held());
    let answers = Answers::parse(|key| page.query.get(key));
    // The page sends a day with every question.
    let need = answers.need(measured, "");
    html! {
        div.offers aria-live="polite" data-testid="offers" {
            @if let Some(need) = &need {
                @for item in items() { (offer(page, item, need)) }
            }
        }
    }
}

/// An offer as a card.
fn offer(page: Page<'_>, item: &Item, need: &Need) -> Markup {
    let (words, text) = (page.words, quote_text::of(page.lang));
    let manifest = &item.bundle.manifest;
    let deployment = &manifest.deployment;
    let made = quote::quote(need, &item.capacity, manifest.declared(), page.money.prices);
    let loses = |quote: &Quote| quote.margin_daily.value().is_some_and(|money| money.get() < 0.0);
    let (pill, class) = match &made {
        Ok(quote) if loses(quote) => (text.at_a_loss, "pill bad"),
        Ok(_) => (text.possible, "pill good"),
        Err(_) => (text.refused, "pill bad"),
    };
    html! {
        article.offer data-testid="offer" {
            h3 { (deployment.model) " "
                small { ((words.say.gpus)(deployment.gpus_serving, &deployment.gpu)) } }
            p {
                span class=(class) data-testid="offered" { (pill) }
                @if page.money.scenario { " " span.pill.unsure { (page.text.scenario) } }
                @if deployment.simulated { " " span.pill.unsure { (words.say.simulated) } }
            }
            @match &made {
                Ok(quote) => (quoted(page, item, quote)),
                Err(reasons) => ul.notes data-testid="refusals" {
                    @for reason in reasons { li.blocks { (refusal(reason, words, page.lang)) } }
                }
            }
        }
    }
}

fn quoted(page: Page<'_>, item: &Item, quote: &Quote) -> Markup {
    let (terms, words, text) = (&page.words.term, page.words, quote_text::of(page.lang));
    let missing = |reason: &Missing| format!("— ({})", (words.missing)(reason));
    let money = |amount_of: &Measured<Money>| match amount_of {
        Measured::Value(money) => amount(money.get(), &quote.currency),
        Measured::Missing(reason) => missing(reason),
    };
    let sized = &quote.sized;
    let peak_share = sized.peak_rate.get() / (quote.lambda.get() * f64::from(sized.units_total));
    let smooth = match (&quote.chain_measured, &quote.chain_if_independent) {
        (Measured::Value(chain), _) => {
            let share = Share::new(chain.smooth as f64 / chain.tasks.max(1) as f64);
            share.map_or_else(|_| "—".to_owned(), per_cent)
        }
        (_, Measured::Value(independent)) => {
            let bounds = quote.chain_bounds.value().map(|(low, high)| {
                let between = (text.smooth_between)(&per_cent(*low), &per_cent(*high));
                format!(" ({between})")
            });
            format!("≈ {}{}", per_cent(*independent), bounds.unwrap_or_default())
        }
        (_, Measured::Missing(reason)) => missing(reason),
    };
    let cost_mtok = match &quote.cost_per_mtok_utilised {
        Measured::Value(cost) => match cost.finite() {
            Some(cost) => format!("{} {}/MTok", fixed(cost, 3), quote.currency),
            None => words.say.infinite_cost.to_owned(),
        },
        Measured::Missing(reason) => missing(reason),
    };
    let figures = [
        (terms.gpu, sized.gpus.to_string()),
        (text.price_day, money(&quote.price_daily)),
        (text.margin_day, money(&quote.margin_daily)),
    ];
    let manifest = &item.bundle.manifest;
    let promise = promise_line(&manifest.promise, words);
    let spare = sized.units_total - sized.units;
    let pairs = [
        (text.units, (text.units_of)(sized.units, spare, quote.gpus_per_unit)),
        (terms.lambda, format!("{} req/s", fixed(quote.lambda, 2))),
        (text.peak, format!("{} req/s", fixed(sized.peak_rate, 2))),
        (text.headroom, format!("{} %", fixed(100.0 * (1.0 - peak_share), 1))),
        (text.mean_utilisation, per_cent(sized.mean_utilisation)),
        (terms.tasks_per_day, fixed(sized.tasks_per_day, 0)),
        (terms.steps_per_day, fixed(sized.steps_per_day, 0)),
        (text.smooth, smooth),
        (text.cost_day, money(&quote.cost_daily)),
        (text.cost_task, money(&quote.cost_per_task)),
        (text.price_task, money(&quote.price_per_task)),
        (text.cost_mtok, cost_mtok),
        (text.promise, promise),
        (text.until, quote.valid_until.clone()),
        (text.fingerprint, format!("{} · {}", item.name, short_id(&manifest.run))),
    ];
    let sensitivities = quote.sensitivities.iter().map(|changed| {
        (change(changed.change, page.lang), format!("{} {}", changed.gpus, terms.gpu))
    });
    html! {
        (list("headline", figures))
        (list("pairs", pairs))
        h4 { (text.sensitivity) }
        (list("pairs", sensitivities))
        h4 { (text.rests_on) }
        ul.notes data-testid="marks" {
            @for known in &quote.marks { li.caution { (mark(*known, page.lang)) } }
        }
    }
}

fn list(class: &str, pairs: impl IntoIterator<Item = (&'static str, String)>) -> Markup {
    html! {
        dl class=(class) {
            @for (label, value) in pairs { div { dt { (label) } dd { (value) } } }
        }
    }
}
