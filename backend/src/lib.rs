//! tokencap
