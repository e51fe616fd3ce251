//! The names that engines and device exporters use, and what they are in the one vocabulary.
//!
//! Of several names for one thing on one page only the first of the table counts: engines keep
//! an old name beside its new one for some versions, and both would be counted twice.

use std::collections::BTreeMap;

use tokencap_shared::definitions::telemetry::{Labels, Metric};

use super::prometheus::Series;

/// How a page's series become samples.
#[derive(Clone, Copy, Debug)]
struct Rule {
    metric: Metric,
    name: &'static str,
    /// Factor to the vocabulary's unit.
    scale: f64,
    /// Rules of one metric and group exclude each other: the earlier in the table wins.
    group: &'static str,
}

const fn rule(metric: Metric, name: &'static str, scale: f64, group: &'static str) -> Rule {
    Rule { metric, name, scale, group }
}

use Metric::{
    EnergyJoules, KvUse, OutputTokens, PowerWatts, Preemptions, PrefixHits, PrefixQueries,
    ProcessStart, PromptTokens, QueueBucket, Running, Utilisation, Waiting,
};

const RULES: &[Rule] = &[
    // vLLM, from V0 to today's names.
    rule(Running, "vllm:num_requests_running", 1.0, "vllm"),
    rule(Waiting, "vllm:num_requests_waiting", 1.0, "vllm"),
    rule(KvUse, "vllm:kv_cache_usage_perc", 1.0, "vllm"),
    rule(KvUse, "vllm:gpu_cache_usage_perc", 1.0, "vllm"),
    rule(PrefixQueries, "vllm:prefix_cache_queries_total", 1.0, "vllm"),
    rule(PrefixQueries, "vllm:prefix_cache_queries", 1.0, "vllm"),
    rule(PrefixQueries, "vllm:gpu_prefix_cache_queries_total", 1.0, "vllm"),
    rule(PrefixQueries, "vllm:gpu_prefix_cache_queries", 1.0, "vllm"),
    rule(PrefixHits, "vllm:prefix_cache_hits_total", 1.0, "vllm"),
    rule(PrefixHits, "vllm:prefix_cache_hits", 1.0, "vllm"),
    rule(PrefixHits, "vllm:gpu_prefix_cache_hits_total", 1.0, "vllm"),
    rule(PrefixHits, "vllm:gpu_prefix_cache_hits", 1.0, "vllm"),
    rule(Preemptions, "vllm:num_preemptions_total", 1.0, "vllm"),
    rule(Preemptions, "vllm:num_preemptions", 1.0, "vllm"),
    rule(QueueBucket, "vllm:request_queue_time_seconds_bucket", 1.0, "vllm"),
    rule(PromptTokens, "vllm:prompt_tokens_total", 1.0, "vllm"),
    rule(OutputTokens, "vllm:generation_tokens_total", 1.0, "vllm"),
    // SGLang. Prompt tokens include cached ones, so they are what the cache was asked for.
    rule(Running, "sglang:num_running_reqs", 1.0, "sglang"),
    rule(Waiting, "sglang:num_queue_reqs", 1.0, "sglang"),
    rule(KvUse, "sglang:token_usage", 1.0, "sglang"),
    rule(PrefixQueries, "sglang:prompt_tokens_total", 1.0, "sglang"),
    rule(PrefixHits, "sglang:cached_tokens_total", 1.0, "sglang"),
    rule(Preemptions, "sglang:num_retracted_requests_total", 1.0, "sglang"),
    rule(QueueBucket, "sglang:queue_time_seconds_bucket", 1.0, "sglang"),
    rule(PromptTokens, "sglang:prompt_tokens_total", 1.0, "sglang"),
    rule(OutputTokens, "sglang:generation_tokens_total", 1.0, "sglang"),
    // TensorRT-LLM, whose reused blocks are no tokens: only its token counters serve.
    rule(Running, "trtllm_num_requests_running", 1.0, "trtllm"),
    rule(Waiting, "trtllm_num_requests_waiting", 1.0, "trtllm"),
    rule(KvUse, "trtllm_kv_cache_utilization", 1.0, "trtllm"),
    rule(PrefixHits, "trtllm_prompt_cached_tokens_total", 1.0, "trtllm"),
    rule(PrefixQueries, "trtllm_prompt_tokens_total", 1.0, "trtllm"),
    rule(QueueBucket, "trtllm_request_queue_time_seconds_bucket", 1.0, "trtllm"),
    rule(PromptTokens, "trtllm_prompt_tokens_total", 1.0, "trtllm"),
    rule(OutputTokens, "trtllm_generation_tokens_total", 1.0, "trtllm"),
    // LMDeploy.
    rule(Running, "lmdeploy:num_requests_running", 1.0, "lmdeploy"),
    rule(Waiting, "lmdeploy:num_requests_waiting", 1.0, "lmdeploy"),
    rule(KvUse, "lmdeploy:gpu_cache_usage_perc", 1.0, "lmdeploy"),
    rule(PrefixHits, "lmdeploy:cached_tokens_total", 1.0, "lmdeploy"),
    rule(PrefixQueries, "lmdeploy:prompt_tokens_total", 1.0, "lmdeploy"),
    rule(QueueBucket, "lmdeploy:request_queue_time_seconds_bucket", 1.0, "lmdeploy"),
    rule(PromptTokens, "lmdeploy:prompt_tokens_total", 1.0, "lmdeploy"),
    rule(OutputTokens, "lmdeploy:generation_tokens_total", 1.0, "lmdeploy"),
    // TGI.
    rule(Running, "tgi_batch_current_size", 1.0, "tgi"),
    rule(Waiting, "tgi_queue_size", 1.0, "tgi"),
    rule(QueueBucket, "tgi_request_queue_duration_bucket", 1.0, "tgi"),
    rule(PromptTokens, "tgi_request_input_length_sum", 1.0, "tgi"),
    rule(OutputTokens, "tgi_request_generated_tokens_sum", 1.0, "tgi"),
    // llama.cpp. Its prompt tokens exclude cached ones; queries are the sum, made in `read`.
    rule(Running, "llamacpp:requests_processing", 1.0, "llamacpp"),
    rule(Waiting, "llamacpp:requests_deferred", 1.0, "llamacpp"),
    rule(KvUse, "llamacpp:kv_cache_usage_ratio", 1.0, "llamacpp"),
    rule(PrefixHits, "llamacpp:prompt_tokens_cached_total", 1.0, "llamacpp"),
    rule(PromptTokens, "llamacpp:prompt_tokens_total", 1.0, "llamacpp"),
    rule(OutputTokens, "llamacpp:tokens_predicted_total", 1.0, "llamacpp"),
    // Dynamo's frontend and workers. Requests in flight there include waiting ones, so they are
    // not what is being computed.
    rule(Waiting, "dynamo_frontend_queued_requests", 1.0, "dynamo"),
    rule(KvUse, "dynamo_component_kvstats_gpu_cache_usage_percent", 1.0, "dynamo"),
    rule(KvUse, "dynamo_component_gpu_cache_usage_percent", 1.0, "dynamo"),
    rule(PrefixHits, "dynamo_frontend_cached_tokens_sum", 1.0, "dynamo"),
    rule(PrefixQueries, "dynamo_frontend_input_sequence_tokens_sum", 1.0, "dynamo"),
    rule(PromptTokens, "dynamo_frontend_input_sequence_tokens_sum", 1.0, "dynamo"),
    rule(OutputTokens, "dynamo_frontend_output_tokens_total", 1.0, "dynamo"),
    // FastDeploy, in vLLM's style.
    rule(Running, "fastdeploy:num_requests_running", 1.0, "fastdeploy"),
    rule(Waiting, "fastdeploy:num_requests_waiting", 1.0, "fastdeploy"),
    rule(QueueBucket, "fastdeploy:request_queue_time_seconds_bucket", 1.0, "fastdeploy"),
    // MindIE, without a prefix of its own.
    rule(Running, "num_requests_running", 1.0, "mindie"),
    rule(Waiting, "num_requests_waiting", 1.0, "mindie"),
    rule(Preemptions, "num_preemptions_total", 1.0, "mindie"),
    rule(PromptTokens, "prompt_tokens_total", 1.0, "mindie"),
    rule(OutputTokens, "generation_tokens_total", 1.0, "mindie"),
    // xLLM.
    rule(Running, "num_running_requests", 1.0, "xllm"),
    rule(Waiting, "num_waiting_requests", 1.0, "xllm"),
    rule(KvUse, "kv_cache_utilization_perc", 1.0, "xllm"),
    // NVIDIA: watts; millijoules since boot; per cent.
    rule(PowerWatts, "DCGM_FI_DEV_POWER_USAGE", 1.0, "dcgm"),
    rule(EnergyJoules, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 1e-3, "dcgm"),
    rule(Utilisation, "DCGM_FI_DEV_GPU_UTIL", 1e-2, "dcgm"),
    rule(PowerWatts, "nvidia_smi_power_draw_watts", 1.0, "nvidia_smi"),
    rule(EnergyJoules, "nvidia_smi_energy_joules_total", 1.0, "nvidia_smi"),
    rule(Utilisation, "nvidia_smi_utilization_gpu_ratio", 1.0, "nvidia_smi"),
    rule(PowerWatts, "nv_gpu_power_usage", 1.0, "triton"),
    rule(EnergyJoules, "nv_energy_consumption", 1.0, "triton"),
    rule(Utilisation, "nv_gpu_utilization", 1.0, "triton"),
    // AMD: watts; microjoules; per cent. Which power there is depends on the chip.
    rule(PowerWatts, "gpu_package_power", 1.0, "amd"),
    rule(PowerWatts, "gpu_average_package_power", 1.0, "amd"),
    rule(PowerWatts, "gpu_power_usage", 1.0, "amd"),
    rule(EnergyJoules, "gpu_energy_consumed", 1e-6, "amd"),
    rule(Utilisation, "gpu_gfx_activity", 1e-2, "amd"),
    // Ascend: watts; no energy.
    rule(PowerWatts, "npu_chip_info_power", 1.0, "ascend"),
    rule(Utilisation, "npu_chip_info_utilization", 1e-2, "ascend"),
    // Any process.
    rule(ProcessStart, "process_start_time_seconds", 1.0, "process"),
];

