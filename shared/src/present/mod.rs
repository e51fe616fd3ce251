//! What is shown of it, in both languages: reports, their views, charts, exports, the glossary.

pub mod chart;
pub mod format;
pub mod glossary;
pub mod html;
pub mod import;
pub mod query;
pub mod report;
pub mod words;
