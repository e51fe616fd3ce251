//! What holds of every judgement, whatever the records: checked on hostile input here, and by the
//! fuzzer on any bytes.

use tokencap_shared::definitions::judge::{
    Dependence, Evidence, Gaps, PromiseVerdict, Quantity, StepJudgement, Verdict, complies,
    judge_step,
};
use tokencap_shared::definitions::promise::{ItlRule, PromiseKind, PromiseSheet, VerdictMode};
use tokencap_shared::definitions::record::{Outcome, Request};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::Nanos;

/// Judges a step and checks what must hold of the result.
///
/// # Panics
/// If anything does not.
pub(crate) fn check(evidence: Evidence<'_>, sheet: &PromiseSheet, workload: &Workload) {
    let judged = judge_step(evidence, sheet, workload, Dependence::Estimated);
    counts_add_up(&judged, evidence.requests, sheet);
    for promise in &judged.promises {
        bounds_enclose_the_point(promise);
        a_proof_agrees_with_the_point(promise, sheet.mode);
        percentile_and_share_agree(promise);
    }
    if judged.verdict == Verdict::Held {
        assert!(judged.validity.is_valid() && !judged.validity.unsustainable);
        let signed = || judged.promises.iter().filter(|promise| promise.signed);
        assert!(signed().all(|promise| promise.verdict == Verdict::Held));
        assert!(signed().next().is_some());
    }
    nothing_improves_by_dropping_what_complies(evidence, sheet, workload);
    nothing_improves_by_failing(evidence, sheet, workload);
    a_tighter_limit_never_complies_more(evidence, sheet, workload);
}

fn counts_add_up(judged: &StepJudgement, requests: &[Request], sheet: &PromiseSheet) {
    // A reader of bundles refuses others; a judge must not fall over them.
    let in_order = |request: &Request| {
        request.gaps.is_none_or(|gaps| gaps.p95 <= gaps.p99 && gaps.p99 <= gaps.max)
    };
    let in_order = requests.iter().all(in_order);
    let counts = &judged.counts;
    assert_eq!(counts.members, counts.valid + counts.cancelled + counts.client_faults);
    assert_eq!(counts.valid, counts.completed + counts.failures.values().sum::<u64>());
    let valid: u64 = judged.tiers.iter().map(|tier| tier.valid).sum();
    let compliant: u64 = judged.tiers.iter().map(|tier| tier.compliant).sum();
    assert_eq!(counts.valid, valid + counts.unpromised);
    assert_eq!(counts.compliant, compliant);
    assert!(counts.compliant <= counts.completed);
    assert_eq!(judged.tiers.len(), sheet.tiers.len());
    for tier in &judged.tiers {
        let [share, worst, _] = tier.compliant_by_rule;
        let declared = match sheet.itl_rule {
            ItlRule::GapShare { .. } => 0,
            ItlRule::WorstGap => 1,
            ItlRule::MeanGap => 2,
        };
        assert_eq!(tier.compliant, tier.compliant_by_rule[declared]);
        let stall_beyond_limit = match sheet.itl_rule {
            ItlRule::GapShare { stall, .. } => stall >= sheet.itl,
            _ => true,
        };
        assert!(worst <= share || !stall_beyond_limit || !in_order, "{tier:?}");
        assert!(tier.cancelled.late <= tier.cancelled.n);
        assert_eq!(tier.ttft.n, tier.valid);
        assert_eq!(tier.tpot.n + tier.tpot_undefined, tier.valid);
    }
    let flow = &judged.flow;
    assert!(flow.compliant_tokens <= flow.output_tokens && flow.output_tokens <= flow.raw_tokens);
    if let (Some(reused), Some(computed)) =
        (judged.input.reused.value(), judged.input.computed.value())
    {
        assert_eq!(reused + computed, judged.input.total);
    }
    if let Some(chain) = judged.chain.value() {
        assert!(chain.smooth <= chain.tasks && chain.lower <= chain.upper);
    }
}

fn bounds_enclose_the_point(promise: &PromiseVerdict) {
    let Some(evidence) = promise.evidence.value() else { return };
    assert!(evidence.good <= evidence.n && evidence.vif.get() >= 1.0, "{promise:?}");
    if evidence.n > 0 {
        let point = evidence.good as f64 / evidence.n as f64;
        let (lower, upper) = (evidence.lower.get(), evidence.upper.get());
        assert!(lower <= point + 1e-9 && point <= upper + 1e-9, "{promise:?}");
    }
    if let Some(needed) = evidence.needed {
        assert_eq!(evidence.verdict(), Verdict::Insufficient);
        assert!(needed.n >= evidence.n || evidence.n > 1 << 50, "{promise:?}");
    }
}

