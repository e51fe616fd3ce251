//! The load generator: keeps an absolute schedule, never drops or caps an arrival, and
//! measures itself.

pub mod answer;
pub mod arrivals;
pub mod ask;
pub mod clock;
mod conn;
pub mod event;
pub mod http1;
pub mod io;
pub mod journal;
pub mod json;
pub mod live;
mod pace;
pub mod preflight;
pub mod prompt;
mod reactor;
pub mod rng;
mod shared;
pub mod sse;
pub mod step;
pub mod target;
pub mod workload;
