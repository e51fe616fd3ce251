//! Puts together what one run left in several files.

use super::ImportError;
use super::finding::{Finding, What};
use super::run::Run;
use super::tool::Tool;
use crate::definitions::measured::Measured;
use crate::definitions::record::Outcome;

/// What part of a result a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// Its figures.
    Summary,
    /// More figures of it.
    Detail,
    /// Its records.
    Records,
    /// Power of its devices.
    Power,
    /// What the server counted.
    Server,
    /// What all results of the tool have in common.
    Experiment,
}

/// A part of a result, and to which one it belongs.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    stem: String,
    part: Part,
    run: Run,
}

/// Ends of names that tell parts of one result, the longest first.
const ENDS: [&str; 14] = [
    "profile_export_aiperf.json",
    "gpu_telemetry_export.jsonl",
    "profile_export.jsonl",
    "_lifecycle_metrics.json",
    "_lifecycle_metrics.yaml",
    "_prometheus_metrics.json",
    "_individual_responses.json",
    "mlperf_log_summary.txt",
    "mlperf_log_detail.txt",
    "_summary.json",
    ".jsonl",
    ".json",
    ".yaml",
    ".txt",
];

impl Piece {
    pub(super) fn new(file: &str, part: Part, run: Run) -> Self {
        let stem = ENDS.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file);
        // llmperf's files are also published with the part at the front of the name.
        let (folder, name) = stem.split_at(stem.len() - name_of(stem).len());
        let name = match run.tool {
            Tool::LlmPerf => name
                .strip_prefix("individual_")
                .or_else(|| name.strip_prefix("summary_"))
                .unwrap_or(name),
            _ => name,
        };
        Self { stem: format!("{folder}{name}"), part, run }
    }

    fn belongs_to(&self, other: &Self) -> bool {
        self.run.tool == other.run.tool && self.stem == other.stem
    }
}

/// Results, and files that only add to a result that is not among them.
pub(super) fn merge(mut pieces: Vec<Piece>) -> (Vec<Run>, Vec<ImportError>) {
    pieces.sort_by_key(|piece| piece.part);
    drop_totals(&mut pieces);
    let mut bases: Vec<Piece> = Vec::new();
    let mut alone = Vec::new();
    for piece in pieces {
        let same: Vec<usize> =
            (0..bases.len()).filter(|&at| piece.belongs_to(&bases[at])).collect();
        match piece.part {
            Part::Whole | Part::Summary => bases.push(piece),
            Part::Detail | Part::Records => match same.first() {
                Some(&at) => add(&mut bases[at].run, piece),
                None => bases.push(piece),
            },
            Part::Power | Part::Server => match same.first() {
                Some(&at) => add(&mut bases[at].run, piece),
                None => alone.push(ImportError::Alone { file: file_of(&piece) }),
            },
            Part::Experiment => {
                let mut used = false;
                for base in bases.iter_mut().filter(|base| base.run.tool == piece.run.tool) {
                    add(&mut base.run, piece.clone());
                    used = true;
                }
                if !used {
                    alone.push(ImportError::Alone { file: file_of(&piece) });
                }
            }
        }
    }
    (bases.into_iter().map(|base| base.run).collect(), alone)
}

fn file_of(piece: &Piece) -> String {
    piece.run.files.first().cloned().unwrap_or_default()
}

/// inference-perf's summary is the sum of its stages: with a stage there, it is none of the load
/// points.
fn drop_totals(pieces: &mut Vec<Piece>) {
    let stage = |piece: &Piece| {
        piece.run.tool == Tool::InferencePerf && name_of(&piece.stem).starts_with("stage_")
    };
    if pieces.iter().any(stage) {
        pieces.retain(|piece| {
            piece.run.tool != Tool::InferencePerf || name_of(&piece.stem) != "summary"
        });
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Adds what a piece knows. What the base says itself stands.
fn add(base: &mut Run, piece: Piece) {
    let Piece { part, run, .. } = piece;
    let client = base.completed.value().copied();
    if part == Part::Server {
        base.files.extend(run.files);
        if let (Some(&server), Some(client)) = (run.completed.value(), client) {
            let what = What::ServerCount { server, client };
            let off = server.abs_diff(client) as f64 / client.max(1) as f64;
            base.findings.push(match off {
                off if off <= 0.01 => Finding::green(what),
                off if off <= 0.05 => Finding::amber(what),
                _ => Finding::red(what),
            });
        }
        return;
    }
    if let (Part::Records, Some(records), Some(summary)) = (part, &run.records, client) {
        let done = records.requests.iter().filter(|r| r.outcome == Outcome::Completed);
        let records = done.count() as u64;
        if records != summary {
            base.findings.push(Finding::red(What::RecordsUnlikeSummary { records, summary }));
        }
    }
    base.files.extend(run.files);
    base.findings.extend(run.findings);
    base.records = base.records.take().or(run.records);
    fill(&mut base.version, run.version);
    fill(&mut base.model, run.model);
    fill(&mut base.gpu, run.gpu);
    fill(&mut base.gpus, run.gpus);
    fill(&mut base.duration, run.duration);
    fill(&mut base.completed, run.completed);
    fill(&mut base.failed, run.failed);
    fill(&mut base.input_tokens, run.input_tokens);
    fill(&mut base.output_tokens, run.output_tokens);
    fill(&mut base.rate, run.rate);
    fill(&mut base.output_rate, run.output_rate);
    fill(&mut base.ttft, run.ttft);
    fill(&mut base.tpot, run.tpot);
    fill(&mut base.itl, run.itl);
    fill(&mut base.latency, run.latency);
    fill(&mut base.power, run.power);
}

fn fill<T>(base: &mut Measured<T>, more: Measured<T>) {
    if base.value().is_none() {
        *base = more;
    }
}
