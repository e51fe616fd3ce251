//! Small inputs of every format, written for these tests, with the traps of the real ones.

use super::*;
use crate::definitions::measured::Measured;
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::{FailureKind, Outcome};

fn one(name: &str, text: &str) -> Run {
    let found = import(&[File { name, bytes: text.as_bytes() }]);
    assert_eq!(found.refused, [], "{name}");
    assert_eq!(found.runs.len(), 1, "{name}");
    found.runs.into_iter().next().unwrap()
}

fn marks(run: &Run, name: &str) -> Option<Mark> {
    let found = run
        .findings
        .iter()
        .find(|finding| serde_json::to_value(&finding.what).unwrap()["what"] == name);
    found.map(|finding| finding.mark)
}

fn value<T: Copy + Into<f64>>(measured: &Measured<T>) -> f64 {
    (*measured.value().unwrap()).into()
}

fn sheet() -> PromiseSheet {
    serde_json::from_value(serde_json::json!({
        "name": "t", "itl_ms": 40, "queue_ms": 300, "success": 0.99, "attainment": 0.99,
        "itl_rule": {"rule": "gap_share", "q": 0.99, "stall_ms": 400},
        "tiers": [{"name": "all", "isl_min": 1, "isl_max": 9999, "ttft_ms": 200, "tpot_ms": 50}],
    }))
    .unwrap()
}

const VLLM: &str = r#"{"date": "20260101-000000", "backend": "vllm", "model_id": "m", "tokenizer_id": "m",
 "num_prompts": 4, "request_rate": 2.0, "burstiness": 1.0, "max_concurrency": null, "duration": 8.0,
 "completed": 3, "total_input_tokens": 60, "total_output_tokens": 7, "request_throughput": 0.375,
 "request_goodput:": null, "output_throughput": 0.875,
 "input_lens": [10, 20, 30, 40], "output_lens": [3, 3, 1, 0], "ttfts": [0.1, 0.15, 0.1, 0.0],
 "itls": [[0.03, 0.03], [0.03, 0.39], [], []], "generated_texts": ["a", "b", "c", ""],
 "errors": ["", "", "", "Timeout on reading data from socket"],
 "mean_ttft_ms": 116.7, "median_ttft_ms": 100.0, "p99_ttft_ms": 149.0, "mean_tpot_ms": 120.0,
 "mean_itl_ms": 120.0, "median_itl_ms": 30.0, "p99_itl_ms": 383.0}"#;

#[test]
fn vllm_is_read_with_its_arrays_in_seconds_and_its_misspelt_key() {
    let run = one("vllm.json", VLLM);
    assert_eq!(run.tool, Tool::Vllm);
    assert_eq!(run.load.rate, Some(AskedRate::Finite(crate::units::Rate::new(2.0).unwrap())));
    assert_eq!(run.failed, Measured::Value(1));
    assert!((run.ttft.value().unwrap().p99.unwrap().get() - 0.149).abs() < 1e-12);
    assert_eq!(marks(&run, "known_trap"), Some(Mark::Green));
    // 2 of 8 seconds are sending; the rest is the emptying.
    assert_eq!(marks(&run, "drain"), Some(Mark::Red));
    assert_eq!(marks(&run, "no_send_times"), Some(Mark::Amber));
    assert_eq!(marks(&run, "short_answers"), Some(Mark::Amber));
    let records = run.records.as_ref().unwrap();
    assert_eq!(records.requests[3].outcome, Outcome::Failed(FailureKind::Timeout));
    assert_eq!(records.requests[0].events, 3);

    // The rule decides: mean gaps pass where a worst gap does not; the failed one never does.
    let judged = judge(&run, &sheet()).unwrap();
    assert_eq!(judged.tiers[0].valid, 4);
    assert_eq!(judged.tiers[0].compliant_by_rule, [2, 2, 2]);
    assert!((value(&judged.goodput) - 4.0 / 8.0).abs() < 1e-12, "3 + 1 tokens in 8 s");
    assert!(!judged.timed);
    let bound = |verdict| {
        matches!(
            verdict,
            crate::definitions::judge::Verdict::Held | crate::definitions::judge::Verdict::Broken
        )
    };
    assert!(judged.promises.iter().all(|promise| !bound(promise.verdict)));
    assert_eq!(to_bundle(&[run], &sheet(), &[]).map(|_| ()), None, "no times, no steps");
}

