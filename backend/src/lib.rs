//! tokencap: measure, prove and sign how many tokens an LLM inference cluster can sell in a day.
//!
//! Data flows one way: plan → arrivals → client → records → bundle → judge → capacity → report.

pub mod campaign;
pub mod cli;
pub mod export;
pub mod interrupt;
pub mod keys;
pub mod load;
pub mod merge;
pub mod observe;
pub mod plan;
pub mod presets;
pub mod search;
pub mod serve;
pub mod sim;
pub mod store;
pub mod text;
pub mod trust;
pub mod web;
