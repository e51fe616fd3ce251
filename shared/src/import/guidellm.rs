//! GuideLLM: `benchmarks.json` of report version 2, and of versions up to 0.3. A file holds one
//! benchmark a load point.

use super::finding::{Finding, What};
use super::json::Json;
use super::read::{Seen, count32, nanos, rate, records, rounded, seconds, spread, token_rate};
use super::run::{AskedRate, Run, Spread, said};
use super::tool::Tool;
use crate::definitions::record::{FailureKind, Outcome};
use crate::units::Nanos;

pub(super) fn recognises(json: &Json) -> bool {
    let first = json.get("benchmarks").list().first();
    first.is_some_and(|benchmark| benchmark.has("metrics") && benchmark.has("requests"))
}

pub(super) fn read(file: &str, json: &Json) -> Vec<Run> {
    json.get("benchmarks").list().iter().map(|benchmark| one(file, json, benchmark)).collect()
}

fn one(file: &str, report: &Json, benchmark: &Json) -> Run {
    let new = benchmark.has("config");
    let mut run = Run::new(file, if new { Tool::GuideLlm } else { Tool::GuideLlmOld });
    let metrics = benchmark.get("metrics");
    run.version = said(report.at(&["metadata", "guidellm_version"]).text().map(str::to_owned));
    let model = [
        benchmark.at(&["config", "backend", "model"]),
        report.at(&["config", "spec", "backend", "model"]),
        benchmark.at(&["worker", "backend_model"]),
    ];
    run.model = said(model.iter().find_map(|model| model.text()).map(str::to_owned));
    let strategy = if new {
        benchmark.at(&["config", "strategy"])
    } else {
        benchmark.at(&["args", "strategy"])
    };
    load(&mut run, strategy);
    run.duration = said(seconds(benchmark.get("duration").number(), 1.0));
    let totals = match metrics.get("request_totals") {
        Json::Null => benchmark.get("request_totals"),
        totals => totals,
    };
    run.completed = said(totals.get("successful").count());
    run.failed = said(totals.get("errored").count());
    let total = |name: &str| rounded(metrics.at(&[name, "successful", "total_sum"]).number());
    run.input_tokens = said(total("prompt_token_count"));
    run.output_tokens = said(total("output_token_count"));
    let mean = |name: &str| metrics.at(&[name, "successful", "mean"]).number();
    run.rate = said(rate(mean("requests_per_second")));
    run.output_rate = said(token_rate(mean("output_tokens_per_second")));
    let figures = |name: &str, unit| figures(metrics.at(&[name, "successful"]), unit).measured();
    run.ttft = figures("time_to_first_token_ms", 1e-3);
    run.tpot = figures("time_per_output_token_ms", 1e-3);
    run.itl = figures("inter_token_latency_ms", 1e-3);
    run.latency = figures("request_latency", 1.0);
    let delay = [
        benchmark.at(&["scheduler_metrics", "request_targeted_start_delay_avg"]),
        benchmark.at(&["run_stats", "request_start_time_targeted_delay_avg"]),
    ];
    let delay = delay.iter().find_map(|delay| delay.number());
    if let Some(mean) = seconds(delay, 1.0)
        && mean.get() > 0.01
    {
        run.note(Finding::amber(What::SentLate { mean }));
    }
    run.records = records(seen(benchmark.get("requests")));
    if run.records.is_some()
        && let (Some(records), Some(&summary)) = (&run.records, run.completed.value())
    {
        let completed = records.requests.iter().filter(|r| r.outcome == Outcome::Completed);
        let records = completed.count() as u64;
        if records != summary {
            // Samples of the requests: nothing can be judged from them.
            run.note(Finding::amber(What::RecordsUnlikeSummary { records, summary }));
            run.records = None;
        }
    }
    let mock = run.model.value().is_some_and(|model| model.contains("mock"));
    if mock {
        run.note(Finding::red(What::Mock));
    }
    run
}

fn load(run: &mut Run, strategy: &Json) {
    let kind = strategy.get("type_").text().unwrap_or_default();
    match kind {
        "constant" | "poisson" => {
            run.load.rate = rate(strategy.get("rate").number()).map(AskedRate::Finite);
        }
        "synchronous" => run.load.concurrency = Some(1),
        "throughput" => {
            run.load.rate = Some(AskedRate::Unlimited);
            run.load.concurrency = count32(strategy.get("max_concurrency"));
        }
        _ => {
            let streams = strategy.get("streams");
            run.load.concurrency =
                count32(streams).or_else(|| count32(strategy.get("max_concurrency")));
        }
    }
}

fn figures(metric: &Json, unit: f64) -> Spread {
    if metric.get("count").count() == Some(0) {
        return Spread::default();
    }
    let names: [&[&str]; 6] = [
        &["mean"],
        &["median"],
        &["percentiles", "p90"],
        &["percentiles", "p95"],
        &["percentiles", "p99"],
        &["max"],
    ];
    spread(names, |path| metric.at(path).number(), unit)
}

fn seen(requests: &Json) -> Vec<Seen> {
    let outcomes = [
        ("successful", Outcome::Completed),
        ("errored", Outcome::Failed(FailureKind::ServerError)),
        // Cut off at the end of the benchmark: nobody's failure.
        ("incomplete", Outcome::Cancelled),
    ];
    let each = outcomes.iter().flat_map(|(name, outcome)| {
        requests.get(name).list().iter().filter_map(|request| one_request(request, *outcome))
    });
    each.collect()
}

fn one_request(request: &Json, outcome: Outcome) -> Option<Seen> {
    let info = match request.get("scheduler_info") {
        Json::Null => request.get("info"),
        info => info,
    };
    let timings = match info.get("timings") {
        Json::Null => info,
        timings => timings,
    };
    let time =
        |names: &[(&Json, &str)]| names.iter().find_map(|(json, name)| json.get(name).number());
    let start = time(&[(request, "start_time"), (timings, "request_start")])?;
    let end = time(&[(request, "end_time"), (timings, "request_end")])?;
    let since = |later: Option<f64>| later.and_then(|later| nanos(later - start, 1.0));
    let target = time(&[(timings, "targeted_start_time"), (timings, "targeted_start")]);
    let first = time(&[(request, "first_token_time"), (timings, "first_token_iteration")]);
    let last = time(&[(request, "last_token_time"), (timings, "last_token_iteration")]);
    let tokens = |names: [&str; 2]| names.iter().find_map(|name| count32(request.get(name)));
    Some(Seen {
        // Seconds since 1970 in a float: exact to some 200 ns.
        sent: nanos(start, 1.0).map(|start| start.0),
        late: target.map(|target| nanos(start - target, 1.0).unwrap_or(Nanos(0))),
        ttft: since(first),
        last: since(last),
        end: since(Some(end))?,
        isl: tokens(["prompt_tokens", "input_tokens"]),
        osl: count32(request.get("output_tokens")),
        outcome: Some(outcome),
        error: request.get("error").text().map(str::to_owned),
        ..Seen::default()
    })
}