/// A sample without its time and source.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What it is.
    pub metric: Metric,
    /// Remaining labels.
    pub labels: Labels,
    /// The value in the metric's unit.
    pub value: f64,
    /// It stands on a router's page and repeats what an engine behind it says itself.
    pub of_router: bool,
}

/// Translates a page's series. What is no number, what is a device's word for "not available",
/// and what repeats another series of the page is left out.
#[must_use]
pub fn read(series: &[Series]) -> Vec<Reading> {
    let mut first: BTreeMap<(Metric, &str), usize> = BTreeMap::new();
    let rule_of = |series: &Series| {
        RULES.iter().enumerate().filter(|(_, rule)| rule.name == series.name).collect::<Vec<_>>()
    };
    for series in series {
        for (index, rule) in rule_of(series) {
            let best = first.entry((rule.metric, rule.group)).or_insert(index);
            *best = (*best).min(index);
        }
    }
    let mut readings = Vec::new();
    for series in series {
        if !series.value.is_finite() || is_another_ranks(series) {
            continue;
        }
        for (index, rule) in rule_of(series) {
            if rule.group == "dcgm" && is_blank(series.value) {
                continue;
            }
            if first.get(&(rule.metric, rule.group)) == Some(&index) {
                readings.push(Reading {
                    metric: rule.metric,
                    labels: Labels::new(series.labels.clone()),
                    value: series.value * rule.scale,
                    of_router: rule.group == "vllm" && series.label("server").is_some(),
                });
            }
        }
    }
    add_sum_of_llamacpp(series, &mut readings);
    readings
}

