//! llmperf: a summary with flattened names, and the individual responses. Seconds.
//!
//! Its ITL is the sum of all gaps with TTFT in it, by chunks; its errors include answers that came
//! in one chunk.

use super::finding::{Finding, What};
use super::json::Json;
use super::read::{Seen, count32, nanos, rate, records, rounded, seconds, spread, token_rate};
use super::run::{Run, said};
use super::tool::Tool;
use crate::definitions::measured::Measured;
use crate::definitions::record::{FailureKind, Outcome};

/// The code that llmperf gives to answers which are too short for it.
const TOO_SHORT: f64 = -100.0;

pub(super) fn recognises_summary(json: &Json) -> bool {
    json.has("results_ttft_s_mean") || json.has("results_inter_token_latency_s_mean")
}

pub(super) fn recognises_record(json: &Json) -> bool {
    json.has("ttft_s") && json.has("end_to_end_latency_s")
}

pub(super) fn read_summary(file: &str, json: &Json) -> Run {
    let mut run = Run::new(file, Tool::LlmPerf);
    let number = |name: &str| json.get(name).number();
    run.version = said(json.get("version").text().map(str::to_owned));
    run.model = said(json.get("model").text().map(str::to_owned));
    run.load.concurrency = count32(json.get("num_concurrent_requests"));
    run.completed = said(json.get("results_num_completed_requests").count());
    run.failed = said(json.get("results_number_errors").count());
    let tokens = |name: &str| {
        let mean = number(&format!("results_number_{name}_tokens_mean"))?;
        rounded(Some(mean * number("results_num_completed_requests")?))
    };
    run.input_tokens = said(tokens("input"));
    run.output_tokens = said(tokens("output"));
    run.output_rate = said(token_rate(number("results_mean_output_throughput_token_per_s")));
    let a_minute = number("results_num_completed_requests_per_min");
    run.rate = said(rate(a_minute.map(|count| count / 60.0)));
    run.duration = said(seconds(
        a_minute.zip(number("results_num_completed_requests")).map(|(rate, n)| n / rate * 60.0),
        1.0,
    ));
    let figures = |metric: &str| {
        let value = |point: &str| number(&format!("results_{metric}_{point}"));
        spread(
            ["mean", "quantiles_p50", "quantiles_p90", "quantiles_p95", "quantiles_p99", "max"],
            value,
            1.0,
        )
        .measured()
    };
    run.ttft = figures("ttft_s");
    run.itl = figures("inter_token_latency_s");
    run.latency = figures("end_to_end_latency_s");
    run
}

pub(super) fn read_records(file: &str, responses: &[Json]) -> Run {
    let mut run = Run::new(file, Tool::LlmPerf);
    let (mut in_one, mut short, mut failed) = (0, 0, 0);
    let seen = responses.iter().filter_map(|response| {
        let time = |name: &str| response.get(name).number().and_then(|value| nanos(value, 1.0));
        let code = response.get("error_code");
        let too_short = code.number() == Some(TOO_SHORT);
        let bad = !matches!(code, Json::Null) && !too_short;
        let (ttft, end) = (time("ttft_s"), time("end_to_end_latency_s")?);
        let per_token = response.get("inter_token_latency_s").number();
        // The whole answer's time as the time of one token.
        if per_token.is_some_and(|gap| gap >= 0.9 * end.seconds().get()) && end.0 > 0 {
            in_one += 1;
        }
        short += u64::from(too_short);
        failed += u64::from(bad);
        Some(Seen {
            ttft: ttft.filter(|ttft| ttft.0 > 0),
            end,
            isl: count32(response.get("number_input_tokens")),
            osl: count32(response.get("number_output_tokens")),
            outcome: Some(if bad {
                Outcome::Failed(FailureKind::ServerError)
            } else {
                Outcome::Completed
            }),
            error: response
                .get("error_msg")
                .text()
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
            ..Seen::default()
        })
    });
    run.records = records(seen.collect());
    let of = responses.len() as u64;
    if short > 0 {
        run.note(Finding::red(What::ShortAnswersCalledErrors { errors: short, of }));
    }
    if in_one > 0 {
        run.note(Finding::red(What::WholeAnswerInOneEvent { answers: in_one }));
    }
    run.completed = Measured::Value(of - failed);
    run.failed = Measured::Value(failed);
    if let Some(found) = &run.records {
        let total = |of: fn(&crate::definitions::record::Request) -> Option<u32>| {
            found.requests.iter().filter_map(of).map(u64::from).sum::<u64>()
        };
        run.input_tokens = Measured::Value(total(|request| request.isl));
        run.output_tokens = Measured::Value(total(|request| request.osl));
    }
    let means = |name: &str| {
        let values: Vec<f64> = responses.iter().filter_map(|r| r.get(name).number()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        super::run::Spread { mean: seconds(Some(mean), 1.0), ..Default::default() }.measured()
    };
    run.ttft = means("ttft_s");
    run.itl = means("inter_token_latency_s");
    run.latency = means("end_to_end_latency_s");
    run
}
