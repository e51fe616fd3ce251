//! Studies: how often the judge and the search are wrong, on queues and clusters whose truth is
//! known.
//!
//! `make coverage` and `make truth` run them at length; the tests of this crate run small ones.

pub mod coverage;
pub mod truth;
