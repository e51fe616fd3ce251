//! The numbers of a case as the judge gives them.

use tokencap_shared::definitions::judge::{
    Dependence, Evidence, Gaps, PromiseVerdict, Quantity, Verdict, judge_step,
};
use tokencap_shared::definitions::measured::Measured;
use tokencap_shared::definitions::promise::PromiseKind;
use tokencap_shared::units::{Nanos, Share};

use crate::numbers::{Case, Numbers, number, time};

/// Every number of a case by the judge.
pub(crate) fn judged(case: &Case) -> Numbers {
    let evidence = Evidence {
        step: &case.step,
        requests: &case.requests,
        gaps: Gaps::Exact(&case.gaps),
        telemetry: &[],
    };
    let j = judge_step(evidence, &case.sheet, &case.workload, Dependence::Independent);
    let mut out = Numbers::default();
    let mut put = |name: &str, value: String| out.insert(name.to_owned(), value);
    fn measured<T>(value: &Measured<T>, text: impl Fn(&T) -> String) -> String {
        value.value().map_or_else(|| "missing".to_owned(), text)
    }
    put("members", j.counts.members.to_string());
    put("valid", j.counts.valid.to_string());
    put("completed", j.counts.completed.to_string());
    put("compliant", j.counts.compliant.to_string());
    put("unpromised", j.counts.unpromised.to_string());
    put("wall", measured(&j.wall, |wall| number(wall.get())));
    put("raw", measured(&j.flow.raw, |raw| number(raw.get())));
    put("output", j.flow.output_tokens.to_string());
    put("goodput", measured(&j.flow.goodput, |rate| number(rate.get())));
    put("concurrency", measured(&j.concurrency, |mean| number(mean.get())));
    put("input", j.input.total.to_string());
    put("reused", measured(&j.input.reused, u64::to_string));
    let find = |kind, tier| j.promises.iter().find(|p| p.kind == kind && p.tier == tier);
    for (t, tier) in case.sheet.tiers.iter().enumerate() {
        let figures = &j.tiers[t];
        let name = |what: &str| format!("{} {what}", tier.name);
        put(&name("by rule"), format!("{:?}", figures.compliant_by_rule));
        let nanos = |n: u64, value: Option<Nanos>| match n {
            0 => String::new(),
            _ => time(value.map(|value| value.0 as f64)),
        };
        put(&name("ttft p50"), nanos(figures.ttft.n, figures.ttft.p50));
        put(&name("ttft p99"), nanos(figures.ttft.n, figures.ttft.p99));
        put(&name("itl p99"), measured(&figures.itl, |itl| nanos(itl.n, itl.p99)));
        let tpot = figures.tpot.p99.map_or_else(String::new, |t| number(t.get() * 1e9));
        put(&name("tpot p99"), tpot);
        if let Some(queue) = figures.queue.value() {
            put(&name("queue p99"), nanos(queue.n, queue.p99));
        }
    }
    let kinds = [
        (PromiseKind::Attainment, "attainment"),
        (PromiseKind::TtftP99, "ttft"),
        (PromiseKind::ItlP99, "itl"),
        (PromiseKind::TpotP99, "tpot"),
        (PromiseKind::QueueP99, "queue"),
    ];
    for (t, tier) in case.sheet.tiers.iter().enumerate() {
        for (kind, name) in kinds {
            if let Some(promise) = find(kind, Some(t)) {
                put_promise(&mut out, &format!("{} {name}", tier.name), promise);
            }
        }
    }
    let mut attainments = Vec::new();
    for promise in &j.promises {
        if promise.kind == PromiseKind::Attainment {
            attainments.push(promise.screen);
        }
        if promise.kind == PromiseKind::Success {
            put_promise(&mut out, "success", promise);
            attainments.push(promise.screen);
        }
    }
    let together = Verdict::together(attainments);
    out.insert("attainment and success".to_owned(), format!("{together:?}"));
    out
}

fn put_promise(out: &mut Numbers, name: &str, promise: &PromiseVerdict) {
    if promise.verdict == Verdict::NotObserved {
        return;
    }
    if let Some(e) = promise.evidence.value() {
        out.insert(format!("{name} counts"), format!("{} of {}", e.good, e.n));
        let bounds = |share: Share| format!("{:e}", share.get());
        out.insert(format!("{name} bounds"), format!("{} {}", bounds(e.lower), bounds(e.upper)));
        // What is said to be measured is what the percentiles say.
        if let (Measured::Value(Quantity::Share(share)), true) =
            (&promise.measured, promise.kind == PromiseKind::Attainment)
        {
            assert_eq!(*share, Share::of(e.good, e.n).expect("n > 0"));
        }
    }
    out.insert(format!("{name} verdict"), format!("{:?} {:?}", promise.screen, promise.verdict));
}