/// What is proved is true of the sample, and what is disproved is false of it.
fn a_proof_agrees_with_the_point(promise: &PromiseVerdict, mode: VerdictMode) {
    match (mode, promise.verdict) {
        (VerdictMode::Point, verdict) => assert_eq!(verdict, promise.screen),
        (_, Verdict::Held) => assert_eq!(promise.screen, Verdict::Held, "{promise:?}"),
        (_, Verdict::Broken) => assert_eq!(promise.screen, Verdict::Broken, "{promise:?}"),
        _ => {}
    }
}

/// "The P99 keeps to its limit" and "99 % of the values keep to it" are one statement.
fn percentile_and_share_agree(promise: &PromiseVerdict) {
    let (Some(Quantity::Time(p99)), Quantity::Time(Some(limit))) =
        (promise.measured.value(), promise.limit)
    else {
        return;
    };
    let strict = matches!(promise.kind, PromiseKind::ItlP99 | PromiseKind::QueueP99);
    let kept = p99.is_some_and(|p99| if strict { p99 < limit } else { p99 <= limit });
    assert_eq!(kept, promise.screen == Verdict::Held, "{promise:?}");
}

/// Verdicts on attainment, by tier, of requests taken as independent.
fn attainments(
    evidence: Evidence<'_>,
    requests: &[Request],
    sheet: &PromiseSheet,
    workload: &Workload,
) -> Vec<Verdict> {
    let evidence = Evidence { requests, gaps: Gaps::None, ..evidence };
    let judged = judge_step(evidence, sheet, workload, Dependence::Independent);
    let of = |kind| move |promise: &&PromiseVerdict| promise.kind == kind;
    judged
        .promises
        .iter()
        .filter(of(PromiseKind::Attainment))
        .chain(judged.promises.iter().filter(of(PromiseKind::Success)))
        .map(|promise| promise.verdict)
        .collect()
}

fn no_better(before: &[Verdict], after: &[Verdict]) {
    // Where too much is missing nothing is said; what was missing may have become a known failure.
    let said = before.iter().zip(after).filter(|(before, _)| **before != Verdict::NotObserved);
    for (before, after) in said {
        assert!(*before == Verdict::Held || *after != Verdict::Held, "{before:?} {after:?}");
    }
}

/// Fewer good requests prove no more.
fn nothing_improves_by_dropping_what_complies(
    evidence: Evidence<'_>,
    sheet: &PromiseSheet,
    workload: &Workload,
) {
    let mut odd = false;
    let fewer: Vec<Request> = evidence
        .requests
        .iter()
        .filter(|request| {
            odd ^= complies(request, sheet);
            !(odd && complies(request, sheet))
        })
        .copied()
        .collect();
    let before = attainments(evidence, evidence.requests, sheet, workload);
    let after = attainments(evidence, &fewer, sheet, workload);
    no_better(&before, &after);
}

/// A request that fails instead of completing proves no more.
fn nothing_improves_by_failing(evidence: Evidence<'_>, sheet: &PromiseSheet, workload: &Workload) {
    let mut requests = evidence.requests.to_vec();
    for request in requests.iter_mut().step_by(3) {
        if request.outcome == Outcome::Completed {
            request.outcome =
                Outcome::Failed(tokencap_shared::definitions::record::FailureKind::Timeout);
        }
    }
    let before = attainments(evidence, evidence.requests, sheet, workload);
    no_better(&before, &attainments(evidence, &requests, sheet, workload));
}

fn a_tighter_limit_never_complies_more(
    evidence: Evidence<'_>,
    sheet: &PromiseSheet,
    workload: &Workload,
) {
    let mut fields = tokencap_shared::definitions::promise::Fields::from(sheet.clone());
    for tier in &mut fields.tiers {
        tier.ttft = Nanos(tier.ttft.0 / 2);
    }
    fields.itl = Nanos(fields.itl.0 / 2);
    let Ok(tighter) = PromiseSheet::try_from(fields) else { return };
    let of = |sheet| judge_step(evidence, sheet, workload, Dependence::Independent).counts;
    assert!(of(&tighter).compliant <= of(sheet).compliant);
}
