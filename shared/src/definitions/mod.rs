//! What things are: a request, a promise, a step's judgement, a capacity, a dollar.

pub mod capacity;
pub mod compare;
pub mod declared;
pub mod deployment;
pub mod judge;
pub mod measured;
pub mod money;
pub mod note;
pub mod origin;
pub mod promise;
pub mod quote;
pub mod record;
pub mod step;
pub mod telemetry;
pub mod window;
pub mod workload;
