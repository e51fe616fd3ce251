//! Records on disk: nothing of a finished step is ever lost, and what is left can be opened and
//! gone on with.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokencap::journal::{Journal, JournalError};
use tokencap::presets::{Kind, find};
use tokencap::step::{Recorder, StepRecord};
use tokencap_shared::bundle::{Bundle, FORMAT_VERSION, Manifest};
use tokencap_shared::definitions::deployment::{Deployment, Parallelism};
use tokencap_shared::definitions::origin::Origin;
use tokencap_shared::definitions::record::{
    FailureKind, GapHistogram, GapSummary, Outcome, Request,
};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::definitions::telemetry::{Labels, Metric, Sample};
use tokencap_shared::units::{Moment, Nanos, Rate, Share};
use tokencap_wire::gaps::Gaps;

fn manifest() -> Manifest {
    Manifest {
        format: FORMAT_VERSION,
        definitions: 1,
        tool: "tokencap test".into(),
        run: "00112233445566778899aabbccddeeff".into(),
        started: "2026-11-29T12:00:00Z".into(),
        deployment: Deployment {
            model: "m".into(),
            revision: String::new(),
            engine: "e".into(),
            engine_version: String::new(),
            gpu: "g".into(),
            gpus_serving: 1,
            gpus_provisioned: 1,
            parallelism: Parallelism::default(),
            quantisation: String::new(),
            kv_cache_dtype: String::new(),
            prefix_cache: String::new(),
            speculative: String::new(),
            server_args: String::new(),
            simulated: true,
        },
        promise: toml::from_str(find(Kind::Promise, "demo").unwrap().text).unwrap(),
        workload: toml::from_str(find(Kind::Workload, "demo").unwrap().text).unwrap(),
        steps: vec![],
        origin: Origin::Measured,
        calendar: None,
        environment: BTreeMap::new(),
        warnings: vec![],
        members: BTreeMap::new(),
    }
}

/// A request whose every field follows from its numbers; some fields are missing.
fn request(step: u32, number: u32) -> (Request, Option<String>) {
    let at = u64::from(number) * 1_000_000;
    let odd = number % 2 == 1;
    let request = Request {
        step,
        session: number,
        turn: number % 3,
        intended: Moment(at),
        sent: Moment(at + 10),
        first_token: odd.then_some(Moment(at + 100)),
        last_token: odd.then_some(Moment(at + 900)),
        end: Moment(at + 1000),
        isl: odd.then_some(number),
        osl: odd.then_some(7),
        cached: (number % 4 == 1).then_some(0),
        queue: (number % 4 == 3).then_some(Nanos(5)),
        events: if odd { 7 } else { 0 },
        gaps: odd.then_some(GapSummary { max: Nanos(300), p99: Nanos(200), p95: Nanos(100) }),
        outcome: if odd { Outcome::Completed } else { Outcome::Failed(FailureKind::Rejected) },
        status: odd.then_some(200),
        error: None,
    };
    (request, (!odd).then(|| format!("error {}", number % 10)))
}

fn step_record(id: u32) -> StepRecord {
    let mut gaps = GapHistogram::new(3).unwrap();
    gaps.auto(true);
    for value in [0, 1, 999, 1_000_000, 123_456_789, 60_000_000_000] {
        gaps.record_n(value + u64::from(id), 3).unwrap();
    }
    let step = Step {
        id,
        kind: StepKind::Probe,
        asked: Rate::new(2.5).unwrap(),
        seed: 9,
        start: Moment(0),
        w0: Moment(1),
        w1: Moment(2),
        end: Moment(3),
        scheduled: 4,
        generator: GeneratorEvidence { cpu_busiest: Share::new(0.1).ok(), ..Default::default() },
        stopped: None,
        abandoned: None,
    };
    StepRecord { step, requests: vec![], gaps: BTreeMap::from([(1, gaps)]), errors: vec![] }
}

