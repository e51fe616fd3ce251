//! What is sent, and when: drawn from a plan and a seed before the first request leaves.

pub mod arrivals;
pub mod described;
pub mod draw;
pub mod form;
pub mod prompt;
pub mod tokenizer;
pub mod trace;
pub mod workload;
