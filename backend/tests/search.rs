//! A search and a soak as a person runs them: from a plan, through HTTP, into a bundle. What the
//! search finds is not asserted here, because it depends on how busy the machine is; the study
//! of known truth does that in virtual time.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokencap::journal::Journal;
use tokencap::store;
use tokencap_shared::definitions::step::StepKind;
use tokencap_testkit::program::{self, said};
use tokencap_testkit::server::demo;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tokencap");

fn folder(tables: &str) -> TempDir {
    program::folder(&program::plan(tables))
}

fn tokencap(folder: &Path, arguments: &str) -> Output {
    program::run(PROGRAM, folder, arguments)
}

#[test]
fn a_search_says_what_it_will_take_and_ends_within_its_budget_with_a_bundle() {
    let (cluster, folder) =
        (demo(None), folder("[search]\nfirst = 12\nlongest_probe_s = 4\nprobes = 4\n"));
    let prices = "--prices reference-2026-11";
    let sweep =
        format!("sweep --target http://{} --plan plan.toml --budget 24s {prices}", cluster.addr);
    let output = tokencap(folder.path(), &sweep);
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    for words in [
        "plan: a search",
        " and 24 s",
        "req/s",
        "clean requests needed",
        "GPUs for",
        "step 1: 12 req/s",
    ] {
        assert!(said.contains(words), "«{words}» is missing in: {said}");
    }
    let ends = ["λ_slo_max:", "nothing was confirmed", "the search ended"];
    assert!(ends.iter().any(|end| said.contains(end)), "{said}");
    let bundle = store::load(&folder.path().join("run.tokencap")).unwrap();
    let steps = &bundle.manifest.steps;
    assert_eq!(steps[0].asked.get(), 12.0);
    // All of it within its time, but for what the last requests took.
    let (first, last) = (&steps[0], steps.last().unwrap());
    let took = last.w1.since(first.start).seconds().get();
    assert!(took < 24.0, "{took} s: {said}");
}

#[test]
fn an_interrupted_search_goes_on_from_the_steps_it_measured() {
    let (cluster, folder) = (demo(None), folder("[search]\nfirst = 4\nlongest_probe_s = 2\n"));
    let sweep = format!("sweep --target http://{} --plan plan.toml", cluster.addr);
    let running =
        program::command(PROGRAM, folder.path()).args(sweep.split_whitespace()).spawn().unwrap();
    let journal = folder.path().join("run.tokencap.journal");
    let steps = || Journal::read(&journal).map_or(Vec::new(), |bundle| bundle.manifest.steps);
    let begun = Instant::now();
    while steps().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no step was finished");
        std::thread::sleep(Duration::from_millis(50));
    }
    let pid = running.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ended = running.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", said(&ended));
    let measured = steps();
    let cut = store::load(&folder.path().join("run.tokencap")).unwrap();
    assert!(cut.manifest.steps.starts_with(&measured));

    let earlier: f64 = measured.iter().map(|step| step.end.since(step.start).seconds().get()).sum();
    let budget = earlier + 25.0;
    let output = tokencap(folder.path(), &format!("{sweep} --resume --budget {budget:.0}s"));
    assert!(output.status.success(), "{}", said(&output));
    let whole = store::load(&folder.path().join("run.tokencap")).unwrap().manifest;
    assert!(whole.steps.len() > measured.len(), "{}", said(&output));
    assert!(whole.steps.starts_with(&measured));
    // It does not begin anew.
    assert_ne!(whole.steps[measured.len()].asked.get(), 4.0, "{}", said(&output));
    let ids: Vec<u32> = whole.steps.iter().map(|step| step.id).collect();
    assert!(ids.into_iter().eq(0..whole.steps.len() as u32));
    assert!(!journal.exists());
}

#[test]
fn a_soak_at_a_bundles_rate_is_a_bundle_of_its_own_and_too_short_a_one_commits_nothing() {
    let sweep = "[sweep]\nrates = [4]\nwarmup_s = 0.5\nwindow_s = 3\n";
    let (cluster, folder) = (demo(None), folder(sweep));
    let at = format!("--target http://{} --plan plan.toml", cluster.addr);
    let output = tokencap(folder.path(), &format!("sweep {at}"));
    assert!(output.status.success(), "{}", said(&output));
    let soak = format!("soak {at} --rate 4 --for 2s --out soak.tokencap");
    let output = tokencap(folder.path(), &soak);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("a soak"), "{}", said(&output));
    let bundle = store::load(&folder.path().join("soak.tokencap")).unwrap();
    assert_eq!(bundle.manifest.steps[0].kind, StepKind::Soak);
    let report = tokencap(folder.path(), "report soak.tokencap --json");
    assert!(String::from_utf8_lossy(&report.stdout).contains("too_short"));

    let neither = tokencap(folder.path(), &format!("soak {at} --out other.tokencap"));
    assert_eq!(neither.status.code(), Some(2), "{}", said(&neither));
}

#[test]
fn a_grid_is_measured_at_equal_distances() {
    let grid = "[sweep]\ngrid = { from = 2, to = 8, steps = 3 }\nwarmup_s = 0.2\nwindow_s = 0.6\n";
    let (cluster, folder) = (demo(None), folder(grid));
    let sweep = format!("sweep --target http://{} --plan plan.toml", cluster.addr);
    let output = tokencap(folder.path(), &sweep);
    assert!(output.status.success(), "{}", said(&output));
    let bundle = store::load(&folder.path().join("run.tokencap")).unwrap();
    let rates: Vec<f64> =
        bundle.manifest.steps.iter().map(|step| (step.asked.get() * 1e9).round() / 1e9).collect();
    assert_eq!(rates, [2.0, 4.0, 8.0]);
}
