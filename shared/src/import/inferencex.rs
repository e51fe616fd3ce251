//! InferenceX (formerly InferenceMAX): aggregated rows, in seconds. Its raw files are those of a
//! copy of vLLM's client.

use super::finding::{Finding, What};
use super::json::Json;
use super::read::{MEDIAN, count32, spread, token_rate};
use super::run::{Run, said};
use super::tool::Tool;

pub(super) fn recognises(json: &Json) -> bool {
    json.has("tput_per_gpu") && json.has("hw") && json.has("conc")
}

pub(super) fn read(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::InferenceX);
    let text = |name: &str| json.get(name).text().map(str::to_owned);
    run.model = said(text("model"));
    run.version = said(text("image"));
    run.gpu = said(text("hw"));
    run.load.concurrency = count32(json.get("conc"));
    // Disaggregated rows name the GPUs of each pool instead.
    let pools = [json.get("num_prefill_gpu"), json.get("num_decode_gpu")].map(count32);
    let disaggregated = json.get("disagg").truth() == Some(true);
    let gpus = if disaggregated {
        pools[0].zip(pools[1]).map(|(prefill, decode)| prefill + decode)
    } else {
        count32(json.get("tp")).map(|tp| tp * count32(json.get("pp")).unwrap_or(1))
    };
    run.gpus = said(gpus);
    let per_gpu = json.get("output_tput_per_gpu").number();
    run.output_rate =
        said(token_rate(per_gpu.zip(gpus).map(|(rate, gpus)| rate * f64::from(gpus))));
    let figures = |metric: &str| {
        let value = |point: &str| json.get(&format!("{point}_{metric}")).number();
        spread(MEDIAN, value, 1.0).measured()
    };
    run.ttft = figures("ttft");
    run.tpot = figures("tpot");
    run.itl = figures("itl");
    run.latency = figures("e2el");
    if json.has("std_intvty") {
        // 1000 / std_tpot is no deviation of anything; p99_intvty is the slow end.
        run.note(Finding::green(What::Meaningless { field: "std_intvty" }));
    }
    run
}
