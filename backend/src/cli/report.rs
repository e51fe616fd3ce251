//! `tokencap report`: what bundles prove, in the terminal or for a machine.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use tokencap_shared::money::PriceSheet;
use tokencap_shared::promise::PromiseSheet;
use tokencap_shared::report::{self, Entry, SignOff};
use tokencap_shared::words::{Lang, Words};

use crate::presets::Kind;
use crate::{plan, store, text};

/// Print what bundles prove: one row a model, every promise with its verdict.
#[derive(Debug, Args)]
pub(super) struct Report {
    /// The bundles.
    #[arg(required = true)]
    bundles: Vec<PathBuf>,
    #[command(flatten)]
    shown: Shown,
}

/// How a report is shown.
#[derive(Debug, Args)]
pub(super) struct Shown {
    /// Language. Default: that of the terminal (LC_ALL, LC_MESSAGES, LANG), else English.
    #[arg(long, value_enum)]
    lang: Option<Language>,
    /// Print everything as JSON, numbers unrounded.
    #[arg(long)]
    pub(super) json: bool,
    /// Price sheet: a preset's name or a TOML file. Without one there is no money.
    #[arg(long, value_name = "PRESET|FILE")]
    prices: Option<String>,
    /// Judge by this promise sheet instead of the bundle's own: a scenario, never signed.
    #[arg(long, value_name = "PRESET|FILE")]
    promise: Option<String>,
}

/// A language, as the command line names it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Language {
    /// Chinese
    Zh,
    /// English
    En,
}

impl Shown {
    /// The language asked for, else the terminal's.
    fn lang(&self) -> Lang {
        match self.lang {
            Some(Language::Zh) => Lang::Zh,
            Some(Language::En) => Lang::En,
            None => ["LC_ALL", "LC_MESSAGES", "LANG"]
                .iter()
                .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
                .and_then(|tag| Lang::of_tag(&tag))
                .unwrap_or(Lang::En),
        }
    }

    /// The catalogue of that language.
    pub(super) fn words(&self) -> &'static Words {
        self.lang().words()
    }

    /// The price sheet asked for.
    pub(super) fn prices(&self) -> anyhow::Result<Option<PriceSheet>> {
        self.prices.as_deref().map(price_sheet).transpose()
    }

    /// The promise sheet to judge by instead of the bundles' own.
    pub(super) fn promise(&self) -> anyhow::Result<Option<PromiseSheet>> {
        let named = |name| plan::named(name, Kind::Promise, "promise sheet", Path::new("."));
        Ok(self.promise.as_deref().map(named).transpose()?)
    }
}

/// A price sheet by the name of a preset or of a file.
pub(super) fn price_sheet(name: &str) -> anyhow::Result<PriceSheet> {
    Ok(plan::named(name, Kind::Prices, "price sheet", Path::new("."))?)
}

/// Runs the command.
///
/// # Errors
/// If a bundle, the price sheet or the promise sheet cannot be read.
pub(super) fn run(args: &Report) -> anyhow::Result<()> {
    print(&args.bundles, &args.shown)
}

/// Prints the report of bundles.
///
/// # Errors
/// As [`run`].
pub(super) fn print(bundles: &[PathBuf], shown: &Shown) -> anyhow::Result<()> {
    let (prices, promise) = (shown.prices()?, shown.promise()?);
    let mut entries = Vec::new();
    for path in bundles {
        let bundle = store::load(path)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        entries.push(Entry::judged(name, &bundle, promise.as_ref(), SignOff::Unsigned));
    }
    let report = report::Report::new(entries, prices);
    let text = if shown.json {
        serde_json::to_string_pretty(&report).context("the report cannot be written as JSON")?
            + "\n"
    } else {
        text::report(&report, shown.words(), terminal_width())
    };
    say(&text)
}

/// Writes a text to standard output.
pub(super) fn say(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader such as `head` that has seen enough is no failure.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Cells in a line of the terminal, if standard output is one.
pub(super) fn terminal_width() -> Option<usize> {
    let (_, columns) = console::Term::stdout().size_checked()?;
    Some(usize::from(columns))
}
