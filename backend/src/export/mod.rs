//! Exports that are more than text.

mod money;
mod xlsx;

pub use xlsx::{XlsxError, xlsx};
