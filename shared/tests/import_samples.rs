//! Real files of other tools, where they are at hand: the audit must find what is known to be
//! wrong with them.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test reads files and says what it skipped; the crate itself does neither"
)]

use std::path::{Path, PathBuf};

use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::import::{File, Import, Mark, import, judge};

fn samples() -> Option<PathBuf> {
    let folder = std::env::var_os("TOKENCAP_SAMPLES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/samples/results"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no sample results beside this repository");
    None
}

fn imported(folder: &Path, names: &[&str]) -> Import {
    let files: Vec<(String, Vec<u8>)> = names
        .iter()
        .map(|name| ((*name).to_owned(), std::fs::read(folder.join(name)).expect("a sample")))
        .collect();
    let files: Vec<File<'_>> = files.iter().map(|(name, bytes)| File { name, bytes }).collect();
    import(&files)
}

/// Names of the findings of one mark.
fn found(import: &Import, run: usize, mark: Mark) -> Vec<String> {
    let findings = import.runs[run].findings.iter().filter(|finding| finding.mark == mark);
    findings
        .map(|finding| {
            let json = serde_json::to_value(&finding.what).expect("JSON");
            json["what"].as_str().expect("a name").to_owned()
        })
        .collect()
}

#[test]
fn what_is_known_to_be_wrong_with_real_files_is_found() {
    let Some(folder) = samples() else { return };
    for (files, red, amber) in [
        (
            &[
                "inference-perf/stage_3_lifecycle_metrics.json",
                "inference-perf/stage_3_prometheus_metrics.json",
            ][..],
            &["per_token_identity", "gaps_share_time", "server_count"][..],
            &[][..],
        ),
        (
            &["inference-perf/stage_6_lifecycle_metrics.json"],
            &["not_sent_as_asked", "sent_late"],
            &[],
        ),
        (
            &["vllm/llama33_70b_tp8_sharegpt_qps_16.json"],
            &["drain"],
            &["short_answers", "no_send_times"],
        ),
        (
            &["aiperf/schema13_qwen36_agent_c16_ABRIDGED.json"],
            &[],
            &["stalls_hidden", "output_not_as_asked"],
        ),
        (
            &[
                "aiperf/qwen_concurrency1_profile_export_aiperf.json",
                "aiperf/qwen_concurrency1_gpu_telemetry_export.jsonl",
            ],
            &[],
            &["devices_twice", "closed_loop"],
        ),
        (
            &["llmperf/summary_groq_70b.json", "llmperf/individual_groq_70b.json"],
            &["per_token_identity"],
            &["closed_loop"],
        ),
        (
            &[
                "inferencex/agg_kimik2.5_8k1k_int4_vllm_tp8-ep1-dpafalse_disagg-false_spec-mtp_conc64_MI355-gbt350-odcdh5-wbb3.json",
            ],
            &[],
            &["many_tokens_an_event"],
        ),
        (&["sglang/issue12389_random_inf.jsonl"], &["ttft_zero"], &["closed_loop"]),
        (
            &["mlperf/mlperf_log_summary.txt", "mlperf/mlperf_log_detail.txt"],
            &[],
            &["not_sent_as_asked"],
        ),
    ] {
        let import = imported(&folder, files);
        assert_eq!(import.refused, [], "{files:?}");
        assert_eq!(import.runs.len(), 1, "{files:?}: parts of one result");
        let (reds, ambers) = (found(&import, 0, Mark::Red), found(&import, 0, Mark::Amber));
        for name in red {
            assert!(reds.iter().any(|found| found == name), "{files:?}: {name} in {reds:?}");
        }
        for name in amber {
            assert!(ambers.iter().any(|found| found == name), "{files:?}: {name} in {ambers:?}");
        }
        if red.is_empty() {
            assert_eq!(reds, [""; 0], "{files:?}");
        }
    }
}

#[test]
fn every_real_file_is_read_or_refused_with_a_reason() {
    let Some(folder) = samples() else { return };
    for (file, runs) in [
        ("guidellm/guidellm_report_v2.json", 2),
        ("guidellm/benchmarks_stripped.json", 1),
        ("evalscope/perf-detail.json", 1),
        ("evalscope/perf-single-run.json", 1),
        ("genai-bench/mock_run_data.json", 1),
        ("inferencex/glm5_fp8_vllm_tp8_isl10240_osl128_conc16.json", 1),
        ("llm-d-br_v0_2_1_example.yaml", 1),
        ("inference-perf/llmd_inference_perf_lifecycle.yaml", 1),
        ("inference-perf/summary_lifecycle_metrics.json", 1),
        ("aiperf/qwen_concurrency1_profile_export.jsonl", 1),
        ("inference-perf/config.yaml", 0),
        ("SOURCES.md", 0),
    ] {
        let import = imported(&folder, &[file]);
        assert_eq!(import.runs.len(), runs, "{file}: {:?}", import.refused);
        assert_eq!(import.refused.len(), usize::from(runs == 0), "{file}: {:?}", import.refused);
    }
}

#[test]
fn the_itl_rule_moves_attainment_of_a_real_file_from_all_to_a_third() {
    let Some(folder) = samples() else { return };
    let import = imported(&folder, &["vllm/llama33_70b_tp8_sharegpt_qps_16.json"]);
    let sheet: PromiseSheet = serde_json::from_value(serde_json::json!({
        "name": "t", "itl_ms": 40, "queue_ms": 300, "success": 0.99, "attainment": 0.99,
        "itl_rule": {"rule": "worst_gap"},
        "tiers": [{"name": "all", "isl_min": 1, "isl_max": 99_999, "ttft_ms": 200, "tpot_ms": 50}],
    }))
    .expect("a valid sheet");
    let judged = judge(&import.runs[0], &sheet).expect("it has records");
    let tier = &judged.tiers[0];
    assert_eq!(tier.valid, 200);
    let [_, worst, mean] = tier.compliant_by_rule;
    assert_eq!((worst, mean), (78, 200), "39 % and 100 %");
}
