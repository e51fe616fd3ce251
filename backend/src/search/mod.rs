//! Finding λ_slo_max: which rate to try next, for how long, and when enough is known.

pub mod belief;
pub mod budget;
mod climb;
pub mod machine;
pub mod settings;
pub mod steer;

pub use belief::Belief;
pub use machine::{Answer, Goal, Look, Next, Order, Overdue, Search};
pub use settings::Settings;
pub use steer::Steering;
