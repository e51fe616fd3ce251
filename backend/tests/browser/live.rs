//! A running sweep in the browser, and a server that goes away and comes back.

use std::path::Path;
use std::time::{Duration, SystemTime};

use tokencap::campaign::live_file::path_beside;
use tokencap_shared::bundle::live::{Done, Live, Now, Phase, Tail};
use tokencap_shared::definitions::judge::Verdict;
use tokencap_shared::definitions::promise::PromiseKind;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::present::words::Lang;
use tokencap_shared::units::{Nanos, Rate};
use tokencap_shared::{bundle, fixture};

use tokencap_testkit::browser::{in_browser, serve_until_told};

/// What a sweep says in its third step.
fn news() -> Live {
    let rate = |value: f64| Rate::new(value).unwrap();
    let done = |offered: f64, screen: Verdict| Done {
        kind: StepKind::Probe,
        offered: rate(offered),
        valid: true,
        verdict: Verdict::Insufficient,
        screen,
        unsustainable: screen == Verdict::Broken,
        compliant: 1_180,
        requests: 1_200,
    };
    Live {
        bundle: "toy.tokencap".to_owned(),
        model: "toy-model".to_owned(),
        promise: "interactive".to_owned(),
        now: Some(Now {
            index: 2,
            of: None,
            kind: StepKind::Confirm,
            rate: Some(rate(21.5)),
            users: None,
            phase: Phase::Window,
            elapsed: Nanos::from_secs(90),
            length: Nanos::from_secs(360),
            left: Some(Nanos::from_secs(1000)),
            in_flight: 37,
            completed: 1_234,
            failed: 2,
            tokens: 98_765,
            tails: vec![Tail {
                kind: PromiseKind::TtftP99,
                tier: Some("≤1k".to_owned()),
                measured: Some(Nanos::from_millis(431)),
                limit: Nanos::from_millis(400),
            }],
            screen: Some(Verdict::Broken),
            unsustainable: false,
        }),
        done: vec![done(12.0, Verdict::Held), done(30.0, Verdict::Broken)],
        stalled: false,
    }
}

fn say(live: &Live, bundle: &Path) {
    std::fs::write(path_beside(bundle), serde_json::to_vec(live).unwrap()).unwrap();
    // However slow the browser is, this is news.
    written(bundle, SystemTime::now() + Duration::from_secs(3600));
}

fn written(bundle: &Path, at: SystemTime) {
    let file = std::fs::File::options().append(true).open(path_beside(bundle)).unwrap();
    file.set_modified(at).unwrap();
}

#[tokio::test]
async fn a_running_sweep_is_followed_and_a_lost_server_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.tokencap");
    std::fs::write(&path, bundle::write(&fixture::bundle()).unwrap()).unwrap();
    let mut live = news();
    say(&live, &path);
    in_browser("live", async |browser| {
        let (address, stop, serving) = serve_until_told(vec![path.clone()], 0).await;
        browser.open(&format!("http://{address}/#/runs")).await;
        let says = async |text: &str| {
            let there = async || browser.content("[data-testid=live]").await.contains(text);
            browser.until(text, there).await;
        };
        for (lang, _) in Lang::ALL {
            browser.click(&format!("[data-testid=lang-{}]", lang.tag())).await;
            let words = lang.words();
            for text in ["toy-model", "21.5", "431", "≤ 400", "17 min", "98,765", "1,180"] {
                says(text).await;
            }
            says((words.verdict)(Verdict::Broken)).await;
            says((words.step_kind)(StepKind::Confirm)).await;
            says(words.say.unsustainable).await;
            browser.assert_fits().await;
            browser.screenshot(&format!("live-{}", lang.tag())).await;
        }
        browser.click("[data-testid=lang-en]").await;
        says("Step 3").await;
        // It goes on.
        if let Some(now) = &mut live.now {
            (now.in_flight, now.completed) = (41, 2_345);
        }
        say(&live, &path);
        says("2,345").await;
        // It is silent for too long.
        written(&path, SystemTime::now() - Duration::from_secs(60));
        says("--resume").await;
        // The server goes, and the page still answers.
        browser.assert_no_complaints().await;
        stop.send(()).unwrap();
        serving.await.unwrap();
        says("The server does not answer").await;
        browser.click("[data-testid=nav-report]").await;
        browser.text("[data-testid=summary-row]").await;
        browser.click("[data-testid=nav-definitions]").await;
        browser.text("[data-testid=workbench] dt").await;
        assert!(!browser.shows("#failure").await);
        browser.click("[data-testid=nav-runs]").await;
        // It comes back, and the sweep has ended meanwhile.
        std::fs::remove_file(path_beside(&path)).unwrap();
        let (_, stop, serving) = serve_until_told(vec![path.clone()], address.port()).await;
        says("measured to its end").await;
        browser.screenshot("live-ended").await;
        assert!(!browser.shows("#failure").await);
        stop.send(()).unwrap();
        serving.await.unwrap();
    })
    .await;
}
