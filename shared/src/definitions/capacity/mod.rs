//! From judged steps to what a cluster can sell in a day.

mod binding;
mod lambda;

use serde::{Deserialize, Serialize};

use crate::definitions::judge::{StepJudgement, Verdict};
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::promise::{PromiseSheet, VerdictMode};
use crate::units::{DAY, Ratio, Share, TokenRate, TokensPerDay, TokensPerJoule, Watts};

pub use binding::{Binding, Sign};
pub use lambda::{Basis, Crossing, LambdaSloMax, Tested, first_crossing, lambda_slo_max};

/// How much a daily capacity is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// After a soak at that rate without degradation: may be promised.
    Committed,
    /// Measured, but not soaked: no quote may present it as a promise.
    Reference,
}

/// What a deployment can do within its promises: one row of the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Capacity {
    /// Every step, judged, in the order they ran.
    pub steps: Vec<StepJudgement>,
    /// λ_slo_max and its bracket.
    pub lambda: Measured<LambdaSloMax>,
    /// Figures at λ_slo_max.
    pub at: Measured<AtLambda>,
    /// What breaks first beyond it; `None` where no tested rate breaks.
    pub binding: Option<Binding>,
}

impl Capacity {
    /// The step that holds λ_slo_max.
    #[must_use]
    pub fn held(&self) -> Option<&StepJudgement> {
        let lambda = self.lambda.value()?;
        self.steps.iter().find(|step| step.step == lambda.step)
    }
}

/// The figures at λ_slo_max.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtLambda {
    /// SLO goodput of the deployment.
    pub goodput: TokenRate,
    /// Raw throughput at the same step.
    pub raw: TokenRate,
    /// SLO goodput per serving GPU.
    pub goodput_per_gpu: Measured<TokenRate>,
    /// goodput per GPU × GPUs × 86,400.
    pub daily: TokensPerDay,
    /// Committed or reference.
    pub standing: Standing,
    /// Attainment of the worst tier.
    pub worst_attainment: Measured<Share>,
    /// Mean output tokens of an agent step, measured.
    pub mean_osl: Measured<Ratio>,
    /// Steps (requests) a day: daily / mean output tokens.
    pub steps_per_day: Measured<Ratio>,
    /// Input tokens a day, in all.
    pub input_daily: TokensPerDay,
    /// Of which reused from the prefix cache.
    pub input_reused_daily: Measured<TokensPerDay>,
    /// Of which computed.
    pub input_computed_daily: Measured<TokensPerDay>,
    /// Goodput per watt.
    pub goodput_per_watt: Measured<TokensPerJoule>,
}

/// Capacity of judged steps of a deployment with so many serving GPUs.
#[must_use]
pub fn of_steps(steps: Vec<StepJudgement>, sheet: &PromiseSheet, gpus_serving: u32) -> Capacity {
    let lambda = lambda_slo_max(&steps).map(|lambda| match sheet.mode {
        VerdictMode::Confidence => lambda,
        // A point estimate is a screen, whatever the run.
        VerdictMode::Point => LambdaSloMax { basis: Basis::Screen, ..lambda },
    });
    let none = match steps.iter().any(|step| step.validity.is_valid()) {
        true => Missing::NothingHeld,
        false => Missing::InvalidStep,
    };
    let at = match &lambda {
        None => Measured::Missing(none.clone()),
        Some(lambda) => steps
            .iter()
            .find(|step| step.step == lambda.step)
            .map_or(Measured::Missing(none.clone()), |step| {
                at_lambda(step, lambda.basis, gpus_serving)
            }),
    };
    let binding = binding::binding(&steps, lambda.as_ref().map(|lambda| lambda.step));
    Capacity { steps, lambda: Measured::of(lambda, none), at, binding }
}

