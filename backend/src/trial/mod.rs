//! What is tried before a campaign: the target, the clocks, and this machine as a generator.

pub mod calibrate;
pub mod complete;
pub mod preflight;
pub mod pulse;
pub mod skew;
