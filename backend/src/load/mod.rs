//! The load generator: keeps an absolute schedule, never drops or caps an arrival, and
//! measures itself.

pub mod answer;
pub mod arrivals;
pub mod ask;
pub mod calibrate;
pub mod clock;
mod collector;
mod conn;
pub mod event;
pub mod gaps;
mod h2;
pub mod http1;
pub mod io;
pub mod journal;
pub mod json;
mod ledger;
mod limits;
pub mod live;
mod pace;
pub mod pattern;
pub mod preflight;
pub mod prompt;
pub mod pulse;
mod reactor;
pub mod rng;
pub mod running;
pub mod shard;
mod shared;
pub mod skew;
pub mod sse;
pub mod stamp;
pub mod step;
pub mod target;
mod threads;
pub mod tokenizer;
pub mod trace;
pub mod workload;
