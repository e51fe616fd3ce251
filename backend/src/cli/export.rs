//! `tokencap export`: the report for other programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use tokencap_shared::present::document;
use tokencap_shared::present::document::table::Table;
use tokencap_shared::present::render::export;
use tokencap_shared::present::report::Report;
use tokencap_shared::present::words::Words;

use super::answer::Answer;
use super::report::Shown;
use crate::export::xlsx;
use crate::store;

/// Write the report of bundles for other programs: Excel with live formulas, CSV, Markdown, JSON.
#[derive(Debug, Args)]
pub(super) struct Export {
    #[arg(required = true)]
    bundles: Vec<PathBuf>,
    /// File to write. Its ending decides the format: .xlsx, .csv, .md or .json.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Which table a CSV holds.
    #[arg(long, value_enum, default_value_t = TableName::Summary)]
    table: TableName,
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
pub(super) fn run(args: &Export) -> anyhow::Result<()> {
    let words = args.shown.words();
    let ending = args.out.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !["xlsx", "csv", "md", "json"].contains(&ending) {
        bail!("{} must end in .xlsx, .csv, .md or .json", args.out.display());
    }
    let prices = args.shown.prices()?;
    let report = Report::new(args.shown.entries(&args.bundles)?, prices);
    let bytes = match ending {
        "xlsx" => xlsx(&report, words)?,
        "csv" => csv(&report, args.table, words)?.into_bytes(),
        "md" => export::markdown(&report, words).into_bytes(),
        _ => serde_json::to_vec_pretty(&report).context("the report cannot be written as JSON")?,
    };
    store::save(Path::new(&args.out), &bytes)?;
    let answer = Answer { json: args.shown.json };
    answer.give(&json!({ "file": args.out }), &format!("Written: {}", args.out.display()))
}

fn csv(report: &Report, table: TableName, words: &Words) -> anyhow::Result<String> {
    if table == TableName::Summary {
        return Ok(export::summary_csv(report, words));
    }
    let [row] = &report.rows[..] else {
        bail!("a CSV holds one table: give one bundle, or --table summary, or write an .xlsx");
    };
    let at_step = |make: fn(
        &tokencap_shared::present::report::Row,
        &tokencap_shared::definitions::judge::StepJudgement,
        &Words,
    ) -> Table| { row.shown_step().map(|step| make(row, step, words)) };
    let found = match table {
        TableName::Summary | TableName::Steps => Some(document::steps(report, row, words)),
        TableName::Promises => document::promises(row, words),
        TableName::Latency => at_step(document::latency),
        TableName::Input => at_step(|_, step, words| document::input(step, words)),
        TableName::Money => document::money(report, row, words).value().cloned(),
    };
    let found = found.with_context(|| match table {
        TableName::Money => "there is no money without prices: give --prices".to_owned(),
        _ => format!("{} has no valid step, so there is no such table", row.name),
    })?;
    Ok(export::csv(&found))
}
