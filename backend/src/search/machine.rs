//! The search as a state machine: told how a step went, it says what to run next.
//!
//! Probes find the neighbourhood: each at the rate that the belief is most in doubt about, each
//! as short as it may be. When the belief is narrow, a confirmation run a little below its
//! middle goes on until the promises are held with confidence; only it signs. A confirmation
//! that turns out to be hopeless is given up, and what it showed moves the next one down.

use tokencap_shared::definitions::judge::{PromiseVerdict, StepJudgement, Verdict};
use tokencap_shared::definitions::measured::{Measured, Missing};
use tokencap_shared::definitions::promise::PromiseKind;
use tokencap_shared::definitions::step::{Step, StepKind};
use tokencap_shared::units::{Nanos, Rate};

use super::belief::Belief;

/// What a search is to achieve, and within which limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Time of one request on the idle cluster.
    pub alone: Nanos,
    /// Requests of a session; 1 where none are run.
    pub turns: u32,
    /// Mean time to think between two requests of a session.
    pub think: Nanos,
    /// The rate to begin with; without it, three at once by [`Goal::alone`].
    pub first: Option<Rate>,
    /// How closely rates are told apart before one is confirmed.
    pub precision: f64,
    /// Most probes.
    pub probes: u32,
    /// Most confirmation runs.
    pub confirms: u32,
    /// Longest window of a probe.
    pub longest_probe: Nanos,
    /// Shortest window of a confirmation run.
    pub shortest_confirm: Nanos,
    /// Longest window of a confirmation run.
    pub longest_confirm: Nanos,
    /// Time for everything, if it is limited.
    pub budget: Option<Nanos>,
}

/// A step to be run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// A probe looks for the limit, a confirmation signs.
    pub kind: StepKind,
    /// At which rate.
    pub rate: Rate,
    /// Time before its window.
    pub warmup: Nanos,
    /// Longest window.
    pub window: Nanos,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Run this.
    Run(Order),
    /// Nothing: this is the answer.
    Done(Answer),
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Every signed promise was held with confidence at this rate, in a confirmation run.
    Signed(Rate),
    /// No confirmation run held within the limits; the belief's middle.
    Unsigned(Rate),
    /// Steps were INVALID again and again: the generator or the plan must change first.
    Invalid,
    /// A signed promise has no source that could tell: no run could sign it.
    Blind(PromiseKind),
}

/// What becomes of a running step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Goes on.
    Go,
    /// Enough is known: its window ends.
    Enough,
    /// Hopeless: it ends.
    Hopeless(String),
}

/// A finished step, as the search remembers it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Past {
    pub(super) kind: StepKind,
    pub(super) rate: Rate,
    pub(super) screen: Verdict,
    /// Every signed promise was held with confidence.
    pub(super) held: bool,
    /// So much lower a rate is worth a confirmation run, if this was one that did not hold.
    pub(super) lower: f64,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Search {
    pub(super) goal: Goal,
    pub(super) belief: Belief,
    pub(super) past: Vec<Past>,
    /// Mean time that requests stayed, in the last step that was no failure.
    residence: Nanos,
    /// How long the last requests of a window took to end, in that step.
    drain: Nanos,
    signed: Option<Rate>,
    /// Steps up to and with the run that signed it.
    pub(super) until_signed: usize,
    spent: Nanos,
    invalid: u32,
    blind: Option<PromiseKind>,
}

/// A confirmation run is this much below the middle of the belief, at least and at most.
const BELOW: (f64, f64) = (0.02, 0.035);
/// In a limited time, a run with so many requests ahead is this much below the middle at least,
/// and so much more for each tenth part of them, up to the last figure: what few requests are to
/// prove needs room.
const ROOM: (f64, f64, f64, f64) = (300_000.0, 0.03, 0.08, 0.3);
/// In a limited time, a probe has no more than this part of it, and all probes together no more
/// than that: only a confirmation signs.
const PROBES: (u64, f64) = (12, 0.33);
/// The middle 80 % of the belief may span so many times the asked precision: rates are tried
/// at its middle.
const NARROW: f64 = 2.5;
/// So many INVALID steps end a search.
const MOST_INVALID: u32 = 3;
/// How sure one must be of a probe's side to end it.
const SURE: f64 = 0.98;
/// A probe shows no more than so many independent requests would: what a short while shows
/// differs from what the next one would by more than chance among its requests.
const MOST_EVIDENCE: f64 = 600.0;
/// After a confirmation run that would have held in this many times the longest, and after any
/// other that did not hold, the next one is at so many times its rate.
const LOWER: [(f64, f64); 2] = [(2.0, 0.985), (f64::INFINITY, 0.975)];
/// In a limited time, the next rate is lower by the time that the run would have taken, in those
/// that are left, to the power of this; and no lower than that part of it.
const STEEP: f64 = 0.15;
const LEAST: f64 = 0.75;
/// So many confirmation runs that did not hold are no reason to hurry.
const PATIENT: usize = 4;
/// A confirmation run at which λ_slo_max lies above its rate with less probability is given up.
const FUTILE: f64 = 0.25;

