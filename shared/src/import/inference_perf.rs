//! inference-perf: the lifecycle report of a stage (JSON, or YAML), what the server's Prometheus
//! said of it, and the records of all requests. Seconds throughout.

use super::finding::{Finding, What};
use super::json::Json;
use super::read::{
    MEDIAN, Seen, count32, nanos, rate, records, rounded, seconds, spread, token_rate,
};
use super::run::{AskedRate, Run, said};
use super::tool::Tool;
use crate::definitions::record::{FailureKind, Outcome};
use crate::units::Nanos;

pub(super) fn recognises(json: &Json) -> bool {
    json.has("load_summary") && json.has("successes") && json.get("successes").has("latency")
}

/// The server's view of a stage.
pub(super) fn recognises_server(json: &Json) -> bool {
    json.has("load_summary") && json.get("successes").has("time_per_output_token")
}

pub(super) fn recognises_record(json: &Json) -> bool {
    json.has("start_time") && json.has("end_time") && json.get("info").has("input_tokens")
}

pub(super) fn read(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::InferencePerf);
    let (load, good) = (json.get("load_summary"), json.get("successes"));
    run.load.rate = rate(load.get("requested_rate").number()).map(AskedRate::Finite);
    run.completed = said(good.get("count").count());
    run.failed = said(json.at(&["failures", "count"]).count());
    let throughput = good.get("throughput");
    run.rate = said(rate(throughput.get("requests_per_sec").number()));
    run.output_rate = said(token_rate(throughput.get("output_tokens_per_sec").number()));
    let time = json.get("benchmark_time_seconds").number();
    // The file does not say what its rates divide by, but they tell.
    let divisor = time.or_else(|| {
        Some(good.get("count").number()? / throughput.get("requests_per_sec").number()?)
    });
    run.duration = said(seconds(divisor, 1.0));
    let tokens = |name: &str| {
        rounded(Some(good.at(&[name, "mean"]).number()? * good.get("count").number()?))
    };
    run.input_tokens = said(tokens("prompt_len"));
    run.output_tokens = said(tokens("output_len"));
    let figures = |name: &str| figures(good.at(&["latency", name])).measured();
    run.ttft = figures("time_to_first_token");
    run.tpot = figures("time_per_output_token");
    run.itl = figures("inter_token_latency");
    run.latency = figures("request_latency");
    if let Some(achieved) = rate(load.get("achieved_rate").number())
        && let Some(AskedRate::Finite(asked)) = run.load.rate
    {
        let what = What::NotSentAsAsked { asked, achieved };
        run.note(match achieved.get() / asked.get() {
            ratio if ratio >= 0.99 => Finding::green(what),
            ratio if ratio >= 0.95 => Finding::amber(what),
            _ => Finding::red(what),
        });
    }
    if let Some(mean) = seconds(load.at(&["schedule_delay", "mean"]).number(), 1.0)
        && mean.get() > 0.01
    {
        let late = What::SentLate { mean };
        run.note(if mean.get() > 1.0 { Finding::red(late) } else { Finding::amber(late) });
    }
    run
}

fn figures(metric: &Json) -> super::run::Spread {
    let value = |name: &str| metric.get(name).number();
    spread(MEDIAN, value, 1.0)
}

/// How many requests the server counted in the stage.
pub(super) fn server_count(json: &Json) -> Option<u64> {
    json.at(&["successes", "count"]).count()
}

/// The records of all stages together.
pub(super) fn read_records(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::InferencePerf);
    let seen = json.list().iter().filter_map(one).collect();
    run.records = records(seen);
    run
}

fn one(record: &Json) -> Option<Seen> {
    let (start, end) = (record.get("start_time").number()?, record.get("end_time").number()?);
    let info = record.get("info");
    // One time a token; tokens of an event share its time, so equal ones are one event.
    let mut events = info.get("output_token_times").numbers().to_vec();
    events.dedup();
    let first = events.first().and_then(|first| nanos(first - start, 1.0));
    let gaps: Vec<Nanos> =
        events.windows(2).filter_map(|pair| nanos(pair[1] - pair[0], 1.0)).collect();
    let error = record.get("error");
    let failed = !matches!(error, Json::Null);
    let message = error.get("error_msg").text().or_else(|| error.get("error_type").text());
    let kind = message.map_or(FailureKind::ServerError, super::vllm::failure);
    Some(Seen {
        sent: nanos(start, 1.0).map(|start| start.0),
        ttft: first,
        end: nanos(end - start, 1.0)?,
        isl: count32(info.get("input_tokens")),
        osl: count32(info.get("output_tokens")).filter(|osl| *osl > 0),
        gaps: first.map(|_| gaps),
        outcome: Some(if failed {
            Outcome::Failed(kind)
        } else if first.is_none() {
            Outcome::Failed(FailureKind::Empty)
        } else {
            Outcome::Completed
        }),
        error: message.map(str::to_owned),
        ..Seen::default()
    })
}
