//! Steps of the load generator, and what is read from their records.

use std::sync::Arc;
use std::time::Duration;

use tokencap::clock::Clock;
use tokencap::drive::live::Live;
use tokencap::drive::plan::StepPlan;
use tokencap::drive::step::Generator;
use tokencap::net::target::Target;
use tokencap::presets::{Kind, find};
use tokencap::schedule::form::Route;
use tokencap::schedule::prompt::Ruler;
use tokencap::step::StepRecord;
use tokencap::stop::Stop;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::definitions::record::{Outcome, Request};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::Rate;

/// The built-in promise sheet of this name.
#[must_use]
pub fn promise(name: &str) -> PromiseSheet {
    toml::from_str(find(Kind::Promise, name).unwrap().text).unwrap()
}

/// A workload as it is written in TOML.
#[must_use]
pub fn workload(text: &str) -> Workload {
    toml::from_str(text).unwrap()
}

/// A generator at the model `m` of a server, with the demo's promise.
#[must_use]
pub fn generator(url: &str, route: Route, workload: Workload) -> Generator {
    of_target(Target::new(url, route, "m").unwrap(), workload)
}

/// A generator at a target, with the demo's promise.
#[must_use]
pub fn of_target(target: Target, workload: Workload) -> Generator {
    Generator {
        target,
        workload,
        ruler: Ruler::default(),
        promise: promise("demo"),
        clock: Clock::start(),
        salt: 1,
        tls: None,
        trace: None,
    }
}

/// A short probe: a warm-up of 300 ms and a window of so many milliseconds.
#[must_use]
pub fn probe(rate: f64, window_ms: u64) -> StepPlan {
    let (warmup, window) = (Duration::from_millis(300), Duration::from_millis(window_ms));
    StepPlan::probe(0, Rate::new(rate).unwrap(), warmup, window, 7)
}

/// Runs a step that nobody stops.
#[must_use]
pub fn measure(generator: &Generator, plan: &StepPlan) -> StepRecord {
    let live = Arc::new(Live::default());
    let record = generator.run(plan, &live, &Stop::default()).unwrap();
    assert_eq!(live.snapshot().in_flight, 0);
    assert_eq!(live.snapshot().sent, record.requests.len() as u64);
    record
}

/// Requests sent in the window. Any other one may be given up when the step ends.
#[must_use]
pub fn members(record: &StepRecord) -> Vec<&Request> {
    let window = record.step.w0..record.step.w1;
    record.requests.iter().filter(|request| window.contains(&request.sent)).collect()
}

/// Requests that were answered.
#[must_use]
pub fn completed(record: &StepRecord) -> Vec<&Request> {
    record.requests.iter().filter(|request| request.outcome == Outcome::Completed).collect()
}