fn samples(at: u64) -> Vec<Sample> {
    let sample = |metric, labels, value| Sample {
        time: Moment(at),
        source: "engine".into(),
        metric,
        labels,
        value,
    };
    vec![
        sample(Metric::Running, Labels::default(), 3.0),
        sample(Metric::QueueBucket, Labels::one("le", "+Inf"), at as f64),
    ]
}

fn write_step(journal: &mut Journal, id: u32, requests: u32) {
    for number in 0..requests {
        let (request, error) = request(id, number);
        journal.request(&request, error.as_deref(), &Gaps::default()).unwrap();
    }
    journal.telemetry(&samples(u64::from(id))).unwrap();
    journal.finish_step(&step_record(id)).unwrap();
}

/// Checks that the bundle holds exactly the steps `0..steps`, each whole.
fn check(bundle: &Bundle, steps: u32, requests: u32) {
    assert_eq!(bundle.manifest.steps.len(), steps as usize);
    assert_eq!(bundle.requests.len(), (steps * requests) as usize);
    let mut requests_read = bundle.requests.iter();
    for id in 0..steps {
        assert_eq!(bundle.manifest.steps[id as usize], step_record(id).step);
        let (read, written) = (&bundle.gaps[&(id, 1)], &step_record(id).gaps[&1]);
        let pairs = |gaps: &GapHistogram| {
            gaps.iter_recorded()
                .map(|value| (value.value_iterated_to(), value.count_at_value()))
                .collect::<Vec<_>>()
        };
        assert_eq!((pairs(read), read.len()), (pairs(written), written.len()));
        for number in 0..requests {
            let (expected, error) = request(id, number);
            let read = requests_read.next().unwrap();
            let text = read.error.map(|number| bundle.errors[number as usize].clone());
            assert_eq!((Request { error: None, ..*read }, text), (expected, error));
        }
    }
    let telemetry: Vec<Sample> = (0..steps).flat_map(|id| samples(id.into())).collect();
    assert_eq!(bundle.telemetry, telemetry);
}

#[test]
fn what_is_written_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut journal = Journal::create(&path, &manifest()).unwrap();
    for id in 0..3 {
        write_step(&mut journal, id, 2000);
    }
    let bundle = Journal::read(&path).unwrap();
    check(&bundle, 3, 2000);
    assert_eq!(Manifest { steps: vec![], ..bundle.manifest }, manifest());
    assert_eq!(bundle.errors.len(), 5);
}

