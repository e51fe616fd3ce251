//! What a person sees of a running campaign: one line that moves on a terminal, plain lines
//! elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokencap_shared::bundle::live::{Phase, Tail};
use tokencap_shared::definitions::capacity::Capacity;
use tokencap_shared::definitions::judge::{StepJudgement, Verdict};
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::promise::{PromiseKind, PromiseSheet};
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::present::words::EN;
use tokencap_shared::units::{Nanos, Rate};

use crate::drive::live::Snapshot;
use crate::drive::plan::{Load, StepPlan};
use crate::log;
use crate::search::Answer;
use crate::search::budget::minutes;

/// What happens in a campaign.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum Event<'a> {
    /// The target answered the trial requests.
    Ready {
        /// What a reader should know of it.
        warnings: &'a [Note],
    },
    /// What the campaign will take and can prove.
    Budget {
        /// In sentences.
        lines: &'a [String],
    },
    /// A step begins.
    Begin {
        plan: &'a StepPlan,
        /// Its place among the steps, from 0.
        index: usize,
        /// How many steps there are; a search does not know.
        of: Option<usize>,
        /// Time for it and the steps after it; a search without a limit does not know.
        left: Option<Duration>,
    },
    /// A step goes on.
    Tick {
        plan: &'a StepPlan,
        /// Since it began.
        elapsed: Duration,
        /// Its counters.
        live: &'a Snapshot,
        /// What its window shows up to the last look, if there was one.
        so_far: Option<&'a StepJudgement>,
        /// The promises it is judged by.
        promise: &'a PromiseSheet,
    },
    /// A step has ended and was judged.
    End {
        /// Why it was run.
        kind: StepKind,
        judged: &'a StepJudgement,
        /// The promises it was judged by.
        promise: &'a PromiseSheet,
        /// Why it was given up early, if it was.
        abandoned: Option<&'a str>,
    },
    /// A search has ended.
    Found {
        answer: &'a Answer,
        /// What all its steps show together.
        capacity: &'a Capacity,
        /// The promises it was judged by.
        promise: &'a PromiseSheet,
    },
}

/// Somebody who is told.
pub trait Watch {
    /// Told what happens, when it happens.
    fn on(&mut self, event: Event<'_>);
}

/// Writes to the terminal, or plain lines where there is none.
#[derive(Debug)]
pub struct Terminal {
    bar: Option<ProgressBar>,
    left: Option<Duration>,
    last: Instant,
}

/// How often a plain line is written.
const PLAIN: Duration = Duration::from_secs(10);

impl Default for Terminal {
    fn default() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:24} {percent:>3}%  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            log::above(&bar);
            bar
        });
        Self { bar, left: None, last: Instant::now() }
    }
}

/// Tells two.
impl<A: Watch, B: Watch> Watch for (A, B) {
    fn on(&mut self, event: Event<'_>) {
        self.0.on(event.clone());
        self.1.on(event);
    }
}

/// A step's length, but for the time that its last requests take to end.
pub(super) fn length(plan: &StepPlan) -> Duration {
    plan.warmup + plan.window
}

/// Where a step is.
pub(super) fn phase(plan: &StepPlan, elapsed: Duration) -> Phase {
    if elapsed < plan.warmup {
        Phase::WarmUp
    } else if elapsed < length(plan) {
        Phase::Window
    } else {
        Phase::Tail
    }
}

impl Terminal {
    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }
}

impl Watch for Terminal {
    fn on(&mut self, event: Event<'_>) {
        match event {
            Event::Ready { warnings } => {
                for warning in warnings {
                    self.say(&format!("note: {}", warning.says()));
                }
            }
            Event::Budget { lines } => {
                for line in lines {
                    self.say(&format!("plan: {line}"));
                }
            }
            Event::Begin { plan, index, of, left } => {
                self.left = left;
                self.last = Instant::now();
                self.say(&begins(plan, index, of, left));
            }
            Event::Tick { plan, elapsed, live, so_far, promise } => {
                let left = self.left.map(|left| left.saturating_sub(elapsed));
                let line = tick(plan, elapsed, live, so_far.map(|judged| (judged, promise)), left);
                if let Some(bar) = &self.bar {
                    let share = elapsed.as_secs_f64() / length(plan).as_secs_f64().max(1e-9);
                    bar.set_position((share.min(1.0) * 1000.0) as u64);
                    bar.set_message(line);
                } else if self.last.elapsed() >= PLAIN {
                    self.last = Instant::now();
                    eprintln!("  {line}");
                }
            }
            Event::End { judged, promise, abandoned, .. } => {
                if let Some(bar) = &self.bar {
                    bar.set_position(0);
                }
                self.say(&format!("  {}", ended(judged, promise)));
                if let Some(reason) = abandoned {
                    self.say(&format!("  given up early: {reason}"));
                }
            }
            Event::Found { answer, capacity, promise } => {
                self.say(&found(answer, capacity, promise))
            }
        }
    }
}

/// A step's beginning in one line.
fn begins(plan: &StepPlan, index: usize, of: Option<usize>, left: Option<Duration>) -> String {
    let kind = match plan.kind {
        StepKind::Probe | StepKind::Closed => "",
        StepKind::Confirm => ", to confirm",
        StepKind::Soak => ", a soak",
    };
    let of = of.map_or(String::new(), |of| format!(" of {of}"));
    let left = left.map_or(String::new(), |left| format!("; about {} left", minutes(left)));
    let most = if of.is_empty() { "at most" } else { "about" };
    format!(
        "step {}{of}: {}{kind}, {most} {}{left}",
        index + 1,
        load(plan.load),
        minutes(length(plan)),
    )
}

