//! What one step is to do, and why it could not be done.

use std::fmt;
use std::io;
use std::time::Duration;

use tokencap_shared::definitions::origin::Shard;
use tokencap_shared::definitions::step::{Step, StepKind};
use tokencap_shared::units::{Moment, Rate};

use crate::net::target::TargetError;
use crate::schedule::draw::WorkloadError;

/// What a step offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// An open loop of so many requests per second (the steps of sessions count as requests):
    /// what capacity is measured by.
    Open(Rate),
    /// A closed loop of so many users, each of whom waits for an answer before the next
    /// request: only for comparison with tools that measure so.
    Closed(u32),
}

impl Load {
    /// The rate that is offered; a closed loop has none of its own.
    #[must_use]
    pub const fn rate(self) -> Option<Rate> {
        match self {
            Self::Open(rate) => Some(rate),
            Self::Closed(_) => None,
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(rate) => write!(f, "{} req/s", rate.get()),
            Self::Closed(1) => f.write_str("1 user (closed loop)"),
            Self::Closed(users) => write!(f, "{users} users (closed loop)"),
        }
    }
}

/// What one step is to do.
#[derive(Clone, Debug)]
pub struct StepPlan {
    /// Its number in the run.
    pub id: u32,
    /// Why it is run.
    pub kind: StepKind,
    /// What is offered.
    pub load: Load,
    /// Time before the window.
    pub warmup: Duration,
    /// Length of the window.
    pub window: Duration,
    /// Seed of arrivals and prompts.
    pub seed: u64,
    /// Connections to open before the step begins; requests beyond them open their own.
    pub connections: usize,
    /// Most connections at once, if the machine must be spared. An arrival that finds none is
    /// dropped and makes the step INVALID.
    pub max_connections: Option<usize>,
    /// Threads that send and read.
    pub threads: usize,
    /// The part of the arrivals that this process sends.
    pub shard: Shard,
    /// When the schedule begins, where several processes begin together; else as soon as
    /// connections are open.
    pub begin: Option<Moment>,
}

impl StepPlan {
    /// A probe with usual settings: as [`Self::new`].
    #[must_use]
    pub fn probe(id: u32, rate: Rate, warmup: Duration, window: Duration, seed: u64) -> Self {
        Self::new(id, Load::Open(rate), warmup, window, seed)
    }

    /// A step with usual settings: half as many threads as the machine has cores, and
    /// connections for every user, or for two seconds of arrivals.
    #[must_use]
    pub fn new(id: u32, load: Load, warmup: Duration, window: Duration, seed: u64) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (kind, connections) = match load {
            Load::Open(rate) => {
                (StepKind::Probe, (rate.get() * 2.0).ceil().clamp(4.0, 10_000.0) as usize)
            }
            Load::Closed(users) => (StepKind::Closed, users.min(10_000) as usize),
        };
        Self {
            id,
            kind,
            load,
            warmup,
            window,
            seed,
            connections,
            max_connections: None,
            threads: cores.div_ceil(2).min(8),
            shard: Shard::WHOLE,
            begin: None,
        }
    }

    /// Whether a step that ended was run by this plan.
    #[must_use]
    pub fn made(&self, step: &Step) -> bool {
        let rate = self.load.rate().unwrap_or(step.asked);
        (step.id, step.kind, step.seed, step.asked) == (self.id, self.kind, self.seed, rate)
            && step.w0.since(step.start) == self.warmup.into()
            && step.w1.since(step.w0) == self.window.into()
    }
}

/// Why a step could not be run. What a server does wrong is none of these: that is recorded.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The target cannot be used.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The workload cannot be run.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The operating system refused what the generator needs.
    #[error("the load generator cannot work on this machine: {0}")]
    System(#[from] io::Error),
    /// Records cannot be written.
    #[error(
        "the step was stopped because its records cannot be written: {0}; free some space, \
             then resume"
    )]
    Record(io::Error),
    /// The common start has passed.
    #[error(
        "the common start of the step passed {late_ms} ms ago: choose a later --start-at, or a \
         longer --step-pause, for all processes"
    )]
    TooLate {
        /// By how much.
        late_ms: u64,
    },
    /// A thread ended by a fault of the program.
    #[error("a thread of the load generator failed; this is a fault of the program")]
    Thread,
}
