//! Results of other tools: read, audited and translated; never silently completed.
//!
//! What a file does not say stays missing. An import can be shown and compared, with its marks;
//! it can never be signed, since nobody measured the client that made it.

mod aiperf;
mod audit;
mod definitions;
mod evalscope;
mod finding;
mod genai_bench;
mod guidellm;
mod inference_perf;
mod inferencex;
mod json;
mod judge;
mod llmd;
mod llmperf;
mod merge;
mod mlperf;
mod read;
mod run;
mod sglang;
mod tool;
mod vllm;
mod yaml;

pub use definitions::{Clock, Definitions, Divisor, Failures, FirstToken, Itl, Tpot};
pub use finding::{Finding, Mark, What};
pub use judge::{Judged, judge, judge_all, to_bundle};
pub use run::{AskedRate, Load, Records, Run, Spread};
pub use tool::Tool;

use json::Json;
use merge::{Part, Piece};

/// Longest file that is read.
pub const MAX_FILE: usize = 256 << 20;

/// A file as it was given: its name (or path) and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Name; files that belong together are known by it.
    pub name: &'a str,
    /// Contents.
    pub bytes: &'a [u8],
}

/// Why a file cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum ImportError {
    /// Too long.
    #[error(
        "{file} is {size} bytes long, more than the {MAX_FILE} that are read: export without prompts and answers"
    )]
    TooLarge {
        file: String,
        /// Bytes.
        size: usize,
    },
    /// Not a text.
    #[error(
        "{file} is not a text file: choose the JSON, JSON lines, YAML or log that the tool wrote"
    )]
    NotText { file: String },
    /// Neither JSON nor YAML.
    #[error("{file} is damaged or not in a format that is read ({problem}): export it again")]
    Damaged {
        file: String,
        /// Where and why.
        problem: String,
    },
    /// No known tool's.
    #[error(
        "{file} is not a result that is known here: choose results of AIPerf, GuideLLM, vLLM, \
         SGLang, inference-perf, llmperf, InferenceX, MLPerf, EvalScope, genai-bench or llm-d"
    )]
    Unknown { file: String },
    /// A tool's database.
    #[error("{file} is a database, which is not read: choose the JSON files beside it")]
    Database { file: String },
    /// Belongs to a result that is not there.
    #[error("{file} only adds to a result: choose the result it belongs to as well")]
    Alone { file: String },
}

/// What came of a set of files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// The results, audited, in the order of models and then of rates: several are a sweep.
    pub runs: Vec<Run>,
    /// Files of which nothing came, and why.
    pub refused: Vec<ImportError>,
}

/// Imports files together: parts of one result (records, summary, telemetry) find each other by
/// their names, several results become a sweep.
#[must_use]
pub fn import(files: &[File<'_>]) -> Import {
    let mut pieces = Vec::new();
    let mut refused = Vec::new();
    for file in files {
        match read_file(*file) {
            Ok(found) => pieces.extend(found),
            Err(error) => refused.push(error),
        }
    }
    let (mut runs, alone) = merge::merge(pieces);
    refused.extend(alone);
    for run in &mut runs {
        audit::audit(run);
    }
    let model = |run: &Run| run.model.value().cloned();
    runs.sort_by(|a, b| {
        model(a).cmp(&model(b)).then_with(|| {
            let rate = |run: &Run| run.sort_rate().unwrap_or(f64::INFINITY);
            rate(a).total_cmp(&rate(b))
        })
    });
    Import { runs, refused }
}

fn read_file(file: File<'_>) -> Result<Vec<Piece>, ImportError> {
    let name = || file.name.to_owned();
    if file.bytes.len() > MAX_FILE {
        return Err(ImportError::TooLarge { file: name(), size: file.bytes.len() });
    }
    if file.bytes.starts_with(b"SQLite format 3\0") {
        return Err(ImportError::Database { file: name() });
    }
    let bytes = file.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file.bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| ImportError::NotText { file: name() })?;
    let damaged = |problem: String| ImportError::Damaged { file: name(), problem };
    if mlperf::recognises_summary(text) {
        return Ok(vec![Piece::new(
            file.name,
            Part::Summary,
            mlperf::read_summary(file.name, text),
        )]);
    }
    if mlperf::recognises_detail(text) {
        let run =
            mlperf::read_detail(file.name, text).map_err(|error| damaged(error.to_string()))?;
        return Ok(vec![Piece::new(file.name, Part::Detail, run)]);
    }
    let json_like = text.trim_start().starts_with(['{', '[']);
    let documents = if json_like {
        json::documents(text).map_err(|error| damaged(error.to_string()))?
    } else {
        match yaml::document(text) {
            Ok(document @ Json::Map(_)) => vec![document],
            Ok(_) => return Err(ImportError::Unknown { file: name() }),
            Err(error) => return Err(damaged(error.to_string())),
        }
    };
    let pieces = recognise(file.name, &documents);
    if pieces.is_empty() { Err(ImportError::Unknown { file: name() }) } else { Ok(pieces) }
}

