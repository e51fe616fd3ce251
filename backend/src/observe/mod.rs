//! What the server and the devices say of themselves: their Prometheus pages, read once a
//! second and translated to one vocabulary.

pub mod prometheus;
pub mod scrape;
pub mod vocabulary;
