//! The metrics page: an engine's names (vLLM V1) and a device exporter's (DCGM).

use std::fmt::Write;

use super::Lateness;
use crate::sim::{Cluster, Config, Histogram, ReplicaStats};

/// What the page is written from.
pub(super) struct Page<'a> {
    pub(super) config: &'a Config,
    pub(super) cluster: &'a Cluster,
    pub(super) lateness: Lateness,
    /// Nanoseconds since the start.
    pub(super) now: u64,
}

/// A replica: its labels, running, waiting, KV use, counters.
type Row<'a> = (String, usize, usize, f64, &'a ReplicaStats);

/// Writes the page.
pub(super) fn write(page: &Page<'_>) -> String {
    let Page { config, cluster, lateness, now } = page;
    let rows: Vec<Row<'_>> = cluster
        .replicas()
        .enumerate()
        .map(|(index, (running, waiting, kv, stats))| {
            let labels = format!("engine=\"{index}\",model_name=\"{}\"", escaped(&config.model));
            (labels, running, waiting, kv, stats)
        })
        .collect();
    let mut out = String::with_capacity(16 << 10);
    engine_series(&mut out, &rows);
    device_series(&mut out, config, &rows, *now);
    let mut own = |name: &str, kind: &str, help: &str, value: f64| {
        head(&mut out, name, kind, help);
        let _ = writeln!(out, "{name} {value}");
    };
    own(
        "process_start_time_seconds",
        "gauge",
        "Start of the process since unix epoch in seconds.",
        start_time(*now),
    );
    let seconds = |micros: u64| micros as f64 / 1e6;
    own(
        "tokencap_sim_events_total",
        "counter",
        "Instants that the simulator waited for.",
        lateness.events as f64,
    );
    for (name, value) in
        [("p50", lateness.p50_us), ("p99", lateness.p99_us), ("max", lateness.max_us)]
    {
        own(
            &format!("tokencap_sim_lateness_{name}_seconds"),
            "gauge",
            "How late the simulator served its events.",
            seconds(value),
        );
    }
    out
}

/// Unix time of the start.
fn start_time(now: u64) -> f64 {
    let unix = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64());
    ((unix - now as f64 / 1e9) * 100.0).round() / 100.0
}

fn engine_series(out: &mut String, rows: &[Row<'_>]) {
    let gauge = |out: &mut String, name: &str, help: &str, value: fn(&Row<'_>) -> f64| {
        head(out, name, "gauge", help);
        for row in rows {
            let _ = writeln!(out, "{name}{{{}}} {}", row.0, value(row));
        }
    };
    gauge(out, "vllm:num_requests_running", "Requests being computed.", |row| row.1 as f64);
    gauge(out, "vllm:num_requests_waiting", "Requests waiting.", |row| row.2 as f64);
    gauge(out, "vllm:kv_cache_usage_perc", "Share of KV blocks in use, 0 to 1.", |row| row.3);
    let counter = |out: &mut String, name: &str, help: &str, value: fn(&ReplicaStats) -> u64| {
        head(out, name, "counter", help);
        for row in rows {
            let _ = writeln!(out, "{name}{{{}}} {}", row.0, value(row.4));
        }
    };
    counter(out, "vllm:prefix_cache_queries_total", "Prompt tokens looked up.", |stats| {
        stats.prefix_queries
    });
    counter(out, "vllm:prefix_cache_hits_total", "Prompt tokens found.", |stats| stats.prefix_hits);
    counter(out, "vllm:num_preemptions_total", "Preempted sequences.", |stats| stats.preemptions);
    counter(out, "vllm:prompt_tokens_total", "Prompt tokens, reused ones included.", |stats| {
        stats.prompt_tokens
    });
    counter(out, "vllm:generation_tokens_total", "Output tokens.", |stats| stats.output_tokens);
    head(out, "vllm:request_success_total", "counter", "Requests that ended, by reason.");
    for (labels, .., stats) in rows {
        for (reason, count) in [("length", stats.finished), ("abort", stats.aborted)] {
            let _ = writeln!(
                out,
                "vllm:request_success_total{{finished_reason=\"{reason}\",{labels}}} {count}"
            );
        }
    }
    let histogram =
        |out: &mut String, name: &str, help: &str, of: fn(&ReplicaStats) -> &Histogram| {
            head(out, name, "histogram", help);
            for (labels, .., stats) in rows {
                let histogram = of(stats);
                for (bound, count) in histogram.cumulative() {
                    let le = bound.map_or("+Inf".to_owned(), |bound| format!("{bound:?}"));
                    let _ = writeln!(out, "{name}_bucket{{le=\"{le}\",{labels}}} {count}");
                }
                let (count, sum) = histogram.total();
                let _ = writeln!(out, "{name}_count{{{labels}}} {count}");
                let _ = writeln!(out, "{name}_sum{{{labels}}} {sum}");
            }
        };
    histogram(
        out,
        "vllm:request_queue_time_seconds",
        "From acceptance to the start of computation, seen at the request's end.",
        |stats| &stats.queue,
    );
    histogram(
        out,
        "vllm:time_to_first_token_seconds",
        "From acceptance to the first token.",
        |stats| &stats.ttft,
    );
    histogram(
        out,
        "vllm:e2e_request_latency_seconds",
        "From acceptance to the last token.",
        |stats| &stats.e2e,
    );
}

fn device_series(out: &mut String, config: &Config, rows: &[Row<'_>], now: u64) {
    let mut series = |name: &str, kind: &str, help: &str, value: &dyn Fn(&ReplicaStats) -> f64| {
        head(out, name, kind, help);
        for (replica, row) in rows.iter().enumerate() {
            for gpu in 0..config.gpus_per_replica as usize {
                let gpu = replica * config.gpus_per_replica as usize + gpu;
                let _ = writeln!(
                    out,
                    "{name}{{gpu=\"{gpu}\",UUID=\"GPU-SIM-{gpu:04}\",modelName=\"simulated\"}} {}",
                    value(row.4)
                );
            }
        }
    };
    series("DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (in W).", &ReplicaStats::watts);
    series(
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
        "counter",
        "Total energy consumption since boot (in mJ).",
        &|stats| (stats.joules(now) * 1e3).floor(),
    );
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
