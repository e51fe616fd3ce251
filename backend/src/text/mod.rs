//! The report for a terminal: aligned tables, in either language.

mod report;
mod table;

pub use report::report;
pub use table::table;
