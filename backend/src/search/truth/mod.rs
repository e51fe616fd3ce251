//! Known truth: the search, tried on simulated clusters whose λ_slo_max is known.

pub mod brute;
pub mod case;
pub mod lab;
pub mod measure;

pub use case::{Case, Flavour};
pub use lab::{Lab, Run};