/// The pieces of results that the documents of one file are.
fn recognise(file: &str, documents: &[Json]) -> Vec<Piece> {
    let Some(first) = documents.first() else { return Vec::new() };
    let piece = |part, run| vec![Piece::new(file, part, run)];
    // Files of one record a line, and lists of records.
    if aiperf::recognises_record(first) {
        return piece(Part::Records, aiperf::read_records(file, documents));
    }
    if aiperf::recognises_gpu_scrape(first) {
        return piece(Part::Power, aiperf::read_gpu_scrapes(file, documents));
    }
    if let Some(entry) = first.list().first() {
        if llmperf::recognises_record(entry) {
            return piece(Part::Records, llmperf::read_records(file, first.list()));
        }
        if inference_perf::recognises_record(entry) {
            return piece(Part::Records, inference_perf::read_records(file, first));
        }
    }
    documents.iter().flat_map(|document| one_document(file, document)).collect()
}

fn one_document(file: &str, json: &Json) -> Vec<Piece> {
    let piece = |part, run| vec![Piece::new(file, part, run)];
    let each = |runs: Vec<Run>| -> Vec<Piece> {
        runs.into_iter().map(|run| Piece::new(file, Part::Whole, run)).collect()
    };
    if aiperf::recognises_summary(json) {
        piece(Part::Summary, aiperf::read_summary(file, json))
    } else if guidellm::recognises(json) {
        each(guidellm::read(file, json))
    } else if sglang::recognises(json) {
        piece(Part::Whole, sglang::read(file, json))
    } else if vllm::recognises(json) {
        piece(Part::Whole, vllm::read(file, json))
    } else if inferencex::recognises(json) {
        piece(Part::Whole, inferencex::read(file, json))
    } else if inference_perf::recognises(json) {
        piece(Part::Summary, inference_perf::read(file, json))
    } else if inference_perf::recognises_server(json) {
        let mut run = Run::new(file, Tool::InferencePerf);
        run.completed = run::said(inference_perf::server_count(json));
        piece(Part::Server, run)
    } else if llmperf::recognises_summary(json) {
        piece(Part::Summary, llmperf::read_summary(file, json))
    } else if genai_bench::recognises(json) {
        piece(Part::Whole, genai_bench::read(file, json))
    } else if genai_bench::recognises_experiment(json) {
        piece(Part::Experiment, genai_bench::read_experiment(file, json))
    } else if evalscope::recognises_page(json) {
        each(evalscope::read_page(file, json))
    } else if evalscope::recognises_runs(json) {
        each(evalscope::read_runs(file, json))
    } else if evalscope::recognises_summary(json) {
        piece(Part::Whole, evalscope::read_summary(file, json))
    } else if llmd::recognises(json) {
        piece(Part::Whole, llmd::read(file, json))
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
