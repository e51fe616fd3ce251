//! llm-d's Benchmark Report (YAML): a schema of its own, into which the reports of other tools are
//! converted. Every figure carries its unit.

use super::json::Json;
use super::read::{P50, count32, rate, rounded, seconds, spread, token_rate};
use super::run::{AskedRate, Run, Spread, said};
use super::tool::Tool;

pub(super) fn recognises(json: &Json) -> bool {
    json.has("results")
        && json.has("scenario")
        && (json.get("results").has("request_performance") || json.get("results").has("requests"))
}

pub(super) fn read(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::LlmD);
    let all = match json.at(&["results", "request_performance", "aggregate"]) {
        // Version 0.1 has no level between.
        Json::Null => json.get("results"),
        aggregate => aggregate,
    };
    run.version = said(json.get("version").text().map(str::to_owned));
    let load = json.at(&["scenario", "load", "standardized"]);
    run.load.rate = rate(load.get("rate_qps").number()).map(AskedRate::Finite);
    run.load.concurrency = count32(load.get("concurrency"));
    stack(&mut run, json.at(&["scenario", "stack"]).list());
    run.duration = said(duration(json.at(&["run", "time", "duration"])));
    let requests = all.get("requests");
    let (total, failed) = (requests.get("total").count(), requests.get("failures").count());
    run.failed = said(failed);
    run.completed = said(total.zip(failed).and_then(|(total, failed)| total.checked_sub(failed)));
    let tokens = |name: &str| {
        let mean = requests.at(&[name, "mean"]).number()?;
        rounded(Some(mean * *run.completed.value()? as f64))
    };
    let (input, output) = (tokens("input_length"), tokens("output_length"));
    run.input_tokens = said(input);
    run.output_tokens = said(output);
    let flow = |name: &str| all.at(&["throughput", name, "mean"]).number();
    run.rate = said(rate(flow("request_rate")));
    run.output_rate = said(token_rate(flow("output_token_rate")));
    let figures = |name: &str| figures(all.at(&["latency", name])).measured();
    run.ttft = figures("time_to_first_token");
    run.tpot = figures("time_per_output_token");
    run.itl = figures("inter_token_latency");
    run.latency = figures("request_latency");
    run
}

/// Model, GPU type and GPUs of the inference engines.
fn stack(run: &mut Run, components: &[Json]) {
    let engines = components.iter().map(|component| component.get("standardized"));
    let engines: Vec<&Json> =
        engines.filter(|engine| engine.get("kind").text() == Some("inference_engine")).collect();
    let Some(first) = engines.first() else { return };
    run.model = said(first.at(&["model", "name"]).text().map(str::to_owned));
    run.gpu = said(first.at(&["accelerator", "model"]).text().map(str::to_owned));
    let gpus = engines.iter().map(|engine| {
        let count = count32(engine.at(&["accelerator", "count"]))?;
        count.checked_mul(count32(engine.get("replicas")).unwrap_or(1))
    });
    run.gpus = said(gpus.sum::<Option<u32>>());
}

fn figures(metric: &Json) -> Spread {
    let unit = match metric.get("units").text().map(|unit| unit.split('/').next().unwrap_or(unit)) {
        Some("ms") => 1e-3,
        Some("us") => 1e-6,
        Some("ns") => 1e-9,
        _ => 1.0,
    };
    let value = |name: &str| metric.get(name).number();
    spread(P50, value, unit)
}

/// ISO 8601's `PT49.97S`, or a number of seconds.
fn duration(json: &Json) -> Option<crate::units::Seconds> {
    let text = json.text().and_then(|text| text.strip_prefix("PT")?.strip_suffix('S'));
    let (minutes, rest) = match text.and_then(|text| text.split_once('M')) {
        Some((minutes, rest)) => (minutes.parse::<f64>().ok()?, Some(rest)),
        None => (0.0, text),
    };
    let number = match rest {
        Some(rest) => rest.parse::<f64>().ok()? + minutes * 60.0,
        None => json.number()?,
    };
    seconds(Some(number), 1.0)
}
