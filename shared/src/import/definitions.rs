//! What each tool means by the words that all of them use.

use serde::Serialize;

use super::tool::Tool;

/// The definitions behind a tool's figures. Whoever compares two tools compares these first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Definitions {
    /// From when latency counts.
    pub clock: Clock,
    /// What ends TTFT.
    pub first_token: FirstToken,
    /// What ITL is.
    pub itl: Itl,
    /// What TPOT is.
    pub tpot: Tpot,
    /// Where failed requests are in attainment and goodput.
    pub failures: Failures,
    /// What rates divide by.
    pub divisor: Divisor,
}

/// From when latency counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// From sending: a late client flatters the server.
    Sent,
    /// From the scheduled instant.
    Scheduled,
    /// Nothing says.
    Unknown,
}

/// What ends TTFT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstToken {
    /// The first event that carries output, as here.
    Output,
    /// The first event with choices, even an empty or role-only one: too early.
    AnyEvent,
    /// The first event with text (not reasoning content or token ids).
    Text,
    /// Nothing says.
    Unknown,
}

/// What ITL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Itl {
    /// The gap between two events, as here.
    EventGaps,
    /// One mean a request, which is TPOT here: hides every stall.
    MeanPerRequest,
    /// Gaps between tokens, where the tokens of one event share its time: most are nearly 0.
    TokensShareTime,
    /// Gaps divided by the tokens of their event.
    GapPerToken,
    /// The sum of gaps with TTFT in it, by events.
    IncludesFirst,
    /// No such figure.
    None,
}

/// What TPOT is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tpot {
    /// (end − first token) / (tokens − 1): nearly as here, where the last token ends it.
    ToEnd,
    /// (last − first token) / (tokens − 1), as here.
    ToLastToken,
    /// (last token − start) / tokens: TTFT is in it.
    IncludesFirst,
    /// No such figure.
    None,
}

/// Where failed requests are in attainment and goodput.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Failures {
    /// In the denominator, as here.
    Counted,
    /// Left out: a server that fails looks better.
    LeftOut,
    /// Any failure or breach makes the whole result invalid.
    Invalidate,
    /// The tool states no attainment.
    NotStated,
}

/// What rates divide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Divisor {
    /// First sent to last ended, the emptying at the end included.
    WithDrain,
    /// A window of the benchmark.
    Window,
    /// The stage's time.
    Stage,
    /// Nothing says.
    Unknown,
}

impl Definitions {
    /// A tool's definitions, as its source has them.
    #[must_use]
    pub const fn of(tool: Tool) -> Self {
        use Tool::{
            AiPerf, EvalScope, GenAiBench, GuideLlm, GuideLlmOld, InferencePerf, InferenceX, LlmD,
            LlmPerf, MlPerf, SgLang, Vllm,
        };
        Self {
            clock: match tool {
                MlPerf => Clock::Scheduled,
                LlmD => Clock::Unknown,
                _ => Clock::Sent,
            },
            first_token: match tool {
                AiPerf => FirstToken::Output,
                Vllm | InferenceX => FirstToken::AnyEvent,
                SgLang | GuideLlm | GuideLlmOld | InferencePerf => FirstToken::Text,
                LlmPerf | EvalScope => FirstToken::AnyEvent,
                GenAiBench | MlPerf | LlmD => FirstToken::Unknown,
            },
            itl: match tool {
                AiPerf | GuideLlm | GuideLlmOld => Itl::MeanPerRequest,
                Vllm | InferenceX => Itl::EventGaps,
                SgLang => Itl::GapPerToken,
                InferencePerf => Itl::TokensShareTime,
                LlmPerf => Itl::IncludesFirst,
                MlPerf | EvalScope | GenAiBench | LlmD => Itl::None,
            },
            tpot: match tool {
                GuideLlm | GuideLlmOld => Tpot::IncludesFirst,
                InferencePerf => Tpot::ToLastToken,
                AiPerf | LlmPerf => Tpot::None,
                _ => Tpot::ToEnd,
            },
            failures: match tool {
                GuideLlm | GuideLlmOld => Failures::Counted,
                Vllm | InferenceX | InferencePerf => Failures::LeftOut,
                MlPerf => Failures::Invalidate,
                _ => Failures::NotStated,
            },
            divisor: match tool {
                AiPerf | Vllm | SgLang | InferenceX | LlmPerf | EvalScope | MlPerf => {
                    Divisor::WithDrain
                }
                GuideLlm | GuideLlmOld => Divisor::Window,
                InferencePerf => Divisor::Stage,
                GenAiBench | LlmD => Divisor::Unknown,
            },
        }
    }
}