/// What is offered.
fn load(load: Load) -> String {
    match load.rate() {
        Some(open) => format!("{} req/s", rate(open)),
        None => load.to_string(),
    }
}

/// Four figures are enough to tell rates apart.
fn rate(rate: Rate) -> String {
    let text = format!("{:.3}", rate.get());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn millis(nanos: Nanos) -> String {
    format!("{:.0}", nanos.0 as f64 / 1e6)
}

fn tick(
    plan: &StepPlan,
    elapsed: Duration,
    live: &Snapshot,
    so_far: Option<(&StepJudgement, &PromiseSheet)>,
    left: Option<Duration>,
) -> String {
    let phase = match phase(plan, elapsed) {
        Phase::WarmUp => "warm-up",
        Phase::Window => "window",
        Phase::Tail => "tail",
    };
    let pair = |pair: Option<[Nanos; 2]>| {
        pair.map_or("—".to_owned(), |[p50, p99]| format!("{}/{} ms", millis(p50), millis(p99)))
    };
    let mut line = format!(
        "{phase}: {}, {} in flight, {} done, {} failed",
        load(plan.load),
        live.in_flight,
        live.completed,
        live.failed,
    );
    match so_far {
        Some((judged, promise)) => {
            let tails = tails(judged, promise);
            if !tails.is_empty() {
                line += &format!(", p99 against its limit: {tails}");
            }
            line += &format!(", so far {}{}", verdict(judged.screen), piles_up(judged));
        }
        None => {
            line += &format!(", TTFT p50/p99 {}, ITL p50/p99 {}", pair(live.ttft), pair(live.itl));
        }
    }
    if let Some(left) = left {
        line += &format!(", {} left", minutes(left));
    }
    line
}

/// The P99 of each latency beside its limit.
fn tails(judged: &StepJudgement, promise: &PromiseSheet) -> String {
    let name = |kind: PromiseKind| match kind {
        PromiseKind::TtftP99 => "TTFT",
        PromiseKind::ItlP99 => "ITL",
        PromiseKind::TpotP99 => "TPOT",
        _ => "queue",
    };
    let tails = Tail::of(judged, promise).into_iter().map(|tail| {
        let measured = tail.measured.map_or("∞".to_owned(), millis);
        let tier = tail.tier.map_or(String::new(), |tier| format!(" ({tier})"));
        format!("{} {measured}/{} ms{tier}", name(tail.kind), millis(tail.limit))
    });
    tails.collect::<Vec<_>>().join(", ")
}

const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Held => "held",
        Verdict::Broken => "broken",
        Verdict::Insufficient => "insufficient evidence",
        Verdict::NotObserved => "not observed",
    }
}

/// A search's end in one line.
fn found(answer: &Answer, capacity: &Capacity, promise: &PromiseSheet) -> String {
    let mut text = match answer {
        Answer::Signed(signed) => format!("λ_slo_max: {} req/s, confirmed", rate(*signed)),
        Answer::Unsigned(near) => {
            format!("nothing was confirmed; λ_slo_max is near {} req/s", rate(*near))
        }
        Answer::Invalid => "the search ended: steps were INVALID again and again".to_owned(),
        Answer::Blind(kind) => {
            format!("the search ended: nothing observes {}", (EN.promise)(*kind))
        }
    };
    if let Some(lambda) = capacity.lambda.value() {
        match lambda.first_broken {
            Some(broken) => text += &format!("; the first broken rate is {}", rate(broken)),
            None => text += "; no tested rate above it broke",
        }
        if lambda.non_monotone {
            text += "; not monotone: a rate above a broken one passed";
        }
    }
    if let Some(binding) = &capacity.binding {
        let tier = binding.tier.and_then(|tier| promise.tiers.get(tier));
        let tier = tier.map_or(String::new(), |tier| format!(" of tier {}", tier.name));
        text += &format!("; what breaks first: {}{tier}", (EN.promise)(binding.kind));
    }
    text
}

/// Why a step is broken whose latencies all keep to their limits so far.
fn piles_up(judged: &StepJudgement) -> String {
    let why = judged.validity.unsustainable.then(|| format!(" ({})", EN.say.unsustainable));
    why.unwrap_or_default()
}

/// A step's end in one line.
fn ended(judged: &StepJudgement, promise: &PromiseSheet) -> String {
    if !judged.validity.is_valid() {
        return "INVALID: the step has no result; the report says why".to_owned();
    }
    let worst = judged
        .promises
        .iter()
        .find(|p| p.signed && p.screen == Verdict::Broken)
        .and_then(|p| p.tier)
        .and_then(|tier| promise.tiers.get(tier))
        .map_or(String::new(), |tier| format!(" (first in tier {})", tier.name));
    let worst = worst + &piles_up(judged);
    format!(
        "offered {:.2} req/s: promises {}{worst}; on the point estimates {}; {} of {} requests compliant",
        judged.offered.get(),
        verdict(judged.verdict),
        verdict(judged.screen),
        judged.counts.compliant,
        judged.counts.valid,
    )
}
