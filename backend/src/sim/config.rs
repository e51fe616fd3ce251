//! The declaration of a simulated cluster, read from TOML.
//!
//! Every figure is a choice of whoever wrote the file. None is a measurement of real hardware,
//! and nothing computed from them is presented as one.

use serde::{Deserialize, Serialize};
use tokencap_shared::definitions::deployment::{Deployment, Parallelism};

/// A simulated cluster. Reading validates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name of the configuration.
    pub name: String,
    /// What it stands for.
    #[serde(default)]
    pub note: String,
    /// Model name that requests must ask for.
    #[serde(default = "default_model")]
    pub model: String,
    /// Seed of everything that is drawn: faults, natural output lengths.
    #[serde(default)]
    pub seed: u64,
    /// Identical replicas behind the router.
    #[serde(default = "one")]
    pub replicas: u32,
    /// GPUs of one replica: power and the declared deployment follow it.
    #[serde(default = "one")]
    pub gpus_per_replica: u32,
    /// How the router picks a replica.
    #[serde(default)]
    pub router: Router,
    /// How long an iteration takes.
    pub iteration: Iteration,
    /// What fits into an iteration, and into the queue.
    pub batch: Batch,
    /// KV cache of one replica.
    pub kv: Kv,
    /// How output is delivered and how long it is when the request does not fix it.
    #[serde(default)]
    pub output: Output,
    /// Electric power of one GPU.
    #[serde(default)]
    pub power: Power,
    /// Failures to inject.
    #[serde(default)]
    pub faults: Faults,
    /// What `/metrics` offers beyond an engine's defaults.
    #[serde(default)]
    pub metrics: Metrics,
}

/// How the router picks a replica for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Router {
    /// Fewest requests running and waiting.
    #[default]
    LeastLoaded,
    /// Longest cached prefix, unless that replica has clearly more to do than the least loaded.
    PrefixAffinity,
    /// One after the other.
    RoundRobin,
}

/// Time of one iteration: a sum of terms. An iteration of `p` prefill tokens, `d` decoding
/// sequences and `c` tokens of context read takes
/// `base + p·prefill + d·decode + c·context`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Iteration {
    /// Fixed part, in milliseconds: reading the weights, launching kernels, scheduling.
    pub base_ms: f64,
    /// For each prompt token computed, in microseconds.
    #[serde(default)]
    pub prefill_us_per_token: f64,
    /// For each decoding sequence, in microseconds.
    #[serde(default)]
    pub decode_us_per_sequence: f64,
    /// For each token of context that attention reads, in nanoseconds: the KV cache of every
    /// decoding sequence and of every prompt chunk's past.
    #[serde(default)]
    pub context_ns_per_token: f64,
    /// How much slower iterations become an hour of running, as a share: 0.1 is a tenth. For
    /// trying what a soak is for. Not there by default.
    #[serde(default)]
    pub slowdown_per_hour: f64,
}

/// What fits into an iteration, and into the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Most sequences running at once in a replica.
    pub max_sequences: u32,
    /// Token budget of an iteration: decoding sequences take one each, prompt chunks the rest.
    pub max_tokens: u32,
    /// Most prompt tokens that one sequence may take of an iteration; none: the whole budget.
    #[serde(default)]
    pub max_chunk: Option<u32>,
    /// Requests that may wait in a replica's queue; one more is refused with 503. None: no limit.
    #[serde(default)]
    pub queue_limit: Option<u32>,
}

/// KV cache of one replica. Running requests and the prefix cache share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kv {
    /// Capacity in blocks.
    pub blocks: u32,
    /// Tokens of a block.
    #[serde(default = "sixteen")]
    pub block_tokens: u32,
    /// Whether finished blocks are kept for prompts that start alike, until LRU evicts them.
    #[serde(default = "yes")]
    pub prefix_cache: bool,
    /// Longest context of a request, prompt and output together, in tokens. None: what fits.
    #[serde(default)]
    pub max_context: Option<u32>,
}

/// How output is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Tokens of a stream event; the first token is sent at once in any case.
    pub tokens_per_event: u32,
    /// Mean output tokens of a request that does not say `ignore_eos` (geometric law, cut by
    /// its `max_tokens`).
    pub natural_mean: f64,
}

impl Default for Output {
    fn default() -> Self {
        Self { tokens_per_event: 1, natural_mean: 256.0 }
    }
}

