//! What must hold of a workload before anything is drawn from it: asked of a plan's and of a
//! bundle's alike.

use super::{Arrivals, Length, Shape, Workload};

/// Why nothing can be drawn from a workload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SenselessWorkload {
    /// There is nothing in it.
    #[error("workload `{0}` has no class of requests (or sessions of 0 steps): add one")]
    Empty(String),
    /// A number that cannot be drawn from.
    #[error("workload `{workload}`: {what}")]
    Number {
        /// The workload's name.
        workload: String,
        /// What is wrong, and what would be right.
        what: &'static str,
    },
}

impl Workload {
    /// Checks every number, and that there is something to draw.
    ///
    /// # Errors
    /// With the first number that makes no sense; [`SenselessWorkload::Empty`] only where all do.
    pub fn check(&self) -> Result<(), SenselessWorkload> {
        let wrong = |what| SenselessWorkload::Number { workload: self.name.clone(), what };
        let numbers = self.shape.check().and_then(|()| self.check_arrivals());
        numbers.map_err(wrong)?;
        let is_empty = match &self.shape {
            Shape::Mix { classes } => classes.is_empty(),
            Shape::Sessions { steps, .. } => *steps == 0,
            Shape::Trace { .. } => false,
        };
        if is_empty { Err(SenselessWorkload::Empty(self.name.clone())) } else { Ok(()) }
    }

    fn check_arrivals(&self) -> Result<(), &'static str> {
        let is_weight = |weight: f64| weight.is_finite() && weight >= 0.0;
        let pieces = &self.pattern;
        let is_piece = pieces.iter().all(|piece| piece.for_ns.0 > 0 && is_weight(piece.weight));
        let some = pieces.is_empty() || pieces.iter().map(|piece| piece.weight).sum::<f64>() > 0.0;
        if !(is_piece && some) {
            return Err(
                "a pattern's pieces need a duration and a weight of at least 0, not all of them 0",
            );
        }
        match self.arrivals {
            Arrivals::Gamma { burstiness } if !is_above_0(burstiness) => {
                Err("a gamma process's burstiness must be a positive number (1 is Poisson)")
            }
            _ => Ok(()),
        }
    }
}

impl Shape {
    fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Mix { classes } => classes.iter().try_for_each(|class| {
                if !is_above_0(class.weight) {
                    return Err("a class's weight must be a positive number");
                }
                class.isl.check()?;
                class.osl.check()
            }),
            Self::Sessions { new_tokens, output_tokens, think, .. } => {
                if !(think.cv.is_finite() && think.cv >= 0.0) {
                    return Err("a think time's cv must be a number of at least 0");
                }
                new_tokens.check()?;
                output_tokens.check()
            }
            Self::Trace { block_tokens: 0, .. } => Err("a trace's block_tokens must be at least 1"),
            Self::Trace { .. } => Ok(()),
        }
    }
}

impl Length {
    fn check(self) -> Result<(), &'static str> {
        match self {
            Self::Uniform { min, max } | Self::LogNormal { min, max, .. } if min > max => {
                Err("a length's min is above its max")
            }
            Self::LogNormal { mean, cv, .. }
                if !(is_above_0(mean) && cv.is_finite() && cv >= 0.0) =>
            {
                Err("a log_normal length needs a mean above 0 and a cv of at least 0")
            }
            _ => Ok(()),
        }
    }
}

fn is_above_0(number: f64) -> bool {
    number.is_finite() && number > 0.0
}
