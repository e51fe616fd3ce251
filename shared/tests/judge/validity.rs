//! Each reason that makes a step INVALID, at its border.

use tokencap_shared::definitions::judge::{Invalid, Verdict};
use tokencap_shared::definitions::record::{ClientFaultKind, Outcome, Request};
use tokencap_shared::definitions::step::{Step, StepKind};
use tokencap_shared::definitions::telemetry::Metric;
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::{Moment, Nanos};

use crate::build::*;

fn plain() -> (Step, Vec<Request>) {
    let mut step = step(0, StepKind::Probe, 100);
    let requests = quick(&mut step, 2000);
    (step, requests)
}

fn reasons(step: &Step, requests: &[Request]) -> Vec<Invalid> {
    judge(step, requests, &[]).validity.invalid
}

fn delay(request: &mut Request, lag: Nanos) {
    request.intended = request.sent - lag;
}

#[test]
fn a_plain_step_is_valid() {
    let (step, requests) = plain();
    let judged = judge(&step, &requests, &[]);
    assert_eq!(judged.validity.invalid, []);
    assert!(judged.validity.is_valid() && !judged.validity.unsustainable);
    assert!(!judged.validity.window_too_short);
}

#[test]
fn a_step_without_members_is_empty() {
    let (step, requests) = plain();
    let warm_up: Vec<Request> =
        requests.iter().map(|r| Request { sent: Moment(r.sent.0 % step.w0.0), ..*r }).collect();
    assert_eq!(reasons(&step, &warm_up), [Invalid::Empty]);
    assert_eq!(reasons(&step, &[]), [Invalid::Empty]);
    assert_eq!(judge(&step, &[], &[]).verdict, Verdict::Insufficient);
}

#[test]
fn send_lag_may_be_one_per_cent_of_the_tightest_ttft_limit() {
    // The tightest limit is 500 ms, so 5 ms at the 99th percentile, and 100 ms at most.
    let limit = Nanos::from_millis(5);
    let lagging = |lag: Nanos, of: usize| {
        let (step, mut requests) = plain();
        requests[..of].iter_mut().for_each(|request| delay(request, lag));
        reasons(&step, &requests)
    };
    assert_eq!(lagging(limit, 2000), []);
    assert_eq!(lagging(Nanos(limit.0 + 1), 20), []);
    let late = Invalid::GeneratorLate { p99: Nanos(limit.0 + 1), max: Nanos(limit.0 + 1), limit };
    assert_eq!(lagging(Nanos(limit.0 + 1), 21), [late]);
    assert_eq!(lagging(Nanos::from_millis(100), 1), []);
    let max = Nanos(Nanos::from_millis(100).0 + 1);
    assert_eq!(lagging(max, 1), [Invalid::GeneratorLate { p99: Nanos(0), max, limit }]);
}

#[test]
fn a_busy_core_or_a_stalled_loop_is_a_saturated_generator() {
    let (mut step, requests) = plain();
    step.generator.cpu_busiest = Some(share(0.70));
    step.generator.stall_p999 = Some(Nanos::from_millis(20));
    assert_eq!(reasons(&step, &requests), []);
    step.generator.cpu_busiest = Some(share(0.71));
    assert!(matches!(reasons(&step, &requests)[..], [Invalid::GeneratorSaturated { .. }]));
    step.generator.cpu_busiest = None;
    step.generator.stall_p999 = Some(Nanos(20_000_001));
    assert!(matches!(reasons(&step, &requests)[..], [Invalid::GeneratorSaturated { .. }]));
}

#[test]
fn arrivals_may_be_off_the_schedule_by_one_per_cent_but_never_dropped() {
    let (mut step, requests) = plain();
    for (scheduled, valid) in
        [(2000, true), (2020, true), (2021, false), (1981, true), (1980, false)]
    {
        step.scheduled = scheduled;
        assert_eq!(reasons(&step, &requests).is_empty(), valid, "{scheduled}");
    }
    step.scheduled = 2000;
    step.generator.dropped = 1;
    let missing = Invalid::ArrivalsMissing { scheduled: 2000, sent: 2000, dropped: 1 };
    assert_eq!(reasons(&step, &requests), [missing]);
}

