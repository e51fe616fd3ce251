//! `tokencap report`: what bundles prove, in the terminal or for a machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use tokencap_shared::bundle::judged;
use tokencap_shared::definitions::money::PriceSheet;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::present::document::document;
use tokencap_shared::present::report::{self, Entry};
use tokencap_shared::present::words::Lang;

use super::answer::{say, say_json};
use super::opened::Opened;
use crate::export::Json;
use crate::presets::Kind;
use crate::{plan, text, trust};

/// Print what bundles prove: one row a model, every promise with its verdict.
#[derive(Debug, Args)]
pub(super) struct Report {
    #[arg(required = true)]
    bundles: Vec<PathBuf>,
    #[command(flatten)]
    shown: Shown,
}

/// How a report is shown.
#[derive(Debug, Args)]
pub(super) struct Shown {
    /// Answer in JSON, for programs: numbers are not rounded.
    #[arg(long)]
    pub(super) json: bool,
    /// Price sheet: a preset's name or a TOML file. Without one there is no money.
    #[arg(long, value_name = "PRESET|FILE")]
    prices: Option<String>,
    /// Judge by this promise sheet instead of the bundle's own: a scenario, never signed.
    #[arg(long, value_name = "PRESET|FILE")]
    promise: Option<String>,
    /// Your trusted keys. Without it: tokencap/trusted.toml in your configuration folder.
    #[arg(long, value_name = "FILE", env = "TOKENCAP_TRUST")]
    trust: Option<PathBuf>,
}

impl Shown {
    /// The price sheet asked for.
    pub(super) fn prices(&self) -> anyhow::Result<Option<PriceSheet>> {
        self.prices.as_deref().map(price_sheet).transpose()
    }

    /// The bundles, each computed anew under the promise sheet asked for, and its signatures
    /// verified.
    ///
    /// # Errors
    /// If a bundle, the promise sheet or the trusted keys cannot be read.
    pub(super) fn entries(&self, bundles: &[PathBuf], lang: Lang) -> anyhow::Result<Vec<Entry>> {
        let named = |name| plan::named(name, Kind::Promise, Path::new("."));
        let promise: Option<PromiseSheet> = self.promise.as_deref().map(named).transpose()?;
        let trust = trust::load(self.trust.as_deref())?;
        let entry = |path: &PathBuf| {
            let opened = Opened::new(path, lang)?;
            let sign_off = opened.verify(&trust, lang)?.state;
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            let Opened { bundle, capacity: own, .. } = opened;
            let (promise, capacity) = match &promise {
                Some(other) => (other.clone(), judged::of_bundle_under(&bundle, other)),
                None => (bundle.manifest.promise.clone(), own),
            };
            let capacity = Arc::new(capacity);
            Ok(Entry { name, manifest: bundle.manifest, promise, capacity, sign_off })
        };
        bundles.iter().map(entry).collect()
    }
}

/// A price sheet by the name of a preset or of a file.
pub(super) fn price_sheet(name: &str) -> anyhow::Result<PriceSheet> {
    Ok(plan::named(name, Kind::Prices, Path::new("."))?)
}

/// Runs the command.
///
/// # Errors
/// If a bundle, the price sheet or the promise sheet cannot be read.
pub(super) fn run(args: &Report, lang: Lang) -> anyhow::Result<()> {
    print(&args.bundles, &args.shown, lang)
}

/// Prints the report of bundles.
///
/// # Errors
/// As [`run`].
pub(super) fn print(bundles: &[PathBuf], shown: &Shown, lang: Lang) -> anyhow::Result<()> {
    let prices = shown.prices()?;
    let report = report::Report::new(shown.entries(bundles, lang)?, prices);
    let document = document(&report, lang.words());
    if shown.json {
        return say_json(&Json { report: &report, document: &document });
    }
    say(&text::report(&document, terminal_width()))
}

/// Cells in a line of the terminal, if standard output is one.
pub(super) fn terminal_width() -> Option<usize> {
    let (_, columns) = console::Term::stdout().size_checked()?;
    Some(usize::from(columns))
}
