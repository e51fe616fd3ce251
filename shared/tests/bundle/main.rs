//! Bundles: what is written is read again, and everything else is refused in a clear sentence.

mod refusals;
mod round_trip;
mod support;