/// Electric power of one GPU, in watts. An iteration's power is the mean of the last two over
/// its prefill part and the rest of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Power {
    /// Without anything to do.
    pub idle_watts: f64,
    /// While decoding (memory-bound).
    pub decode_watts: f64,
    /// While computing prompts (compute-bound).
    pub prefill_watts: f64,
}

impl Default for Power {
    fn default() -> Self {
        Self { idle_watts: 80.0, decode_watts: 350.0, prefill_watts: 600.0 }
    }
}

/// Failures to inject: each a probability a request, drawn independently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// Answered with 500 at once.
    pub server_error: f64,
    /// An error object inside the stream, at a token drawn uniformly.
    pub stream_error: f64,
    /// The connection is cut, at a token drawn uniformly.
    pub disconnect: f64,
    /// The stream freezes for `stall_ms`, at a token drawn uniformly, then catches up.
    pub stall: f64,
    /// How long a stall lasts.
    pub stall_ms: f64,
}

/// What the metrics offer beyond an engine's defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// Bounds of the queue-time histogram in seconds, ascending. None: vLLM's, whose first is
    /// 0.3 s.
    pub queue_bounds_s: Option<Vec<f64>>,
    /// Whether usage carries each request's own queue time, as vLLM does when asked to.
    pub per_request: bool,
}

fn default_model() -> String {
    "simulated".to_owned()
}
const fn one() -> u32 {
    1
}
const fn sixteen() -> u32 {
    16
}
const fn yes() -> bool {
    true
}

/// Why a configuration describes no cluster.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Not TOML, or not these fields.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    /// A figure outside its domain.
    #[error("{field} must be {domain}, not {value}")]
    Domain {
        /// The field's name in the file.
        field: &'static str,
        /// What it may be.
        domain: &'static str,
        /// What it is.
        value: f64,
    },
    /// Every running sequence needs a token of the budget.
    #[error(
        "batch.max_tokens ({max_tokens}) must be at least batch.max_sequences ({max_sequences}): \
         every running sequence takes a token of each iteration"
    )]
    Budget {
        /// Token budget.
        max_tokens: u32,
        /// Most sequences that decode at once.
        max_sequences: u32,
    },
    /// The longest request must fit into the cache alone.
    #[error(
        "kv.max_context ({context}) does not fit into kv.blocks × kv.block_tokens ({capacity} \
         tokens): one request alone must fit"
    )]
    Context {
        /// Longest context.
        context: u32,
        /// Tokens that fit.
        capacity: u64,
    },
}

