//! Loads of other shapes: closed loops, traces, patterns, parts of a campaign.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokencap::drive::plan::{Load, StepPlan};
use tokencap::schedule::arrivals::{Profile, Schedule};
use tokencap::schedule::form::Route;
use tokencap::schedule::trace::Trace;
use tokencap::step::StepRecord;
use tokencap_shared::definitions::judge::Invalid;
use tokencap_shared::definitions::origin::Shard;
use tokencap_shared::definitions::record::Outcome;
use tokencap_shared::definitions::workload::Arrivals;
use tokencap_shared::units::{Nanos, Rate};

use crate::step::{SHORT, plan, run};
use crate::support::{Server, chat, words};
use tokencap_testkit::step::{generator, measure, workload};

#[test]
fn users_of_a_closed_loop_wait_for_their_answer() {
    let open = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (now, peak) = (Arc::clone(&open), Arc::clone(&most));
    let server = Server::start(move |asked| {
        peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(10));
        // It counts as ended before the client can know.
        now.fetch_sub(1, Ordering::SeqCst);
        chat(words(asked), 3, Duration::ZERO)
    });
    let plan = StepPlan { load: Load::Closed(7), threads: 2, ..plan(1.0) };
    let record = run(&server, Route::Chat, workload(SHORT), &plan);
    assert_eq!(most.load(Ordering::SeqCst), 7);
    let completed: Vec<_> =
        record.requests.iter().filter(|r| r.outcome == Outcome::Completed).collect();
    assert!(completed.len() > 70, "{}", completed.len());
    // A user's next request has the number of the last one, and the number of users more.
    for request in &completed {
        if request.session >= 7 {
            let before = record.requests.iter().find(|r| r.session + 7 == request.session).unwrap();
            assert_eq!(request.intended, before.end);
        }
    }
    let numbers: BTreeSet<u32> = record.requests.iter().map(|r| r.session).collect();
    assert_eq!(numbers.len(), record.requests.len());
}

const TRACE: &str = r#"
name = "trace"
shape = { kind = "trace", file = "t.jsonl", sha256 = "", block_tokens = 16 }
"#;

#[test]
fn a_trace_is_replayed_with_its_lengths_and_its_shared_blocks() {
    let lines: String = (0..40)
        .map(|number| {
            let (at, isl) = (number * number * 3, 40 + number % 3);
            format!(
                "{{\"timestamp\":{at},\"input_length\":{isl},\"output_length\":{},\
                 \"hash_ids\":[{},{},9]}}\n",
                2 + number % 2,
                number % 2,
                number + 100
            )
        })
        .collect();
    let trace = Arc::new(Trace::parse(&lines).unwrap());
    let prompts = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&prompts);
    let server = Server::start(move |asked| {
        let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
        seen.lock().unwrap().push(body["messages"][0]["content"].as_str().unwrap().to_owned());
        let tokens = body["max_tokens"].as_u64().unwrap() as usize;
        chat(words(asked), tokens, Duration::ZERO)
    });
    let mut generator = generator(&server.url(), Route::Chat, workload(TRACE));
    generator.trace = Some(Arc::clone(&trace));
    let record = measure(&generator, &plan(40.0));
    let start = record.step.start;
    let instants: Vec<Nanos> =
        Arc::clone(&trace).arrivals(40.0).take(record.requests.len()).collect();
    for request in &record.requests {
        let entry = trace.entry(request.session);
        assert_eq!(request.intended.since(start), instants[request.session as usize]);
        if request.outcome == Outcome::Completed {
            assert_eq!((request.isl, request.osl), (Some(entry.isl), Some(entry.osl)));
        }
    }
    // The step's salt of 6 words, then 16 words of one of two blocks.
    let heads: BTreeSet<String> = prompts
        .lock()
        .unwrap()
        .iter()
        .map(|prompt| prompt.split(' ').take(22).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(heads.len(), 2);
}

#[test]
fn a_trace_that_was_not_given_is_said_to_be_missing() {
    let generator = generator("http://127.0.0.1:1", Route::Chat, workload(TRACE));
    let error = generator.run(&plan(1.0), &Arc::default(), &Default::default()).unwrap_err();
    assert!(error.to_string().contains("`trace` replays a trace that was not given"), "{error}");
}

/// Instants of a step's arrivals since its start, of sessions' first requests.
fn instants(record: &StepRecord) -> BTreeSet<(u32, Nanos)> {
    record
        .requests
        .iter()
        .map(|request| (request.session, request.intended.since(record.step.start)))
        .collect()
}

#[test]
fn the_parts_of_a_campaign_are_together_the_whole() {
    let server = Server::start(|asked| chat(words(asked), 2, Duration::ZERO));
    let parts: Vec<StepRecord> = (0..3)
        .map(|index| {
            let shard = Shard::new(index, 3).unwrap();
            run(&server, Route::Chat, workload(SHORT), &StepPlan { shard, ..plan(80.0) })
        })
        .collect();
    let mut union = BTreeSet::new();
    for part in &parts {
        let own = instants(part);
        assert!(own.iter().all(|one| union.insert(*one)), "two parts sent the same arrival");
    }
    let rate = Rate::new(80.0).unwrap();
    let whole: BTreeSet<(u32, Nanos)> =
        (0..).zip(Schedule::new(Arrivals::Poisson, Profile::Constant(rate), 7)).take(110).collect();
    let first: BTreeSet<(u32, Nanos)> =
        union.iter().copied().filter(|&(number, _)| number < 110).collect();
    assert_eq!(first, whole);
    let scheduled: u64 = parts.iter().map(|part| part.step.scheduled).sum();
    let step = &parts[0].step;
    let window = step.w0.since(step.start)..step.w1.since(step.start);
    let expected = Schedule::new(Arrivals::Poisson, Profile::Constant(rate), 7)
        .take_while(|&at| at < window.end)
        .filter(|at| window.contains(at))
        .count();
    assert_eq!(scheduled, expected as u64);
}

#[test]
fn a_common_start_that_has_passed_is_refused() {
    let server = Server::start(|asked| chat(words(asked), 2, Duration::ZERO));
    let generator = generator(&server.url(), Route::Chat, workload(SHORT));
    let begin = Some(generator.clock.now());
    let error = generator
        .run(&StepPlan { begin, ..plan(5.0) }, &Arc::default(), &Default::default())
        .unwrap_err();
    assert!(error.to_string().contains("later --start-at"), "{error}");
    let begin = Some(generator.clock.now() + Nanos::from_millis(700));
    let record = measure(&generator, &StepPlan { begin, ..plan(20.0) });
    assert_eq!(Some(record.step.start), begin);
}

#[test]
fn an_arrival_that_finds_no_connection_is_dropped_and_makes_the_step_invalid() {
    let server = Server::start(|asked| chat(words(asked), 5, Duration::from_millis(100)));
    let plan = StepPlan { max_connections: Some(2), connections: 2, threads: 1, ..plan(30.0) };
    let record = run(&server, Route::Chat, workload(SHORT), &plan);
    assert!(record.step.generator.dropped > 5, "{:?}", record.step.generator);
    let invalid = crate::starved::judge(&record).invalid;
    assert!(
        invalid.iter().any(
            |reason| matches!(reason, Invalid::ArrivalsMissing { dropped, .. } if *dropped > 5)
        ),
        "{invalid:?}"
    );
}
