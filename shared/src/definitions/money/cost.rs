//! What a token that keeps its promise costs.

use serde::Serialize;

use super::{GpuHour, Money, Price};
use crate::definitions::judge::StepJudgement;
use crate::definitions::measured::{Measured, Missing};
use crate::units::{Rate, Ratio, Share, TokenRate};

const HOURS_A_DAY: f64 = 24.0;
const SECONDS_AN_HOUR: f64 = 3_600.0;

/// Cost of a million compliant output tokens. Failed and non-compliant work is charged to the
/// compliant tokens; where none comply the cost is infinite, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "cost", content = "per_mtok")]
pub enum CostPerMTok {
    /// Money per million tokens.
    Finite(Money),
    /// Nothing of what was paid for could be sold.
    Infinite,
}

impl CostPerMTok {
    /// The amount; `None` where it is infinite.
    #[must_use]
    pub const fn finite(self) -> Option<Money> {
        match self {
            Self::Finite(money) => Some(money),
            Self::Infinite => None,
        }
    }

    /// The effective cost where only a share u of the capacity is sold: cost/u.
    #[must_use]
    pub fn at_utilisation(self, utilisation: Share) -> Self {
        self.finite()
            .and_then(|cost| Money::new(cost.get() / utilisation.get()).ok())
            .map_or(Self::Infinite, Self::Finite)
    }
}

/// What the provisioned GPUs cost a day.
#[must_use]
pub fn gpu_cost_daily(price: &Price<GpuHour>, gpus_provisioned: u32) -> Measured<Money> {
    let cost = price.of(HOURS_A_DAY * f64::from(gpus_provisioned));
    Measured::of(Money::new(cost).ok(), Missing::NotPriced)
}

/// Cost $/MTok under SLO = GPU price per hour × GPUs provisioned / 3600 / SLO goodput × 10⁶.
#[must_use]
pub fn cost_per_mtok(
    price: &Price<GpuHour>,
    gpus_provisioned: u32,
    goodput: TokenRate,
) -> CostPerMTok {
    let a_second = price.of(f64::from(gpus_provisioned) / SECONDS_AN_HOUR);
    Money::new(a_second / goodput.get() * 1e6).map_or(CostPerMTok::Infinite, CostPerMTok::Finite)
}

/// One point of C_eff(λ).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostPoint {
    /// Id of the step that offered the rate.
    pub step: u32,
    /// Rate offered.
    pub rate: Rate,
    /// Mean requests in flight (Little: Σ residence / wall time).
    pub concurrency: Measured<Ratio>,
    /// Cost $/MTok under SLO at this rate.
    pub cost: CostPerMTok,
}

/// C_eff(λ): cost at each tested rate, in the order of rates. INVALID steps have none.
#[must_use]
pub fn cost_curve(
    steps: &[StepJudgement],
    price: &Price<GpuHour>,
    gpus_provisioned: u32,
) -> Vec<CostPoint> {
    let mut points: Vec<CostPoint> = steps
        .iter()
        .filter(|step| step.validity.is_valid())
        .filter_map(|step| {
            let goodput = *step.flow.goodput.value()?;
            Some(CostPoint {
                step: step.step,
                rate: step.offered,
                concurrency: step.concurrency.clone(),
                cost: cost_per_mtok(price, gpus_provisioned, goodput),
            })
        })
        .collect();
    points.sort_by(|a, b| a.rate.get().total_cmp(&b.rate.get()));
    points
}

/// Effective cost by utilisation, from 10 % to 100 % of the daily capacity sold.
#[must_use]
pub fn utilisation_curve(cost: CostPerMTok) -> Vec<(Share, CostPerMTok)> {
    (1..=10_u64)
        .filter_map(|tenth| Share::of(tenth, 10))
        .map(|utilisation| (utilisation, cost.at_utilisation(utilisation)))
        .collect()
}
