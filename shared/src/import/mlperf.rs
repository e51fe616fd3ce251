//! MLPerf's loadgen: the summary as text, and the detail log as `:::MLLOG` lines. Nanoseconds;
//! latency from the scheduled time.

use std::collections::BTreeMap;

use super::finding::{Finding, What};
use super::json::Json;
use super::read::{rate, seconds, spread, token_rate};
use super::run::{AskedRate, Run, said};
use super::tool::Tool;

const LOG: &str = ":::MLLOG ";

pub(super) fn recognises_summary(text: &str) -> bool {
    text.contains("MLPerf Results Summary")
}

pub(super) fn recognises_detail(text: &str) -> bool {
    text.trim_start().starts_with(LOG)
}

pub(super) fn read_summary(file: &str, text: &str) -> Run {
    let mut run = Run::new(file, Tool::MlPerf);
    let lines: BTreeMap<&str, &str> = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim(), value.trim()))
        .collect();
    let number = |name: &str| lines.get(name).and_then(|value| value.parse::<f64>().ok());
    run.load.rate = rate(number("Scheduled samples per second")).map(AskedRate::Finite);
    run.rate = said(rate(number("Completed samples per second")));
    run.output_rate = said(token_rate(number("Completed tokens per second")));
    let figures = |what: &str, rank: &str| {
        let ranked = |percent: &str| format!("{percent} percentile {rank}");
        let names = [
            format!("Mean {what}"),
            ranked("50.00"),
            ranked("90.00"),
            ranked("95.00"),
            ranked("99.00"),
            format!("Max {what}"),
        ];
        spread(names, |name| number(&format!("{name} (ns)")), 1e-9).measured()
    };
    run.ttft = figures("First Token latency", "first token latency");
    run.tpot = figures("Time to Output Token", "time to output token");
    run.latency = figures("latency", "latency");
    verdict(&mut run, lines.get("Result is").copied());
    run
}

pub(super) fn read_detail(file: &str, text: &str) -> Result<Run, serde_json::Error> {
    let mut run = Run::new(file, Tool::MlPerf);
    let mut values = BTreeMap::new();
    for line in text.lines().filter_map(|line| line.trim().strip_prefix(LOG)) {
        let entry: Json = serde_json::from_slice(line.as_bytes())?;
        if let Some(key) = entry.get("key").text() {
            values.insert(key.to_owned(), entry.get("value").clone());
        }
    }
    let number = |name: &str| values.get(name).and_then(Json::number);
    run.version = said(values.get("loadgen_version").and_then(Json::text).map(str::to_owned));
    run.load.rate = rate(number("result_scheduled_samples_per_sec")).map(AskedRate::Finite);
    run.rate = said(rate(number("result_completed_samples_per_sec")));
    run.output_rate = said(token_rate(
        number("result_completed_tokens_per_second").or_else(|| number("result_token_throughput")),
    ));
    run.completed = said(values.get("result_query_count").and_then(Json::count));
    run.failed = said(values.get("num_errors").and_then(Json::count));
    run.duration = said(seconds(
        number("result_query_count")
            .zip(number("result_completed_samples_per_sec"))
            .map(|(n, rate)| n / rate),
        1.0,
    ));
    let mean = |what: &str| {
        let mean = seconds(number(what), 1e-9);
        super::run::Spread { mean, ..Default::default() }.measured()
    };
    run.ttft = mean("result_first_token_mean_latency_ns");
    run.tpot = mean("result_time_to_output_token_mean");
    run.latency = mean("result_mean_latency_ns");
    verdict(&mut run, values.get("result_validity").and_then(Json::text));
    Ok(run)
}

fn verdict(run: &mut Run, verdict: Option<&str>) {
    if verdict.is_some_and(|verdict| verdict != "VALID") {
        run.note(Finding::red(What::DeclaredInvalid));
    }
}