impl Search {
    /// A search about which nothing is known but how long a lone request takes.
    #[must_use]
    pub fn new(goal: Goal) -> Self {
        let alone = (goal.alone.0 as f64 / 1e9).max(1e-6);
        let rate = |value: f64| Rate::new(value).unwrap_or(Rate::ZERO);
        Self {
            goal,
            belief: Belief::between(rate(0.05 / alone), rate(2e4 / alone)),
            past: Vec::new(),
            residence: goal.alone,
            drain: goal.alone,
            signed: None,
            until_signed: 0,
            spent: Nanos(0),
            invalid: 0,
            blind: None,
        }
    }

    /// What is believed of λ_slo_max.
    #[must_use]
    pub const fn belief(&self) -> &Belief {
        &self.belief
    }

    /// The rate of the first probe.
    #[must_use]
    pub fn first_rate(&self) -> Rate {
        self.probe(self.belief.quantile(0.5)).rate
    }

    /// What to do next.
    #[must_use]
    pub fn next(&self) -> Next {
        if let Some(rate) = self.signed {
            return match self.climb(rate) {
                Some(order) => Next::Run(order),
                None => Next::Done(Answer::Signed(rate)),
            };
        }
        if self.invalid >= MOST_INVALID {
            return Next::Done(Answer::Invalid);
        }
        if let Some(kind) = self.blind {
            return Next::Done(Answer::Blind(kind));
        }
        let (low, middle, high) =
            (self.belief.quantile(0.1), self.belief.quantile(0.5), self.belief.quantile(0.9));
        let over = self.left().is_some_and(|left| left < self.least());
        if over || self.count(StepKind::Confirm) >= self.goal.confirms {
            return Next::Done(Answer::Unsigned(middle));
        }
        let wide = high.get() / low.get().max(1e-9) > 1.0 + self.goal.precision * NARROW;
        let part = |budget: Nanos| self.spent.0 as f64 / budget.0 as f64;
        let early = self.goal.budget.is_none_or(|budget| part(budget) < PROBES.1);
        // A rate that nothing is known of is not worth a confirmation.
        let blank = self.past.iter().all(|past| past.screen == Verdict::Insufficient);
        if wide && (early || blank) && self.count(StepKind::Probe) < self.goal.probes {
            return Next::Run(self.probe(middle));
        }
        Next::Run(self.confirm(low, middle))
    }

    pub(super) fn count(&self, kind: StepKind) -> u32 {
        self.past.iter().filter(|past| past.kind == kind).count() as u32
    }

    /// What is left of a limited time.
    pub(super) fn left(&self) -> Option<Nanos> {
        self.goal.budget.map(|budget| Nanos(budget.0.saturating_sub(self.spent.0)))
    }

    /// The least time that a step could be of use in: its warm-up, as much again, and its drain.
    pub(super) fn least(&self) -> Nanos {
        Nanos(self.warmup().0 * 2 + self.drain.0)
    }

    pub(super) fn order(&self, kind: StepKind, rate: Rate, longest: Nanos) -> Order {
        let warmup = self.warmup();
        let room = self.left().map(|left| left.0.saturating_sub(warmup.0 + self.drain.0));
        let window = Nanos(room.map_or(longest.0, |room| longest.0.min(room)));
        Order { kind, rate, warmup, window }
    }

    fn probe(&self, middle: Rate) -> Order {
        // Not many times beyond what the cluster was seen to carry.
        let carried = self
            .past
            .iter()
            .filter(|past| past.screen == Verdict::Held)
            .map(|past| past.rate.get())
            .fold(0.0, f64::max);
        let alone = self.goal.alone.0 as f64 / 1e9;
        let rate = match self.goal.first {
            Some(first) if self.past.is_empty() => first,
            _ => {
                let most = if carried > 0.0 { carried * 5.0 } else { 3.0 / alone };
                Rate::new(middle.get().min(most)).unwrap_or(middle)
            }
        };
        self.order(StepKind::Probe, rate, self.longest_probe())
    }

