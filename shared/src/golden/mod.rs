//! Worked examples: a small case in, every number of the definitions out, to be compared with
//! what was worked out by hand. Run natively and in the browser.
//!
//! Cases are independent by declaration, so their bounds carry no variance inflation. Money,
//! fractions and integers are given as numbers; the comparison knows which must be exact.

mod case;
mod compare;
mod evaluate;
mod sweep;

pub use case::CaseError;
pub use compare::{Difference, compare};
pub use evaluate::evaluate;
pub use sweep::evaluate_sweep_quote;
