//! What is shown of it, in both languages: reports, their views, charts, exports, the glossary.

pub mod attention;
pub mod chart;
pub mod document;
pub mod escape;
pub mod evidence;
pub mod format;
pub mod glossary;
pub mod import;
mod lang;
pub mod query;
pub mod render;
pub mod report;
pub mod words;
