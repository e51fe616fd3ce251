//! What lies on the bench: judged bundles and other tools' results; and whom the reader trusts.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokencap_shared::bundle::judged;
use tokencap_shared::bundle::live::Live;
use tokencap_shared::bundle::{self, Bundle, BundleError};
use tokencap_shared::definitions::capacity::Capacity;
use tokencap_shared::definitions::money::PriceSheet;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::import::{self, File, Import, ImportError};
use tokencap_shared::present::format::short_id;
use tokencap_shared::present::query::Query;
use tokencap_shared::present::report::{Entry, Report};
use tokencap_shared::signoff::{Recomputed, SignOff, Trust, UtcTime, Verification};

/// The bench.
#[derive(Debug, Default)]
pub(crate) struct Bench {
    /// What lies on it, in the order in which it came.
    pub(crate) items: Vec<Item>,
    /// Other tools' results, audited.
    pub(crate) imported: Vec<Imported>,
    /// Whom the reader trusts.
    pub(crate) trust: Trust,
    /// What the sign-offs of open bundles are worth, also of those that do not lie here.
    verified: BTreeMap<u32, Verification>,
    /// What was being measured when the server last said so.
    pub(crate) live: Vec<Live>,
    /// Names of the bundles that were measured to their end since the page is open.
    pub(crate) ended: Vec<String>,
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
    /// Not so other tools' results, which nobody can sign or quote.
    pub(crate) is_measured: bool,
    /// What they prove under the bundle's own promise sheet.
    pub(crate) capacity: Arc<Capacity>,
}

impl Bench {
    /// Opens, judges and keeps a bundle.
    pub(crate) fn hold(
        &mut self,
        key: u32,
        name: &str,
        contents: &[u8],
    ) -> Result<(), BundleError> {
        let bundle = bundle::read(contents)?;
        let capacity = Arc::new(judged::of_bundle(&bundle));
        self.items.retain(|item| item.key != key);
        if bundle.signoffs.is_empty() {
            // Nothing is to be verified.
            let unsigned = Verification { state: SignOff::Unsigned, signatures: Vec::new() };
            self.verified.insert(key, unsigned);
        }
        self.items.push(Item { key, name: name.to_owned(), bundle, is_measured: true, capacity });
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
    ) -> Result<String, Vec<ImportError>> {
        let files = names.iter().zip(contents);
        let files: Vec<File<'_>> = files.map(|(name, bytes)| File { name, bytes }).collect();
        let found = import::import(&files);
        if found.runs.is_empty() {
            return Err(found.refused);
        }
        let mut run = String::new();
        if let Some(bundle) = import::to_bundle(&found.runs, sheet, &files) {
            let capacity = Arc::new(judged::of_bundle(&bundle));
            run.push_str(short_id(&bundle.manifest.run));
            let name = names.join(", ");
            self.items.push(Item { key, name, bundle, is_measured: false, capacity });
        }
        self.imported.push(Imported { key, found, sheet: sheet.clone() });
        Ok(run)
    }

    /// Forgets everything else; gives the keys of what is not here.
    pub(crate) fn keep_only(&mut self, keys: &[u32]) -> Vec<u32> {
        self.items.retain(|item| keys.contains(&item.key));
        self.imported.retain(|imported| keys.contains(&imported.key));
        self.verified.retain(|key, _| keys.contains(key));
        let here = |key: &u32| {
            self.items.iter().any(|item| item.key == *key)
                || self.imported.iter().any(|imported| imported.key == *key)
        };
        keys.iter().copied().filter(|key| !here(key)).collect()
    }

    /// Takes in what is being measured now.
    pub(crate) fn measuring(&mut self, now: Vec<Live>) {
        let running = |name: &str| now.iter().any(|live| live.bundle == name);
        self.ended.retain(|name| !running(name));
        let gone = self.live.drain(..).map(|live| live.bundle).filter(|name| !running(name));
        self.ended.extend(gone);
        self.live = now;
    }

    /// What the sign-offs of an open bundle are worth.
    pub(crate) fn verify(&mut self, key: u32, found: &Recomputed, now: &UtcTime) -> SignOff {
        let verified = found.verify(&self.trust, now);
        let state = verified.state.clone();
        self.verified.insert(key, verified);
        state
    }

    /// What the sign-offs of a bundle here are worth; `None` until the page asked.
    pub(crate) fn verified(&self, item: &Item) -> Option<&Verification> {
        self.verified.get(&item.key)
    }

    /// The report of what was measured.
    pub(crate) fn report(&self, prices: Option<PriceSheet>) -> Report {
        let measured = self.items.iter().filter(|item| item.is_measured);
        Report::new(measured.map(|item| self.entry(item)).collect(), prices)
    }

    /// The report of one bundle.
    pub(crate) fn report_of(&self, item: &Item) -> Report {
        Report::new(vec![self.entry(item)], None)
    }

    fn entry(&self, item: &Item) -> Entry {
        let verified = self.verified(item);
        let sign_off = verified.map_or(SignOff::Unsigned, |verified| verified.state.clone());
        Entry::new(item.name.clone(), &item.bundle.manifest, item.capacity.clone(), sign_off)
    }

    /// The bundle whose run a query's field names by its beginning.
    pub(crate) fn named(&self, query: &Query, field: &str) -> Option<&Item> {
        let run = query.chosen(field)?;
        self.items.iter().find(|item| item.bundle.manifest.run.starts_with(run))
    }
}

impl Item {
    /// How a query names it.
    pub(crate) fn id(&self) -> &str {
        short_id(&self.bundle.manifest.run)
    }
}
