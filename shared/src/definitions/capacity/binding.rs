//! What breaks first beyond λ_slo_max, and what the server shows then.

use serde::Serialize;

use crate::definitions::judge::{HIT_RATE_POINT, StepJudgement, Verdict};
use crate::definitions::measured::Measured;
use crate::definitions::promise::PromiseKind;
use crate::units::{Rate, Ratio, Share, Watts};

/// The promise that limits the capacity.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Binding {
    pub kind: PromiseKind,
    /// Index of its tier; `None` for a promise about the whole step.
    pub tier: Option<usize>,
    /// The step that shows it: the lowest broken rate.
    pub step: u32,
    pub rate: Rate,
    /// How many times the allowed share of values was bad there.
    pub times_allowed: Ratio,
    /// Whether requests in flight kept rising there.
    pub backlog: bool,
    /// What the server showed there, against the rate that held.
    pub signs: Vec<Sign>,
    /// Whether the server was observed at all.
    pub observed: bool,
}

/// Something that the server shows beyond its limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "sign")]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum Sign {
    /// More requests wait.
    QueueGrows {
        /// Mean number waiting at the rate that held, if it was observed.
        from: Option<Ratio>,
        /// And at the broken one.
        to: Ratio,
    },
    /// The KV cache is full.
    KvFull {
        /// Mean share in use, of the fullest replica.
        used: Share,
    },
    /// Requests are preempted.
    Preempts {
        preemptions: u64,
        /// Of how many requests of the window.
        members: u64,
    },
    /// The prefix cache hits less.
    HitRateFalls {
        /// Hit rate at the rate that held.
        from: Share,
        /// And at the broken one.
        to: Share,
    },
    /// Power no longer rises with the load: the devices are at their limit.
    PowerFlat {
        /// Mean power at the rate that held.
        from: Watts,
        /// And at the broken one.
        to: Watts,
    },
}

/// From this share on the cache is full: engines keep a little back.
const FULL: f64 = 0.95;
/// Preemptions that are worth a word: one in a hundred requests.
const PREEMPTED: u64 = 100;
/// Power that rises by less is flat.
const FLAT: f64 = 1.03;

/// The binding promise: of the lowest broken rate above the one that held (or of all, where none
/// held), the signed promise that misses its target by the greatest factor.
#[must_use]
pub(super) fn binding(steps: &[StepJudgement], held: Option<u32>) -> Option<Binding> {
    let held = held.and_then(|id| steps.iter().find(|step| step.step == id));
    let above = |step: &&StepJudgement| held.is_none_or(|held| step.offered > held.offered);
    let broken = steps
        .iter()
        .filter(|step| step.validity.is_valid() && step.screen == Verdict::Broken)
        .filter(above)
        .min_by(|a, b| a.offered.get().total_cmp(&b.offered.get()))?;
    let misses = broken.promises.iter().filter(|promise| promise.signed).filter_map(|promise| {
        let evidence = promise.evidence.value()?;
        let allowed = 1.0 - evidence.target.get();
        let bad = (evidence.n - evidence.good) as f64 / evidence.n.max(1) as f64;
        (promise.screen == Verdict::Broken && allowed > 0.0).then_some((
            promise.kind,
            promise.tier,
            bad / allowed,
        ))
    });
    let misses: Vec<_> = misses.collect();
    // Attainment breaks with whatever breaks it: the cause says more than the sum.
    let causes = misses.iter().filter(|miss| miss.0 != PromiseKind::Attainment);
    let by_factor = |a: &&(PromiseKind, Option<usize>, f64),
                     b: &&(PromiseKind, Option<usize>, f64)| {
        a.2.total_cmp(&b.2)
    };
    let &(kind, tier, times) =
        causes.max_by(by_factor).or_else(|| misses.iter().max_by(by_factor))?;
    Some(Binding {
        kind,
        tier,
        step: broken.step,
        rate: broken.offered,
        times_allowed: Ratio::new(times).ok()?,
        backlog: broken.validity.unsustainable,
        signs: signs(held, broken),
        observed: broken.server.waiting.value().is_some()
            || broken.server.kv_use.value().is_some()
            || broken.power.value().is_some(),
    })
}