#[test]
fn a_file_cut_at_any_byte_keeps_its_finished_steps_and_can_be_gone_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut journal = Journal::create(&path, &manifest()).unwrap();
    let mut ends = vec![];
    for id in 0..4 {
        ends.push(std::fs::metadata(&path).unwrap().len());
        write_step(&mut journal, id, 20);
    }
    drop(journal);
    let whole = std::fs::read(&path).unwrap();
    TestRunner::new(ProptestConfig { cases: 48, ..ProptestConfig::default() })
        .run(&any::<prop::sample::Index>(), |cut| {
            let first = ends[0] as usize;
            let cut = first + cut.index(whole.len() - first + 1);
            std::fs::write(&path, &whole[..cut]).unwrap();
            let finished = ends[1..].iter().filter(|&&end| end as usize <= cut).count()
                + usize::from(cut == whole.len());
            check(&Journal::read(&path).unwrap(), finished as u32, 20);
            let (mut journal, bundle) = Journal::resume(&path).unwrap();
            check(&bundle, finished as u32, 20);
            write_step(&mut journal, finished as u32, 20);
            drop(journal);
            check(&Journal::read(&path).unwrap(), finished as u32 + 1, 20);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_damaged_byte_costs_no_step_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut journal = Journal::create(&path, &manifest()).unwrap();
    let mut ends = vec![];
    for id in 0..3 {
        write_step(&mut journal, id, 20);
        ends.push(std::fs::metadata(&path).unwrap().len());
    }
    drop(journal);
    let whole = std::fs::read(&path).unwrap();
    TestRunner::new(ProptestConfig { cases: 48, ..ProptestConfig::default() })
        .run(&(any::<prop::sample::Index>(), 1..=255_u8), |(at, flip)| {
            let at = at.index(whole.len());
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            std::fs::write(&path, &bytes).unwrap();
            match Journal::read(&path) {
                Ok(bundle) => {
                    let sound = ends.iter().filter(|&&end| end as usize <= at).count();
                    check(&bundle, sound as u32, 20);
                }
                Err(error) => assert!(matches!(error, JournalError::Foreign { .. }), "{error}"),
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_step_that_was_given_up_leaves_no_requests() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut journal = Journal::create(&path, &manifest()).unwrap();
    write_step(&mut journal, 0, 10);
    for number in 0..500 {
        journal.request(&request(7, number).0, None, &Gaps::default()).unwrap();
    }
    write_step(&mut journal, 1, 10);
    check(&Journal::read(&path).unwrap(), 2, 10);
}

#[test]
fn every_wrong_file_is_refused_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let says = |error: JournalError, words: &str| {
        let text = error.to_string();
        assert!(text.contains(words) && !text.contains('\n'), "{text}");
    };
    says(Journal::read(&path).unwrap_err(), "cannot be read from");
    let journal = Journal::create(&path, &manifest()).unwrap();
    says(Journal::create(&path, &manifest()).unwrap_err(), "resume that run");
    says(Journal::resume(&path).unwrap_err(), "in use by another run");
    drop(journal);
    std::fs::write(&path, "PK and more than twenty bytes").unwrap();
    says(Journal::resume(&path).unwrap_err(), "begins with other bytes");
    std::fs::write(&path, "").unwrap();
    says(Journal::read(&path).unwrap_err(), "too short");
    let missing = dir.path().join("no/such/place");
    says(Journal::create(&missing, &manifest()).unwrap_err(), "cannot be written to");
}

const CHILD: &str = "TOKENCAP_TEST_JOURNAL";

/// Not a test of its own: the process that is killed. Writes steps until it is, and says of
/// each when it is finished.
#[test]
fn child() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let path = Path::new(&path);
    let (mut journal, done) = if path.exists() {
        let (journal, bundle) = Journal::resume(path).unwrap();
        (journal, bundle.manifest.steps.len() as u32)
    } else {
        (Journal::create(path, &manifest()).unwrap(), 0)
    };
    let mut out = std::io::stderr();
    writeln!(out, "resumed {done}").unwrap();
    for id in done.. {
        write_step(&mut journal, id, 600);
        writeln!(out, "finished {id}").unwrap();
    }
}

#[test]
fn fifty_kills_lose_no_finished_step() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut promised = 0;
    // Spread over starting up, writing, syncing; no clock or randomness of the test's own.
    for kill in 0..50_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture", "--test-threads=1"])
            .env(CHILD, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut resumed = String::new();
        said.read_line(&mut resumed).unwrap();
        assert_eq!(resumed, format!("resumed {promised}\n"), "kill {kill}");
        std::thread::sleep(Duration::from_micros(kill * 7919 % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        // The kill may have cut the last line, which says nothing then.
        for line in rest.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            if let Some(id) = line.strip_prefix("finished ") {
                promised = id.parse::<u32>().unwrap() + 1;
            }
        }
        let bundle = Journal::read(&path).unwrap();
        let found = bundle.manifest.steps.len() as u32;
        // The step may have been safe when the word of it was not yet out.
        assert!(found == promised || found == promised + 1, "{found} of {promised}");
        check(&bundle, found, 600);
        promised = found;
    }
    assert!(promised > 20, "only {promised} steps were written between the kills");
    // And a file that a crash of the machine left with a tail of zeros, as file systems do.
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let end = file.seek(SeekFrom::End(0)).unwrap();
    file.set_len(end + 4096).unwrap();
    drop(file);
    let (_, bundle) = Journal::resume(&path).unwrap();
    check(&bundle, promised, 600);
    let mut start = [0; 8];
    std::fs::File::open(&path).unwrap().read_exact(&mut start).unwrap();
    assert_eq!(&start, b"tokencap");
}