impl Config {
    /// Reads a configuration and checks it.
    ///
    /// # Errors
    /// If the text is no configuration, or describes no cluster.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text)?;
        config.check()?;
        Ok(config)
    }

    /// Checks the figures against their domains and each other.
    ///
    /// # Errors
    /// If they describe no cluster.
    pub fn check(&self) -> Result<(), ConfigError> {
        let domain = |field, domain, value: f64, ok: bool| {
            if ok { Ok(()) } else { Err(ConfigError::Domain { field, domain, value }) }
        };
        let counts = [
            ("replicas", self.replicas),
            ("gpus_per_replica", self.gpus_per_replica),
            ("batch.max_sequences", self.batch.max_sequences),
            ("batch.max_chunk", self.batch.max_chunk.unwrap_or(1)),
            ("kv.blocks", self.kv.blocks),
            ("kv.block_tokens", self.kv.block_tokens),
            ("output.tokens_per_event", self.output.tokens_per_event),
        ];
        for (field, count) in counts {
            domain(field, "at least 1", count.into(), count >= 1)?;
        }
        domain("replicas", "at most 1024", self.replicas.into(), self.replicas <= 1024)?;
        let times = [
            ("iteration.prefill_us_per_token", self.iteration.prefill_us_per_token),
            ("iteration.decode_us_per_sequence", self.iteration.decode_us_per_sequence),
            ("iteration.context_ns_per_token", self.iteration.context_ns_per_token),
            ("iteration.base_ms", self.iteration.base_ms),
            ("iteration.slowdown_per_hour", self.iteration.slowdown_per_hour),
            ("faults.stall_ms", self.faults.stall_ms),
            ("power.idle_watts", self.power.idle_watts),
            ("power.decode_watts", self.power.decode_watts),
            ("power.prefill_watts", self.power.prefill_watts),
        ];
        for (field, value) in times {
            domain(field, "in [0, 1e9]", value, (0.0..=1e9).contains(&value))?;
        }
        let shortest = self.iteration.base_ms * 1e3 + self.iteration.decode_us_per_sequence;
        domain(
            "iteration.base_ms",
            "such that an iteration with one sequence takes at least 1 µs",
            self.iteration.base_ms,
            shortest >= 1.0,
        )?;
        let mean = self.output.natural_mean;
        domain("output.natural_mean", "in [1, 1e6]", mean, (1.0..=1e6).contains(&mean))?;
        for (field, p) in [
            ("faults.server_error", self.faults.server_error),
            ("faults.stream_error", self.faults.stream_error),
            ("faults.disconnect", self.faults.disconnect),
            ("faults.stall", self.faults.stall),
        ] {
            domain(field, "a probability", p, (0.0..=1.0).contains(&p))?;
        }
        let mut last = 0.0;
        for &bound in self.metrics.queue_bounds_s.iter().flatten() {
            let ok = bound.is_finite() && bound > last;
            domain("metrics.queue_bounds_s", "ascending, positive and finite", bound, ok)?;
            last = bound;
        }
        let Batch { max_tokens, max_sequences, .. } = self.batch;
        if max_tokens < max_sequences {
            return Err(ConfigError::Budget { max_tokens, max_sequences });
        }
        if u64::from(self.max_context()) > self.kv_tokens() {
            let (context, capacity) = (self.max_context(), self.kv_tokens());
            return Err(ConfigError::Context { context, capacity });
        }
        Ok(())
    }

    /// Tokens of KV cache in a replica.
    #[must_use]
    pub const fn kv_tokens(&self) -> u64 {
        self.kv.blocks as u64 * self.kv.block_tokens as u64
    }

    /// Longest context of a request, prompt and output together.
    #[must_use]
    pub fn max_context(&self) -> u32 {
        let fits = u32::try_from(self.kv_tokens()).unwrap_or(u32::MAX);
        self.kv.max_context.unwrap_or(fits)
    }

    /// The deployment that a measurement of this cluster declares.
    #[must_use]
    pub fn deployment(&self) -> Deployment {
        let gpus = self.replicas * self.gpus_per_replica;
        Deployment {
            model: self.model.clone(),
            revision: String::new(),
            engine: "tokencap-sim".to_owned(),
            engine_version: env!("CARGO_PKG_VERSION").to_owned(),
            gpu: "simulated".to_owned(),
            gpus_serving: gpus,
            gpus_provisioned: gpus,
            parallelism: Parallelism {
                tp: self.gpus_per_replica,
                replicas: self.replicas,
                ..Parallelism::default()
            },
            quantisation: String::new(),
            kv_cache_dtype: String::new(),
            prefix_cache: if self.kv.prefix_cache { "lru" } else { "off" }.to_owned(),
            speculative: String::new(),
            server_args: format!("sim {}", self.name),
            simulated: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
name = "t"
[iteration]
base_ms = 10
[batch]
max_sequences = 4
max_tokens = 64
[kv]
blocks = 32
"#;

    #[test]
    fn a_short_file_is_a_cluster() {
        let config = Config::from_toml(SMALL).unwrap();
        assert_eq!(config.kv_tokens(), 512);
        assert_eq!(config.max_context(), 512);
        assert!(config.deployment().simulated);
    }

    #[test]
    fn what_describes_no_cluster_is_refused_by_name() {
        for (change, expected) in [
            ("base_ms = 10", "iteration.base_ms"),
            ("max_tokens = 64", "batch.max_tokens"),
            ("blocks = 32", "kv.blocks"),
        ] {
            let name = change.split(' ').next().unwrap();
            let zero = SMALL.replace(change, &format!("{name} = 0"));
            let error = Config::from_toml(&zero).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let long = SMALL.replace("blocks = 32", "blocks = 32\nmax_context = 513");
        assert!(Config::from_toml(&long).unwrap_err().to_string().contains("max_context"));
        let typo = SMALL.replace("max_tokens", "max_token");
        assert!(Config::from_toml(&typo).unwrap_err().to_string().contains("max_token"));
        let faults = format!("{SMALL}\n[faults]\nstall = 1.5\n");
        assert!(Config::from_toml(&faults).unwrap_err().to_string().contains("faults.stall"));
    }
}
