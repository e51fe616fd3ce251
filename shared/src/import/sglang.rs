//! SGLang's bench_serving: one JSON object a line, milliseconds, `Infinity` for no rate.

use super::audit::{Finding, What};
use super::json::Json;
use super::read::{Point, count32, rate, rounded, seconds, spread, token_rate};
use super::run::{AskedRate, Run, Tool, said};

pub(super) fn recognises(json: &Json) -> bool {
    json.has("backend")
        && json.has("dataset_name")
        && json.has("request_rate")
        && json.has("total_output_tokens")
        && (json.has("total_output_tokens_retokenized") || json.has("sharegpt_output_len"))
}

pub(super) fn read(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::SgLang);
    let number = |name: &str| json.get(name).number();
    run.model = said(
        json.get("model")
            .text()
            .or_else(|| json.at(&["server_info", "model_path"]).text())
            .map(str::to_owned),
    );
    run.version = said(json.at(&["server_info", "version"]).text().map(str::to_owned));
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
    let figures = |metric: &str| {
        let value = |point: Point| {
            let point = match point {
                Point::Mean => "mean",
                Point::P50 => "median",
                Point::P90 => "p90",
                Point::P95 => "p95",
                Point::P99 => "p99",
                Point::Max => "max",
            };
            number(&format!("{point}_{metric}_ms"))
        };
        spread(value, 1e-3).measured()
    };
    run.ttft = figures("ttft");
    run.tpot = figures("tpot");
    run.itl = figures("itl");
    run.latency = figures("e2e_latency");
    if json.has("concurrency") {
        // It is throughput × mean latency by construction, so it confirms nothing.
        run.note(Finding::green(What::KnownTrap { field: "concurrency" }));
    }
    if json.get("total_output_tokens_retokenized").count() == Some(0) {
        run.note(Finding::amber(What::Meaningless { field: "total_output_tokens_retokenized" }));
    }
    run
}