#[test]
fn vllm_with_times_of_sending_becomes_a_bundle_that_is_never_signed() {
    let timed = VLLM
        .replace("\"input_lens\"", "\"start_times\": [100.0, 100.5, 101.0, 101.5], \"input_lens\"");
    let slower = timed.replace("\"request_rate\": 2.0", "\"request_rate\": 1.0");
    let files = [("a.json", &timed), ("b.json", &slower)]
        .map(|(name, text)| File { name, bytes: text.as_bytes() });
    let found = import(&files);
    let rates: Vec<_> = found.runs.iter().map(|run| run.sort_rate().unwrap()).collect();
    assert_eq!(rates, [1.0, 2.0], "a sweep is sorted by rate");
    let bundle = to_bundle(&found.runs, &sheet(), &[]).unwrap();
    let bytes = crate::bundle::write(&bundle).unwrap();
    let (bundle, _) = crate::bundle::open(&bytes).unwrap();
    assert_eq!(bundle.manifest.steps.len(), 2);
    assert_eq!(bundle.requests.len(), 8);
    assert_eq!(bundle.gaps[&(1, 0)].len(), 4);
    let capacity = crate::bundle::judged::of_bundle(&bundle);
    assert_eq!(capacity.steps.len(), 2);
    let refused = crate::signoff::SignedNumbers::of(&bundle.manifest, &capacity);
    assert_eq!(refused, Err(crate::signoff::Unsignable::Imported));
}

#[test]
fn an_unlimited_rate_is_no_rate() {
    let run = one("vllm.json", &VLLM.replace("2.0, \"burst", "\"inf\", \"burst"));
    assert_eq!(run.load.rate, Some(AskedRate::Unlimited));
    assert!(!run.load.is_open());
    assert_eq!(marks(&run, "closed_loop"), Some(Mark::Amber));
}

#[test]
fn sglang_writes_infinity_and_a_zero_ttft_is_refused() {
    let run = one(
        "s.jsonl",
        r#"{"backend": "sglang", "dataset_name": "random", "request_rate": Infinity,
        "max_concurrency": 16, "sharegpt_output_len": null, "duration": 10.0, "completed": 300,
        "total_input_tokens": 3000, "total_output_tokens": 3000, "total_output_tokens_retokenized": 0,
        "request_throughput": 30.0, "output_throughput": 300.0, "mean_e2e_latency_ms": 500.0,
        "mean_ttft_ms": 0.0, "median_ttft_ms": 0.0, "p99_ttft_ms": 0.0, "mean_tpot_ms": 4.7,
        "mean_itl_ms": 0.0, "median_itl_ms": 0.0, "concurrency": 15.0}"#,
    );
    assert_eq!(run.tool, Tool::SgLang);
    assert_eq!(run.load.rate, Some(AskedRate::Unlimited));
    assert_eq!(marks(&run, "ttft_zero"), Some(Mark::Red));
    assert_eq!(run.mark(), Mark::Red);
    assert_eq!(run.failed.value(), None, "not stated is not 0");
}

const AIPERF: &str = r#"{"schema_version": "1.3", "aiperf_version": "0.10.0",
 "request_throughput": {"unit": "requests/sec", "avg": 2.0},
 "request_latency": {"unit": "ms", "avg": 1100.0, "p99": 1200.0},
 "request_count": {"unit": "requests", "avg": 2.0},
 "time_to_first_token": {"unit": "ms", "avg": 100.0, "p99": 120.0},
 "inter_token_latency": {"unit": "ms", "avg": 100.0, "p99": 110.0},
 "inter_chunk_latency": {"unit": "ms", "avg": 100.0, "p99": 400.0},
 "output_token_throughput": {"unit": "tokens/sec", "avg": 22.0},
 "total_isl": {"unit": "tokens", "avg": 200.0}, "total_osl": {"unit": "tokens", "avg": 22.0},
 "benchmark_duration": {"unit": "sec", "avg": 1.0},
 "osl_mismatch_diff_pct": {"unit": "%", "avg": -73.0},
 "input_config": {"models": {"items": [{"name": "m"}]}, "phases": [{"name": "warmup", "concurrency": 1},
  {"name": "profiling", "concurrency": 4}]}, "error_summary": []}"#;

