//! What draws a document as text that this crate can make by itself: HTML, Markdown, CSV.

pub mod export;
pub mod html;
