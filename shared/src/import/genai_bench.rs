//! genai-bench: one JSON a run (aggregated and individual metrics, in seconds), and the
//! experiment's description, which names the GPUs.

use super::json::Json;
use super::read::{P50, Seen, count32, nanos, rate, records, rounded, seconds, spread, token_rate};
use super::run::{Run, said};
use super::tool::Tool;
use crate::definitions::record::{FailureKind, Outcome};

pub(super) fn recognises(json: &Json) -> bool {
    json.has("aggregated_metrics") && json.has("individual_request_metrics")
}

pub(super) fn recognises_experiment(json: &Json) -> bool {
    json.has("traffic_scenario") && json.has("num_concurrency") && json.has("api_backend")
}

pub(super) fn read(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::GenAiBench);
    let all = json.get("aggregated_metrics");
    let number = |name: &str| all.get(name).number();
    run.load.concurrency = count32(all.get("num_concurrency"));
    run.duration = said(seconds(number("run_duration"), 1.0));
    run.completed = said(all.get("num_completed_requests").count());
    run.failed = said(all.get("num_error_requests").count());
    run.rate = said(rate(
        number("requests_per_second")
            .or_else(|| number("requests_per_minute").map(|count| count / 60.0)),
    ));
    run.output_rate = said(token_rate(number("mean_output_throughput_tokens_per_s")));
    let tokens = |name: &str| rounded(all.at(&["stats", name, "sum"]).number());
    run.input_tokens = said(tokens("num_input_tokens"));
    run.output_tokens = said(tokens("num_output_tokens"));
    let figures = |name: &str| {
        let stats = all.at(&["stats", name]);
        let value = |point: &str| stats.get(point).number();
        spread(P50, value, 1.0).measured()
    };
    run.ttft = figures("ttft");
    run.tpot = figures("tpot");
    run.latency = figures("e2e_latency");
    run.records =
        records(json.get("individual_request_metrics").list().iter().filter_map(one).collect());
    run
}

fn one(request: &Json) -> Option<Seen> {
    let time = |name: &str| request.get(name).number().and_then(|value| nanos(value, 1.0));
    let failed = !matches!(request.get("error_code"), Json::Null);
    Some(Seen {
        ttft: time("ttft"),
        end: time("e2e_latency")?,
        isl: count32(request.get("num_input_tokens")),
        osl: count32(request.get("num_output_tokens")),
        outcome: Some(if failed {
            Outcome::Failed(match request.get("error_code").count() {
                Some(429 | 503 | 529) => FailureKind::Rejected,
                Some(408) => FailureKind::Timeout,
                _ => FailureKind::ServerError,
            })
        } else {
            Outcome::Completed
        }),
        error: request.get("error_message").text().map(str::to_owned),
        ..Seen::default()
    })
}

/// What an experiment's description adds to its runs.
pub(super) fn read_experiment(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::GenAiBench);
    let text = |name: &str| json.get(name).text().map(str::to_owned);
    run.model = said(text("model"));
    run.version = said(text("benchmark_version").filter(|version| !version.is_empty()));
    run.gpu = said(text("server_gpu_type"));
    let gpus = json.get("server_gpu_count");
    run.gpus = said(count32(gpus).or_else(|| gpus.text()?.parse().ok()));
    run
}
