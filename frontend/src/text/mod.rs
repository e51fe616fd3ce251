//! The page's own words: navigation, buttons, hints. What the report says is in the shared
//! catalogue; this one is built the same way, so that a language that lacks a text does not
//! compile.

mod en;
pub(crate) mod quote;
mod zh;

use tokencap_shared::bundle::BundleError;
use tokencap_shared::definitions::money::{
    GpuHour, InputCached, InputUncached, Output, PriceBasis,
};
use tokencap_shared::present::words::{Lang, Words};

use crate::state::prices::Item;
use crate::state::reading::Refusal;

/// Everything that the page says in one language.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    /// The words of the report.
    pub(crate) words: &'static Words,
    /// The words of the page around it.
    pub(crate) page: &'static PageWords,
    /// The words of the quote.
    pub(crate) quote: &'static quote::QuoteWords,
}

impl Text {
    /// The texts of a language.
    pub(crate) const fn of(lang: Lang) -> Self {
        let page = match lang {
            Lang::En => &en::EN,
            Lang::Zh => &zh::ZH,
        };
        Self { words: lang.words(), page, quote: quote::of(lang) }
    }

    /// An item of a price sheet, and its unit after the currency.
    pub(crate) const fn item(self, item: Item) -> (&'static str, &'static str) {
        let terms = &self.words.term;
        match item {
            Item::GpuHour => (terms.gpu, GpuHour::UNIT),
            Item::Output => (terms.output, Output::UNIT),
            Item::InputUncached => (terms.input_uncached, InputUncached::UNIT),
            Item::InputCached => (terms.input_cached, InputCached::UNIT),
        }
    }

    /// Why a bundle could not be opened, and what to do.
    pub(crate) fn refusal(self, refusal: &Refusal) -> String {
        match refusal {
            Refusal::UnreadableFile => self.page.unreadable_file.to_owned(),
            Refusal::EmptyFile => self.page.empty_file.to_owned(),
            Refusal::Bundle(error) => (self.page.bundle_error)(error),
            Refusal::ServerGone => self.page.server_gone.to_owned(),
            Refusal::Keys(error) => (self.page.no_keys)(error),
            Refusal::Other(error) => error.clone(),
            Refusal::ServerRefuses(status) => (self.page.server_refuses)(*status),
        }
    }
}

/// Words of the page, each named after its place.
pub(crate) struct PageWords {
    pub(crate) report: &'static str,
    pub(crate) runs: &'static str,
    pub(crate) definitions: &'static str,
    pub(crate) navigation: &'static str,
    pub(crate) skip: &'static str,
    pub(crate) language: &'static str,
    pub(crate) theme: &'static str,
    pub(crate) theme_auto: &'static str,
    pub(crate) theme_light: &'static str,
    pub(crate) theme_dark: &'static str,
    pub(crate) print: &'static str,
    pub(crate) close: &'static str,

    pub(crate) empty_title: &'static str,
    pub(crate) empty_hint: &'static str,
    pub(crate) stays_here: &'static str,
    pub(crate) choose: &'static str,
    pub(crate) or_drop: &'static str,
    pub(crate) drop_now: &'static str,
    pub(crate) bundles: &'static str,
    pub(crate) add: &'static str,
    pub(crate) save: &'static str,
    pub(crate) remove: fn(&str) -> String,
    pub(crate) open: fn(name: &str, megabytes: &str) -> String,
    pub(crate) show: fn(&str) -> String,

    pub(crate) waiting: fn(&str) -> String,
    pub(crate) reading: fn(&str) -> String,
    pub(crate) judging: fn(name: &str, step: usize, of: usize) -> String,
    pub(crate) opened: fn(&str) -> String,

    pub(crate) cannot_open: fn(&str) -> String,
    pub(crate) unreadable_file: &'static str,
    pub(crate) empty_file: &'static str,
    pub(crate) bundle_error: fn(&BundleError) -> String,
    pub(crate) server_gone: &'static str,
    pub(crate) server_refuses: fn(u16) -> String,
    pub(crate) no_keys: fn(&str) -> String,
    pub(crate) dismiss: &'static str,

    pub(crate) how: &'static str,
    pub(crate) inputs: &'static str,
    pub(crate) context: &'static str,
    pub(crate) none_broken: &'static str,
    pub(crate) with_input: fn(&str) -> String,
    pub(crate) promises_held: fn(held: usize, of: usize) -> String,

    pub(crate) no_prices: &'static str,
    pub(crate) choose_prices: &'static str,
    pub(crate) sheet_of: fn(name: &str, currency: &str, date: &str) -> String,
    pub(crate) scenario: &'static str,
    pub(crate) scenario_long: &'static str,
    pub(crate) reset: &'static str,
    pub(crate) own_figure: &'static str,
    pub(crate) not_a_price: &'static str,
}