    /// Longest window of a probe.
    pub(super) fn longest_probe(&self) -> Nanos {
        let longest = self.goal.longest_probe;
        self.goal.budget.map_or(longest, |budget| longest.min(Nanos(budget.0 / PROBES.0)))
    }

    fn confirm(&self, low: Rate, middle: Rate) -> Order {
        let mut part = (low.get() / middle.get()).clamp(1.0 - BELOW.1, 1.0 - BELOW.0);
        if self.goal.budget.is_some() {
            let order = self.order(StepKind::Confirm, middle, self.goal.longest_confirm);
            let requests = middle.get() * order.window.0 as f64 / 1e9;
            let (many, least, each, most) = ROOM;
            let below = least + each * libm::log10(many / requests.max(1.0));
            part = part.min(1.0 - below.min(most));
        }
        let failed = self.past.iter().filter(|past| past.kind == StepKind::Confirm);
        // After many that did not hold, twice as far down.
        let times = if failed.clone().count() < PATIENT { 1 } else { 2 };
        let failed = failed.map(|past| past.rate.get() * past.lower.powi(times));
        let failed = failed.fold(f64::INFINITY, f64::min);
        let rate = Rate::new((middle.get() * part).min(failed)).unwrap_or(middle);
        self.order(StepKind::Confirm, rate, self.goal.longest_confirm)
    }

    /// How long a request stays, or a session.
    fn span(&self) -> Nanos {
        let turns = u64::from(self.goal.turns);
        Nanos(self.residence.0 * turns + self.goal.think.0 * (turns - 1))
    }

    /// Three times as long as a request, or a session, stays.
    fn warmup(&self) -> Nanos {
        Nanos((self.span().0 * 3).max(5_000_000_000))
    }

    /// Looks at a running step. `judged` is what its window shows up to now, `strict` whether
    /// the promises are held even with the confidence that looking many times asks for, and
    /// `overdue` what those without a first token say.
    #[must_use]
    pub fn look(
        &self,
        order: &Order,
        judged: &StepJudgement,
        strict: Verdict,
        overdue: &Overdue,
    ) -> Look {
        if overdue.hopeless() {
            return Look::Hopeless(overdue.reason());
        }
        let window = judged.window.get();
        let residence = self.span().0 as f64 / 1e9;
        let least = if self.signed.is_some() { 300 } else { 100 };
        if window < (3.0 * residence).max(8.0) || judged.counts.valid < least {
            return Look::Go;
        }
        // Whether a signed rate is too low is for new steps to say, not for those that led to it.
        let mut belief = match self.signed {
            Some(_) => self.belief.blank(),
            None => self.belief.clone(),
        };
        belief.learn(order.rate, judged, most_evidence(order.kind));
        let survival = belief.survival();
        let above = survival.above(libm::log(order.rate.get()));
        match order.kind {
            StepKind::Probe | StepKind::Closed => {
                let width = survival.quantile(0.9) - survival.quantile(0.1);
                let narrow =
                    self.signed.is_none() && width <= libm::log(1.0 + self.goal.precision * NARROW);
                if narrow || above >= SURE || above <= 1.0 - SURE { Look::Enough } else { Look::Go }
            }
            StepKind::Confirm | StepKind::Soak => {
                let long = window >= self.goal.shortest_confirm.0 as f64 / 1e9;
                let hopeless = above < FUTILE && window > 60.0;
                // What is left of a limited time after one such run belongs to the next.
                let last = self.goal.budget.is_some() && self.count(StepKind::Confirm) > 0;
                let too_long = !last && takes_too_long(judged, order.window);
                if (strict == Verdict::Held && long) || hopeless || too_long {
                    Look::Enough
                } else {
                    Look::Go
                }
            }
        }
    }

    /// Takes in what everything took until now, where that is more than the steps did.
    pub fn spend(&mut self, all: Nanos) {
        self.spent = self.spent.max(all);
    }

