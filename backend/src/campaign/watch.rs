//! What a person sees of a running campaign: one line that moves on a terminal, plain lines
//! elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokencap_shared::bundle::live::{Phase, Tail};
use tokencap_shared::definitions::capacity::Capacity;
use tokencap_shared::definitions::judge::{StepJudgement, Verdict};
use tokencap_shared::definitions::money::PriceSheet;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::promise::{PromiseKind, PromiseSheet};
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::present::escape;
use tokencap_shared::present::words::Lang;
use tokencap_shared::units::{Nanos, Rate};

use crate::drive::live::Snapshot;
use crate::drive::plan::{Load, StepPlan};
use crate::log;
use crate::search::Answer;
use crate::search::budget::{Budget, minutes};
use crate::words::{self, CommandWords, StepText};

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
        /// Steps, time, tokens, proofs.
        budget: &'a Budget,
        /// Prices to tell it in, if some were chosen.
        prices: Option<&'a PriceSheet>,
        /// GPUs that are paid for meanwhile.
        gpus: u32,
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
    words: &'static CommandWords,
    bar: Option<ProgressBar>,
    left: Option<Duration>,
    last: Instant,
}

/// How often a plain line is written.
const PLAIN: Duration = Duration::from_secs(10);

impl Terminal {
    /// One that speaks a language.
    #[must_use]
    pub fn new(lang: Lang) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:24} {percent:>3}%  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            log::above(&bar);
            bar
        });
        Self { words: words::of(lang), bar, left: None, last: Instant::now() }
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
        let line = escape::one_line(line);
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }
}

impl Watch for Terminal {
    fn on(&mut self, event: Event<'_>) {
        let words = self.words;
        match event {
            Event::Ready { warnings } => {
                for warning in warnings {
                    self.say(&(words.note)(&(words.shared.note)(warning)));
                }
            }
            Event::Budget { budget, prices, gpus } => {
                for line in budget.lines(prices, gpus, words) {
                    self.say(&(words.plan)(&line));
                }
            }
            Event::Begin { plan, index, of, left } => {
                self.left = left;
                self.last = Instant::now();
                self.say(&begins(plan, index, of, left, words));
            }
            Event::Tick { plan, elapsed, live, so_far, promise } => {
                let left = self.left.map(|left| left.saturating_sub(elapsed));
                let line =
                    tick(plan, elapsed, live, so_far.map(|judged| (judged, promise)), left, words);
                if let Some(bar) = &self.bar {
                    let share = elapsed.as_secs_f64() / length(plan).as_secs_f64().max(1e-9);
                    bar.set_position((share.min(1.0) * 1000.0) as u64);
                    bar.set_message(escape::one_line(&line).into_owned());
                } else if self.last.elapsed() >= PLAIN {
                    self.last = Instant::now();
                    eprintln!("  {}", escape::one_line(&line));
                }
            }
            Event::End { judged, promise, abandoned, .. } => {
                if let Some(bar) = &self.bar {
                    bar.set_position(0);
                }
                self.say(&format!("  {}", ended(judged, promise, words)));
                if let Some(reason) = abandoned {
                    self.say(&format!("  {}", (words.given_up)(reason)));
                }
            }
            Event::Found { answer, capacity, promise } => {
                self.say(&found(answer, capacity, promise, words))
            }
        }
    }
}

/// A step's beginning in one line.
fn begins(
    plan: &StepPlan,
    index: usize,
    of: Option<usize>,
    left: Option<Duration>,
    words: &CommandWords,
) -> String {
    let (load, left) = (load(plan.load, words), left.map(minutes));
    (words.step)(&StepText {
        number: index + 1,
        of,
        load: &load,
        kind: plan.kind,
        length: &minutes(length(plan)),
        left: left.as_deref(),
    })
}

