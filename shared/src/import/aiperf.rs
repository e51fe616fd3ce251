//! AIPerf, before and after its schema got a version: the summary JSON, the records as JSON lines,
//! and the GPU telemetry as JSON lines (energy in megajoules).

use std::collections::BTreeMap;

use super::finding::{Finding, What};
use super::json::Json;
use super::read::{Seen, count32, nanos, rate, records, rounded, seconds, spread, token_rate};
use super::run::{AskedRate, Records, Run, Spread, said};
use super::tool::Tool;
use crate::definitions::measured::Measured;
use crate::definitions::record::{FailureKind, Outcome};
use crate::units::{Nanos, Share, Watts};

pub(super) fn recognises_summary(json: &Json) -> bool {
    json.has("request_throughput") && json.has("input_config") && json.has("request_latency")
}

pub(super) fn recognises_record(json: &Json) -> bool {
    json.has("metadata") && json.has("metrics") && json.get("metadata").has("request_start_ns")
}

pub(super) fn recognises_gpu_scrape(json: &Json) -> bool {
    json.has("telemetry_data") && json.has("gpu_uuid") && json.has("timestamp_ns")
}

/// A metric's unit in seconds; metrics carry their own.
fn unit(metric: &Json) -> f64 {
    match metric.get("unit").text() {
        Some("ns") => 1e-9,
        Some("us" | "µs") => 1e-6,
        Some("sec" | "s") => 1.0,
        _ => 1e-3,
    }
}

fn figures(metric: &Json) -> Spread {
    let value = |name: &str| metric.get(name).number();
    spread(["avg", "p50", "p90", "p95", "p99", "max"], value, unit(metric))
}

pub(super) fn read_summary(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::AiPerf);
    let average = |name: &str| json.at(&[name, "avg"]).number();
    let config = json.get("input_config");
    run.version = said(json.get("aiperf_version").text().map(str::to_owned));
    let models = [config.at(&["models", "items"]), config.at(&["endpoint", "model_names"])];
    let model = models[0].list().first().and_then(|model| model.get("name").text());
    let model = model.or_else(|| models[1].list().first().and_then(Json::text));
    run.model = said(model.map(str::to_owned));
    load(&mut run, config);
    run.duration = said(seconds(average("benchmark_duration"), 1.0));
    run.completed = said(rounded(average("request_count")));
    run.failed = said(rounded(average("error_request_count")).or_else(|| {
        // The newer schema leaves the count out where there is no error.
        json.get("error_summary").list().iter().map(|error| error.get("count").count()).sum()
    }));
    run.input_tokens = said(rounded(average("total_isl")));
    run.output_tokens =
        said(rounded(average("total_osl")).or_else(|| rounded(average("total_output_tokens"))));
    run.rate = said(rate(average("request_throughput")));
    run.output_rate = said(token_rate(average("output_token_throughput")));
    run.ttft = figures(json.get("time_to_first_token")).measured();
    run.itl = figures(json.get("inter_token_latency")).measured();
    run.latency = figures(json.get("request_latency")).measured();
    let chunks = figures(json.get("inter_chunk_latency"));
    if let (Some(stated), Some(gaps)) = (run.itl.value().and_then(|itl| itl.p99), chunks.p99)
        && stated.get() > 0.0
    {
        let what = What::StallsHidden { stated, gaps };
        let hidden = gaps.get() > 2.0 * stated.get();
        run.note(if hidden { Finding::amber(what) } else { Finding::green(what) });
    }
    let off = average("osl_mismatch_diff_pct");
    if let Some(off) = off
        && let Ok(share) = Share::new((off.abs() / 100.0).min(1.0))
        && share.get() > 0.05
    {
        run.note(Finding::amber(What::OutputNotAsAsked { off: share, shorter: off < 0.0 }));
    }
    if json.get("was_cancelled").truth() == Some(true) {
        run.note(Finding::red(What::DeclaredInvalid));
    }
    run
}

fn load(run: &mut Run, config: &Json) {
    let phases = config.get("phases").list().iter();
    let phase = phases.clone().find(|phase| phase.get("name").text() == Some("profiling"));
    let plan = phase.unwrap_or_else(|| config.get("loadgen"));
    run.load.concurrency = count32(plan.get("concurrency"));
    let asked = plan.get("request_rate").number().or_else(|| plan.get("rate").number());
    run.load.rate = rate(asked).map(AskedRate::Finite);
}

/// The records of a run, which its summary belongs to.
pub(super) fn read_records(file: &str, lines: &[Json]) -> Run {
    let mut run = Run::new(file, Tool::AiPerf);
    let profiling = |line: &&Json| {
        let phase = line.at(&["metadata", "benchmark_phase"]).text();
        phase.is_none_or(|phase| phase == "profiling")
    };
    let mut sessions = BTreeMap::new();
    let seen: Vec<Seen> =
        lines.iter().filter(profiling).filter_map(|line| one(line, &mut sessions)).collect();
    run.records = records(seen);
    if let Some(found) = &run.records {
        let completed = found.requests.iter().filter(|r| r.outcome == Outcome::Completed).count();
        run.completed = Measured::Value(completed as u64);
        let failed =
            found.requests.iter().filter(|r| matches!(r.outcome, Outcome::Failed(_))).count();
        run.failed = Measured::Value(failed as u64);
        summed_up(&mut run);
    }
    run
}