fn aiperf_line(start: u64, phase: &str) -> String {
    format!(
        r#"{{"metadata": {{"session_num": 0, "conversation_id": null, "turn_index": 0,
        "request_start_ns": {start}, "request_end_ns": {}, "benchmark_phase": "{phase}",
        "was_cancelled": false}}, "metrics": {{"output_sequence_length": {{"value": 3, "unit": "tokens"}},
        "input_sequence_length": {{"value": 100, "unit": "tokens"}},
        "time_to_first_token": {{"value": 31.5, "unit": "ms"}},
        "request_latency": {{"value": 61.5, "unit": "ms"}},
        "inter_chunk_latency": {{"value": [10.0, 20.0], "unit": "ms"}}}}, "error": null}}"#,
        start + 62_000_000
    )
    .replace('\n', " ")
}

#[test]
fn aiperf_summary_records_and_power_find_each_other() {
    let records: Vec<String> = [
        (1_762_551_534_797_067_827, "warmup"),
        (1_762_551_535_000_000_000, "profiling"),
        (1_762_551_536_000_000_000, "profiling"),
    ]
    .map(|(start, phase)| aiperf_line(start, phase))
    .into();
    let records = records.join("\n");
    let scrape = |time: u64, port: u16, energy: f64| {
        format!(
            r#"{{"timestamp_ns": {time}, "dcgm_url": "http://localhost:{port}/metrics", "gpu_uuid": "GPU-1",
            "gpu_model_name": "G", "telemetry_data": {{"energy_consumption": {energy}}}}}"#
        )
        .replace('\n', " ")
    };
    let power = [
        scrape(0, 9400, 32.0),
        scrape(1, 9402, 32.0),
        scrape(10_000_000_000, 9400, 32.001),
        scrape(10_000_000_001, 9402, 32.001),
    ]
    .join("\n");
    let files = [
        ("run/profile_export_aiperf.json", AIPERF),
        ("run/profile_export.jsonl", records.as_str()),
        ("run/gpu_telemetry_export.jsonl", power.as_str()),
    ]
    .map(|(name, text)| File { name, bytes: text.as_bytes() });
    let found = import(&files);
    assert_eq!(found.refused, []);
    assert_eq!(found.runs.len(), 1);
    let run = &found.runs[0];
    assert_eq!(run.load.concurrency, Some(4));
    assert_eq!(run.gpus, Measured::Value(1), "two addresses, one device");
    assert!((value(&run.power) - 100.0).abs() < 0.5, "0.001 MJ in 10 s: {:?}", run.power);
    assert_eq!(marks(run, "devices_twice"), Some(Mark::Amber));
    assert_eq!(marks(run, "stalls_hidden"), Some(Mark::Amber));
    assert_eq!(marks(run, "output_not_as_asked"), Some(Mark::Amber));
    assert_eq!(marks(run, "per_token_identity"), Some(Mark::Green));
    let records = run.records.as_ref().unwrap();
    assert_eq!(records.requests.len(), 2, "the warm-up is left out");
    assert!(records.sent_known && !records.intended_known);
    assert_eq!(records.requests[1].sent.0, 1_000_000_000);
    assert_eq!(records.requests[0].gaps.unwrap().max.0, 20_000_000);
    // Telemetry by itself is no result.
    let alone = import(&files[2..]);
    assert!(matches!(alone.refused[..], [ImportError::Alone { .. }]));
}