/// What is offered.
fn load(load: Load, words: &CommandWords) -> String {
    match load {
        Load::Open(open) => format!("{} req/s", rate(open)),
        Load::Closed(users) => (words.users)(users),
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
    words: &CommandWords,
) -> String {
    let phase = match phase(plan, elapsed) {
        Phase::WarmUp => words.warm_up,
        Phase::Window => words.window,
        Phase::Tail => words.tail,
    };
    let pair = |pair: Option<[Nanos; 2]>| {
        pair.map_or("—".to_owned(), |[p50, p99]| format!("{}/{} ms", millis(p50), millis(p99)))
    };
    let load = load(plan.load, words);
    let mut line = (words.counts)(phase, &load, live.in_flight, live.completed, live.failed);
    match so_far {
        Some((judged, promise)) => {
            let tails = tails(judged, promise, words);
            if !tails.is_empty() {
                line += &(words.tails)(&tails);
            }
            line += &(words.so_far)(verdict(judged.screen, words), &piles_up(judged, words));
        }
        None => line += &(words.latencies)(&pair(live.ttft), &pair(live.itl)),
    }
    if let Some(left) = left {
        line += &(words.left)(&minutes(left));
    }
    line
}

/// The P99 of each latency beside its limit.
fn tails(judged: &StepJudgement, promise: &PromiseSheet, words: &CommandWords) -> String {
    let name = |kind: PromiseKind| match kind {
        PromiseKind::TtftP99 => "TTFT",
        PromiseKind::ItlP99 => "ITL",
        PromiseKind::TpotP99 => "TPOT",
        _ => words.queue,
    };
    let tails = Tail::of(judged, promise).into_iter().map(|tail| {
        let measured = tail.measured.map_or("∞".to_owned(), millis);
        let tier = tail.tier.map_or(String::new(), |tier| (words.of_tier)(&tier));
        format!("{} {measured}/{} ms{tier}", name(tail.kind), millis(tail.limit))
    });
    tails.collect::<Vec<_>>().join(words.comma)
}

fn verdict(verdict: Verdict, words: &CommandWords) -> &'static str {
    match verdict {
        Verdict::Insufficient => words.insufficient,
        other => (words.shared.verdict)(other),
    }
}

/// A search's end in one line.
fn found(
    answer: &Answer,
    capacity: &Capacity,
    promise: &PromiseSheet,
    words: &CommandWords,
) -> String {
    let name = |kind| (words.shared.promise)(kind);
    let mut text = match answer {
        Answer::Signed(signed) => (words.confirmed)(&rate(*signed)),
        Answer::Unsigned(near) => (words.unconfirmed)(&rate(*near)),
        Answer::Invalid => words.search_invalid.to_owned(),
        Answer::Blind(kind) => (words.search_blind)(name(*kind)),
    };
    if let Some(lambda) = capacity.lambda.value() {
        match lambda.first_broken {
            Some(broken) => text += &(words.first_broken)(&rate(broken)),
            None => text += words.none_broken,
        }
        if lambda.non_monotone {
            text += words.non_monotone;
        }
    }
    if let Some(binding) = &capacity.binding {
        let tier = binding.tier.and_then(|tier| promise.tiers.get(tier));
        let tier = tier.map_or(String::new(), |tier| (words.in_tier)(&tier.name));
        text += &(words.breaks_first)(name(binding.kind), &tier);
    }
    text
}

/// Why a step is broken whose latencies all keep to their limits so far.
fn piles_up(judged: &StepJudgement, words: &CommandWords) -> String {
    let why = judged.validity.unsustainable;
    if why { (words.piles_up)(words.shared.say.unsustainable) } else { String::new() }
}

/// A step's end in one line.
fn ended(judged: &StepJudgement, promise: &PromiseSheet, words: &CommandWords) -> String {
    if !judged.validity.is_valid() {
        return words.step_invalid.to_owned();
    }
    let worst = judged
        .promises
        .iter()
        .find(|p| p.signed && p.screen == Verdict::Broken)
        .and_then(|p| p.tier)
        .and_then(|tier| promise.tiers.get(tier))
        .map_or(String::new(), |tier| (words.first_in_tier)(&tier.name));
    let worst = worst + &piles_up(judged, words);
    (words.step_ended)(
        judged.offered.get(),
        verdict(judged.verdict, words),
        &worst,
        verdict(judged.screen, words),
        judged.counts.compliant,
        judged.counts.valid,
    )
}