fn signs(held: Option<&StepJudgement>, broken: &StepJudgement) -> Vec<Sign> {
    let mut signs = Vec::new();
    let server = &broken.server;
    if let Measured::Value(to) = server.waiting {
        let from = held.and_then(|held| held.server.waiting.value().copied());
        if to.get() >= 1.0 && from.is_none_or(|from| to.get() >= 2.0 * from.get()) {
            signs.push(Sign::QueueGrows { from, to });
        }
    }
    if let Measured::Value(used) = server.kv_use
        && used.get() >= FULL
    {
        signs.push(Sign::KvFull { used });
    }
    let members = broken.counts.members;
    if let Measured::Value(preemptions) = server.preemptions
        && preemptions > 0
        && preemptions * PREEMPTED >= members
    {
        signs.push(Sign::Preempts { preemptions, members });
    }
    if let Some(Measured::Value(from)) = held.map(|held| &held.input.hit_rate)
        && let Measured::Value(to) = &broken.input.hit_rate
        && from.get() - to.get() >= HIT_RATE_POINT
    {
        signs.push(Sign::HitRateFalls { from: *from, to: *to });
    }
    if let Some(Measured::Value(from)) = held.map(|held| &held.power)
        && let Measured::Value(to) = &broken.power
        && to.get() <= FLAT * from.get()
    {
        signs.push(Sign::PowerFlat { from: *from, to: *to });
    }
    signs
}

#[cfg(test)]
mod tests {
    use crate::bundle::Bundle;
    use crate::bundle::judged::of_bundle;
    use crate::definitions::telemetry::{Metric, Sample};
    use crate::fixture;
    use crate::present::report::{AttentionKind, PromiseOfTier};
    use crate::present::words::{EN, Words, ZH};

    /// What is said of the binding promise of a bundle.
    fn said(bundle: &Bundle, words: &Words) -> String {
        let binding = of_bundle(bundle).binding.unwrap();
        let promise = PromiseOfTier::new(binding.kind, binding.tier, &bundle.manifest.promise);
        let advice = (words.attention)(&AttentionKind::Binding { promise, binding });
        format!("{}\n{}", advice.what, advice.fix)
    }

    /// The toy run, whose server shows every sign at the rate that breaks.
    fn overloaded() -> Bundle {
        let mut bundle = fixture::bundle();
        let found = of_bundle(&bundle);
        let broken = found.binding.unwrap().step;
        let held = found.lambda.value().unwrap().rate;
        let step = bundle.manifest.steps.iter().find(|step| step.id == broken).unwrap().clone();
        let within = |time| step.start <= time && time <= step.end;
        let mut counted = Vec::new();
        for sample in bundle.telemetry.iter_mut().filter(|sample| within(sample.time)) {
            match sample.metric {
                Metric::Waiting => sample.value = 12.5,
                Metric::KvUse => sample.value = 0.985,
                Metric::PowerWatts => sample.value = 250.0 + 400.0 * held.get() / 11.0,
                Metric::Running => counted.push(Sample {
                    metric: Metric::Preemptions,
                    value: (counted.len() / 2) as f64,
                    ..sample.clone()
                }),
                _ => {}
            }
        }
        bundle.telemetry.extend(counted);
        bundle.telemetry.sort_by_key(|sample| sample.time);
        for request in bundle.requests.iter_mut().filter(|request| request.step == broken) {
            request.cached = request.cached.map(|cached| cached / 2);
        }
        bundle
    }

    #[test]
    fn every_sign_of_the_server_is_said_in_both_languages() {
        let bundle = overloaded();
        let english = said(&bundle, &EN);
        for sign in [
            "TTFT P99 ≤1k breaks first: at 6.05 req/s it misses its limit 3.5 times as often",
            "12.5 requests wait instead of 0.0",
            "the KV cache is 99 % full",
            " preemptions among ",
            "hit rate falls from 60.0 % to 30.0 %",
            "power stays flat, 402 W after 395 W",
        ] {
            assert!(english.contains(sign), "«{sign}» is missing in: {english}");
        }
        let chinese = said(&bundle, &ZH);
        for sign in [
            "最先失守的承诺：TTFT P99 ≤1k；到达率 6.05 req/s 时，超标比例为允许值的 3.5 倍",
            "排队请求由 0.0 个增至 12.5 个",
            "KV 缓存占用 99 %，已满",
            "次抢占",
            "命中率由 60.0 % 降至 30.0 %",
            "功率持平（395 W → 402 W）",
        ] {
            assert!(chinese.contains(sign), "«{sign}» is missing in: {chinese}");
        }
    }

    #[test]
    fn a_server_that_shows_nothing_or_is_not_seen_is_said_to_be_so() {
        let mut bundle = fixture::bundle();
        bundle.telemetry.retain(|sample| sample.metric != Metric::Waiting);
        assert!(said(&bundle, &EN).ends_with("The server's own metrics show no cause there."));
        assert!(said(&bundle, &ZH).ends_with("此时服务端监控指标未显示原因。"));
        bundle.telemetry.clear();
        let blind = "Point the plan at the server's metric page to see the cause there.";
        assert!(said(&bundle, &EN).ends_with(blind));
        assert!(said(&bundle, &ZH).ends_with("请在测试计划中接入服务端监控指标，以便查明原因。"));
    }
}
