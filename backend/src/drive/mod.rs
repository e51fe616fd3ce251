//! The load generator: keeps an absolute schedule, never drops or caps an arrival, and
//! measures itself.

mod collector;
mod conn;
mod h2;
mod ledger;
pub mod live;
pub mod plan;
mod reactor;
mod shared;
pub mod step;
mod threads;
