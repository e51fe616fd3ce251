//! What a person sees of a running campaign: one line that moves on a terminal, plain lines
//! elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokencap_shared::judge::{StepJudgement, Verdict};
use tokencap_shared::promise::PromiseSheet;
use tokencap_shared::units::Nanos;

use crate::load::live::Snapshot;
use crate::load::step::StepPlan;

/// What happens in a campaign.
#[derive(Debug)]
pub enum Event<'a> {
    /// The target answered the trial requests.
    Ready {
        /// What a reader should know of it.
        warnings: &'a [String],
    },
    /// A step begins.
    Begin {
        /// It.
        plan: &'a StepPlan,
        /// Its place among the steps, from 0.
        index: usize,
        /// It and the steps after it.
        left: &'a [StepPlan],
    },
    /// A step goes on.
    Tick {
        /// It.
        plan: &'a StepPlan,
        /// Since it began.
        elapsed: Duration,
        /// Its counters.
        live: &'a Snapshot,
    },
    /// A step has ended and was judged.
    End {
        /// The judgement.
        judged: &'a StepJudgement,
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
    steps: usize,
    left: Duration,
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
            bar
        });
        Self { bar, steps: 0, left: Duration::ZERO, last: Instant::now() }
    }
}

/// A step's length, but for the time that its last requests take to end.
fn length(plan: &StepPlan) -> Duration {
    plan.warmup + plan.window
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
                    self.say(&format!("note: {warning}"));
                }
            }
            Event::Begin { plan, index, left } => {
                self.steps = index + left.len();
                self.left = left.iter().map(length).sum();
                self.last = Instant::now();
                self.say(&format!(
                    "step {} of {}: {}, about {} s; about {} left",
                    index + 1,
                    self.steps,
                    plan.load,
                    length(plan).as_secs(),
                    minutes(self.left),
                ));
            }
            Event::Tick { plan, elapsed, live } => {
                let left = self.left.saturating_sub(elapsed);
                let line = tick(plan, elapsed, live, left);
                if let Some(bar) = &self.bar {
                    let share = elapsed.as_secs_f64() / length(plan).as_secs_f64().max(1e-9);
                    bar.set_position((share.min(1.0) * 1000.0) as u64);
                    bar.set_message(line);
                } else if self.last.elapsed() >= PLAIN {
                    self.last = Instant::now();
                    eprintln!("  {line}");
                }
            }
            Event::End { judged, promise } => {
                if let Some(bar) = &self.bar {
                    bar.set_position(0);
                }
                self.say(&format!("  {}", ended(judged, promise)));
            }
        }
    }
}

fn minutes(time: Duration) -> String {
    match time.as_secs() {
        secs @ 0..120 => format!("{secs} s"),
        secs => format!("{} min", secs.div_ceil(60)),
    }
}

fn millis(nanos: Nanos) -> String {
    format!("{:.0}", nanos.0 as f64 / 1e6)
}

fn tick(plan: &StepPlan, elapsed: Duration, live: &Snapshot, left: Duration) -> String {
    let phase = if elapsed < plan.warmup {
        "warm-up"
    } else if elapsed < length(plan) {
        "window"
    } else {
        "tail"
    };
    let pair = |pair: Option<[Nanos; 2]>| {
        pair.map_or("—".to_owned(), |[p50, p99]| format!("{}/{} ms", millis(p50), millis(p99)))
    };
    format!(
        "{phase}: {}, {} in flight, {} done, {} failed, TTFT p50/p99 {}, ITL p50/p99 {}, \
         {} left",
        plan.load,
        live.in_flight,
        live.completed,
        live.failed,
        pair(live.ttft),
        pair(live.itl),
        minutes(left),
    )
}

/// A step's end in one line.
fn ended(judged: &StepJudgement, promise: &PromiseSheet) -> String {
    let verdict = |verdict: Verdict| match verdict {
        Verdict::Held => "held",
        Verdict::Broken => "broken",
        Verdict::Insufficient => "insufficient evidence",
        Verdict::NotObserved => "not observed",
    };
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
    format!(
        "offered {:.2} req/s: promises {}{worst}; on the point estimates {}; {} of {} requests compliant",
        judged.offered.get(),
        verdict(judged.verdict),
        verdict(judged.screen),
        judged.counts.compliant,
        judged.counts.valid,
    )
}
