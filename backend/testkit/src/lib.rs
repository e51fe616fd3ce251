//! What tests, benches and studies have in common: a seeded generator, servers to measure, a
//! client, a browser, and things to feed them. Nothing that is shipped knows this crate.
//!
//! Everything here panics where a test could not go on.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub mod browser;
pub mod bundles;
pub mod client;
pub mod program;
pub mod random;
pub mod server;
pub mod step;
