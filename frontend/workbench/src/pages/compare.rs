//! Two runs side by side: one model in tokens, two models in money.

use maud::{Markup, html};
use tokencap_shared::definitions::compare::{self, Candidate};
use tokencap_shared::definitions::money::{
    Economics, GpuHour, InputCached, InputUncached, Output, Price, PriceBasis, PriceSheet,
};
use tokencap_shared::present::document::{self, Comparison};
use tokencap_shared::present::query::Query;
use tokencap_shared::present::render::html;

use super::{Page, number_field};
use crate::bench::Item;
use crate::{errors, prices};

/// What the second run is, measured by the first; or why that means nothing.
pub(super) fn section(page: Page<'_>, left: &Item, right: &Item) -> Markup {
    let [one, other] = [left, right].map(|item| &item.bundle.manifest.deployment);
    html! {
        section data-testid="comparison" {
            h2 { (page.text.comparison) }
            @if one.same_tokens(other) {
                @match compare::in_tokens(side(left), side(right)) {
                    Ok(found) => (shown(
                        page,
                        &document::in_tokens(&found, &one.model, [&left.name, &right.name], page.words),
                    )),
                    Err(refused) => p.problem { (errors::comparison(&refused, page.words.lang)) },
                }
            } @else if page.money.prices.name.is_empty() {
                p.problem { (page.text.choose_prices) }
            } @else {
                (in_money(page, left, right))
            }
        }
    }
}

/// Two models, each under prices of its own: the page's, and for the second the reader's in place
/// of them.
fn in_money(page: Page<'_>, left: &Item, right: &Item) -> Markup {
    let (words, prices) = (page.words, page.money.prices);
    let (theirs, wrong) = prices_of_second(prices, page.query);
    let of = |item: &Item, prices| {
        Economics::of(&item.capacity, &item.bundle.manifest.deployment, prices)
    };
    let (one, other) = (of(left, prices), of(right, &theirs));
    let second = &right.bundle.manifest.deployment.model;
    html! {
        @match compare::in_money((side(left), &one), (side(right), &other)) {
            Ok(found) => (shown(
                page,
                &document::in_money(&found, [&left.name, &right.name], words),
            )),
            Err(refused) => p.problem { (errors::comparison(&refused, words.lang)) },
        }
        p.note {
            (words.title.assumptions) (words.say.colon)
            ((words.say.aside)(&prices.name, &prices.date)) " "
            @if page.money.scenario || theirs != *prices {
                span.pill.unsure { (page.text.scenario) }
            }
        }
        h3 { ((page.text.prices_of)(second)) }
        @if !wrong.is_empty() {
            p.problem role="alert" { ((page.text.no_value)(&wrong.join(", "))) }
        }
        div.fields {
            (field(page, "gpu_hour", words.term.gpu_hour, prices.gpu_hour.as_ref()))
            (field(page, "output", words.term.output, prices.output.as_ref()))
            (field(page, "input_uncached", words.term.input_uncached, prices.input_uncached.as_ref()))
            (field(page, "input_cached", words.term.input_cached, prices.input_cached.as_ref()))
        }
    }
}

fn field<B: PriceBasis>(page: Page<'_>, name: &str, label: &str, own: Option<&Price<B>>) -> Markup {
    let unit = format!("{}{}", page.money.prices.currency, B::UNIT);
    let own = own.map(|price| price.get().to_string()).unwrap_or_default();
    number_field(page.query, &field_of(name), label, &unit, own)
}

fn field_of(name: &str) -> String {
    format!("with_{name}")
}

/// The sheet with the reader's prices for the second model in it, and what of them is no price.
fn prices_of_second<'a>(sheet: &PriceSheet, query: &'a Query) -> (PriceSheet, Vec<&'a str>) {
    fn put<'a, B: PriceBasis>(
        query: &'a Query,
        name: &str,
        price: &mut Option<Price<B>>,
    ) -> Option<&'a str> {
        let typed = query.chosen(&field_of(name))?;
        let Some(new) = prices::price(typed.trim(), String::new()) else {
            return Some(typed);
        };
        if price.as_ref().map(Price::get) != Some(new.get()) {
            *price = Some(new);
        }
        None
    }
    let mut sheet = sheet.clone();
    let wrong = [
        put::<GpuHour>(query, "gpu_hour", &mut sheet.gpu_hour),
        put::<Output>(query, "output", &mut sheet.output),
        put::<InputUncached>(query, "input_uncached", &mut sheet.input_uncached),
        put::<InputCached>(query, "input_cached", &mut sheet.input_cached),
    ];
    (sheet, wrong.into_iter().flatten().collect())
}

fn shown(page: Page<'_>, compared: &Comparison) -> Markup {
    html! {
        (html::table(&compared.table, "comparison", page.words))
        p { strong { (compared.verdict) } }
        @if let Some(unlike) = compared.not_alike(page.words) { p { (unlike) } }
    }
}

fn side(item: &Item) -> Candidate<'_> {
    Candidate { declared: item.bundle.manifest.declared(), capacity: &item.capacity }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::sheet_of;

    #[test]
    fn the_second_model_has_the_sheets_prices_but_for_the_readers() {
        let texts = ["s", "EUR", "2026-11-30", "3.5", "list", "1.2", "list", "", "", "0.1", "list"];
        let sheet = sheet_of(&texts.map(str::to_owned));
        let under = |query: &str| prices_of_second(&sheet, &Query::parse(query)).0;
        for unchanged in ["", "with_output=1.20&with_gpu_hour="] {
            assert_eq!(under(unchanged), sheet, "{unchanged}");
        }
        let query = Query::parse("with_input_cached=-1&with_output=x");
        assert_eq!(prices_of_second(&sheet, &query), (sheet.clone(), vec!["x", "-1"]));
        let changed = under("with_output=2&with_input_uncached=0.5&with_input_cached=0");
        assert_eq!(changed.output.as_ref().unwrap().get(), 2.0);
        assert_eq!(changed.input_uncached.as_ref().unwrap().get(), 0.5);
        assert_eq!(changed.input_cached.as_ref().unwrap().get(), 0.0);
        assert_eq!(changed.gpu_hour, sheet.gpu_hour);
    }
}
