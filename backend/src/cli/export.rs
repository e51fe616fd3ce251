//! `tokencap export`: the report for other programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use tokencap_shared::present::document::{Document, SectionId, document};
use tokencap_shared::present::render::{csv, markdown};
use tokencap_shared::present::report::Report;
use tokencap_shared::present::words::Lang;

use super::answer::{Answer, shown};
use super::report::Shown;
use crate::export::{Json, xlsx};
use crate::store;
use crate::words::{self, CommandWords};

/// Write the report of bundles for other programs: Excel with live formulas, CSV, Markdown, JSON.
#[derive(Debug, Args)]
pub(super) struct Export {
    #[arg(required = true)]
    bundles: Vec<PathBuf>,
    /// File to write. Its ending decides the format: .xlsx, .csv, .md or .json.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Which table a CSV holds. Without it everything, a line a figure.
    #[arg(long, value_enum)]
    table: Option<TableName>,
    #[command(flatten)]
    shown: Shown,
}

/// A table, as the command line names it. All but the summary are of one bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableName {
    /// One row a bundle.
    Summary,
    /// Every promise with its verdict.
    Promises,
    /// Every tested rate.
    Steps,
    /// Latencies by tier.
    Latency,
    /// Input tokens.
    Input,
    /// Cost, value and margin of a day.
    Money,
}

/// Runs the command.
///
/// # Errors
/// If a bundle cannot be read, the ending is unknown, or the file cannot be written.
pub(super) fn run(args: &Export, lang: Lang) -> anyhow::Result<()> {
    let (words, told) = (lang.words(), words::of(lang));
    let ending = args.out.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !["xlsx", "csv", "md", "json"].contains(&ending) {
        bail!((told.bad_ending)(&shown(&args.out)));
    }
    let prices = args.shown.prices()?;
    let report = Report::new(args.shown.entries(&args.bundles, lang)?, prices);
    let document = document(&report, words);
    let bytes = match (ending, args.table) {
        ("xlsx", _) => xlsx(&report, &document)?,
        ("csv", None) => csv::document(&document).into_bytes(),
        ("csv", Some(name)) => table(&document, name, told)?.into_bytes(),
        ("md", _) => markdown::markdown(&document).into_bytes(),
        _ => serde_json::to_vec_pretty(&Json { report: &report, document: &document })
            .context(told.no_json)?,
    };
    store::save(Path::new(&args.out), &bytes)?;
    let answer = Answer { json: args.shown.json };
    answer.give(&json!({ "file": args.out }), &(told.written)(&shown(&args.out)))
}

impl TableName {
    /// The section that the table stands in.
    const fn section(self) -> SectionId {
        match self {
            Self::Summary => SectionId::Summary,
            Self::Promises => SectionId::Promises,
            Self::Steps => SectionId::Steps,
            Self::Latency => SectionId::Latency,
            Self::Input => SectionId::Input,
            Self::Money => SectionId::Money,
        }
    }
}

/// One table of a report as CSV.
fn table(document: &Document, name: TableName, told: &CommandWords) -> anyhow::Result<String> {
    let id = name.section();
    if let Some(summary) = document.section(id).and_then(|section| section.table()) {
        return Ok(csv::summary(document, summary));
    }
    let [part] = &document.parts[..] else {
        bail!(told.one_table);
    };
    let table = part.section(id).and_then(|section| section.table());
    let table = table.with_context(|| match name {
        TableName::Money => told.no_money.to_owned(),
        _ => (told.no_table)(&part.name),
    })?;
    Ok(csv::table(table, document.language.words()))
}
