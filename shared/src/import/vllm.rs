//! `vllm bench serve` (and `benchmark_serving.py` before it): one JSON object a run, or one a line
//! where results were appended. InferenceX runs a copy of this client, in seconds.

use super::finding::{Finding, What};
use super::json::Json;
use super::read::{
    MEDIAN, Seen, count32, nanos, rate, records, rounded, seconds, spread, token_rate,
};
use super::run::{AskedRate, Run, said};
use super::tool::Tool;
use crate::definitions::record::{FailureKind, Outcome};
use crate::units::{Nanos, Share};

pub(super) fn recognises(json: &Json) -> bool {
    json.has("request_throughput")
        && json.has("model_id")
        && (json.has("num_prompts") || json.has("tokenizer_id"))
}

pub(super) fn read(file: &str, json: &Json) -> Run {
    let in_seconds = json.has("median_ttft") && !json.has("median_ttft_ms");
    let mut run = Run::new(file, if in_seconds { Tool::InferenceX } else { Tool::Vllm });
    let number = |name: &str| json.get(name).number();
    run.model = said(json.get("model_id").text().map(str::to_owned));
    totals(&mut run, json);
    let failed = json.get("failed").count().or_else(|| {
        // Older files only tell how many prompts there were.
        json.get("num_prompts").count()?.checked_sub(json.get("completed").count()?)
    });
    run.failed = said(failed);
    let figures = |metric: &str| {
        let unit = if in_seconds { "" } else { "_ms" };
        let value = |point: &str| number(&format!("{point}_{metric}{unit}"));
        spread(MEDIAN, value, if in_seconds { 1.0 } else { 1e-3 }).measured()
    };
    run.ttft = figures("ttft");
    run.tpot = figures("tpot");
    run.itl = figures("itl");
    run.latency = figures("e2el");
    run.records = records(seen(json));
    if json.has("request_goodput:") {
        run.note(Finding::green(What::KnownTrap { field: "request_goodput:" }));
    }
    drain(&mut run, json);
    run
}

/// Load and sums as this client writes them, and SGLang's, which descends from it.
pub(super) fn totals(run: &mut Run, json: &Json) {
    let number = |name: &str| json.get(name).number();
    run.load.concurrency = count32(json.get("max_concurrency"));
    run.load.rate = match json.get("request_rate") {
        Json::Text(text) if text == "inf" => Some(AskedRate::Unlimited),
        other => rate(other.number()).map(AskedRate::Finite),
    };
    run.duration = said(seconds(number("duration"), 1.0));
    run.completed = said(json.get("completed").count());
    run.input_tokens = said(rounded(number("total_input_tokens")));
    run.output_tokens = said(rounded(number("total_output_tokens")));
    run.rate = said(rate(number("request_throughput")));
    run.output_rate = said(token_rate(number("output_throughput")));
}

/// How much of `duration` is the emptying after the last request was sent. The client spreads n
/// requests over exactly n / rate seconds.
fn drain(run: &mut Run, json: &Json) {
    let (Some(AskedRate::Finite(asked)), Some(duration), Some(n)) =
        (run.load.rate, run.duration.value(), json.get("num_prompts").number())
    else {
        return;
    };
    if run.load.concurrency.is_some() {
        return;
    }
    let sending = (n / asked.get()).min(duration.get());
    if let Ok(share) = Share::new(1.0 - sending / duration.get()) {
        let what = What::Drain { share };
        run.note(match share.get() {
            share if share <= 0.05 => Finding::green(what),
            share if share <= 0.5 => Finding::amber(what),
            _ => Finding::red(what),
        });
    }
}

fn seen(json: &Json) -> Vec<Seen> {
    let (ttfts, inputs) = (json.get("ttfts").numbers(), json.get("input_lens").numbers());
    let outputs = json.get("output_lens").numbers();
    let (itls, errors) = (json.get("itls").list(), json.get("errors").list());
    let (starts, latencies) = (json.get("start_times").numbers(), json.get("latencies").numbers());
    if ttfts.is_empty() || inputs.len() != ttfts.len() || outputs.len() != ttfts.len() {
        return Vec::new();
    }
    let one = |index: usize| {
        let error = errors.get(index).and_then(Json::text).unwrap_or_default();
        let failed = !error.is_empty() || outputs[index] == 0.0;
        let gaps: Option<Vec<Nanos>> = itls
            .get(index)
            .map(|gaps| gaps.numbers().iter().filter_map(|gap| nanos(*gap, 1.0)).collect());
        let ttft = nanos(ttfts[index], 1.0).filter(|ttft| !failed || ttft.0 > 0);
        let streamed: Nanos = gaps.iter().flatten().copied().sum();
        let latency = latencies.get(index).and_then(|latency| nanos(*latency, 1.0));
        Seen {
            sent: starts.get(index).and_then(|start| nanos(*start, 1.0)).map(|start| start.0),
            ttft,
            end: latency.unwrap_or_else(|| ttft.unwrap_or_default() + streamed),
            isl: whole(inputs[index]),
            osl: whole(outputs[index]).filter(|_| !failed),
            gaps,
            outcome: failed.then_some(Outcome::Failed(failure(error))),
            error: (!error.is_empty()).then(|| error.to_owned()),
            ..Seen::default()
        }
    };
    (0..ttfts.len()).map(one).collect()
}

fn whole(tokens: f64) -> Option<u32> {
    (tokens.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&tokens))
        .then_some(tokens as u32)
}

/// The kind of failure that an error's text speaks of.
pub(super) fn failure(error: &str) -> FailureKind {
    let text = error.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["timeout", "timed out"]) {
        FailureKind::Timeout
    } else if says(&["429", "503", "529", "too many requests", "service unavailable"]) {
        FailureKind::Rejected
    } else if says(&["refused", "cannot connect", "name resolution", "unreachable"]) {
        FailureKind::Unreachable
    } else if says(&["disconnect", "reset", "closed", "payload is not completed", "broken pipe"]) {
        FailureKind::Disconnected
    } else if text.is_empty() {
        FailureKind::Empty
    } else {
        FailureKind::ServerError
    }
}
