//! From a customer's need to a quote, or to a refusal with its reasons.
//!
//! Nothing is extrapolated. The unit of a quote is the measured deployment as a whole; a need
//! outside what was measured (longer prompts or answers, fewer prefix hits, a tier whose
//! promise did not hold) is refused, and what was measured but not soaked is marked.

mod answers;
mod envelope;
mod sizing;

use serde::{Deserialize, Serialize};

use crate::definitions::capacity::Capacity;
use crate::definitions::declared::Declared;
use crate::definitions::judge::{Chain, StepJudgement, chain_probability};
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::money::{CostPerMTok, Money, PriceSheet, cost_per_mtok, gpu_cost_daily};
use crate::units::{Rate, Ratio, Share};

pub use answers::{Answers, Field, Range};
pub use envelope::{Mark, Refusal};
pub use sizing::{Demand, Sized, Sizing};

/// What a customer needs. Every field becomes an assumption of the quote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// How much, and how to size for it.
    pub sizing: Sizing,
    /// Mean prompt tokens of a step.
    pub mean_isl: Ratio,
    /// Longest prompt that may occur.
    pub max_isl: u32,
    /// Mean output tokens of a step.
    pub mean_osl: Ratio,
    /// Part of the prompt tokens that the prefix cache will hold.
    pub hit_rate: Share,
    /// Last day on which the quote can be accepted, YYYY-MM-DD.
    pub valid_until: String,
}

/// Why a need cannot be sized at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuoteError {
    /// A field of the need makes no sense.
    #[error("`{field}` must be greater than 0 (and a peak no less than the mean)")]
    Need {
        /// Its name, as a plan or an address has it.
        field: &'static str,
    },
    /// More units than can be counted.
    #[error("the demand needs more than 65,535 of the measured units: check the figures")]
    TooLarge,
}

/// A quote: everything a customer is told, and everything it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quote {
    /// The sized cluster.
    pub sized: Sized,
    /// GPUs of a unit: all that the measured deployment provisioned.
    pub gpus_per_unit: u32,
    /// λ_slo_max of a unit, as measured.
    pub lambda: Rate,
    /// Currency of every amount.
    pub currency: String,
    /// What the GPUs cost a day.
    pub cost_daily: Measured<Money>,
    /// The same, a step.
    pub cost_per_step: Measured<Money>,
    /// The same, a task.
    pub cost_per_task: Measured<Money>,
    /// Cost $/MTok under SLO of a unit running at λ_slo_max.
    pub cost_per_mtok: Measured<CostPerMTok>,
    /// The same at the quote's mean utilisation.
    pub cost_per_mtok_utilised: Measured<CostPerMTok>,
    /// What the customer's tokens of a day sell for at the price sheet.
    pub price_daily: Measured<Money>,
    /// The same, a task.
    pub price_per_task: Measured<Money>,
    /// Price − cost of a day.
    pub margin_daily: Measured<Money>,
    /// Probability that a task's every step complies, at the worst promised tier's measured
    /// attainment and under independence: p^n.
    pub chain_if_independent: Measured<Share>,
    /// Its bounds for steps that depend on each other in any way (Fréchet): max(0, 1 − n(1−p)),
    /// p.
    pub chain_bounds: Measured<(Share, Share)>,
    /// Measured share of smooth tasks, where tasks of as many steps were run.
    pub chain_measured: Measured<Chain>,
    /// What a change of one assumption does.
    pub sensitivities: Vec<Sensitivity>,
    /// What a reader must know before relying on it.
    pub marks: Vec<Mark>,
    /// Last day on which it can be accepted.
    pub valid_until: String,
}

/// A changed assumption, and the cluster it would take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sensitivity {
    /// What is changed.
    pub change: Change,
    /// GPUs with the change.
    pub gpus: u32,
}

/// A change of one assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Ten per cent more tasks.
    DemandUp,
    /// A peak ten per cent higher.
    PeakUp,
    /// Ten per cent less λ_slo_max.
    LambdaDown,
    /// Without growth.
    NoGrowth,
}

