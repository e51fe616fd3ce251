//! What was measured: the declaration without which no number is allowed.

use serde::{Deserialize, Serialize};

/// The declared deployment. Two results compare token to token only if model and revision are
/// equal; else only in money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deployment {
    /// Model name, as people know it.
    pub model: String,
    /// Revision or checkpoint of the weights.
    #[serde(default)]
    pub revision: String,
    /// Serving engine, such as `vllm`.
    pub engine: String,
    /// As the engine states it; empty where it is not declared.
    #[serde(default)]
    pub engine_version: String,
    /// GPU type, such as `H200-141GB`.
    pub gpu: String,
    /// GPUs that took traffic: the divisor of every per-GPU figure.
    pub gpus_serving: u32,
    /// GPUs paid for, spares and every pool included: the multiplier of every cost.
    pub gpus_provisioned: u32,
    /// Tensor, pipeline, expert and data parallelism, and replicas.
    #[serde(default)]
    pub parallelism: Parallelism,
    /// Weight quantisation, such as `fp8`.
    #[serde(default)]
    pub quantisation: String,
    /// KV-cache data type.
    #[serde(default)]
    pub kv_cache_dtype: String,
    /// Prefix-cache policy.
    #[serde(default)]
    pub prefix_cache: String,
    /// Speculative decoding.
    #[serde(default)]
    pub speculative: String,
    /// Server arguments, as they were given.
    #[serde(default)]
    pub server_args: String,
    /// True for the built-in simulator: such a result is never presented as one of hardware.
    #[serde(default)]
    pub simulated: bool,
}

/// How the model is spread over GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parallelism {
    /// Tensor parallel size.
    pub tp: u32,
    /// Pipeline parallel size.
    pub pp: u32,
    /// Expert parallel size.
    pub ep: u32,
    /// Data parallel size.
    pub dp: u32,
    /// Independent replicas behind the endpoint.
    pub replicas: u32,
}

impl Default for Parallelism {
    fn default() -> Self {
        Self { tp: 1, pp: 1, ep: 1, dp: 1, replicas: 1 }
    }
}

impl Deployment {
    /// Whether tokens of the two may be compared with each other.
    #[must_use]
    pub fn same_tokens(&self, other: &Self) -> bool {
        self.model == other.model && self.revision == other.revision
    }
}
