//! EvalScope's perf: the summary and percentiles of a run, and the two JSON answers of its web
//! page. Its SQLite database is not read.

use super::json::Json;
use super::read::{count32, rate, rounded, seconds, spread, token_rate};
use super::run::{AskedRate, Run, said};
use super::tool::Tool;
use crate::definitions::measured::Measured;

pub(super) fn recognises_page(json: &Json) -> bool {
    json.has("summary_rows") && json.has("basic_info")
}

pub(super) fn recognises_runs(json: &Json) -> bool {
    json.get("runs").list().first().is_some_and(|run| run.has("percentile_rows"))
}

pub(super) fn recognises_summary(json: &Json) -> bool {
    json.has("Time taken for tests (s)") || json.has("Output token throughput (tok/s)")
}

/// `benchmark_summary.json`.
pub(super) fn read_summary(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::EvalScope);
    let number = |names: &[&str]| names.iter().find_map(|name| json.get(name).number());
    run.load.concurrency = number(&["Number of concurrency"]).map(|count| count as u32);
    run.load.rate = asked(number(&["Request rate (req/s)"]));
    run.duration = said(seconds(number(&["Time taken for tests (s)"]), 1.0));
    run.completed = said(rounded(number(&["Succeed requests"])));
    run.failed = said(rounded(number(&["Failed requests"])));
    run.rate = said(rate(number(&["Request throughput (req/s)"])));
    run.output_rate = said(token_rate(number(&["Output token throughput (tok/s)"])));
    let mean = |names: &[&str]| {
        let mean = seconds(number(names), 1.0);
        super::run::Spread { mean, ..Default::default() }.measured()
    };
    run.latency = mean(&["Average latency (s)"]);
    run.ttft = mean(&["Average time to first token (s)"]);
    run.tpot = mean(&["Average time per output token (s)"]);
    run
}

/// A rate of −1 stands for a closed loop.
fn asked(value: Option<f64>) -> Option<AskedRate> {
    rate(value).map(AskedRate::Finite)
}

/// The page of a task: one row a load point.
pub(super) fn read_page(file: &str, json: &Json) -> Vec<Run> {
    let each = json.get("summary_rows").list().iter().map(|row| {
        let mut run = Run::new(file, Tool::EvalScope);
        let values = row.get("values");
        let number = |name: &str| values.get(name).number();
        run.model = said(json.get("model").text().map(str::to_owned));
        run.load.concurrency = count32(values.get("concurrency"));
        run.load.rate = asked(number("request_rate"));
        run.completed = said(row.at(&["sample_counts", "request_throughput"]).count());
        let total = json.get("total_requests").count();
        if json.get("num_runs").count() == Some(1)
            && let (Some(total), Some(&done)) = (total, run.completed.value())
        {
            run.failed = said(total.checked_sub(done));
        }
        run.rate = said(rate(number("request_throughput")));
        run.output_rate = said(token_rate(number("output_token_throughput")));
        let mean = seconds(number("avg_latency"), 1.0);
        run.latency = super::run::Spread { mean, ..Default::default() }.measured();
        run
    });
    each.collect()
}

/// The runs of a task: percentiles as a table with named columns.
pub(super) fn read_runs(file: &str, json: &Json) -> Vec<Run> {
    let each = json.get("runs").list().iter().map(|entry| {
        let mut run = Run::new(file, Tool::EvalScope);
        run.load.concurrency = count32(entry.get("parallel"));
        run.load.rate = asked(entry.get("rate").number());
        let (total, done) =
            (entry.get("total_requests").count(), entry.get("succeed_requests").count());
        run.completed = said(done);
        run.failed = said(total.zip(done).and_then(|(total, done)| total.checked_sub(done)));
        let columns = entry.get("percentile_columns").list();
        let column = |name: &str| columns.iter().position(|column| column.text() == Some(name));
        let cell = |percentile: &str, column: Option<usize>| {
            let rows = entry.get("percentile_rows").list();
            let row = rows
                .iter()
                .find(|row| row.list().first().and_then(Json::text) == Some(percentile))?;
            row.list().get(column?)?.number()
        };
        let figures = |name: &str| {
            let column = column(name);
            let names = [None, Some("50%"), Some("90%"), Some("95%"), Some("99%"), None];
            spread(names, |name| cell(name?, column), 1.0).measured()
        };
        run.ttft = figures("TTFT (s)");
        run.tpot = figures("TPOT (s)");
        run.latency = figures("Latency (s)");
        if let Measured::Value(0) = run.completed {
            run.completed = said(None);
        }
        run
    });
    each.collect()
}
