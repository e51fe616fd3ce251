//! What lies on the bench: judged bundles and other tools' results; and what the reader trusts and
//! pays.

use tokencap_shared::bundle::{self, Bundle, BundleError, Seal};
use tokencap_shared::capacity::{self, Capacity};
use tokencap_shared::format::short_id;
use tokencap_shared::import::{self, File, Import};
use tokencap_shared::money::{Price, PriceBasis, PriceSheet};
use tokencap_shared::promise::PromiseSheet;
use tokencap_shared::report::{Entry, Report};
use tokencap_shared::signoff::{self, SignOff, Trust, UtcTime, Verification};

use crate::query::Query;

/// The bench.
#[derive(Debug)]
pub(crate) struct Bench {
    /// What lies on it, in the order in which it came.
    pub(crate) items: Vec<Item>,
    /// Other tools' results, audited.
    pub(crate) imported: Vec<Imported>,
    /// Whom the reader trusts.
    pub(crate) trust: Trust,
    /// By what offers are priced.
    pub(crate) prices: PriceSheet,
    /// Whether the reader changed any of it.
    pub(crate) scenario: bool,
}

/// Other tools' results, read together.
#[derive(Debug)]
pub(crate) struct Imported {
    key: u32,
    /// What was found.
    pub(crate) found: Import,
    /// By what it is judged.
    pub(crate) sheet: PromiseSheet,
}

/// A judged bundle.
#[derive(Debug)]
pub(crate) struct Item {
    key: u32,
    /// Its file's name.
    pub(crate) name: String,
    /// Records and declaration.
    pub(crate) bundle: Bundle,
    /// `None` for other tools' results, which nobody can sign.
    seal: Option<Seal>,
    /// What they prove under the bundle's own promise sheet.
    pub(crate) capacity: Capacity,
    /// What its sign-offs are worth; `None` until somebody asked.
    pub(crate) signatures: Option<Verification>,
}

impl Bench {
    /// Whether a bundle lies here.
    pub(crate) fn holds(&self, key: u32) -> bool {
        self.items.iter().any(|item| item.key == key)
    }

    /// Opens, judges and keeps a bundle.
    pub(crate) fn hold(
        &mut self,
        key: u32,
        name: &str,
        contents: &[u8],
    ) -> Result<(), BundleError> {
        let (bundle, seal) = bundle::open(contents)?;
        let capacity = capacity::of_bundle(&bundle);
        self.items.retain(|item| item.key != key);
        let (name, seal) = (name.to_owned(), Some(seal));
        self.items.push(Item { key, name, bundle, seal, capacity, signatures: None });
        Ok(())
    }

    /// Reads other tools' results; those that can be judged become a bundle. Gives its run, or
    /// nothing where there is none, or why no file gave anything.
    pub(crate) fn import(
        &mut self,
        key: u32,
        names: &[String],
        contents: &[Vec<u8>],
        sheet: &PromiseSheet,
    ) -> Result<String, String> {
        let files = names.iter().zip(contents);
        let files: Vec<File<'_>> = files.map(|(name, bytes)| File { name, bytes }).collect();
        let found = import::import(&files);
        if found.runs.is_empty() {
            let reasons: Vec<String> = found.refused.iter().map(ToString::to_string).collect();
            return Err(reasons.join(" "));
        }
        let mut run = String::new();
        if let Some(bundle) = import::to_bundle(&found.runs, sheet, &files) {
            let capacity = capacity::of_bundle(&bundle);
            run.push_str(short_id(&bundle.manifest.run));
            let name = names.join(", ");
            self.items.push(Item { key, name, bundle, seal: None, capacity, signatures: None });
        }
        self.imported.push(Imported { key, found, sheet: sheet.clone() });
        Ok(run)
    }

    /// Forgets every other bundle.
    pub(crate) fn keep_only(&mut self, keys: &[u32]) {
        self.items.retain(|item| keys.contains(&item.key));
        self.imported.retain(|imported| keys.contains(&imported.key));
    }

    /// What the sign-offs of a bundle are worth; `None` if it does not lie here.
    pub(crate) fn verify(&mut self, key: u32, now: &UtcTime) -> Option<SignOff> {
        let item = self.items.iter_mut().find(|item| item.key == key)?;
        let Item { bundle, seal: Some(seal), capacity, .. } = &*item else { return None };
        let found = signoff::verify(bundle, seal, capacity, &self.trust, now);
        Some(item.signatures.insert(found).state.clone())
    }

    /// The bundle whose run a query's field names by its beginning.
    pub(crate) fn named(&self, query: &Query, field: &str) -> Option<&Item> {
        let run = query.get(field)?;
        self.items.iter().find(|item| item.bundle.manifest.run.starts_with(run))
    }
}

impl Item {
    /// Whether this was measured here, and may be signed and quoted.
    pub(crate) const fn is_measured(&self) -> bool {
        self.seal.is_some()
    }

    /// How a query names it.
    pub(crate) fn id(&self) -> &str {
        short_id(&self.bundle.manifest.run)
    }

    /// Its report.
    pub(crate) fn report(&self) -> Report {
        let entry = Entry {
            name: self.name.clone(),
            manifest: self.bundle.manifest.clone(),
            promise: self.bundle.manifest.promise.clone(),
            capacity: self.capacity.clone(),
            sign_off: match &self.signatures {
                Some(found) => found.state.clone(),
                None => SignOff::Unsigned,
            },
        };
        Report::new(vec![entry], None)
    }
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            imported: Vec::new(),
            trust: Trust::default(),
            prices: sheet_of(&[]),
            scenario: false,
        }
    }
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

fn price<B: PriceBasis>(amount: &str, source: String) -> Option<Price<B>> {
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
