//! Parts that pages are made of.

pub(crate) mod assumptions;
pub(crate) mod chart;
pub(crate) mod evidence;
pub(crate) mod files;
pub(crate) mod table;
