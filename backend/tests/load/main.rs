//! The load generator against servers that play back bytes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod faults;
mod http2;
mod observe;
mod preflight;
mod shape;
mod starved;
mod step;
mod support;
mod tls;
mod wire;