#[test]
fn guidellm_names_both_clocks_and_cuts_are_nobodys_failure() {
    let run = one(
        "g.json",
        r#"{"benchmarks": [{"args": {"strategy": {"type_": "constant", "rate": 2.0}},
        "run_stats": {"request_start_time_targeted_delay_avg": 0.63},
        "worker": {"backend_model": "m"}, "duration": 10.0,
        "request_totals": {"successful": 1, "errored": 0, "incomplete": 1, "total": 2},
        "metrics": {"requests_per_second": {"successful": {"mean": 2.0, "count": 1}},
          "time_to_first_token_ms": {"successful": {"mean": 20.0, "count": 1, "percentiles": {"p99": 21.0}}},
          "time_per_output_token_ms": {"successful": {"mean": 6.0, "count": 1}},
          "inter_token_latency_ms": {"successful": {"mean": 5.0, "median": 5.0, "count": 1}}},
        "requests": {"successful": [{"scheduler_info": {"targeted_start_time": 99.9},
          "prompt_tokens": 257, "output_tokens": 128, "start_time": 100.0, "end_time": 100.7,
          "first_token_time": 100.02, "last_token_time": 100.69}],
          "errored": [], "incomplete": [{"scheduler_info": {"targeted_start_time": 101.0},
          "start_time": 101.0, "end_time": 101.1}]}}]}"#,
    );
    assert_eq!(run.tool, Tool::GuideLlmOld);
    assert_eq!(marks(&run, "sent_late"), Some(Mark::Amber));
    let records = run.records.as_ref().unwrap();
    assert!(records.sent_known && records.intended_known);
    let [first, cut] = &records.requests[..] else { panic!("two records") };
    // A float of seconds since 1970 would be exact to some 200 ns; this one is exacter.
    assert!(first.send_lag().0.abs_diff(100_000_000) < 1_000, "{:?}", first.send_lag());
    assert_eq!(cut.outcome, Outcome::Cancelled);
    assert_eq!(marks(&run, "no_gaps"), Some(Mark::Amber));
    // Only the mean of gaps can be told: the others need gaps that nobody kept.
    assert!(judge(&run, &sheet()).unwrap().counts.unknown_gaps > 0);
}

const STAGE: &str = r#"{"load_summary": {"count": 400, "schedule_delay": {"mean": 20.0},
 "requested_rate": 180.0, "achieved_rate": 100.0},
 "successes": {"count": 400, "latency": {"request_latency": {"mean": 1.1},
 "time_per_output_token": {"mean": 0.005}, "time_to_first_token": {"mean": 0.1, "p99": 0.3},
 "inter_token_latency": {"mean": 0.005, "median": 0.00005}},
 "throughput": {"requests_per_sec": 100.0, "output_tokens_per_sec": 10100.0},
 "prompt_len": {"mean": 200.0}, "output_len": {"mean": 101.0}}, "failures": {"count": 0}}"#;

#[test]
fn inference_perf_stages_are_load_points_and_their_sum_is_none() {
    let server = r#"{"load_summary": {}, "successes": {"count": 800, "time_per_output_token": {"mean": 0.01}}}"#;
    let files = [
        ("r/stage_1_lifecycle_metrics.json", STAGE),
        ("r/stage_1_prometheus_metrics.json", server),
        ("r/summary_lifecycle_metrics.json", STAGE),
    ]
    .map(|(name, text)| File { name, bytes: text.as_bytes() });
    let found = import(&files);
    assert_eq!(found.runs.len(), 1);
    let run = &found.runs[0];
    assert_eq!(marks(run, "not_sent_as_asked"), Some(Mark::Red));
    assert_eq!(marks(run, "per_token_identity"), Some(Mark::Red), "5 ms stated, 10 ms implied");
    assert_eq!(marks(run, "gaps_share_time"), Some(Mark::Red));
    assert_eq!(marks(run, "server_count"), Some(Mark::Red));
    assert_eq!(marks(run, "sent_late"), Some(Mark::Red));
    assert_eq!(run.findings.first().unwrap().mark, Mark::Red, "the worst first");
}

