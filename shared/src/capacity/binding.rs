//! What breaks first beyond λ_slo_max, and what the server shows then.

use serde::Serialize;

use crate::judge::{StepJudgement, Verdict};
use crate::measured::Measured;
use crate::promise::PromiseKind;
use crate::units::{Rate, Ratio, Share, Watts};

/// The promise that limits the capacity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Binding {
    /// Which.
    pub kind: PromiseKind,
    /// Index of its tier; `None` for a promise about the whole step.
    pub tier: Option<usize>,
    /// The step that shows it: the lowest broken rate.
    pub step: u32,
    /// Its rate.
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
        /// How many.
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
/// A fall of the hit rate that is worth a word: one point.
const POINT: f64 = 0.01;
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
        && from.get() - to.get() >= POINT
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
