//! A worked sweep and a worked quote, evaluated by the same functions as every report.

use serde::Deserialize;
use serde_json::{Value, json};

use super::case::{CaseError, Decimal};
use crate::definitions::capacity::{Tested, first_crossing};
use crate::definitions::judge::{Verdict, chain_probability};
use crate::definitions::measured::Measured;
use crate::definitions::money::{GpuHour, Price, gpu_cost_daily};
use crate::definitions::quote::{Demand, Sizing};
use crate::units::{Rate, Ratio, Share};

#[derive(Deserialize)]
struct Worked {
    sweep: Option<Input<Vec<Rung>>>,
    quote: Option<Input<Asked>>,
}

#[derive(Deserialize)]
struct Input<T> {
    input: T,
}

#[derive(Deserialize)]
struct Rung {
    lam: f64,
    valid: bool,
    verdict: Named,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Named {
    Held,
    Broken,
    Insufficient,
    NotObserved,
}

#[derive(Deserialize)]
struct Asked {
    tasks_per_day: f64,
    steps_per_task: u32,
    peak_factor: Decimal,
    growth: Decimal,
    lambda_slo_max_per_replica: Decimal,
    headroom: Decimal,
    gpus_per_replica: u32,
    gpu_usd_per_hour: Decimal,
    spare_replicas: u32,
    step_attainment: Decimal,
}

/// Evaluates a worked sweep and quote, given as one JSON with both inputs.
///
/// # Errors
/// If the text is of another form, or the quote cannot be sized.
pub fn evaluate_sweep_quote(text: &str) -> Result<String, CaseError> {
    let worked: Worked = serde_json::from_str(text)?;
    let sweep = worked.sweep.map(|sweep| sweep_of(&sweep.input)).transpose()?;
    let quote = worked.quote.map(|quote| quote_of(&quote.input)).transpose()?;
    Ok(json!({ "sweep": sweep, "quote": quote }).to_string())
}

fn sweep_of(rungs: &[Rung]) -> Result<Value, CaseError> {
    let mut tested = Vec::new();
    for rung in rungs {
        let verdict = match rung.verdict {
            Named::Held => Verdict::Held,
            Named::Broken => Verdict::Broken,
            Named::Insufficient => Verdict::Insufficient,
            Named::NotObserved => Verdict::NotObserved,
        };
        tested.push(Tested { rate: Rate::new(rung.lam)?, valid: rung.valid, verdict });
    }
    let Some(crossing) = first_crossing(&tested) else {
        return Ok(json!({ "lambda_slo_max": null }));
    };
    // As the case writes its rates: whole ones without a point.
    let rate = |at: usize| match rungs[at].lam {
        whole if whole == libm::floor(whole) && whole < 1e15 => json!(whole as u64),
        other => json!(other),
    };
    Ok(json!({
        "lambda_slo_max": rate(crossing.held),
        "bracket": [rate(crossing.held), crossing.first_broken.map(rate)],
        "non_monotone": crossing.non_monotone,
    }))
}

fn quote_of(asked: &Asked) -> Result<Value, CaseError> {
    let sizing = Sizing {
        demand: Demand::TasksPerDay {
            tasks: Ratio::new(asked.tasks_per_day)?,
            peak_to_mean: Ratio::new(asked.peak_factor.get()?)?,
        },
        steps_per_task: asked.steps_per_task,
        growth: Ratio::new(asked.growth.get()?)?,
        utilisation_ceiling: Share::new(asked.headroom.get()?)?,
        spare_units: asked.spare_replicas,
    };
    let lambda = Rate::new(asked.lambda_slo_max_per_replica.get()?)?;
    let sized = sizing.size(lambda, asked.gpus_per_replica)?;
    let price = Price::<GpuHour>::new(asked.gpu_usd_per_hour.get()?, "the case")?;
    let cost = match gpu_cost_daily(&price, sized.gpus) {
        Measured::Value(cost) => Some(cost.get()),
        Measured::Missing(_) => None,
    };
    let attainment = Share::new(asked.step_attainment.get()?)?;
    Ok(json!({
        "mean_rate_now": sized.mean_rate_now,
        "peak_rate_horizon": sized.peak_rate,
        "replicas_needed_exact": sized.units_exact,
        "replicas": sized.units,
        "replicas_total": sized.units_total,
        "gpus": sized.gpus,
        "cost_usd_per_day": cost,
        "cost_usd_per_step": cost.map(|cost| cost / sized.steps_per_day.get()),
        "cost_usd_per_task": cost.map(|cost| cost / sized.tasks_per_day.get()),
        "mean_utilisation": sized.mean_utilisation,
        "chain_iid": chain_probability(attainment, asked.steps_per_task),
    }))
}
