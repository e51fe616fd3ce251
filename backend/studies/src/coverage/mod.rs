//! How often a verdict is wrong, on requests whose true attainment is a closed form.

pub mod model;
pub mod study;
