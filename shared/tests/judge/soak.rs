//! What makes a capacity committed, and what forbids it.

use tokencap_shared::bundle::judged::of_bundle;
use tokencap_shared::definitions::capacity::Standing;
use tokencap_shared::definitions::judge::{Degradation, Soak, Verdict};
use tokencap_shared::definitions::measured::{Measured, Missing};
use tokencap_shared::definitions::record::Request;
use tokencap_shared::definitions::step::{Step, StepKind};
use tokencap_shared::definitions::telemetry::{Metric, Sample};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::Nanos;

use crate::build::*;

/// Half an hour at four requests a second. TTFT varies a little, as it does.
fn half_hour() -> (Step, Vec<Request>) {
    let mut step = step(0, StepKind::Soak, 1800);
    let mut requests = quick(&mut step, 7200);
    for (i, request) in (0_u64..).zip(&mut requests) {
        delay_first(request, Nanos(i * 7919 % 1000 * 20_000));
    }
    (step, requests)
}

fn delay_first(request: &mut Request, by: Nanos) {
    request.first_token = request.first_token.map(|time| time + by);
    request.last_token = request.last_token.map(|time| time + by);
    request.end = request.end + by;
}

fn soak_of(step: &Step, requests: &[Request], telemetry: &[Sample]) -> Soak {
    judge(step, requests, telemetry).soak.value().expect("soaked").clone()
}

fn degradations(step: &Step, requests: &[Request], telemetry: &[Sample]) -> Vec<Degradation> {
    soak_of(step, requests, telemetry).degradations
}

#[test]
fn half_an_hour_without_degradation_commits() {
    let (step, requests) = half_hour();
    let soak = soak_of(&step, &requests, &[]);
    assert_eq!(soak.degradations, []);
    assert_eq!(soak.thirds, [Verdict::Held; 3]);
    assert_eq!(soak.drifts.len(), 3);
    let capacity = of_bundle(&bundle(vec![step], requests, vec![]));
    assert_eq!(capacity.at.value().expect("held").standing, Standing::Committed);
}

#[test]
fn a_probe_is_no_soak_and_a_short_one_commits_nothing() {
    let (mut step, requests) = half_hour();
    step.kind = StepKind::Probe;
    assert_eq!(judge(&step, &requests, &[]).soak, Measured::Missing(Missing::NotSoaked));
    let mut short = crate::build::step(0, StepKind::Soak, 1799);
    let requests = quick(&mut short, 7200);
    assert!(matches!(degradations(&short, &requests, &[])[..], [Degradation::TooShort { .. }]));
    let capacity = of_bundle(&bundle(vec![short], requests, vec![]));
    assert_eq!(capacity.at.value().expect("held").standing, Standing::Reference);
}

/// The drifts found. What drifts has its slowest requests together, which is less evidence:
/// that may leave its promises unproved besides.
fn drifts(step: &Step, requests: &[Request]) -> Vec<Degradation> {
    let mut found = degradations(step, requests, &[]);
    found.retain(|d| !matches!(d, Degradation::NotHeld { verdict: Verdict::Insufficient }));
    found
}

#[test]
fn a_drift_of_five_per_cent_counts_and_only_in_the_bad_direction() {
    // The median TTFT of either tier rises from 110 ms by so many milliseconds over the soak.
    let drifting = |by: u64, falls: bool| {
        let (step, mut requests) = half_hour();
        for (i, request) in (0_u64..).zip(&mut requests) {
            let at = if falls { 7200 - i } else { i };
            delay_first(request, Nanos(by * 1_000_000 * at / 7200));
        }
        drifts(&step, &requests)
    };
    assert_eq!(drifting(4, false), []);
    let [Degradation::Drift { tier: Some(0), change }, Degradation::Drift { tier: Some(1), .. }] =
        drifting(8, false)[..]
    else {
        panic!("{:?}", drifting(8, false))
    };
    assert!((0.05..0.09).contains(&change), "{change}");
    assert_eq!(drifting(20, true), []);
}