/// Sums and the duration of records that no summary came with.
fn summed_up(run: &mut Run) {
    let Some(Records { requests, .. }) = &run.records else { return };
    let tokens = |of: fn(&crate::definitions::record::Request) -> Option<u32>| {
        requests.iter().map(of).map(|tokens| u64::from(tokens.unwrap_or(0))).sum::<u64>()
    };
    run.input_tokens = Measured::Value(tokens(|request| request.isl));
    run.output_tokens = Measured::Value(tokens(|request| request.osl));
    let first = requests.iter().map(|request| request.sent).min();
    let last = requests.iter().map(|request| request.end).max();
    if let (Some(first), Some(last)) = (first, last) {
        run.duration = Measured::Value(last.since(first).seconds());
    }
}

fn one(line: &Json, sessions: &mut BTreeMap<String, u32>) -> Option<Seen> {
    let (about, metrics) = (line.get("metadata"), line.get("metrics"));
    let sent = about.get("request_start_ns").count()?;
    let end = about.get("request_end_ns").count();
    let time = |name: &str| {
        let metric = metrics.get(name);
        metric.get("value").number().and_then(|value| nanos(value, unit(metric)))
    };
    let tokens = |name: &str| count32(metrics.at(&[name, "value"]));
    let chunks = metrics.get("inter_chunk_latency");
    let gaps: Vec<Nanos> =
        chunks.get("value").numbers().iter().filter_map(|gap| nanos(*gap, unit(chunks))).collect();
    let cancelled = about.get("was_cancelled").truth() == Some(true);
    let error = line.get("error");
    let failed = !matches!(error, Json::Null);
    let text = error.get("message").text().or_else(|| error.get("type").text());
    let outcome = if cancelled {
        Outcome::Cancelled
    } else if failed {
        Outcome::Failed(failure(error))
    } else {
        Outcome::Completed
    };
    let conversation = about.get("conversation_id").text();
    let session = conversation.map(|name| {
        let next = sessions.len() as u32;
        *sessions.entry(name.to_owned()).or_insert(next)
    });
    let ttft = time("time_to_first_token");
    let latency = time("request_latency");
    let until_end = end.map(|end| Nanos(end.saturating_sub(sent)));
    Some(Seen {
        sent: Some(sent),
        ttft,
        last: latency,
        end: until_end.or(latency).unwrap_or_default(),
        isl: tokens("input_sequence_length"),
        osl: tokens("output_sequence_length"),
        gaps: ttft.map(|_| gaps),
        outcome: Some(outcome),
        error: text.map(str::to_owned),
        session: session.or_else(|| count32(about.get("session_num"))),
        turn: count32(about.get("turn_index")).unwrap_or(0),
        ..Seen::default()
    })
}

fn failure(error: &Json) -> FailureKind {
    match error.get("code").count() {
        Some(429 | 503 | 529) => FailureKind::Rejected,
        Some(408) => FailureKind::Timeout,
        Some(500..=599) => FailureKind::ServerError,
        _ => super::vllm::failure(error.get("message").text().unwrap_or("error")),
    }
}

/// An energy counter's first and last reading: nanoseconds and joules.
type Ends = [(u64, f64); 2];

/// Mean power of all different devices, from their energy counters. A device that was scraped
/// through two addresses counts once.
pub(super) fn read_gpu_scrapes(file: &str, lines: &[Json]) -> Run {
    let mut run = Run::new(file, Tool::AiPerf);
    // By device, then by address.
    let mut counters: BTreeMap<&str, BTreeMap<&str, Ends>> = BTreeMap::new();
    let mut name = None;
    for line in lines {
        let (Some(uuid), Some(time)) =
            (line.get("gpu_uuid").text(), line.get("timestamp_ns").count())
        else {
            continue;
        };
        name = name.or(line.get("gpu_model_name").text());
        let Some(megajoules) = line.at(&["telemetry_data", "energy_consumption"]).number() else {
            continue;
        };
        let address = line.get("dcgm_url").text().unwrap_or_default();
        let now = (time, megajoules * 1e6);
        let ends = counters.entry(uuid).or_default().entry(address).or_insert([now, now]);
        ends[0] = if now.0 < ends[0].0 { now } else { ends[0] };
        ends[1] = if now.0 > ends[1].0 { now } else { ends[1] };
    }
    run.gpu = said(name.map(str::to_owned));
    run.gpus = said(u32::try_from(counters.len()).ok().filter(|count| *count > 0));
    let watts = counters.values().filter_map(|addresses| {
        let ends = addresses.values().next()?;
        let seconds = (ends[1].0 - ends[0].0) as f64 / 1e9;
        (seconds > 0.0).then(|| (ends[1].1 - ends[0].1) / seconds)
    });
    let watts: f64 = watts.sum();
    run.power = said(Watts::new(watts).ok().filter(|power| power.get() > 0.0));
    let scraped: usize = counters.values().map(BTreeMap::len).sum();
    if scraped > counters.len() {
        let (scraped, devices) = (scraped as u64, counters.len() as u64);
        run.note(Finding::amber(What::DevicesTwice { scraped, devices }));
    }
    run
}
