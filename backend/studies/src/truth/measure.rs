//! The search, and the ways of others, at work on a drawn cluster.

use std::time::Duration;

use tokencap_shared::definitions::judge::{StepJudgement, Verdict};
use tokencap_shared::definitions::record::Outcome;
use tokencap_shared::definitions::step::{Step, StepKind};
use tokencap_shared::units::{Nanos, Rate};

use super::case::Case;
use super::lab::{DEADLINE, Lab, judge};
use tokencap::search::{Answer, Next, Order, Search, Settings, Steering};
use tokencap::sim::virtual_time::{Simulation, VirtualStep};
use tokencap::step::{Control, StepRecord};

/// What a way of measuring found, and what it cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The rate that it would promise; `None`: none.
    pub rate: Option<Rate>,
    /// Time measured, pauses not counted.
    pub time: Nanos,
    /// Steps run.
    pub steps: u32,
}

/// The search, in a limited time or without a limit. The trace is told of every step.
#[must_use]
pub fn search(
    case: &Case,
    seed: u64,
    budget: Option<Duration>,
    trace: &mut dyn FnMut(&Step, &StepJudgement),
) -> Option<Found> {
    let lab = Lab { config: &case.config, workload: &case.workload, promise: &case.promise };
    let alone = lab.alone()?;
    let goal = Settings::default().goal(alone, &case.workload, budget);
    let mut search = Search::new(goal);
    let mut simulation = lab.fresh();
    let mut time = Nanos(alone.0 * 5);
    search.spend(time);
    let mut steps = 0;
    loop {
        let order = match search.next() {
            Next::Done(Answer::Signed(rate)) => {
                return Some(Found { rate: Some(rate), time, steps });
            }
            Next::Done(_) => return Some(Found { rate: None, time, steps }),
            Next::Run(order) => order,
        };
        let record = run(&mut simulation, &lab, &search, &order, steps, seed)?;
        let judged = judge(&record, &case.promise, &case.workload);
        trace(&record.step, &judged);
        search.report(&record.step, &judged);
        time = time + record.step.end.since(record.step.start);
        search.spend(time);
        steps += 1;
    }
}

fn run(
    simulation: &mut Simulation<'_>,
    lab: &Lab<'_>,
    search: &Search,
    order: &Order,
    id: u32,
    seed: u64,
) -> Option<StepRecord> {
    let step = VirtualStep {
        id,
        kind: order.kind,
        rate: order.rate,
        warmup: order.warmup,
        window: order.window,
        seed: seed.wrapping_mul(1000) + u64::from(id),
        deadline: DEADLINE,
    };
    let mut steering = Steering::searching(lab.promise, lab.workload, search, *order);
    simulation.run(&step, |running| steering.steer(running).0).ok()
}

/// One step of the others: sixty seconds, no warm-up, and the point estimate decides.
fn minute(
    simulation: &mut Simulation<'_>,
    case: &Case,
    rate: f64,
    id: u32,
    seed: u64,
) -> Option<(bool, Nanos)> {
    let step = VirtualStep {
        id,
        kind: StepKind::Probe,
        rate: Rate::new(rate).ok()?,
        warmup: Nanos(0),
        window: Nanos::from_secs(60),
        seed: seed.wrapping_mul(1000) + u64::from(id),
        deadline: DEADLINE,
    };
    let record = simulation.run(&step, |_| Control::Go).ok()?;
    let judged = judge(&record, &case.promise, &case.workload);
    let signed = judged.promises.iter().filter(|promise| promise.signed);
    let held = signed.into_iter().all(|promise| promise.screen == Verdict::Held);
    Some((held, record.step.end.since(record.step.start)))
}

/// Completed requests per second of one overloaded minute: where the others begin.
fn throughput(simulation: &mut Simulation<'_>, case: &Case, seed: u64) -> Option<(f64, Nanos)> {
    let rate = case.saturation.get() * 2.0;
    let step = VirtualStep {
        id: 900,
        kind: StepKind::Probe,
        rate: Rate::new(rate).ok()?,
        warmup: Nanos(0),
        window: Nanos::from_secs(60),
        seed: seed.wrapping_mul(1000) + 900,
        deadline: DEADLINE,
    };
    let record = simulation.run(&step, |progress| {
        if progress.step.w1.since(progress.step.w0) >= Nanos::from_secs(60) {
            Control::Abandon("measured".to_owned())
        } else {
            Control::Go
        }
    });
    let record = record.ok()?;
    let completed = record.requests.iter().filter(|r| r.outcome == Outcome::Completed);
    let time = record.step.end.since(record.step.start);
    Some((completed.count() as f64 / (time.0 as f64 / 1e9), time))
}

/// A grid of ten rates up to the throughput of an overloaded minute; the highest one that passes
/// below every one that does not.
#[must_use]
pub fn grid(case: &Case, seed: u64) -> Option<Found> {
    let lab = Lab { config: &case.config, workload: &case.workload, promise: &case.promise };
    let mut simulation = lab.fresh();
    let (most, mut time) = throughput(&mut simulation, case, seed)?;
    let (mut found, mut steps) = (None, 1);
    for i in 1..=10 {
        let rate = most * f64::from(i) / 10.0;
        let (held, took) = minute(&mut simulation, case, rate, i, seed)?;
        time = time + took;
        steps += 1;
        if !held {
            break;
        }
        found = Rate::new(rate).ok();
    }
    Some(Found { rate: found, time, steps })
}

/// Bisection in the logarithm to 5 % between a tenth of the throughput and all of it; the last
/// rate that passed.
#[must_use]
pub fn bisection(case: &Case, seed: u64) -> Option<Found> {
    let lab = Lab { config: &case.config, workload: &case.workload, promise: &case.promise };
    let mut simulation = lab.fresh();
    let (most, mut time) = throughput(&mut simulation, case, seed)?;
    let (mut low, mut high) = (most * 0.1, most * 1.05);
    let (mut found, mut steps) = (None, 1);
    while high / low > 1.05 {
        let middle = (low * high).sqrt();
        let (held, took) = minute(&mut simulation, case, middle, steps, seed)?;
        time = time + took;
        steps += 1;
        if held {
            (low, found) = (middle, Rate::new(middle).ok());
        } else {
            high = middle;
        }
    }
    Some(Found { rate: found, time, steps })
}
