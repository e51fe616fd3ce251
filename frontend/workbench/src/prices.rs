//! What offers are priced by, as the page tells it.

use tokencap_shared::definitions::money::{Price, PriceBasis, PriceSheet};

/// Prices, and whether they are the reader's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Money<'a> {
    /// The sheet.
    pub(crate) prices: &'a PriceSheet,
    /// Whether the reader changed any of it.
    pub(crate) scenario: bool,
}

/// A price sheet of its texts: name, currency, date, then price and source of each item, empty where
/// the sheet has none.
pub(crate) fn sheet_of(parts: &[String]) -> PriceSheet {
    let text = |at: usize| parts.get(at).cloned().unwrap_or_default();
    PriceSheet {
        name: text(0),
        currency: Some(text(1)).filter(|currency| !currency.is_empty()).unwrap_or("¤".to_owned()),
        date: text(2),
        gpu_hour: price(&text(3), text(4)),
        output: price(&text(5), text(6)),
        input_uncached: price(&text(7), text(8)),
        input_cached: price(&text(9), text(10)),
    }
}

/// A price as it was typed or told; `None` for what is none.
pub(crate) fn price<B: PriceBasis>(amount: &str, source: String) -> Option<Price<B>> {
    Price::new(amount.parse().ok()?, source).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_sheet_comes_back_from_its_texts_and_what_is_missing_stays_missing() {
        let texts = ["s", "EUR", "2026-11-30", "3.5", "list", "", "", "0", "free", "x", "bad"];
        let sheet = sheet_of(&texts.map(str::to_owned));
        assert_eq!((sheet.name.as_str(), sheet.currency.as_str()), ("s", "EUR"));
        let price = sheet.gpu_hour.as_ref().unwrap();
        assert_eq!((price.get(), price.source.as_str()), (3.5, "list"));
        assert_eq!(sheet.input_uncached.as_ref().unwrap().get(), 0.0);
        assert!(sheet.output.is_none() && sheet.input_cached.is_none());
        assert_eq!(sheet_of(&[]).currency, "¤");
    }
}