#[test]
fn one_in_a_thousand_may_be_the_plans_fault_or_lie_outside_every_tier() {
    let spoil = |n: usize, spoiled: fn(&mut Request)| {
        let (step, mut requests) = plain();
        requests[..n].iter_mut().for_each(spoiled);
        reasons(&step, &requests)
    };
    let fault: fn(&mut Request) =
        |request| request.outcome = Outcome::ClientFault(ClientFaultKind::NotFound);
    assert_eq!(spoil(2, fault), []);
    assert_eq!(spoil(3, fault), [Invalid::ClientFaults { faults: 3, members: 2000 }]);
    let unknown: fn(&mut Request) = |request| request.isl = None;
    assert_eq!(spoil(2, unknown), []);
    assert_eq!(spoil(3, unknown), [Invalid::Unpromised { unpromised: 3, valid: 2000 }]);
    let uncounted: fn(&mut Request) = |request| request.osl = None;
    assert_eq!(spoil(2, uncounted), []);
    assert_eq!(spoil(3, uncounted), [Invalid::UnknownTokens { unknown: 3, of: 2000 }]);
}

#[test]
fn a_hit_rate_off_by_more_than_a_point_is_a_contaminated_cache() {
    let (step, requests) = plain();
    // 100 of 500 and 100 of 5000 in turn: 200 of 5500.
    let measured = 200.0 / 5500.0;
    let declared = |hit_rate: f64| {
        let workload = Workload { hit_rate: Some(share(hit_rate)), ..workload() };
        judge_under(&step, &requests, &[], &sheet(), &workload).validity.invalid
    };
    assert_eq!(declared(measured + 0.01), []);
    assert_eq!(declared(measured - 0.01), []);
    assert!(matches!(declared(measured + 0.0101)[..], [Invalid::CacheContaminated { .. }]));
}

#[test]
fn a_hole_in_the_telemetry_matters_only_where_a_signed_promise_rests_on_it() {
    let (step, requests) = plain();
    let scrapes = |holes: &[u32]| {
        (0..=120_u32)
            .filter(|second| !holes.contains(second))
            .flat_map(|second| {
                let count = f64::from(second) * 20.0;
                [("le=0.1", count), ("le=+Inf", count)]
                    .map(|(le, count)| sample(f64::from(second), Metric::QueueBucket, le, count))
            })
            .collect::<Vec<_>>()
    };
    let judged = |holes: &[u32], signed: bool| {
        let sheet = sheet_with(|fields| {
            if signed {
                fields.watched.clear()
            }
        });
        judge_under(&step, &requests, &scrapes(holes), &sheet, &workload()).validity.invalid
    };
    assert_eq!(judged(&[50, 51], true), []);
    let longest = Nanos::from_secs(4);
    assert_eq!(judged(&[50, 51, 52], true), [Invalid::TelemetryGap { longest }]);
    assert_eq!(judged(&[50, 51, 52], false), []);
}

#[test]
fn a_long_tail_flags_the_window_as_too_short() {
    let (step, mut requests) = plain();
    let end = |wall: f64| Moment(step.w0.0 + (wall * 1e9) as u64);
    requests[1999].end = end(105.2);
    assert!(!judge(&step, &requests, &[]).validity.window_too_short);
    requests[1999].end = end(105.3);
    let judged = judge(&step, &requests, &[]);
    assert!(judged.validity.window_too_short && judged.validity.is_valid());
}

#[test]
fn a_growing_backlog_is_broken_not_invalid() {
    let (step, mut requests) = plain();
    // Every request waits a little longer than the one before it.
    for (i, request) in (0_u64..).zip(&mut requests) {
        let wait = Nanos(i * 50_000);
        request.end = request.end + wait;
    }
    let judged = judge(&step, &requests, &[]);
    assert!(judged.validity.is_valid() && judged.validity.unsustainable);
    assert_eq!((judged.verdict, judged.screen), (Verdict::Broken, Verdict::Broken));
    // Falling is no growth.
    requests.reverse();
    for (i, request) in (0_u64..).zip(&mut requests) {
        let sent = Moment(step.w0.0 + i * 50_000_000);
        let residence = request.residence();
        (request.intended, request.sent, request.end) = (sent, sent, sent + residence);
    }
    assert!(!judge(&step, &requests, &[]).validity.unsustainable);
}
