//! Readers of what a server sends: HTTP/1.1, server-sent events, JSON, and what an answer's events
//! say. From bytes alone: no sockets, no clock.
//!
//! What runs for every event is `#[inline]` or generic: the load generator calls it from another
//! crate.

pub mod answer;
pub mod event;
pub mod gaps;
pub mod http1;
pub mod json;
pub mod pattern;
pub mod sse;
