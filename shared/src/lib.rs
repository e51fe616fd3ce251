//! The definitions of tokencap: what a request, a promise, a capacity and a dollar are.
//!
//! The crate is pure: no clock, no files, no network, no threads. It is compiled natively for
//! the measuring side and to WASM for the page, so that the browser recomputes every number
//! from the raw records with the very code that measured them.
//!
//! The rooms are a ladder, each uses those before it: [`units`], [`stats`], [`definitions`],
//! [`bundle`], [`signoff`], [`import`], [`present`].

pub mod bundle;
pub mod definitions;
#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
pub mod golden;
pub mod import;
pub mod present;
pub mod signoff;
pub mod stats;
pub mod units;

/// Version of the metric definitions that this crate implements; it stands in every bundle and
/// on every report, because a number means nothing without it.
pub const DEFINITIONS_VERSION: u32 = 1;

/// Name and version of this tool, as they stand in bundles and signatures.
pub const TOOL: &str = concat!("tokencap ", env!("CARGO_PKG_VERSION"));