#[test]
fn inference_perf_records_share_a_time_within_an_event() {
    let run = one(
        "per_request_lifecycle_metrics.json",
        r#"[{"start_time": 5.0, "end_time": 5.5, "request": "{}", "response": "x",
        "info": {"input_tokens": 7, "output_tokens": 4, "output_token_times": [5.1, 5.1, 5.3, 5.4]},
        "error": null},
        {"start_time": 5.2, "end_time": 5.3, "info": {"input_tokens": 7, "output_tokens": 0,
        "output_token_times": []}, "error": {"error_type": "ClientError", "error_msg": "429 Too Many Requests"}}]"#,
    );
    let records = run.records.unwrap();
    assert_eq!(records.requests[0].events, 3);
    assert_eq!(records.requests[1].outcome, Outcome::Failed(FailureKind::Rejected));
}

#[test]
fn llmperf_hides_the_first_token_in_its_itl() {
    let summary = r#"{"version": "2023-08-31", "model": "m", "num_concurrent_requests": 5,
        "results_inter_token_latency_s_mean": 0.0054, "results_ttft_s_mean": 0.23,
        "results_end_to_end_latency_s_mean": 0.81, "results_number_output_tokens_mean": 150,
        "results_num_completed_requests": 150, "results_number_errors": 0}"#;
    let responses = r#"[{"error_code": null, "error_msg": "", "inter_token_latency_s": 0.005,
        "ttft_s": 0.2, "end_to_end_latency_s": 0.8, "number_output_tokens": 150, "number_input_tokens": 550},
        {"error_code": -100, "error_msg": "", "inter_token_latency_s": 5.04, "ttft_s": 5.04,
        "end_to_end_latency_s": 5.04, "number_output_tokens": 9, "number_input_tokens": 550}]"#;
    let files = [("x_summary.json", summary), ("x_individual_responses.json", responses)]
        .map(|(name, text)| File { name, bytes: text.as_bytes() });
    let found = import(&files);
    assert_eq!(found.runs.len(), 1);
    let run = &found.runs[0];
    assert_eq!(marks(run, "per_token_identity"), Some(Mark::Red));
    assert_eq!(marks(run, "whole_answer_in_one_event"), Some(Mark::Red));
    assert_eq!(marks(run, "short_answers_called_errors"), Some(Mark::Red));
    assert_eq!(marks(run, "records_unlike_summary"), Some(Mark::Red), "2 records, 150 in all");
}

#[test]
fn inferencex_rows_are_in_seconds_and_their_gaps_carry_several_tokens() {
    let run = one(
        "agg.json",
        r#"{"hw": "mi355x", "conc": 64, "image": "v", "model": "m", "tp": 8, "disagg": false,
        "tput_per_gpu": 234.0, "output_tput_per_gpu": 26.0, "mean_ttft": 3.5, "p99_ttft": 25.8,
        "mean_tpot": 0.3, "mean_itl": 0.84, "median_itl": 0.9, "mean_e2el": 279.8, "std_intvty": 69.0}"#,
    );
    assert_eq!(run.gpus, Measured::Value(8));
    assert!((value(&run.output_rate) - 208.0).abs() < 1e-9);
    assert_eq!(marks(&run, "many_tokens_an_event"), Some(Mark::Amber));
    assert_eq!(marks(&run, "meaningless"), Some(Mark::Green));
}

#[test]
fn mlperf_counts_from_the_scheduled_time_and_can_be_invalid() {
    let text = "====\nMLPerf Results Summary\n====\nScenario : Server\n\
        Completed samples per second    : 81.68\nCompleted tokens per second: 24593.77\n\
        Result is : INVALID\n  Min duration satisfied : Yes\n\
        Scheduled samples per second : 83.90\nMean latency (ns)   : 43579602295\n\
        99.00 percentile first token latency (ns)   : 1914647645\n";
    let run = one("mlperf_log_summary.txt", text);
    assert_eq!(run.definitions.clock, Clock::Scheduled);
    assert!((run.ttft.value().unwrap().p99.unwrap().get() - 1.914_647_645).abs() < 1e-12);
    assert_eq!(marks(&run, "declared_invalid"), Some(Mark::Red));
    assert_eq!(marks(&run, "not_sent_as_asked"), Some(Mark::Amber), "81.68 of 83.90");
    let log = r#":::MLLOG {"key": "result_query_count", "value": 73728, "time_ms": 1.0}
:::MLLOG {"key": "result_completed_samples_per_sec", "value": 81.68}
:::MLLOG {"key": "result_validity", "value": "VALID"}"#;
    let run = one("mlperf_log_detail.txt", log);
    assert_eq!(run.completed, Measured::Value(73_728));
    assert_eq!(marks(&run, "declared_invalid"), None);
}

