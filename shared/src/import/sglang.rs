//! SGLang's bench_serving: one JSON object a line, milliseconds, `Infinity` for no rate.

use super::finding::{Finding, What};
use super::json::Json;
use super::read::{MEDIAN, spread};
use super::run::{Run, said};
use super::tool::Tool;
use super::vllm;

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
    vllm::totals(&mut run, json);
    let figures = |metric: &str| {
        let value = |point: &str| number(&format!("{point}_{metric}_ms"));
        spread(MEDIAN, value, 1e-3).measured()
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