/// Quotes a need on a measured capacity.
///
/// # Errors
/// All the reasons why the measurement does not cover the need.
pub fn quote(
    need: &Need,
    capacity: &Capacity,
    declared: Declared<'_>,
    prices: &PriceSheet,
) -> Result<Quote, Vec<Refusal>> {
    let (step, lambda) = envelope::check(need, capacity, declared)?;
    let gpus_per_unit = declared.deployment.gpus_provisioned;
    let sized =
        need.sizing.size(lambda, gpus_per_unit).map_err(|error| vec![Refusal::Need { error }])?;

    let gpu_hour = Measured::of(prices.gpu_hour.as_ref(), Missing::NotPriced);
    let cost_daily = gpu_hour.clone().and_then(|price| gpu_cost_daily(price, sized.gpus));
    let per = |amount: &Measured<Money>, count: Ratio| {
        amount.clone().and_then(|amount| {
            Measured::of(Money::new(amount.get() / count.get()).ok(), Missing::NotPriced)
        })
    };
    let cost_per_mtok = gpu_hour.and_then(|price| {
        let goodput = step.flow.goodput.clone();
        goodput.map(|goodput| cost_per_mtok(price, gpus_per_unit, goodput))
    });
    let price_daily = price_daily(need, &sized, prices);
    let margin_daily = price_daily.clone().and_then(|price| {
        cost_daily.clone().and_then(|cost| {
            Measured::of(Money::new(price.get() - cost.get()).ok(), Missing::NotPriced)
        })
    });
    let steps = need.sizing.steps_per_task;
    let attainment = match &capacity.at {
        Measured::Value(at) => at.worst_attainment.clone(),
        Measured::Missing(reason) => Measured::Missing(reason.clone()),
    };
    Ok(Quote {
        cost_per_step: per(&cost_daily, sized.steps_per_day),
        cost_per_task: per(&cost_daily, sized.tasks_per_day),
        cost_per_mtok_utilised: cost_per_mtok
            .clone()
            .map(|cost| cost.at_utilisation(sized.mean_utilisation)),
        price_per_task: per(&price_daily, sized.tasks_per_day),
        chain_if_independent: attainment.clone().map(|p| chain_probability(p, steps)),
        chain_bounds: attainment.map(|p| frechet(p, steps)),
        chain_measured: measured_chain(step, steps),
        sensitivities: sensitivities(&need.sizing, lambda, gpus_per_unit),
        marks: envelope::marks(need, capacity, declared, prices, step),
        valid_until: need.valid_until.clone(),
        currency: prices.currency.clone(),
        sized,
        gpus_per_unit,
        lambda,
        cost_daily,
        cost_per_mtok,
        price_daily,
        margin_daily,
    })
}

/// What a day of the customer's tokens sells for. Missing if any of the three prices is: a
/// price that leaves out the input would be no price.
fn price_daily(need: &Need, sized: &Sized, prices: &PriceSheet) -> Measured<Money> {
    let parts = (&prices.output, &prices.input_uncached, &prices.input_cached);
    let (Some(output), Some(uncached), Some(cached)) = parts else {
        return Measured::Missing(Missing::NotPriced);
    };
    let steps = sized.steps_per_day.get();
    let (isl, hits) = (need.mean_isl.get(), need.hit_rate.get());
    let total = output.of(need.mean_osl.get() * steps)
        + uncached.of(isl * (1.0 - hits) * steps)
        + cached.of(isl * hits * steps);
    Measured::of(Money::new(total).ok(), Missing::NotPriced)
}

/// Bounds of the probability that n steps all comply, each with probability p, whatever the
/// dependence between them.
#[must_use]
pub fn frechet(step: Share, steps: u32) -> (Share, Share) {
    let low = 1.0 - f64::from(steps) * (1.0 - step.get());
    (Share::clamped(low), if steps == 0 { Share::clamped(1.0) } else { step })
}

fn measured_chain(step: &StepJudgement, steps: u32) -> Measured<Chain> {
    step.chain.clone().and_then(|chain| {
        Measured::of((chain.steps == steps).then_some(chain), Missing::NotObserved)
    })
}

fn sensitivities(sizing: &Sizing, lambda: Rate, gpus_per_unit: u32) -> Vec<Sensitivity> {
    let up = |ratio: Ratio| Ratio::new(ratio.get() * 1.1).unwrap_or(ratio);
    let with = |demand: Demand| Sizing { demand, ..*sizing };
    let more = match sizing.demand {
        Demand::TasksPerDay { tasks, peak_to_mean } => {
            Demand::TasksPerDay { tasks: up(tasks), peak_to_mean }
        }
        Demand::PeakSteps { rate, peak_to_mean } => {
            Demand::PeakSteps { rate: Rate::new(rate.get() * 1.1).unwrap_or(rate), peak_to_mean }
        }
    };
    let peak = match sizing.demand {
        Demand::TasksPerDay { tasks, peak_to_mean } => {
            Some(with(Demand::TasksPerDay { tasks, peak_to_mean: up(peak_to_mean) }))
        }
        // A given peak is what it is; ten per cent more of it is more demand.
        Demand::PeakSteps { .. } => None,
    };
    let no_growth = Sizing { growth: Ratio::count(0), ..*sizing };
    let less = Rate::new(lambda.get() * 0.9).unwrap_or(lambda);
    [
        (Change::DemandUp, Some(with(more)), lambda),
        (Change::PeakUp, peak, lambda),
        (Change::LambdaDown, Some(*sizing), less),
        (Change::NoGrowth, Some(no_growth), lambda),
    ]
    .into_iter()
    .filter_map(|(change, sizing, lambda)| {
        let gpus = sizing?.size(lambda, gpus_per_unit).ok()?.gpus;
        Some(Sensitivity { change, gpus })
    })
    .collect()
}
