//! tokencap
fn main() {}
