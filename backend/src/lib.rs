//! tokencap: measure, prove and sign how many tokens an LLM inference cluster can sell in a day.
//!
//! Data flows one way: plan → arrivals → client → records → bundle → judge → capacity → report.

pub mod campaign;
pub mod cli;
pub mod clock;
pub mod drive;
pub mod export;
pub(crate) mod files;
pub(crate) mod histogram;
pub mod interrupt;
pub mod journal;
pub mod keys;
pub mod net;
pub mod observe;
pub mod plan;
pub mod presets;
pub mod rng;
pub mod schedule;
pub mod search;
mod seconds;
pub mod serve;
pub mod sim;
pub mod step;
pub mod stop;
pub mod store;
pub mod text;
pub mod trial;
pub mod trust;
pub mod web;