#[test]
fn goodput_that_falls_is_a_drift() {
    // Answers grow shorter (or longer) by so many of 1,000 tokens, among others of any length.
    let drifting = |by: u32, falls: bool| {
        let (step, mut requests) = half_hour();
        for (i, request) in (0_u32..).zip(&mut requests) {
            let at = if falls { 7200 - i } else { i };
            request.osl = Some(950 + by * at / 7200 + i * 7919 % 100);
        }
        drifts(&step, &requests)
    };
    assert_eq!(drifting(40, true), []);
    let found = drifting(80, true);
    let [Degradation::Drift { tier: None, change }] = found[..] else { panic!("{found:?}") };
    assert!((-0.09..-0.05).contains(&change), "{change}");
    assert_eq!(drifting(80, false), []);
}

#[test]
fn a_third_may_not_be_broken_even_if_the_whole_would_pass() {
    let (mut step, mut requests) = half_hour();
    step.kind = StepKind::Confirm;
    // 2.5 % bad in the last third, 0.83 % over all.
    for request in requests[4800..].iter_mut().step_by(40) {
        request.first_token = Some(request.sent + Nanos::from_secs(4));
    }
    let soak = soak_of(&step, &requests, &[]);
    assert_eq!(soak.thirds, [Verdict::Held, Verdict::Held, Verdict::Broken]);
    assert!(soak.degradations.contains(&Degradation::ThirdBroken { third: 2 }));
    assert!(!soak.without_degradation());
}

#[test]
fn restarts_preemptions_and_error_episodes_are_degradations() {
    let (step, requests) = half_hour();
    let second = |value: &dyn Fn(f64) -> f64, metric| {
        (0..1900).map(|s| sample(f64::from(s), metric, "", value(f64::from(s)))).collect::<Vec<_>>()
    };
    let times = |telemetry: &[Sample]| degradations(&step, &requests, telemetry);
    // Uptime rises with time; a start time stays.
    assert_eq!(times(&second(&|s| 100.0 + s, Metric::ProcessStart)), []);
    assert_eq!(times(&second(&|_| 1.7e9, Metric::ProcessStart)), []);
    let restart = Degradation::Restart { times: 1 };
    let uptime = second(&|s| if s < 900.0 { 100.0 + s } else { s - 900.0 }, Metric::ProcessStart);
    assert_eq!(times(&uptime), std::slice::from_ref(&restart));
    let start = second(&|s| if s < 900.0 { 1.7e9 } else { 1.7e9 + 1000.0 }, Metric::ProcessStart);
    assert_eq!(times(&start), [restart]);

    let preempted = |n: f64| second(&|s| (s / 10.0).floor() * n / 180.0, Metric::Preemptions);
    assert_eq!(times(&preempted(72.0)), []);
    assert!(matches!(times(&preempted(90.0))[..], [Degradation::PreemptionStorm { .. }]));

    let (step, mut requests) = half_hour();
    for at in [100, 102, 104] {
        requests[at] = failure(0, requests[at].sent.0);
    }
    assert_eq!(degradations(&step, &requests, &[]), [Degradation::ErrorEpisode { spans: 1 }]);
    for at in [100, 102] {
        requests[at] = half_hour().1[at];
    }
    assert_eq!(degradations(&step, &requests, &[]), []);
}

#[test]
fn what_ends_the_step_or_its_verdict_ends_the_soak() {
    let (mut step, mut requests) = half_hour();
    let workload = Workload { hit_rate: Some(share(0.5)), ..workload() };
    let judged = judge_under(&step, &requests, &[], &sheet(), &workload);
    let found = &judged.soak.value().expect("soaked").degradations;
    assert!(found.contains(&Degradation::Invalid), "{found:?}");
    assert!(found.iter().any(|d| matches!(d, Degradation::HitRate { .. })), "{found:?}");

    for (i, request) in (0_u64..).zip(&mut requests) {
        request.end = request.end + Nanos(i * 100_000);
    }
    let found = degradations(&step, &requests, &[]);
    let broken = Degradation::NotHeld { verdict: Verdict::Broken };
    assert_eq!(found, [broken, Degradation::GrowingBacklog]);

    // Nobody in the long tier for the last minutes: its drift is unknown.
    let (_, mut requests) = half_hour();
    for request in &mut requests[6000..] {
        request.isl = Some(500);
    }
    step.scheduled = 7200;
    let found = degradations(&step, &requests, &[]);
    assert_eq!(found, [Degradation::DriftUnknown { tier: Some(1) }]);
}
