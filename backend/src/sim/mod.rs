//! A simulated cluster: an honest discrete-event model of a continuous-batching engine.
//!
//! The model is pure and has no clock. [`virtual_time`] runs it as fast as the machine can, for
//! tests and for studies whose truth is known; [`http`] runs it in step with the real clock
//! behind the wire protocol of an inference server. It is never presented as a measurement of
//! real hardware.
//!
//! A replica works in iterations. Each takes one token of every decoding sequence and, within a
//! token budget, chunks of prompts; its time is a sum of terms ([`config::Iteration`]). KV blocks
//! are shared by running sequences and the prefix cache; where they run out, the last admitted
//! sequence is preempted and later computed anew.

pub mod chain;
pub mod cluster;
pub mod config;
mod emissions;
pub mod http;
mod prefix;
mod replica;
mod stats;
pub mod virtual_time;
mod workload;

pub use chain::Chain;
pub use cluster::{Cluster, Fault, Place, Refusal};
pub use config::{Config, ConfigError};
pub use emissions::Emissions;
pub use http::{Handle, serve};
pub use replica::{Done, Job, Key, Observer};
pub use stats::{Histogram, ReplicaStats};

#[cfg(test)]
mod tests;
