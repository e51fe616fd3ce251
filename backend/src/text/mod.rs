//! The report and comparisons for a terminal: aligned tables, in either language.

mod compare;
mod report;
mod table;

pub use compare::comparison;
pub use report::report;
pub use table::table;
