//! From judged steps to what a cluster can sell in a day.

use serde::{Deserialize, Serialize};

use crate::judge::StepJudgement;
use crate::measured::Measured;
use crate::units::{Rate, Ratio, Share, TokenRate, TokensPerDay, TokensPerJoule};

/// λ_slo_max: the highest tested rate whose step is valid, where every signed promise is held,
/// and below which no tested rate is broken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LambdaSloMax {
    /// The step that holds it.
    pub step: u32,
    /// Rate offered in that step.
    pub rate: Rate,
    /// The lowest rate tested above it that was broken; `None`: no rate tested breaks.
    pub first_broken: Option<Rate>,
    /// A rate above a broken one passed: said, never used.
    pub non_monotone: bool,
    /// How the passes were judged.
    pub basis: Basis,
}

/// On what a λ_slo_max rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Every promise held with confidence.
    Confidence,
    /// Point estimates only: a screen.
    Screen,
}

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
}

/// The figures at λ_slo_max.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtLambda {
    /// SLO goodput of the deployment.
    pub goodput: TokenRate,
    /// Raw throughput at the same step.
    pub raw: TokenRate,
    /// SLO goodput per serving GPU.
    pub goodput_per_gpu: TokenRate,
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
