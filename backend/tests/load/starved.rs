//! A generator that is starved on purpose: its step must be INVALID, whatever the server did.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokencap::drive::plan::StepPlan;
use tokencap::schedule::form::Route;
use tokencap::step::StepRecord;
use tokencap_shared::definitions::judge::{
    Dependence, Evidence, Gaps, Invalid, Validity, judge_step,
};

use crate::step::{SHORT, plan};
use tokencap_testkit::server::exact;
use tokencap_testkit::step::{generator, measure, promise, workload};

/// The validity of a step under the demo's promises.
pub(crate) fn judge(record: &StepRecord) -> Validity {
    let evidence = Evidence {
        step: &record.step,
        requests: &record.requests,
        gaps: Gaps::None,
        telemetry: &[],
    };
    let workload = workload(SHORT);
    judge_step(evidence, &promise("demo"), &workload, Dependence::Estimated).validity
}

/// A generator may be so starved that it sends nothing inside the window.
fn is_generators_fault(reason: &Invalid) -> bool {
    matches!(
        reason,
        Invalid::Empty
            | Invalid::GeneratorLate { .. }
            | Invalid::GeneratorSaturated { .. }
            | Invalid::ArrivalsMissing { .. }
    )
}

#[test]
#[cfg(target_os = "linux")]
fn cpu_hogs_on_the_generators_core_make_the_step_invalid() {
    // This thread and those it starts share one core; the server has the others.
    let url = exact();
    let mut one = rustix::thread::CpuSet::new();
    one.set(0);
    rustix::thread::sched_setaffinity(None, &one).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let hogs: Vec<_> = (0..64)
        .map(|_| {
            let done = Arc::clone(&done);
            std::thread::spawn(move || while !done.load(Ordering::Relaxed) {})
        })
        .collect();
    let generator = generator(&url, Route::Chat, workload(SHORT));
    let plan = StepPlan { threads: 1, connections: 50, ..plan(1500.0) };
    let record = measure(&generator, &plan);
    done.store(true, Ordering::Relaxed);
    hogs.into_iter().for_each(|hog| hog.join().unwrap());
    let validity = judge(&record);
    assert!(validity.invalid.iter().any(is_generators_fault), "{:?}", validity.invalid);
}

const CHILD: &str = "TOKENCAP_TEST_STARVED";

/// Not a test of its own: the process that is halted in the middle of its step.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let generator = generator(&exact(), Route::Chat, workload(SHORT));
    eprintln!("begins");
    let record = measure(&generator, &plan(50.0));
    eprintln!("{:?}", judge(&record).invalid);
}

#[test]
#[cfg(target_os = "linux")]
fn a_generator_that_was_halted_says_so() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "starved::child", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "begins");
    // The window lasts from 0.35 to 1.55 s after this, at the earliest.
    std::thread::sleep(Duration::from_millis(700));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    let reasons = lines.next().unwrap().unwrap();
    child.wait().unwrap();
    // On a busy machine the halt may last for the whole window.
    assert!(reasons.contains("GeneratorLate") || reasons.contains("Empty"), "{reasons}");
}
