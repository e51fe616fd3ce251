//! Queue time and power from scrapes.

use tokencap_shared::definitions::judge::{Quantity, QueueHistogram, Verdict};
use tokencap_shared::definitions::measured::{Measured, Missing};
use tokencap_shared::definitions::promise::PromiseKind;
use tokencap_shared::definitions::step::{Step, StepKind};
use tokencap_shared::definitions::telemetry::{Labels, Metric, Sample};
use tokencap_shared::units::Nanos;

use crate::build::*;

/// A scrape a second of a cumulative histogram that grows by `rates` (for the bounds 0.1, 0.25,
/// 0.5 and +∞ seconds) each second; before the window everything is slow.
fn histogram(rates: [f64; 4]) -> Vec<Sample> {
    let bounds = ["le=0.1", "le=0.25", "le=0.5", "le=+Inf"];
    (0..=120)
        .flat_map(|second| {
            let inside = f64::from((second - 10).max(0));
            let before = f64::from(second.min(10));
            bounds.into_iter().zip(rates).map(move |(le, rate)| {
                let slow = if le == "le=+Inf" { 50.0 * before } else { 0.0 };
                sample(f64::from(second), Metric::QueueBucket, le, slow + rate * inside)
            })
        })
        .collect()
}

fn bracket(lo: u64, hi: Option<u64>) -> Option<Quantity> {
    Some(Quantity::Bracket { lo: Nanos::from_millis(lo), hi: hi.map(Nanos::from_millis) })
}

fn p99(step: &Step, telemetry: &[Sample]) -> Option<Quantity> {
    QueueHistogram::over(step, telemetry).map(|histogram| histogram.p99())
}

#[test]
fn a_histogram_gives_a_bucket_over_the_window_and_never_more() {
    let step = step(0, StepKind::Probe, 100);
    assert_eq!(p99(&step, &histogram([5.0, 99.0, 100.0, 100.0])), bracket(100, Some(250)));
    assert_eq!(p99(&step, &histogram([5.0, 98.0, 100.0, 100.0])), bracket(250, Some(500)));
    assert_eq!(p99(&step, &histogram([5.0, 9.0, 10.0, 100.0])), bracket(500, None));
    assert_eq!(p99(&step, &histogram([100.0; 4])), bracket(0, Some(100)));
    assert_eq!(p99(&step, &histogram([0.0; 4])), None);
    assert_eq!(p99(&step, &[]), None);
}

#[test]
fn a_limit_is_held_or_broken_only_where_a_bucket_ends() {
    let mut step = step(0, StepKind::Probe, 100);
    let requests = quick(&mut step, 2000);
    let judged = |limit: u64, rates| {
        let sheet = sheet_with(|fields| fields.queue = Nanos::from_millis(limit));
        let judged = judge_under(&step, &requests, &histogram(rates), &sheet, &workload());
        let queue: Vec<_> =
            judged.promises.iter().filter(|p| p.kind == PromiseKind::QueueP99).collect();
        assert_eq!(queue.len(), 1);
        assert_eq!(queue[0].tier, None);
        (queue[0].screen, queue[0].verdict)
    };
    let quick = [20.0, 99.9, 100.0, 100.0];
    assert_eq!(judged(250, quick), (Verdict::Held, Verdict::Held));
    assert_eq!(judged(300, quick), (Verdict::Held, Verdict::Held));
    assert_eq!(judged(100, quick), (Verdict::Broken, Verdict::Broken));
    assert_eq!(judged(50, quick), (Verdict::Broken, Verdict::Broken));
    assert_eq!(judged(101, quick), (Verdict::Insufficient, Verdict::Insufficient));
    assert_eq!(judged(200, quick), (Verdict::Insufficient, Verdict::Insufficient));
    // The point is held, but 99.1 % of ten thousand is no proof of 99 %.
    let near = [20.0, 99.01, 100.0, 100.0];
    assert_eq!(judged(250, near), (Verdict::Held, Verdict::Insufficient));
}

#[test]
fn several_sources_are_summed_and_a_restart_counts_from_zero() {
    let step = step(0, StepKind::Probe, 100);
    let mut both = histogram([100.0; 4]);
    both.extend(histogram([0.0, 0.0, 3.0, 3.0]).into_iter().map(|mut sample| {
        sample.source = "b".to_owned();
        // Restarted in the middle.
        if sample.time.0 > 60 * SECOND
            && !["0.1", "0.25"].map(Some).contains(&sample.labels.get("le"))
        {
            sample.value = 3.0 * (sample.time.0 / SECOND - 60) as f64;
        }
        sample
    }));
    both.sort_by_key(|sample| sample.time);
    // 300 of 10,300 lie in (0.25, 0.5].
    assert_eq!(p99(&step, &both), bracket(250, Some(500)));
    // A source with other bounds leaves only the common ones.
    both.retain(|sample| sample.source == "a" || sample.labels.get("le") != Some("0.25"));
    assert_eq!(p99(&step, &both), bracket(100, Some(500)));
    both.iter_mut().for_each(|sample| sample.value = f64::NAN);
    assert_eq!(p99(&step, &both), None);
}