    /// Takes in a finished step. Told the steps of an interrupted search in their order, a new
    /// one goes on where that one stopped.
    pub fn report(&mut self, step: &Step, judged: &StepJudgement) {
        let (kind, rate) = (step.kind, step.asked);
        self.spent = self.spent + step.end.since(step.start);
        // An INVALID step shows nothing of the server.
        if !judged.validity.is_valid() {
            self.invalid += 1;
            let screen = Verdict::Insufficient;
            self.past.push(Past { kind, rate, screen, held: false, lower: 1.0 });
            return;
        }
        let signed = judged.promises.iter().filter(|promise| promise.signed);
        let unseen =
            |promise: &&PromiseVerdict| promise.evidence == Measured::Missing(Missing::NotObserved);
        // Where hardly a request was answered, nobody could tell.
        if judged.screen != Verdict::Broken {
            self.blind = signed.filter(unseen).map(|promise| promise.kind).next();
        }
        self.belief.learn(rate, judged, most_evidence(kind));
        let held = judged.verdict == Verdict::Held;
        if kind != StepKind::Probe && held {
            self.signed = Some(judged.offered);
            self.until_signed = self.past.len() + 1;
        }
        if judged.screen == Verdict::Held
            && let Measured::Value(concurrency) = &judged.concurrency
            && judged.offered.get() > 0.0
        {
            let seconds = concurrency.get() / judged.offered.get();
            self.residence = Nanos((seconds * 1e9) as u64).max(self.goal.alone);
            self.drain = step.end.since(step.w1).max(self.residence);
        }
        let next = self.order(StepKind::Confirm, rate, self.goal.longest_confirm).window;
        let times = projected(judged) / (next.0 as f64 / 1e9).max(1.0);
        let lower = match self.goal.budget {
            None => LOWER.iter().find(|(most, _)| times <= *most).map_or(1.0, |(_, lower)| *lower),
            // There is no time for many small steps down.
            Some(_) => times.powf(-STEEP).clamp(LEAST, LOWER[0].1),
        };
        self.past.push(Past { kind, rate, screen: judged.screen, held, lower });
    }
}

/// Whether a run would not come to an end in its time if all went on as it has: early on, where
/// little is known of how it will, only if it is far from it.
fn takes_too_long(judged: &StepJudgement, longest: Nanos) -> bool {
    let longest = longest.0 as f64 / 1e9;
    let part = judged.window.get() / longest;
    part >= 0.25 && projected(judged) > (2.5 - 1.5 * part) * longest
}

/// So many independent requests are the most that a step of a kind is taken for.
fn most_evidence(kind: StepKind) -> f64 {
    if kind == StepKind::Probe { MOST_EVIDENCE } else { f64::INFINITY }
}

/// Seconds of window after which every signed promise would be held, if shares and dependence
/// stayed as they are; infinite where a share is too low for it.
fn projected(judged: &StepJudgement) -> f64 {
    let signed = judged.promises.iter().filter(|promise| promise.signed);
    let evidence = signed.filter_map(|promise| promise.evidence.value());
    let seconds = evidence.map(|evidence| {
        let (n, bad) = (evidence.n as f64, (evidence.n - evidence.good) as f64);
        let allowed = 1.0 - evidence.target.get();
        let (share, spare) = (bad / n.max(1.0), allowed - bad / n.max(1.0));
        if spare <= 0.0 || n < 1.0 {
            return f64::INFINITY;
        }
        // ln 20 is what a share of none needs, 1.645² the normal approximation's.
        let needed = (3.0 / allowed).max(2.71 * share * (1.0 - share) / (spare * spare));
        needed * evidence.vif.get() / n * judged.window.get()
    });
    seconds.fold(0.0, f64::max)
}

/// Requests of the window that were sent long enough ago to have had their first token in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overdue {
    /// Requests of the window whose first token is due.
    pub n: u64,
    /// How many of them had it late, or still have not.
    pub bad: u64,
    /// Bad share that is allowed, in parts of a million.
    pub allowed_ppm: u64,
}

impl Overdue {
    /// Why a step is given up.
    #[must_use]
    pub fn reason(&self) -> String {
        let Self { bad, n, .. } = self;
        format!("{bad} of {n} requests waited longer than their limit for a first token")
    }

    /// Wald's sequential test of "ten times as many as allowed" against "as many as allowed",
    /// its evidence divided by twenty because late requests come in bursts; error 5 %.
    #[must_use]
    pub fn hopeless(&self) -> bool {
        let p0 = (self.allowed_ppm as f64 / 1e6).clamp(1e-6, 0.09);
        let p1 = 10.0 * p0;
        let (bad, good) = (self.bad as f64, (self.n - self.bad) as f64);
        let evidence = bad * libm::log(p1 / p0) + good * libm::log((1.0 - p1) / (1.0 - p0));
        evidence / 20.0 >= libm::log(0.95 / 0.05)
    }
}
