//! How many of the measured units a demand needs: arithmetic without a judgement.

use serde::{Deserialize, Serialize};

use super::QuoteError;
use crate::units::{DAY, Rate, Ratio, Share};

/// How much a customer wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by", deny_unknown_fields)]
pub enum Demand {
    /// Tasks a day, with the factor between the busiest time and the mean.
    TasksPerDay {
        /// Tasks a day today.
        tasks: Ratio,
        /// Peak rate over mean rate, ≥ 1.
        peak_to_mean: Ratio,
    },
    /// Steps (requests) a second at the busiest time, with the factor down to the mean.
    PeakSteps {
        /// Peak rate today.
        rate: Rate,
        /// Peak rate over mean rate, ≥ 1.
        peak_to_mean: Ratio,
    },
}

/// What determines the number of units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizing {
    /// How much, today.
    pub demand: Demand,
    /// Serial steps (requests) of a task.
    pub steps_per_task: u32,
    /// Growth until the quote's horizon: 0.5 is half as much again.
    pub growth: Ratio,
    /// A unit is planned to run at no more than this part of its λ_slo_max.
    pub utilisation_ceiling: Share,
    /// Units beyond the need, so that one may fail (N+1).
    pub spare_units: u32,
}

/// The sized cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sized {
    /// Mean rate of steps today.
    pub mean_rate_now: Rate,
    /// Mean rate at the horizon.
    pub mean_rate: Rate,
    /// Peak rate at the horizon: what must be carried.
    pub peak_rate: Rate,
    /// Units needed, before rounding up.
    pub units_exact: Ratio,
    /// Units needed.
    pub units: u32,
    /// With the spare ones.
    pub units_total: u32,
    /// GPUs in all.
    pub gpus: u32,
    /// Mean rate at the horizon over the λ_slo_max of all units, spares included.
    pub mean_utilisation: Share,
    /// Tasks a day at the horizon.
    pub tasks_per_day: Ratio,
    /// Steps a day at the horizon.
    pub steps_per_day: Ratio,
}

impl Sizing {
    /// Sizes a cluster of units that carry `lambda` each on `gpus_per_unit` GPUs:
    /// units = ⌈peak / (λ·ceiling)⌉ + spares.
    ///
    /// # Errors
    /// If an input cannot be sized: no demand, no steps, a peak below the mean, a ceiling or a
    /// λ of 0, or more units than can be counted.
    pub fn size(&self, lambda: Rate, gpus_per_unit: u32) -> Result<Sized, QuoteError> {
        let bad = |field| QuoteError::Need { field };
        let steps = f64::from(self.steps_per_task);
        if self.steps_per_task == 0 {
            return Err(bad("steps_per_task"));
        }
        if gpus_per_unit == 0 {
            return Err(bad("gpus_per_unit"));
        }
        let (Demand::TasksPerDay { peak_to_mean, .. } | Demand::PeakSteps { peak_to_mean, .. }) =
            self.demand;
        if peak_to_mean.get() < 1.0 {
            return Err(bad("peak_to_mean"));
        }
        let mean_now = match self.demand {
            Demand::TasksPerDay { tasks, .. } => tasks.get() * steps / DAY,
            Demand::PeakSteps { rate, .. } => rate.get() / peak_to_mean.get(),
        };
        if mean_now <= 0.0 {
            return Err(bad("demand"));
        }
        let per_unit = lambda.get() * self.utilisation_ceiling.get();
        if per_unit <= 0.0 {
            return Err(bad("utilisation_ceiling"));
        }
        let mean = mean_now * (1.0 + self.growth.get());
        let peak = mean * peak_to_mean.get();
        let exact = peak / per_unit;
        // A quotient that is whole but for rounding asks for no further unit.
        let units = libm::ceil(exact * (1.0 - 1e-12));
        if units > f64::from(u16::MAX) {
            return Err(QuoteError::TooLarge);
        }
        let units = units as u32;
        let units_total = units.checked_add(self.spare_units).ok_or(QuoteError::TooLarge)?;
        let gpus = units_total.checked_mul(gpus_per_unit).ok_or(QuoteError::TooLarge)?;
        let overflow = |_| QuoteError::TooLarge;
        let rate = |value| Rate::new(value).map_err(overflow);
        let ratio = |value| Ratio::new(value).map_err(overflow);
        Ok(Sized {
            mean_rate_now: rate(mean_now)?,
            mean_rate: rate(mean)?,
            peak_rate: rate(peak)?,
            units_exact: ratio(exact)?,
            units,
            units_total,
            gpus,
            mean_utilisation: Share::clamped(mean / (lambda.get() * f64::from(units_total))),
            tasks_per_day: ratio(mean * DAY / steps)?,
            steps_per_day: ratio(mean * DAY)?,
        })
    }
}
