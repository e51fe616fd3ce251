//! The pages, each for one kind of reader.

pub(crate) mod bench;
pub(crate) mod quote;
pub(crate) mod report;
