//! Mean electric power over a window.

use std::collections::BTreeMap;

use crate::definitions::measured::{Measured, Missing};
use crate::definitions::step::Step;
use crate::definitions::telemetry::{Labels, Metric, Sample};
use crate::units::{Moment, Nanos, Watts};

/// A hole between two samples of a gauge longer than this is not bridged. (The difference of a
/// counter is right however far its samples lie apart.)
const HOLE: Nanos = Nanos::from_secs(3);

/// At least this part of the window must be covered by samples.
const COVERAGE: f64 = 0.9;

/// Samples of one series of one device.
type Curve = Vec<(Moment, f64)>;

/// Mean power of all devices together over [W0, W1): of each device from its energy counter,
/// else from its power gauge, time-weighted. Missing if any device is covered for less than
/// 90 % of the window.
pub(crate) fn mean_power(step: &Step, telemetry: &[Sample]) -> Measured<Watts> {
    let mut devices: BTreeMap<(&str, &Labels), [Curve; 2]> = BTreeMap::new();
    for sample in telemetry {
        let kind = match sample.metric {
            Metric::EnergyJoules => 0,
            Metric::PowerWatts => 1,
            _ => continue,
        };
        if sample.value.is_finite() && sample.value >= 0.0 {
            let device = devices.entry((&sample.source, &sample.labels)).or_default();
            device[kind].push((sample.time, sample.value));
        }
    }
    if devices.is_empty() {
        return Measured::Missing(Missing::NotObserved);
    }
    let window = step.w1.since(step.w0).seconds().get();
    let mut sum = 0.0;
    for [energy, power] in devices.values() {
        let by_energy = mean(step, energy, |a, b, length| {
            // A counter that fell was restarted: nothing is known of that interval.
            (b >= a).then(|| (b - a) / length.seconds().get())
        });
        let by_power = mean(step, power, |a, b, length| (length <= HOLE).then_some(0.5 * (a + b)));
        let enough = |(_, covered): &(f64, f64)| *covered >= COVERAGE * window;
        match [by_energy, by_power].into_iter().flatten().find(enough) {
            Some((mean, _)) => sum += mean,
            None => return Measured::Missing(Missing::NotObserved),
        }
    }
    Measured::of(Watts::new(sum).ok(), Missing::NotObserved)
}

/// Time-weighted mean of an interval's value over the window, with the seconds it covers.
fn mean(
    step: &Step,
    samples: &[(Moment, f64)],
    value: impl Fn(f64, f64, Nanos) -> Option<f64>,
) -> Option<(f64, f64)> {
    let (mut weighted, mut covered) = (0.0, 0.0);
    for pair in samples.windows(2) {
        let [(from, a), (to, b)] = [pair[0], pair[1]];
        let overlap = to.min(step.w1).since(from.max(step.w0)).seconds().get();
        let length = to.since(from);
        if overlap <= 0.0 {
            continue;
        }
        if let Some(value) = value(a, b, length) {
            weighted += value * overlap;
            covered += overlap;
        }
    }
    (covered > 0.0).then(|| (weighted / covered, covered))
}
