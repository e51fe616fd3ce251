//! What draws a document as text that this crate can make by itself: HTML, Markdown, CSV.

pub mod csv;
pub mod html;
pub mod markdown;
