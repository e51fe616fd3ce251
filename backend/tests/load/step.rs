//! Whole steps: what is sent when, and what is recorded of it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::support::{Act, Server, chat, chunk, without_usage, words};
use tokencap::drive::live::Live;
use tokencap::drive::plan::StepPlan;
use tokencap::schedule::form::Route;
use tokencap::schedule::prompt::Words;
use tokencap::schedule::tokenizer::Tokenizer;
use tokencap::step::StepRecord;
use tokencap::stop::Stop;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::record::Outcome;
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::Nanos;
use tokencap_testkit::step::{completed, generator, measure, members, probe, workload};

pub(crate) const SHORT: &str = r#"
name = "short"
[shape]
kind = "mix"
[[shape.classes]]
weight = 1
isl = { dist = "fixed", tokens = 40 }
osl = { dist = "fixed", tokens = 5 }
"#;

const SESSIONS: &str = r#"
name = "sessions"
[shape]
kind = "sessions"
shared_prefix = 20
steps = 3
new_tokens = { dist = "fixed", tokens = 30 }
output_tokens = { dist = "fixed", tokens = 4 }
think = { mean_ns = 20_000_000, cv = 0.0 }
"#;

pub(crate) fn plan(rate: f64) -> StepPlan {
    probe(rate, 1200)
}

pub(crate) fn run(
    server: &Server,
    route: Route,
    workload: Workload,
    plan: &StepPlan,
) -> StepRecord {
    measure(&generator(&server.url(), route, workload), plan)
}

#[test]
fn a_step_sends_every_scheduled_arrival_and_follows_each_member_to_its_end() {
    let server = Server::start(|asked| chat(words(asked), 5, Duration::from_millis(60)));
    let record = run(&server, Route::Chat, workload(SHORT), &plan(60.0));
    let step = &record.step;
    let members = members(&record);
    assert!(!members.is_empty());
    // On a busy machine some leave the window late; none is left out.
    let due = record.requests.iter().filter(|r| step.w0 <= r.intended && r.intended < step.w1);
    assert_eq!(due.count() as u64, step.scheduled);
    assert_eq!(step.generator.dropped, 0);
    assert_eq!(step.stopped, None);
    for request in &members {
        assert_eq!(request.outcome, Outcome::Completed, "{:?}", record.errors);
        assert_eq!((request.isl, request.osl, request.cached), (Some(40), Some(5), Some(0)));
        assert_eq!((request.events, request.gap_count()), (5, 4));
        assert!(request.sent < request.first_token.unwrap());
        assert!(request.first_token < request.last_token);
        assert!(request.last_token.unwrap() <= request.end);
        assert!(request.intended <= request.sent && request.sent < request.end);
    }
    // Arrivals went on behind the window.
    assert!(record.requests.iter().any(|request| request.intended >= step.w1));
    let gaps: u64 = record.gaps.values().map(|histogram| histogram.len()).sum();
    assert_eq!(gaps, 4 * members.len() as u64);
    // The server waited 60 ms before each of them, so on the whole they are not shorter.
    for histogram in record.gaps.values() {
        assert!(histogram.mean() > 55e6 && histogram.max() > 60_000_000, "{}", histogram.mean());
    }
}

#[test]
fn sessions_extend_their_prompt_by_the_answer_and_new_text() {
    let server = Server::start(|asked| chat(words(asked), 4, Duration::ZERO));
    // Long enough for a third turn on a busy machine.
    let plan = StepPlan { threads: 2, window: Duration::from_secs(3), ..plan(60.0) };
    let record = run(&server, Route::Chat, workload(SESSIONS), &plan);
    assert!(record.requests.iter().any(|request| request.turn == 2));
    for request in &record.requests {
        if request.outcome == Outcome::Completed {
            assert_eq!(request.isl, Some(50 + 34 * request.turn), "turn {}", request.turn);
        }
    }
    for turn in 1..3 {
        let of = |session, turn| {
            record.requests.iter().find(move |r| r.session == session && r.turn == turn)
        };
        let pairs: Vec<_> = record
            .requests
            .iter()
            .filter(|request| request.turn == turn)
            .map(|request| (of(request.session, turn - 1).unwrap(), request))
            .collect();
        assert!(!pairs.is_empty());
        for (before, request) in pairs {
            assert_eq!(request.intended, before.end + Nanos::from_millis(20));
        }
    }
}

