//! What evidence makes of a promise.

use tokencap_shared::definitions::judge::{
    Dependence, Evidence, Gaps, StepJudgement, Verdict, judge_step,
};
use tokencap_shared::definitions::measured::{Measured, Missing};
use tokencap_shared::definitions::promise::{PromiseKind, PromiseSheet, VerdictMode};
use tokencap_shared::definitions::record::Request;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::units::{Moment, Nanos};

use crate::build::*;

fn verdict(judged: &StepJudgement, kind: PromiseKind, tier: Option<usize>) -> Verdict {
    judged
        .promises
        .iter()
        .find(|promise| promise.kind == kind && promise.tier == tier)
        .map(|promise| promise.verdict)
        .expect("the promise is judged")
}

#[test]
fn what_is_missing_is_said_in_requests_and_in_time() {
    let mut step = step(0, StepKind::Probe, 478);
    let requests = quick(&mut step, 1912);
    let sheet = sheet_with(|fields| {
        fields.success = 0.9995.try_into().expect("a target");
    });
    let gaps = exact_gaps(&requests);
    let evidence =
        Evidence { step: &step, requests: &requests, gaps: Gaps::Exact(&gaps), telemetry: &[] };
    let judged = judge_step(evidence, &sheet, &workload(), Dependence::Independent);
    let success = judged.promises.last().expect("success is the last promise");
    assert_eq!(success.kind, PromiseKind::Success);
    assert_eq!(success.verdict, Verdict::Insufficient);
    let evidence = success.evidence.value().expect("observed");
    let needed = evidence.needed.expect("insufficient");
    // 1,912 without a failure; 5,990 are needed; at 4 a second about 17 min more.
    assert_eq!((evidence.n, evidence.good, needed.n), (1912, 1912, 5990));
    let minutes = needed.more.expect("requests arrive").get() / 60.0;
    assert!((minutes - 16.99).abs() < 0.01, "{minutes}");
}

#[test]
fn enough_quick_answers_prove_every_promise() {
    let mut step = step(0, StepKind::Confirm, 100);
    let requests = quick(&mut step, 2000);
    let judged = judge(&step, &requests, &[]);
    assert_eq!((judged.verdict, judged.screen), (Verdict::Held, Verdict::Held));
    assert_eq!(verdict(&judged, PromiseKind::QueueP99, Some(0)), Verdict::NotObserved);
}

#[test]
fn a_signed_promise_without_a_source_is_not_held() {
    let mut step = step(0, StepKind::Probe, 100);
    let requests = quick(&mut step, 2000);
    let sheet = sheet_with(|fields| fields.watched.clear());
    let judged = judge_under(&step, &requests, &[], &sheet, &workload());
    assert_eq!(judged.verdict, Verdict::NotObserved);
}

#[test]
fn a_tier_that_nobody_tested_is_not_held() {
    let mut step = step(0, StepKind::Probe, 100);
    let mut requests = quick(&mut step, 2000);
    requests.iter_mut().for_each(|request| request.isl = Some(500));
    let judged = judge(&step, &requests, &[]);
    assert_eq!(verdict(&judged, PromiseKind::Attainment, Some(1)), Verdict::Insufficient);
    assert_eq!((judged.verdict, judged.screen), (Verdict::Insufficient, Verdict::Insufficient));
}

#[test]
fn violations_in_one_burst_prove_less_than_scattered_ones() {
    let with_slow = |slow: &dyn Fn(usize) -> bool| {
        let mut step = step(0, StepKind::Confirm, 1000);
        let mut requests = quick(&mut step, 20_000);
        for (i, request) in requests.iter_mut().enumerate().filter(|(i, _)| slow(*i)) {
            request.first_token = Some(request.sent + Nanos::from_secs(5));
            request.last_token = Some(request.sent + Nanos::from_secs(5 + i as u64 % 2));
        }
        let judged = judge(&step, &requests, &[]);
        let attainment = &judged.promises[0];
        let evidence = attainment.evidence.value().expect("observed").clone();
        (attainment.verdict, evidence)
    };
    // 60 slow ones of 10,000 in the short tier, either way.
    let (scattered, even) = with_slow(&|i| i % 332 == 0);
    let (burst, one) = with_slow(&|i| (7000..7122).contains(&i));
    assert_eq!((even.n - even.good, one.n - one.good), (61, 61));
    assert_eq!(scattered, Verdict::Held);
    assert_eq!(burst, Verdict::Insufficient);
    assert!(one.vif.get() > 10.0 * even.vif.get(), "{} {}", one.vif.get(), even.vif.get());
    assert!(one.episodes == 1 && even.episodes > 50);
    assert!(one.needed.expect("insufficient").n > even.n);
}

#[test]
fn point_mode_compares_points() {
    let mut step = step(0, StepKind::Probe, 10);
    let requests = quick(&mut step, 20);
    let sheet = sheet_with(|fields| fields.mode = VerdictMode::Point);
    let judged = judge_under(&step, &requests, &[], &sheet, &workload());
    assert_eq!(judged.verdict, Verdict::Held);
    assert_eq!(judge(&step, &requests, &[]).verdict, Verdict::Insufficient);
}

