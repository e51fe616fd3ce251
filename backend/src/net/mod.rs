//! Sockets and the instants at which bytes pass them.

pub mod awake;
pub mod client;
pub mod io;
pub(crate) mod limits;
pub(crate) mod pace;
pub mod stamp;
pub mod target;