#[test]
fn connections_are_used_again_and_opened_in_advance() {
    let opened = Arc::new(OnceLock::<Arc<AtomicUsize>>::new());
    let at_first = Arc::new(OnceLock::new());
    let (counter, first) = (Arc::clone(&opened), Arc::clone(&at_first));
    let server = Server::start(move |asked| {
        first.get_or_init(|| counter.wait().load(Ordering::Relaxed));
        chat(words(asked), 2, Duration::from_millis(1))
    });
    opened.set(Arc::clone(&server.connections)).unwrap();
    // More than are kept idle later.
    let plan = StepPlan { threads: 1, connections: 60, ..plan(100.0) };
    let record = run(&server, Route::Chat, workload(SHORT), &plan);
    let opened = server.connections.load(Ordering::Relaxed);
    assert!((60..record.requests.len()).contains(&opened), "{opened} {}", record.requests.len());
    assert!(*at_first.get().unwrap() >= 60, "{at_first:?} connections at the first request");
}

#[test]
fn a_step_that_is_stopped_says_why_and_lets_what_is_in_flight_come_to_its_end() {
    let server = Server::start(|asked| chat(words(asked), 5, Duration::from_millis(200)));
    let (live, stop) = (Arc::new(Live::default()), Stop::default());
    let (stopper, watched) = (stop.clone(), Arc::clone(&live));
    std::thread::spawn(move || {
        while watched.snapshot().sent < 3 {
            std::thread::sleep(Duration::from_millis(20));
        }
        stopper.stop(Note::sentence("enough"));
        stopper.stop(Note::Interrupted);
    });
    let generator = generator(&server.url(), Route::Chat, workload(SHORT));
    let record = generator.run(&plan(50.0), &live, &stop).unwrap();
    assert_eq!(record.step.stopped, Some(Note::sentence("enough")));
    // Those of the second that an answer takes, far fewer than the seconds that were planned.
    assert!((3..100).contains(&record.requests.len()), "{}", record.requests.len());
    assert!(record.requests.iter().all(|request| request.outcome == Outcome::Completed));
}

/// A tokenizer that knows every word of a prompt, and the answer's.
pub(crate) fn tokenizer() -> Tokenizer {
    let words = Words::default();
    let vocabulary: serde_json::Map<String, serde_json::Value> = words
        .iter()
        .chain(["word", "[UNK]"])
        .zip(0..)
        .map(|(word, id)| (word.to_owned(), serde_json::json!(id)))
        .collect();
    let file = serde_json::json!({
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
        "pre_tokenizer": {"type": "Whitespace"},
    });
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(path.path(), file.to_string()).unwrap();
    Tokenizer::read(path.path()).unwrap()
}

#[test]
fn where_the_server_counts_no_tokens_the_tokenizer_does() {
    // Every other answer goes without usage; the counts of the others are the server's own.
    let silent = AtomicBool::new(false);
    let server = Server::start(move |asked| {
        let acts = chat(words(asked) + 14, 5, Duration::ZERO);
        if silent.fetch_xor(true, Ordering::Relaxed) { without_usage(acts) } else { acts }
    });
    let mut generator = generator(&server.url(), Route::Chat, workload(SHORT));
    let unknown = measure(&generator, &plan(60.0));
    assert!(unknown.requests.iter().any(|r| r.isl.is_none() && r.osl.is_none()));
    generator.target.tokenizer = Some(tokenizer().into());
    let counted = measure(&generator, &plan(60.0));
    let completed = completed(&counted);
    assert!(completed.iter().all(|request| request.osl == Some(5)));
    let by = |isl| completed.iter().filter(|request| request.isl == Some(isl)).count();
    assert!(by(40) > 0 && by(54) > 0 && by(40) + by(54) == completed.len());
}

#[test]
fn an_answer_that_is_not_all_text_is_not_counted() {
    let server = Server::start(|asked| {
        let mut acts = without_usage(chat(words(asked), 5, Duration::ZERO));
        let call = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}]}"#;
        acts.insert(2, Act::Say(chunk(&format!("data: {call}\n\n"))));
        acts
    });
    let mut generator = generator(&server.url(), Route::Chat, workload(SHORT));
    generator.target.tokenizer = Some(tokenizer().into());
    let record = measure(&generator, &plan(60.0));
    let completed = completed(&record);
    assert!(!completed.is_empty());
    assert!(completed.iter().all(|request| request.osl.is_none() && request.events == 6));
}
