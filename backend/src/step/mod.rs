//! A step as everybody sees it who runs, steers, writes down or simulates one.

mod record;
mod running;

pub use record::{Recorder, StepRecord};
pub use running::{Control, Open, Running, Steer};