/// Values by which DCGM says "blank" or "not supported", of its integers of 32 and 64 bits and
/// of its floats.
fn is_blank(value: f64) -> bool {
    value >= 9.22e18
        || (2_147_483_632.0..=2_147_483_647.0).contains(&value)
        || (140_737_488_355_328.0..=140_737_488_355_343.0).contains(&value)
}

/// SGLang's tensor- and pipeline-parallel ranks repeat each other's gauges. Data-parallel ranks
/// do not.
fn is_another_ranks(series: &Series) -> bool {
    series.name.starts_with("sglang:")
        && series.label("dp_rank").is_none()
        && ["tp_rank", "pp_rank", "moe_ep_rank"]
            .iter()
            .any(|rank| series.label(rank).is_some_and(|rank| rank != "0"))
}

/// llama.cpp's prefix queries: prompt tokens computed and reused.
fn add_sum_of_llamacpp(series: &[Series], readings: &mut Vec<Reading>) {
    let value = |name: &str| series.iter().find(|series| series.name == name).map(|s| s.value);
    if let (Some(computed), Some(reused)) =
        (value("llamacpp:prompt_tokens_total"), value("llamacpp:prompt_tokens_cached_total"))
    {
        readings.push(Reading {
            metric: PrefixQueries,
            labels: Labels::default(),
            value: computed + reused,
            of_router: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::prometheus::parse;
    use super::*;

    fn readings(page: &str) -> Vec<(Metric, String, f64)> {
        let (series, unreadable) = parse(page);
        assert_eq!(unreadable, 0);
        read(&series).into_iter().map(|r| (r.metric, r.labels.to_string(), r.value)).collect()
    }

    #[test]
    fn an_old_name_beside_its_new_one_is_not_counted_twice() {
        let page = "vllm:gpu_prefix_cache_queries_total 7\nvllm:prefix_cache_queries_total 7\n";
        assert_eq!(readings(page), [(PrefixQueries, String::new(), 7.0)]);
        assert_eq!(readings("vllm:gpu_cache_usage_perc 0.5"), [(KvUse, String::new(), 0.5)]);
    }

    #[test]
    fn every_data_parallel_engine_has_its_series_and_repeating_ranks_have_none() {
        let page = "vllm:num_requests_running{engine=\"1\"} 3\nvllm:num_requests_running{engine=\"0\"} 2\n\
                    sglang:num_running_reqs{tp_rank=\"0\",pp_rank=\"0\"} 5\n\
                    sglang:num_running_reqs{tp_rank=\"1\",pp_rank=\"0\"} 5\n\
                    sglang:num_queue_reqs{tp_rank=\"1\",dp_rank=\"1\"} 4\n";
        assert_eq!(
            readings(page),
            [
                (Running, "engine=1".into(), 3.0),
                (Running, "engine=0".into(), 2.0),
                (Running, "pp_rank=0,tp_rank=0".into(), 5.0),
                (Waiting, "dp_rank=1,tp_rank=1".into(), 4.0),
            ]
        );
    }

    #[test]
    fn energies_are_joules_whatever_the_exporter_counts_in() {
        let page = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\", UUID=\"a\"} 2500\n\
                    gpu_energy_consumed{gpu_id=\"0\"} 2500000\n\
                    nv_energy_consumption 2.5\nDCGM_FI_DEV_GPU_UTIL 50\nnv_gpu_utilization 0.5\n";
        let values: Vec<_> = readings(page).into_iter().map(|(m, _, v)| (m, v)).collect();
        assert_eq!(
            values,
            [
                (EnergyJoules, 2.5),
                (EnergyJoules, 2.5),
                (EnergyJoules, 2.5),
                (Utilisation, 0.5),
                (Utilisation, 0.5)
            ]
        );
    }

    #[test]
    fn a_device_that_says_not_available_says_nothing() {
        let page = "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 9223372036854775794\n\
                    DCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} 140737488355328\n\
                    DCGM_FI_DEV_GPU_UTIL{gpu=\"1\"} 2147483632\n\
                    DCGM_FI_DEV_POWER_USAGE{gpu=\"2\"} NaN\nDCGM_FI_DEV_POWER_USAGE{gpu=\"3\"} 70.5\n\
                    vllm:prompt_tokens_total 2147483632\n";
        assert_eq!(
            readings(page),
            [(PowerWatts, "gpu=3".into(), 70.5), (PromptTokens, String::new(), 2_147_483_632.0)]
        );
    }

    #[test]
    fn a_chip_with_two_names_for_its_power_is_counted_once() {
        let page =
            "gpu_average_package_power{gpu_id=\"0\"} 300\ngpu_package_power{gpu_id=\"0\"} 310\n";
        assert_eq!(readings(page), [(PowerWatts, "gpu_id=0".into(), 310.0)]);
    }

    #[test]
    fn a_routers_copies_are_marked() {
        let (series, _) =
            parse("vllm:num_requests_running{server=\"http://a\"} 3\nvllm:num_requests_running 3");
        let marks: Vec<_> = read(&series).iter().map(|reading| reading.of_router).collect();
        assert_eq!(marks, [true, false]);
    }

    #[test]
    fn llamacpps_queries_are_what_was_computed_and_what_was_reused() {
        let page = "llamacpp:prompt_tokens_total 40\nllamacpp:prompt_tokens_cached_total 2\n";
        assert_eq!(
            readings(page),
            [
                (PromptTokens, String::new(), 40.0),
                (PrefixHits, String::new(), 2.0),
                (PrefixQueries, String::new(), 42.0)
            ]
        );
    }
}
