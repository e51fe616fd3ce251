//! What the server showed of itself during a step's window.

use serde::Serialize;

use crate::definitions::measured::{Measured, Missing};
use crate::definitions::step::Step;
use crate::definitions::telemetry::{Metric, Sample};
use crate::units::{Moment, Ratio, Share};

use super::soak::{increase, series};

/// The server's own gauges and counters over a window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServerFigures {
    /// Mean number of requests waiting, over all replicas.
    pub waiting: Measured<Ratio>,
    /// Mean share of KV cache in use, of the fullest replica.
    pub kv_use: Measured<Share>,
    /// Preempted requests.
    pub preemptions: Measured<u64>,
}

/// Means and increases over the window.
pub(crate) fn figures(step: &Step, telemetry: &[Sample]) -> ServerFigures {
    let waiting: Vec<f64> = means(step, telemetry, Metric::Waiting);
    let kv_use = means(step, telemetry, Metric::KvUse);
    let counted = series(step, telemetry, Metric::Preemptions).next().is_some();
    let not = || Missing::NotObserved;
    ServerFigures {
        waiting: Measured::of(
            (!waiting.is_empty()).then(|| Ratio::new(waiting.iter().sum()).ok()).flatten(),
            not(),
        ),
        kv_use: Measured::of(kv_use.into_iter().reduce(f64::max).map(Share::clamped), not()),
        preemptions: Measured::of(
            counted.then(|| increase(step, telemetry, Metric::Preemptions)),
            not(),
        ),
    }
}

/// Mean of each series of a gauge.
fn means(step: &Step, telemetry: &[Sample], metric: Metric) -> Vec<f64> {
    let mean = |values: Vec<(Moment, f64)>| {
        values.iter().map(|value| value.1).sum::<f64>() / values.len() as f64
    };
    series(step, telemetry, metric).map(mean).collect()
}
