//! A real engine that nobody here wrote: llama.cpp's own HTTP server, with a random model.
//!
//! Needs a Python with the packages `xllamacpp` and `gguf`, named by its absolute path in
//! `TOKENCAP_ENGINE_PYTHON`; without it the tests say that they were skipped.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokencap::clock::Clock;
use tokencap::drive::step::Generator;
use tokencap::net::target::Target;
use tokencap::observe::scrape::{Observer, Source};
use tokencap::presets::{Kind, find};
use tokencap::schedule::form::Route;
use tokencap::step::StepRecord;
use tokencap::trial::preflight::preflight;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::record::{ClientFaultKind, Outcome};
use tokencap_shared::definitions::telemetry::Metric;
use tokencap_testkit::step::{self, members};

/// Tokens that one request may have in all.
const CONTEXT: u32 = 2048;

/// The engine, until it is dropped.
struct Engine {
    child: Child,
    url: String,
    _model: tempfile::TempDir,
}

impl Engine {
    /// Starts it; `None`, said, where there is no Python for it.
    fn start() -> Option<Self> {
        let Some(python) = std::env::var_os("TOKENCAP_ENGINE_PYTHON") else {
            println!("skipped: TOKENCAP_ENGINE_PYTHON names no Python; `make test-engine` does");
            return None;
        };
        let model = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/server.py");
        let mut child = Command::new(python)
            .arg(script)
            .arg(model.path())
            .arg(port.to_string())
            .arg(CONTEXT.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().trim() == "ready"), "the engine did not start");
        // Its log is read on, lest it wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { child, url: format!("http://127.0.0.1:{port}"), _model: model })
    }

    fn generator(&self, route: Route, workload: &str) -> Generator {
        let mut target = Target::new(&self.url, route, "tiny").unwrap();
        let learnt = preflight(&mut target, None).unwrap();
        assert!(learnt.warnings.iter().all(|note| *note == Note::NoIdle), "{:?}", learnt.warnings);
        assert!(target.exact_lengths);
        // This server has a thread a connection, up to some number; whether it has one for a
        // request beside many idle connections is a race in it.
        target.hold_idle = false;
        Generator { ruler: learnt.ruler, ..step::of_target(target, step::workload(workload)) }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(generator: &Generator, rate: f64) -> StepRecord {
    step::measure(generator, &step::probe(rate, 2000))
}

#[test]
fn tokens_are_counted_by_the_engine_not_by_events() {
    let Some(engine) = Engine::start() else { return };
    for route in [Route::Chat, Route::Completions] {
        let generator = engine.generator(
            route,
            r#"
name = "fixed"
[shape]
kind = "mix"
[[shape.classes]]
weight = 1
isl = { dist = "fixed", tokens = 600 }
osl = { dist = "fixed", tokens = 12 }
shared_prefix = 200
"#,
        );
        let record = run(&generator, 20.0);
        let members = members(&record);
        assert!(members.len() > 20);
        for request in &members {
            assert_eq!(request.outcome, Outcome::Completed, "{:?}", record.errors);
            assert_eq!((request.status, request.osl), (Some(200), Some(12)));
            assert!(request.cached.unwrap() <= request.isl.unwrap());
        }
        // Bytes of one character come together: fewer events than tokens.
        assert!(members.iter().any(|request| request.events < 12), "{route:?}");
        // The declared prefix is found in the cache, and the salted rest is not: of 600 tokens
        // about 200, and the few that the next salt happens to begin with.
        let cached: u32 = members.iter().filter_map(|request| request.cached).sum();
        let cached = f64::from(cached) / members.len() as f64;
        assert!((100.0..230.0).contains(&cached), "{route:?}: {cached} cached tokens a request");
        let isl: u32 = members.iter().filter_map(|request| request.isl).sum();
        let isl = f64::from(isl) / members.len() as f64;
        assert!((570.0..630.0).contains(&isl), "{route:?}: {isl} tokens a prompt");
    }
}

#[test]
fn a_sessions_history_is_found_in_the_cache() {
    let Some(engine) = Engine::start() else { return };
    for route in [Route::Chat, Route::Completions] {
        let generator = engine.generator(
            route,
            r#"
name = "sessions"
[shape]
kind = "sessions"
shared_prefix = 100
steps = 4
new_tokens = { dist = "fixed", tokens = 150 }
output_tokens = { dist = "fixed", tokens = 8 }
think = { mean_ns = 1_000_000, cv = 0.0 }
"#,
        );
        let record = run(&generator, 12.0);
        let last: Vec<_> = record
            .requests
            .iter()
            .filter(|request| request.turn == 3 && request.outcome == Outcome::Completed)
            .collect();
        assert!(!last.is_empty(), "{:?}", record.errors);
        for request in last {
            let isl = request.isl.unwrap();
            assert!((500..950).contains(&isl), "{route:?}: {isl}");
            let before = record
                .requests
                .iter()
                .find(|r| r.session == request.session && r.turn == 2)
                .unwrap();
            assert!(isl > before.isl.unwrap() + 100);
        }
        // Two slots serve a few sessions at once, so not every step finds its own history.
        let follow_ups: Vec<_> = record
            .requests
            .iter()
            .filter(|request| request.turn > 0 && request.outcome == Outcome::Completed)
            .collect();
        let reused = follow_ups.iter().filter(|r| r.cached.unwrap() > r.isl.unwrap() / 2).count();
        assert!(2 * reused > follow_ups.len(), "{reused} of {}", follow_ups.len());
    }
}

#[test]
fn an_overlong_prompt_is_the_plans_fault_in_the_engines_own_words() {
    let Some(engine) = Engine::start() else { return };
    for route in [Route::Chat, Route::Completions] {
        let generator = engine.generator(
            route,
            r#"
name = "overlong"
[shape]
kind = "mix"
[[shape.classes]]
weight = 1
isl = { dist = "fixed", tokens = 5000 }
osl = { dist = "fixed", tokens = 4 }
"#,
        );
        let record = run(&generator, 10.0);
        let members = members(&record);
        assert!(!members.is_empty());
        for request in &members {
            assert_eq!(request.outcome, Outcome::ClientFault(ClientFaultKind::PromptTooLong));
            assert_eq!((request.status, request.events), (Some(400), 0));
            let said = &record.errors[request.error.unwrap() as usize];
            assert!(said.contains("exceeds the available context size"), "{said}");
        }
    }
}

#[test]
fn the_engines_page_is_observed() {
    let Some(engine) = Engine::start() else { return };
    let source = Source::new("engine", &engine.url, None).unwrap();
    let observer =
        Observer::start(vec![source], Clock::start(), Duration::from_millis(100)).unwrap();
    let workload = find(Kind::Workload, "demo").unwrap().text;
    let record = run(&engine.generator(Route::Completions, workload), 10.0);
    assert!(!record.requests.is_empty());
    assert_eq!(observer.warnings(), []);
    assert_eq!(observer.not_observed(&[Metric::QueueBucket]), [Metric::QueueBucket]);
    let samples = observer.stop();
    let growth = |metric| {
        let values: Vec<f64> =
            samples.iter().filter(|s| s.metric == metric).map(|s| s.value).collect();
        values.last().unwrap() - values.first().unwrap()
    };
    assert!(growth(Metric::OutputTokens) > 0.0);
    assert!(growth(Metric::PrefixQueries) > growth(Metric::PromptTokens));
}