#[test]
fn evalscope_genai_bench_and_llmd_are_read() {
    let run = one(
        "perf.json",
        r#"{"runs": [{"parallel": 10, "number": 100, "rate": null, "total_requests": 100,
        "succeed_requests": 99, "percentile_columns": ["Percentile", "TTFT (s)", "TPOT (s)", "Latency (s)"],
        "percentile_rows": [["50%", 0.2, 0.03, 1.8], ["99%", 0.4, 0.045, 3.4]]}]}"#,
    );
    assert_eq!((run.tool, run.failed.clone()), (Tool::EvalScope, Measured::Value(1)));
    assert!((run.ttft.value().unwrap().p99.unwrap().get() - 0.4).abs() < 1e-12);

    let bench = r#"{"aggregated_metrics": {"scenario": "D(100,100)", "num_concurrency": 1,
        "requests_per_minute": 32.0, "num_completed_requests": 2, "num_error_requests": 0,
        "stats": {"ttft": {"mean": 0.05, "p99": 0.47}, "e2e_latency": {"mean": 1.84}}},
        "individual_request_metrics": [{"ttft": 0.67, "e2e_latency": 2.53, "num_input_tokens": 92,
        "num_output_tokens": 100, "error_code": null}]}"#;
    let experiment = r#"{"traffic_scenario": ["D(100,100)"], "num_concurrency": [1], "api_backend": "openai",
        "model": "m", "server_gpu_type": "H100", "server_gpu_count": "4"}"#;
    let files = [("D_100.json", bench), ("experiment_metadata.json", experiment)]
        .map(|(name, text)| File { name, bytes: text.as_bytes() });
    let found = import(&files);
    assert_eq!(found.refused, []);
    assert_eq!(found.runs[0].gpus, Measured::Value(4), "written as a text");
    assert!((value(&found.runs[0].rate) - 32.0 / 60.0).abs() < 1e-12);

    let run = one(
        "report.yaml",
        "results:\n  request_performance:\n    aggregate:\n      latency:\n        time_to_first_token:\n          \
         mean: 36.9\n          p99: 50.3\n          units: ms\n      requests:\n        failures: 1\n        \
         total: 500\n        output_length:\n          mean: 10.0\nrun:\n  time:\n    duration: PT49.97S\n\
         scenario:\n  load:\n    standardized:\n      concurrency: .inf\n      rate_qps: 10.0\n  stack:\n  - \
         standardized:\n      accelerator:\n        count: 8\n        model: H100\n      kind: inference_engine\n      \
         model:\n        name: m\n      replicas: 2\nversion: 0.2.1\n",
    );
    assert_eq!(run.tool, Tool::LlmD);
    assert!((run.ttft.value().unwrap().p99.unwrap().get() - 0.0503).abs() < 1e-12);
    assert_eq!(
        (run.gpus.clone(), run.completed.clone()),
        (Measured::Value(16), Measured::Value(499))
    );
    assert!((value(&run.duration) - 49.97).abs() < 1e-12);
    assert!(run.load.is_open(), "an infinite cap is none");
}

#[test]
fn what_is_no_result_is_refused_with_what_to_do() {
    for (name, bytes) in [
        ("a.json", &b"{\"hello\": 1}"[..]),
        ("b.json", b"{\"hello\": "),
        ("c.db", b"SQLite format 3\0abc"),
        ("d.bin", &[0xff, 0xfe, 0x00]),
        ("e.yaml", b"api:\n  type: completion\n"),
        ("f.txt", b""),
        ("g.json", b"[[[[[[1]]]]]]"),
    ] {
        let found = import(&[File { name, bytes }]);
        assert_eq!(found.runs, [], "{name}");
        let said = found.refused[0].to_string();
        assert!(said.starts_with(name) && said.contains(": "), "{said}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(import(&[File { name: "deep.json", bytes: deep.as_bytes() }]).refused.len(), 1);
}