#[test]
fn a_comma_in_a_label_s_value_parts_nothing() {
    let step = step(0, StepKind::Probe, 100);
    let mut telemetry = histogram([100.0; 4]);
    let expected = p99(&step, &telemetry);
    assert!(expected.is_some());
    // As a model's or a path's name may read: with what would be a bound of its own.
    for sample in &mut telemetry {
        let bound = sample.labels.get("le").unwrap().to_owned();
        let model = "lora,le=0.25,rank=8".to_owned();
        sample.labels = Labels::new(vec![("a_model".into(), model), ("le".into(), bound)]);
    }
    assert_eq!(p99(&step, &telemetry), expected);
}

#[test]
fn queue_times_of_requests_go_before_a_histogram() {
    let mut step = step(0, StepKind::Probe, 100);
    let mut requests = quick(&mut step, 2000);
    requests.iter_mut().for_each(|request| request.queue = Some(Nanos::from_millis(1)));
    let judged = judge(&step, &requests, &histogram([0.0, 0.0, 0.0, 100.0]));
    let queue: Vec<_> =
        judged.promises.iter().filter(|p| p.kind == PromiseKind::QueueP99).collect();
    assert_eq!(queue.len(), 2);
    assert!(queue.iter().all(|promise| promise.verdict == Verdict::Held));
}

fn power(telemetry: &[Sample]) -> Measured<f64> {
    let mut step = step(0, StepKind::Probe, 100);
    let requests = quick(&mut step, 2000);
    judge(&step, &requests, telemetry).power.map(|watts| watts.get())
}

fn close(measured: &Measured<f64>, expected: f64) {
    let value = measured.value().copied().expect("measured");
    assert!((value / expected - 1.0).abs() < 1e-9, "{value} {expected}");
}

#[test]
fn power_is_weighted_by_time_and_summed_over_devices() {
    // 100 W until 60 s, 300 W afterwards: over [10, 110) that is 200 W; the edges are cut.
    let gauge = |device: &str, scale: f64| {
        (0..=120)
            .map(|second| {
                let watts = if second < 60 { 100.0 } else { 300.0 };
                sample(f64::from(second), Metric::PowerWatts, device, watts * scale)
            })
            .collect::<Vec<_>>()
    };
    // One second of the change lies between two samples: its mean counts.
    let mean = (49.0 * 100.0 + 200.0 + 50.0 * 300.0) / 100.0;
    close(&power(&gauge("gpu=0", 1.0)), mean);
    let mut two = gauge("gpu=0", 1.0);
    two.extend(gauge("gpu=1", 2.0));
    two.sort_by_key(|sample| sample.time);
    close(&power(&two), 3.0 * mean);
    // Samples that lie closer together weigh no more.
    let mut dense = gauge("gpu=0", 1.0);
    dense
        .extend((0..100).map(|i| {
            sample(20.0 + 0.4 * f64::from(i) / 100.0, Metric::PowerWatts, "gpu=0", 100.0)
        }));
    dense.sort_by_key(|sample| sample.time);
    close(&power(&dense), mean);
}

#[test]
fn energy_counters_go_first_and_survive_a_reset() {
    let mut samples = Vec::new();
    for second in (0..=120).step_by(5) {
        let joules = 250.0 * f64::from(if second < 60 { second } else { second - 60 });
        samples.push(sample(f64::from(second), Metric::EnergyJoules, "gpu=0", joules));
        samples.push(sample(f64::from(second), Metric::PowerWatts, "gpu=0", 9.0));
    }
    close(&power(&samples), 250.0);
}

#[test]
fn power_that_was_not_seen_for_long_is_not_observed() {
    assert_eq!(power(&[]), Measured::Missing(Missing::NotObserved));
    let gauge = |until: u32| {
        (0..until)
            .map(|second| sample(f64::from(second), Metric::PowerWatts, "gpu=0", 100.0))
            .collect::<Vec<_>>()
    };
    assert_eq!(power(&gauge(90)), Measured::Missing(Missing::NotObserved));
    close(&power(&gauge(102)), 100.0);
    // One device of two lacking would understate the sum.
    let mut half = gauge(121);
    half.extend((0..50).map(|s| sample(f64::from(s), Metric::PowerWatts, "gpu=1", 100.0)));
    half.sort_by_key(|sample| sample.time);
    assert_eq!(power(&half), Measured::Missing(Missing::NotObserved));
}
