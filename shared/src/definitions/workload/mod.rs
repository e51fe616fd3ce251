//! What the load is: arrivals, lengths, sessions, prefix sharing.

mod check;
mod fields;

use serde::{Deserialize, Serialize};

use crate::units::{Nanos, Share};

pub use check::SenselessWorkload;

/// A declared workload. With the seed it fixes every arrival and every prompt bit by bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Name, such as `agent-coding-interactive`.
    pub name: String,
    /// What it stands for and where its figures come from.
    #[serde(default)]
    pub note: String,
    /// When requests (or sessions) arrive.
    #[serde(default)]
    pub arrivals: Arrivals,
    /// How the rate varies about the step's, over and over; empty: it does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pattern: Vec<Piece>,
    /// What arrives.
    pub shape: Shape,
    /// State of the prefix cache at a step's start.
    #[serde(default)]
    pub cache: CacheState,
    /// Declared prefix hit rate; a step that misses it by more than a point is contaminated.
    #[serde(default)]
    pub hit_rate: Option<Share>,
}

impl Workload {
    /// A mix of independent requests with nothing else declared: Poisson arrivals at the step's own
    /// rate, prompts that no other step has cached.
    #[must_use]
    pub fn mix(name: &str, classes: Vec<Class>) -> Self {
        Self {
            name: name.to_owned(),
            note: String::new(),
            arrivals: Arrivals::Poisson,
            pattern: Vec::new(),
            shape: Shape::Mix { classes },
            cache: CacheState::Salted,
            hit_rate: None,
        }
    }
}

/// The arrival process of an open loop, at a step's rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "process", try_from = "fields::Arrivals")]
pub enum Arrivals {
    /// Independent arrivals, never renormalised to a span.
    #[default]
    Poisson,
    /// Gamma-distributed spacing with CV² = 1/burstiness.
    Gamma {
        /// 1 is Poisson, below 1 burstier, above 1 smoother.
        burstiness: f64,
    },
    /// Equal spacing.
    Constant,
}

/// A stretch of time with a rate of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// How long, in nanoseconds.
    pub for_ns: Nanos,
    /// The rate in relation to the other pieces'; over the whole pattern the mean is the step's.
    pub weight: f64,
}

/// What arrives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", try_from = "fields::Shape")]
pub enum Shape {
    /// Independent requests of a mix of classes.
    Mix {
        /// The classes, drawn by weight.
        classes: Vec<Class>,
    },
    /// Sessions (tasks) of serial steps, each prompt extending the last one.
    Sessions {
        /// Prefix shared by all sessions, in tokens (a system prompt).
        shared_prefix: u32,
        /// Steps of a session.
        steps: u32,
        /// New text of each step, in tokens.
        new_tokens: Length,
        /// Output of each step, in tokens.
        output_tokens: Length,
        /// Time between a step's end and the next one's start (a tool's run).
        think: Think,
    },
    /// Recorded traffic, replayed at the step's mean rate; its instants take the place of the
    /// arrival process.
    Trace {
        /// Name of the trace's file.
        file: String,
        /// SHA-256 of the file in hex: a trace of other bytes is another workload. A plan may
        /// leave it out; a bundle has it.
        sha256: String,
        /// Tokens of a block, where the trace says which blocks prompts share.
        block_tokens: u32,
    },
}

/// One class of an independent mix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Weight among the classes.
    pub weight: f64,
    /// Prompt tokens.
    pub isl: Length,
    /// Output tokens.
    pub osl: Length,
    /// Leading tokens shared with every other request of the class.
    #[serde(default)]
    pub shared_prefix: u32,
}

/// A distribution of token counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "dist", try_from = "fields::Length")]
pub enum Length {
    /// Always the same.
    Fixed {
        /// How many every one has.
        tokens: u32,
    },
    /// Uniform over an inclusive range.
    Uniform {
        /// Fewest tokens.
        min: u32,
        /// Most tokens.
        max: u32,
    },
    /// Log-normal with the given mean, cut to an inclusive range.
    LogNormal {
        /// Mean before the cut, in tokens.
        mean: f64,
        /// Coefficient of variation before the cut.
        cv: f64,
        /// Fewest tokens.
        min: u32,
        /// Most tokens.
        max: u32,
    },
}

/// A distribution of think times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Think {
    /// Mean, in nanoseconds.
    pub mean_ns: Nanos,
    /// Coefficient of variation of the log-normal; 0 is a constant.
    pub cv: f64,
}

/// State of the prefix cache at the start of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheState {
    /// Prompts carry a salt a (run, step, session): steps do not feed each other's cache.
    #[default]
    Salted,
    /// Nothing cached.
    Cold,
    /// Filled by a declared warm-up.
    Warm,
}