#[test]
fn many_cancelled_requests_forbid_a_proof() {
    let mut step = step(0, StepKind::Probe, 100);
    let mut requests = quick(&mut step, 2000);
    for request in &mut requests[..60] {
        request.outcome = tokencap_shared::definitions::record::Outcome::Cancelled;
    }
    let judged = judge(&step, &requests, &[]);
    let attainment = &judged.promises[0];
    // All 970 others comply, but 30 of 1,000 were given up.
    assert_eq!(attainment.evidence.value().expect("observed").good, 970);
    assert_eq!(attainment.verdict, Verdict::Insufficient);
    let cancelled = &judged.tiers[0].cancelled;
    assert_eq!((cancelled.n, cancelled.late), (30, 0));
    assert_eq!(cancelled.lowest, Measured::Value(share(0.97)));
}

#[test]
fn gaps_answer_for_the_tiers_they_were_recorded_for_and_for_their_unions() {
    let mut step = step(0, StepKind::Probe, 100);
    let requests = quick(&mut step, 2000);
    let bundle = bundle(vec![step], requests, vec![]);
    let itl = |sheet: &PromiseSheet| {
        tokencap_shared::bundle::judged::of_bundle_under(&bundle, sheet).steps[0].tiers[0]
            .itl
            .clone()
    };
    let own = itl(&sheet());
    let own = own.value().expect("recorded");
    assert_eq!(own.n, 9000);
    let p99 = own.p99.expect("finite");
    assert!(p99 >= Nanos::from_millis(10) && p99 <= Nanos(10_010_000), "{p99:?}");
    let union = sheet_with(|fields| {
        fields.tiers.truncate(1);
        fields.tiers[0].isl_max = 10_000;
    });
    assert_eq!(itl(&union).value().expect("a union").n, 18_000);
    let other = sheet_with(|fields| {
        fields.tiers[0].isl_max = 800;
        fields.tiers[1].isl_min = 801;
    });
    assert_eq!(itl(&other), Measured::Missing(Missing::NotRecorded));
}

#[test]
fn a_what_if_is_what_a_fresh_judgement_would_be() {
    let mut step = step(0, StepKind::Probe, 100);
    let requests = quick(&mut step, 2000);
    let other = sheet_with(|fields| fields.tiers[0].ttft = Nanos::from_millis(99));
    let mut fresh = bundle(vec![step], requests, vec![]);
    let what_if = tokencap_shared::bundle::judged::of_bundle_under(&fresh, &other);
    fresh.manifest.promise = other;
    assert_eq!(what_if, tokencap_shared::bundle::judged::of_bundle(&fresh));
    assert_eq!(what_if.steps[0].screen, Verdict::Broken);
}

#[test]
fn the_order_of_records_does_not_matter() {
    let mut step = step(0, StepKind::Probe, 100);
    let mut requests = quick(&mut step, 2000);
    for request in requests.iter_mut().step_by(37) {
        request.first_token = Some(request.sent + Nanos::from_secs(3));
    }
    let none = |requests: &[Request]| {
        let evidence = Evidence { step: &step, requests, gaps: Gaps::None, telemetry: &[] };
        judge_step(evidence, &sheet(), &workload(), Dependence::Estimated)
    };
    let ordered = none(&requests);
    requests.reverse();
    requests.rotate_left(700);
    assert_eq!(none(&requests), ordered);
}

#[test]
fn tasks_are_smooth_only_if_every_step_complied() {
    let mut step = step(0, StepKind::Probe, 100);
    let mut requests = quick(&mut step, 100);
    // Twenty tasks of five steps; two have a slow one, one fails at its second step and ends,
    // one goes on beyond the window.
    for (i, request) in (0_u32..).zip(&mut requests) {
        (request.session, request.turn) = (i / 5, i % 5);
    }
    for slow in [3, 22, 24] {
        requests[slow].first_token = Some(requests[slow].sent + Nanos::from_secs(9));
    }
    requests[51] = Request { session: 10, turn: 1, ..failure(0, requests[51].sent.0) };
    requests.drain(52..55);
    let last = requests.len() - 1;
    requests[last].sent = Moment(step.w1.0 + 1);
    let judged = judge_under(&step, &requests, &[], &sheet(), &sessions(5));
    let chain = judged.chain.value().expect("sessions ran");
    assert_eq!((chain.tasks, chain.smooth, chain.steps), (19, 16, 5));
    assert!(chain.lower.get() < 16.0 / 19.0 && chain.upper.get() > 16.0 / 19.0);
    let step_share = 1.0 - 4.0 / 96.0;
    assert!((chain.if_independent.get() - f64::powi(step_share, 5)).abs() < 0.03);
    let mix = judge(&step, &requests, &[]);
    assert_eq!(mix.chain, Measured::Missing(Missing::NotObserved));
}
