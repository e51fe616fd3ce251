//! Lengths and times to think, drawn as a workload declares them.

use tokencap_shared::definitions::workload::{Length, SenselessWorkload, Think};
use tokencap_shared::units::Nanos;

use crate::rng::Random;

/// Why a workload cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkloadError {
    /// Nothing can be drawn from it.
    #[error(transparent)]
    Senseless(#[from] SenselessWorkload),
    /// There is no trace to replay.
    #[error("workload `{0}` replays a trace that was not given, or is not the one it names")]
    NoTrace(String),
}

pub(crate) fn draw(length: Length, random: &mut Random) -> u32 {
    match length {
        Length::Fixed { tokens } => tokens,
        Length::Uniform { min, max } => min + random.below((max - min).saturating_add(1)),
        Length::LogNormal { mean, cv, min, max } => {
            let drawn = random.log_normal(mean, cv);
            drawn.round().clamp(f64::from(min), f64::from(max)) as u32
        }
    }
}

pub(crate) fn draw_think(think: Think, random: &mut Random) -> Nanos {
    let drawn = if think.cv == 0.0 || think.mean_ns.0 == 0 {
        think.mean_ns.0 as f64
    } else {
        random.log_normal(think.mean_ns.0 as f64, think.cv)
    };
    Nanos(drawn.round() as u64)
}
