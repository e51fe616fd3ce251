//! The report for other programs, where that is more than text.

mod json;
mod money;
mod style;
mod xlsx;

pub use json::Json;
pub use style::XlsxError;
pub use xlsx::xlsx;
