//! Statistics of a run: exact where a formula is exact, measured for their coverage where it
//! is not.

pub(crate) mod beta;
pub(crate) mod bootstrap;
pub(crate) mod dependence;
pub(crate) mod normal;
pub mod rank;
pub mod share;
pub(crate) mod student;
pub mod trend;
pub mod warmup;
