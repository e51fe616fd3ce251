//! `tokencap import`: results of other tools, audited.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use tokencap_shared::bundle;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::import::{self, File, Import as Found};
use tokencap_shared::present::import as view;
use tokencap_shared::present::words::{Lang, Words};

use super::answer::{say, say_json, shown, tell};
use super::errors;
use super::report::terminal_width;
use crate::presets::Kind;
use crate::{plan, store, text, words};

/// Read results of AIPerf, GuideLLM, vLLM, SGLang, inference-perf, llmperf, InferenceX, MLPerf,
/// EvalScope, genai-bench or llm-d: audited, translated, several as a sweep. Never signable.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// Files, as the tools wrote them. Parts of one result (records, summary, telemetry) find
    /// each other by their names.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Judge records by this promise sheet.
    #[arg(long, value_name = "PRESET|FILE")]
    promise: Option<String>,
    /// Write the results whose records say when requests were sent as a bundle; needs --promise.
    #[arg(long, value_name = "BUNDLE", requires = "promise")]
    out: Option<PathBuf>,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// If no file could be imported.
pub(super) fn run(args: &Import, lang: Lang) -> anyhow::Result<()> {
    let sheet: Option<PromiseSheet> = args
        .promise
        .as_deref()
        .map(|name| plan::named(name, Kind::Promise, Path::new(".")))
        .transpose()?;
    let mut files = Vec::new();
    for path in &args.files {
        files.push((path.to_string_lossy().into_owned(), store::load_bytes(path)?));
    }
    let files: Vec<File<'_>> = files.iter().map(|(name, bytes)| File { name, bytes }).collect();
    let found = import::import(&files);
    for refused in &found.refused {
        tell(&(words::of(lang).failed)(&errors::said(refused, lang)));
    }
    if found.runs.is_empty() {
        bail!(words::of(lang).nothing_imported);
    }
    if args.json {
        say_json(&found.runs)?;
    } else {
        let words = lang.words();
        say(&told(&found, sheet.as_ref(), words))?;
    }
    if let (Some(out), Some(sheet)) = (&args.out, &sheet) {
        let bundle =
            import::to_bundle(&found.runs, sheet, &files).context(words::of(lang).no_records)?;
        store::save(out, &bundle::write(&bundle)?)?;
        tell(&(words::of(lang).written_imported)(&shown(out)));
    }
    Ok(())
}

fn told(found: &Found, sheet: Option<&PromiseSheet>, words: &Words) -> String {
    let table = |table| text::table(&table, words, terminal_width());
    let mut sections = vec![table(view::results(found, words))];
    if let Some(sheet) = sheet {
        let judged = import::judge_all(&found.runs, sheet);
        if !judged.is_empty() {
            sections.push(table(view::promises(&judged, sheet, words)));
        }
    }
    sections.extend(found.runs.iter().map(|run| table(view::findings(run, words))));
    sections.join("\n")
}