fn at_lambda(step: &StepJudgement, basis: Basis, gpus_serving: u32) -> Measured<AtLambda> {
    let both = step
        .flow
        .goodput
        .clone()
        .and_then(|goodput| step.flow.raw.clone().map(|raw| (goodput, raw)));
    both.and_then(|(goodput, raw)| {
        Measured::of(figures(step, basis, gpus_serving, goodput, raw), Missing::NoRequests)
    })
}

/// `None` only where a number overflows.
fn figures(
    step: &StepJudgement,
    basis: Basis,
    gpus_serving: u32,
    goodput: TokenRate,
    raw: TokenRate,
) -> Option<AtLambda> {
    let per_gpu = per_gpu(goodput, gpus_serving);
    let daily = match &per_gpu {
        Measured::Value(rate) => daily_capacity(*rate, gpus_serving),
        // Without declared GPUs the deployment is one whole.
        Measured::Missing(_) => daily_capacity(goodput, 1),
    }
    .value()
    .copied()?;
    let wall = step.wall.value()?.get();
    let a_day = |tokens: u64| TokensPerDay::new(tokens as f64 / wall * DAY).ok();
    let measured_day = |tokens: &Measured<u64>| {
        tokens.clone().and_then(|tokens| Measured::of(a_day(tokens), Missing::NoRequests))
    };
    let soaked = basis == Basis::Confidence
        && step.verdict == Verdict::Held
        && step.soak.value().is_some_and(|soak| soak.without_degradation());
    Some(AtLambda {
        goodput,
        raw,
        goodput_per_gpu: per_gpu,
        daily,
        standing: if soaked { Standing::Committed } else { Standing::Reference },
        worst_attainment: step.worst_attainment(),
        mean_osl: step.flow.mean_osl.clone(),
        steps_per_day: step.flow.mean_osl.clone().and_then(|osl| steps_per_day(daily, osl)),
        input_daily: a_day(step.input.total)?,
        input_reused_daily: measured_day(&step.input.reused),
        input_computed_daily: measured_day(&step.input.computed),
        goodput_per_watt: step.power.clone().and_then(|power| per_watt(goodput, power)),
    })
}

/// Goodput per serving GPU.
#[must_use]
pub fn per_gpu(goodput: TokenRate, gpus_serving: u32) -> Measured<TokenRate> {
    let per_gpu = TokenRate::new(goodput.get() / f64::from(gpus_serving)).ok();
    Measured::of(per_gpu, Missing::NotDeclared)
}

/// Daily capacity = goodput/GPU × GPUs × 86,400: a ceiling, flat over 24 h.
#[must_use]
pub fn daily_capacity(goodput_per_gpu: TokenRate, gpus: u32) -> Measured<TokensPerDay> {
    let daily = TokensPerDay::new(goodput_per_gpu.get() * f64::from(gpus) * DAY).ok();
    Measured::of(daily, Missing::NotDeclared)
}

/// Goodput/Watt: tokens per second and watt, which is tokens per joule.
#[must_use]
pub fn per_watt(goodput: TokenRate, power: Watts) -> Measured<TokensPerJoule> {
    let per_watt = TokensPerJoule::new(goodput.get() / power.get()).ok();
    Measured::of(per_watt, Missing::NotObserved)
}

/// Tasks a day: steps a day over the serial steps of a task.
#[must_use]
pub fn tasks_per_day(steps_per_day: Ratio, steps_per_task: u32) -> Measured<Ratio> {
    let tasks = Ratio::new(steps_per_day.get() / f64::from(steps_per_task)).ok();
    Measured::of(tasks, Missing::NotDeclared)
}

/// Supported business: steps a day that a daily capacity carries, flat over 24 h, at a mean
/// (measured or declared, such as 247) of output tokens a step.
#[must_use]
pub fn steps_per_day(daily: TokensPerDay, mean_osl: Ratio) -> Measured<Ratio> {
    Measured::of(Ratio::new(daily.get() / mean_osl.get()).ok(), Missing::NoRequests)
}
