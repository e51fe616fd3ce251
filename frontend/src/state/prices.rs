//! The chosen price sheet, and what the reader changed about it.

use leptos::prelude::*;
use tokencap_shared::definitions::money::{Price, PriceBasis, PriceSheet};
use tokencap_shared::units::Share;

/// The dated sheets that come with the tool, a list in JSON: the build makes it of `assets/prices`.
const PRESETS: &str = include_str!(concat!(env!("OUT_DIR"), "/prices.json"));

/// A figure of a price sheet that the reader may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A GPU for an hour.
    GpuHour,
    /// A million output tokens.
    Output,
    /// A million computed input tokens.
    InputUncached,
    /// A million cached input tokens.
    InputCached,
}

impl Item {
    /// Every figure, in the order of a sheet.
    pub(crate) const ALL: [Self; 4] =
        [Self::GpuHour, Self::Output, Self::InputUncached, Self::InputCached];

    /// Its name in price sheets.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::GpuHour => "gpu_hour",
            Self::Output => "output",
            Self::InputUncached => "input_uncached",
            Self::InputCached => "input_cached",
        }
    }

    /// The figure in a sheet, and who says so.
    pub(crate) fn of(self, sheet: &PriceSheet) -> Option<(f64, &str)> {
        fn both<B: PriceBasis>(price: Option<&Price<B>>) -> Option<(f64, &str)> {
            price.map(|price| (price.get(), price.source.as_str()))
        }
        match self {
            Self::GpuHour => both(sheet.gpu_hour.as_ref()),
            Self::Output => both(sheet.output.as_ref()),
            Self::InputUncached => both(sheet.input_uncached.as_ref()),
            Self::InputCached => both(sheet.input_cached.as_ref()),
        }
    }

    /// Puts another figure into a sheet; what is no price leaves it as it is.
    fn set(self, sheet: &mut PriceSheet, value: f64) {
        fn put<B: PriceBasis>(price: &mut Option<Price<B>>, value: f64) {
            let source = price.as_ref().map(|price| price.source.clone()).unwrap_or_default();
            if let Ok(new) = Price::new(value, source) {
                *price = Some(new);
            }
        }
        match self {
            Self::GpuHour => put(&mut sheet.gpu_hour, value),
            Self::Output => put(&mut sheet.output, value),
            Self::InputUncached => put(&mut sheet.input_uncached, value),
            Self::InputCached => put(&mut sheet.input_cached, value),
        }
    }
}

/// Figures that the reader put in place of a sheet's own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Edits([Option<f64>; 4]);

impl Edits {
    /// The reader's figure for an item.
    pub(crate) const fn get(&self, item: Item) -> Option<f64> {
        self.0[item as usize]
    }

    /// Puts a figure in place of the sheet's own, or with `None` the sheet's own back.
    pub(crate) const fn set(&mut self, item: Item, value: Option<f64>) {
        self.0[item as usize] = value;
    }

    /// The sheet with the reader's figures in it.
    fn applied_to(&self, mut sheet: PriceSheet) -> PriceSheet {
        for item in Item::ALL {
            if let Some(value) = self.get(item) {
                item.set(&mut sheet, value);
            }
        }
        sheet
    }
}

/// Price sheets, the chosen one, and the reader's changes to it.
#[derive(Clone, Copy)]
pub(crate) struct Prices {
    /// The sheets to choose from.
    pub(crate) sheets: RwSignal<Vec<PriceSheet>>,
    /// Which of them is chosen.
    pub(crate) chosen: RwSignal<Option<usize>>,
    /// The reader's figures.
    pub(crate) edits: RwSignal<Edits>,
    /// How often the reader took changes back.
    pub(crate) resets: RwSignal<u32>,
    /// Which part of the capacity is sold.
    pub(crate) utilisation: RwSignal<Share>,
    /// The chosen sheet with the reader's figures.
    pub(crate) sheet: Memo<Option<PriceSheet>>,
    /// Whether the reader changed anything: then money is a scenario.
    pub(crate) scenario: Memo<bool>,
}

impl Prices {
    /// The sheets that come with the tool; none of them is chosen, because a cluster's prices
    /// are its owner's.
    pub(super) fn start() -> Self {
        let sheets = RwSignal::new(presets());
        let chosen = RwSignal::new(None);
        let edits = RwSignal::new(Edits::default());
        let utilisation = RwSignal::new(everything());
        let own = move || sheets.read().get(chosen.get()?).cloned();
        let sheet = Memo::new(move |_| own().map(|sheet| edits.get().applied_to(sheet)));
        let scenario =
            Memo::new(move |_| sheet.get() != own() || utilisation.get() != everything());
        let resets = RwSignal::new(0);
        Self { sheets, chosen, edits, resets, utilisation, sheet, scenario }
    }

    /// Adds sheets before those that are there, and chooses the first of them unless the reader
    /// chose already.
    pub(crate) fn offer(self, new: Vec<PriceSheet>) {
        let added = new.len();
        if added == 0 {
            return;
        }
        self.sheets.update(|sheets| {
            sheets.retain(|sheet| !new.contains(sheet));
            sheets.splice(0..0, new);
        });
        // Whatever was chosen has moved, or was one of the new ones itself.
        self.choose(Some(0));
    }

    /// Chooses a sheet, as it is.
    pub(crate) fn choose(self, sheet: Option<usize>) {
        self.chosen.set(sheet);
        self.reset();
    }

    /// Takes back the reader's figures.
    pub(crate) fn reset(self) {
        self.resets.update(|resets| *resets += 1);
        self.edits.set(Edits::default());
        self.utilisation.set(everything());
    }
}

fn presets() -> Vec<PriceSheet> {
    serde_json::from_slice(PRESETS.as_bytes()).unwrap_or_default()
}

/// The share of all.
const fn everything() -> Share {
    Share::ONE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset() -> PriceSheet {
        presets().remove(0)
    }

    #[test]
    fn every_preset_is_a_price_sheet() {
        for sheet in serde_json::from_str::<Vec<PriceSheet>>(PRESETS).unwrap() {
            for item in Item::ALL {
                assert!(item.of(&sheet).is_some(), "{}", item.name());
            }
        }
    }

    #[test]
    fn a_readers_figure_takes_the_place_of_one_figure_only() {
        let mut edits = Edits::default();
        edits.set(Item::Output, Some(7.5));
        let sheet = edits.applied_to(preset());
        for item in Item::ALL {
            let own = item.of(&preset()).unwrap().0;
            let expected = if item == Item::Output { 7.5 } else { own };
            assert_eq!(item.of(&sheet).unwrap().0, expected);
        }
        edits.set(Item::Output, None);
        assert_eq!(edits.applied_to(preset()), preset());
    }

    #[test]
    fn what_is_no_price_changes_nothing() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let mut edits = Edits::default();
            edits.set(Item::GpuHour, Some(bad));
            assert_eq!(edits.applied_to(preset()), preset());
        }
    }
}
