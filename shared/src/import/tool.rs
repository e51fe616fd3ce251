//! The tools whose results are read.

use serde::Serialize;

/// A tool whose results are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// AIPerf, of both eras.
    AiPerf,
    /// GuideLLM up to 0.3.
    GuideLlmOld,
    /// GuideLLM with report version 2.
    GuideLlm,
    /// `vllm bench serve` and its ancestors.
    Vllm,
    /// SGLang's bench_serving.
    SgLang,
    /// Kubernetes' inference-perf.
    InferencePerf,
    /// Ray's llmperf.
    LlmPerf,
    /// InferenceX (formerly InferenceMAX).
    InferenceX,
    /// MLPerf's loadgen.
    MlPerf,
    /// EvalScope's perf.
    EvalScope,
    /// SGLang's genai-bench.
    GenAiBench,
    /// llm-d's Benchmark Report.
    LlmD,
}

impl Tool {
    /// The tool's own name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AiPerf => "AIPerf",
            Self::GuideLlmOld | Self::GuideLlm => "GuideLLM",
            Self::Vllm => "vLLM bench serve",
            Self::SgLang => "SGLang bench_serving",
            Self::InferencePerf => "inference-perf",
            Self::LlmPerf => "llmperf",
            Self::InferenceX => "InferenceX",
            Self::MlPerf => "MLPerf loadgen",
            Self::EvalScope => "EvalScope perf",
            Self::GenAiBench => "genai-bench",
            Self::LlmD => "llm-d Benchmark Report",
        }
    }
}
