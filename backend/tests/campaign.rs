//! Whole campaigns by the command line, against the built-in server with exact timing: shared
//! by processes and joined, killed and resumed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tokencap::campaign::live_file;
use tokencap::journal::Journal;
use tokencap::schedule::arrivals::{Profile, Schedule};
use tokencap::store;
use tokencap_shared::bundle::Bundle;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::origin::Origin;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::definitions::workload::Arrivals;
use tokencap_shared::units::{Nanos, Rate};
use tokencap_testkit::server::exact;

fn plan(dir: &Path, rates: &str, users: &str, window_s: f64) -> PathBuf {
    let path = dir.join("plan.toml");
    let text = format!(
        r#"
promise = "demo"
[workload]
name = "short"
shape = {{ kind = "mix", classes = [{{ weight = 1, isl = {{ dist = "fixed", tokens = 40 }}, osl = {{ dist = "fixed", tokens = 8 }} }}] }}
[deployment]
model = "pulse"
engine = "pulse"
gpu = "none"
gpus_serving = 1
gpus_provisioned = 1
simulated = true
[sweep]
rates = {rates}
users = {users}
warmup_s = 0.3
window_s = {window_s}
seed = 5
"#
    );
    std::fs::write(&path, text).unwrap();
    path
}

fn tokencap(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokencap"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ends_well(child: Child) {
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
}

fn fails(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    text.lines().last().unwrap_or_default().to_owned()
}

fn arrivals(bundle: &Bundle) -> BTreeSet<(u32, Nanos)> {
    let start = bundle.manifest.steps[0].start;
    let first = bundle.manifest.steps[0].id;
    bundle
        .requests
        .iter()
        .filter(|request| request.step == first)
        .map(|request| (request.session, request.intended.since(start)))
        .collect()
}

#[test]
fn two_processes_share_a_campaign_exactly_and_their_bundles_are_joined() {
    let dir = tempfile::tempdir().unwrap();
    let plan = plan(dir.path(), "[40]", "[]", 2.0);
    let url = exact();
    let start_at = (jiff::Timestamp::now() + Duration::from_secs(6)).to_string();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let parts: Vec<Child> = (0..2)
        .map(|index| {
            let mut sweep = tokencap(&["sweep", "--target", &url, "--start-at", &start_at]);
            sweep.arg("--plan").arg(&plan).arg("--out").arg(path(&format!("{index}")));
            if index == 0 {
                sweep.args(["--shard", "0/2"]);
            } else {
                // As an indexed job of Kubernetes says it.
                sweep.args(["--shards", "2"]).env("JOB_COMPLETION_INDEX", "1");
            }
            sweep.spawn().unwrap()
        })
        .collect();
    parts.into_iter().for_each(ends_well);
    let (zero, one, out) = (path("0"), path("1"), path("joined.tokencap"));
    ends_well(tokencap(&["merge", &one, &zero, "--out", &out]).spawn().unwrap());

    let [zero_read, one_read, joined] =
        [&zero, &one, &out].map(|path| store::load(Path::new(path)).unwrap());
    assert_eq!(joined.requests.len(), zero_read.requests.len() + one_read.requests.len());
    let sum = |of: fn(&Bundle) -> u64| of(&zero_read) + of(&one_read);
    let scheduled = |bundle: &Bundle| bundle.manifest.steps[0].scheduled;
    assert_eq!(scheduled(&joined), sum(scheduled));
    let gaps = |bundle: &Bundle| bundle.gaps.values().map(|gaps| gaps.len()).sum();
    assert_eq!(gaps(&joined), sum(gaps));
    // All arrivals of the window and before it, as one process would have sent them.
    let union = arrivals(&joined);
    let schedule = Profile::Constant(Rate::new(40.0).unwrap());
    let whole = (0..).zip(Schedule::new(Arrivals::Poisson, schedule, 5));
    for arrival in whole.take_while(|(_, at)| *at < Nanos::from_millis(2300)) {
        assert!(union.contains(&arrival), "{arrival:?}");
    }
    assert!(joined.requests.is_sorted_by_key(|request| request.sent));
    let warnings = &joined.manifest.warnings;
    let together = |note: &Note| matches!(note, Note::Together { processes: 2, .. });
    assert!(warnings.iter().any(together), "{warnings:?}");
    let agree = |note: &Note| matches!(note, Note::ClocksAgree { .. });
    assert!(warnings.iter().any(agree), "{warnings:?}");
    assert_eq!(joined.manifest.origin, Origin::Merged { processes: 2 });

    // What does not belong together is refused.
    let other = path("other");
    let refused = fails(&mut tokencap(&["merge", &zero, "--out", &other]));
    assert!(refused.contains("part 1 of 2 is missing"), "{refused}");
    let refused = fails(&mut tokencap(&["merge", &zero, &zero, "--out", &other]));
    assert!(refused.contains("are the same part, 0/2"), "{refused}");
    let refused = fails(&mut tokencap(&["merge", &out, "--out", &other]));
    assert!(refused.contains("measured without --shard"), "{refused}");
    let refused = fails(&mut tokencap(&["merge", &zero, &one, "--out", &out]));
    assert!(refused.contains("exists already"), "{refused}");
}

#[test]
fn a_killed_run_is_gone_on_with_where_its_last_step_ended() {
    let dir = tempfile::tempdir().unwrap();
    let plan = plan(dir.path(), "[20, 30]", "[3]", 1.0);
    let url = exact();
    let out = dir.path().join("run.tokencap");
    let journal = dir.path().join("run.tokencap.journal");
    let sweep = |more: &[&str]| {
        let mut sweep = tokencap(&["sweep", "--target", &url]);
        sweep.arg("--plan").arg(&plan).arg("--out").arg(&out).args(more);
        sweep
    };
    let mut child = sweep(&[]).spawn().unwrap();
    let begun = Instant::now();
    let steps = || Journal::read(&journal).map_or(0, |bundle| bundle.manifest.steps.len());
    while steps() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(120), "no step was finished");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let done = steps();
    assert!((1..3).contains(&done));
    // Whoever was watching still sees how far it came.
    let live = live_file::path_beside(&out);
    assert!((done - 1..=done).contains(&live_file::read(&live).unwrap().done.len()));
    // The bundle of the finished steps can be opened as it is.
    let cut = store::load(&out).unwrap();
    assert!(cut.manifest.steps.len() >= done.saturating_sub(1));
    let refused = fails(&mut sweep(&[]));
    assert!(refused.contains("exists already"), "{refused}");

    let refused = fails(&mut sweep(&["--resume", "other.tokencap"]));
    assert!(refused.contains("leave one of them out"), "{refused}");

    let mut resume = tokencap(&["sweep", "--target", &url]);
    ends_well(resume.arg("--plan").arg(&plan).arg("--resume").arg(&out).spawn().unwrap());
    let whole = store::load(&out).unwrap();
    let ids: Vec<u32> = whole.manifest.steps.iter().map(|step| step.id).collect();
    assert_eq!(ids, [0, 1, 2]);
    let kinds: Vec<StepKind> = whole.manifest.steps.iter().map(|step| step.kind).collect();
    assert_eq!(kinds, [StepKind::Probe, StepKind::Probe, StepKind::Closed]);
    assert!(whole.requests.is_sorted_by_key(|request| (request.step, request.sent)));
    assert!(whole.manifest.steps.windows(2).all(|pair| pair[0].end < pair[1].start));
    assert!(whole.manifest.warnings.contains(&Note::Resumed { steps: done }));
    assert!(!journal.exists());
    assert!(!live.exists());
}
