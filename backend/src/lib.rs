//! tokencap: measure, prove and sign how many tokens an LLM inference cluster can sell in a day.
//!
//! Data flows one way: plan → arrivals → client → records → bundle → judge → capacity → report.
//!
//! Each module is a room. The rooms stand on floors, the topmost first, and a room knows only rooms
//! of lower floors; `tests/ladder.rs` reads this list and fails on an arrow that goes up:
//!
//! - `cli`: the commands
//! - `serve`: the viewer's server
//! - `campaign`: a measurement from its plan to its bundle, and the joining of several
//! - `observe`: the metric pages of the server that is measured
//! - `trial`: what is tried before a campaign
//! - `drive`: the load generator; `plan`: what a file says that is to be measured
//! - `net`: sockets, stamps and clocks of the wire; `sim`: the simulated cluster; `search`: which
//!   rate to try next; `journal`: records on disk as they come
//! - `schedule`: what is sent, and when; `step`: a step while it runs, and what it leaves behind;
//!   `text` and `export`: what reports are written into; `interrupt`: Ctrl-C
//! - `presets` and `web`: files inside the program; `store`, `keys` and `trust`: files on disk
//! - `words`: what the commands tell a person, in both languages
//! - `clock`, `rng`, `histogram`, `stop`, `seconds`, `files` and `log`: tools of every room

pub mod campaign;
pub mod cli;
pub mod clock;
pub mod drive;
pub mod export;
pub(crate) mod files;
pub(crate) mod histogram;
pub mod interrupt;
pub mod journal;
pub mod keys;
pub mod log;
pub mod net;
pub mod observe;
pub mod plan;
pub mod presets;
pub mod rng;
pub mod schedule;
pub mod search;
mod seconds;
pub mod serve;
pub mod sim;
pub mod step;
pub mod stop;
pub mod store;
pub mod text;
pub mod trial;
pub mod trust;
pub mod web;
mod words;
