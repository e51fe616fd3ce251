//! Lengths and times to think, drawn as a workload declares them.

use tokencap_shared::definitions::workload::{Arrivals, Length, Shape, Think, Workload};
use tokencap_shared::units::Nanos;

use crate::rng::Random;

/// Why a workload cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorkloadError {
    /// There is nothing in it.
    #[error("workload `{0}` has no class of requests (or sessions of 0 steps): add one")]
    Empty(String),
    /// There is no trace to replay.
    #[error("workload `{0}` replays a trace that was not given, or is not the one it names")]
    NoTrace(String),
    /// A number that cannot be drawn from.
    #[error("workload `{workload}`: {what}")]
    Number {
        /// The workload's name.
        workload: String,
        /// What is wrong, and what would be right.
        what: &'static str,
    },
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

pub(crate) fn check(workload: &Workload) -> Result<(), WorkloadError> {
    let wrong = |what| Err(WorkloadError::Number { workload: workload.name.clone(), what });
    let mut lengths = Vec::new();
    match &workload.shape {
        Shape::Mix { classes } => {
            if classes.is_empty() {
                return Err(WorkloadError::Empty(workload.name.clone()));
            }
            for class in classes {
                if !(class.weight.is_finite() && class.weight > 0.0) {
                    return wrong("a class's weight must be a positive number");
                }
                lengths.extend([class.isl, class.osl]);
            }
        }
        Shape::Sessions { steps, new_tokens, output_tokens, think, .. } => {
            if *steps == 0 {
                return Err(WorkloadError::Empty(workload.name.clone()));
            }
            if !(think.cv.is_finite() && think.cv >= 0.0) {
                return wrong("a think time's cv must be a number of at least 0");
            }
            lengths.extend([*new_tokens, *output_tokens]);
        }
        Shape::Trace { block_tokens, .. } => {
            if *block_tokens == 0 {
                return wrong("a trace's block_tokens must be at least 1");
            }
        }
    }
    let weights = workload.pattern.iter().map(|piece| piece.weight);
    if !workload.pattern.is_empty()
        && (workload.pattern.iter().any(|piece| piece.for_ns.0 == 0)
            || weights.clone().any(|weight| !(weight.is_finite() && weight >= 0.0))
            || weights.sum::<f64>() <= 0.0)
    {
        return wrong(
            "a pattern's pieces need a duration and a weight of at least 0, not all of them 0",
        );
    }
    for length in lengths {
        match length {
            Length::Fixed { .. } => {}
            Length::Uniform { min, max } | Length::LogNormal { min, max, .. } if min > max => {
                return wrong("a length's min is above its max");
            }
            Length::LogNormal { mean, cv, .. }
                if !(mean.is_finite() && mean > 0.0 && cv.is_finite() && cv >= 0.0) =>
            {
                return wrong("a log_normal length needs a mean above 0 and a cv of at least 0");
            }
            _ => {}
        }
    }
    if let Arrivals::Gamma { burstiness } = workload.arrivals
        && !(burstiness.is_finite() && burstiness > 0.0)
    {
        return wrong("a gamma process's burstiness must be a positive number (1 is Poisson)");
    }
    Ok(())
}
