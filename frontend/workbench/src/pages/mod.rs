//! The pages, each a function of what lies on the bench and of what the reader chose.

mod compare;
mod definitions;
mod imported;
mod live;
mod offers;
mod quote_text;
mod runs;
mod sheet;

use maud::{Markup, html};
use tokencap_shared::present::words::{Lang, Words};

use crate::bench::Bench;
use crate::prices::Money;
use crate::text::{self, Text};
use tokencap_shared::present::query::Query;

/// What every page is made with.
#[derive(Clone, Copy)]
struct Page<'a> {
    bench: &'a Bench,
    query: &'a Query,
    lang: Lang,
    words: &'static Words,
    text: &'static Text,
    /// Pixels that there are.
    width: f64,
    money: Money<'a>,
}

/// A page by its name in the address.
pub(crate) fn page(
    name: &str,
    bench: &Bench,
    query: &Query,
    lang: Lang,
    width: f64,
    money: Money<'_>,
) -> Markup {
    let page = Page { bench, query, lang, words: lang.words(), text: text::of(lang), width, money };
    match name {
        "definitions" => definitions::page(page),
        "quote" => offers::page(page),
        _ => runs::page(page),
    }
}

pub(crate) use live::section as live;

/// A choice among values and their labels.
fn select<'a>(
    name: &str,
    label: &str,
    chosen: &str,
    options: impl IntoIterator<Item = (&'a str, String)>,
) -> Markup {
    html! {
        label.field {
            span { (label) }
            select id=(name) name=(name) {
                @for (value, shown) in options {
                    option value=(value) selected[value == chosen] { (shown) }
                }
            }
        }
    }
}

/// A field for a number, filled with the query's or with its own.
fn number_field(query: &Query, name: &str, label: &str, unit: &str, own: String) -> Markup {
    let value = query.chosen(name).map_or(own, str::to_owned);
    let is_number = |text: &str| text.trim().parse().is_ok_and(|n: f64| n.is_finite() && n >= 0.0);
    let wrong = (!value.is_empty() && !is_number(&value)).then_some("true");
    html! {
        label.field {
            span { (label) " " span.unit { (unit) } }
            // Not of the kind `number`: where the cursor stands in one cannot be known.
            input id=(name) name=(name) type="text" inputmode="decimal" autocomplete="off"
                aria-invalid=[wrong] value=(value);
        }
    }
}
