//! How fast the page is in Chromium: its size, its first content, a bundle of a million requests, a
//! slider: `cargo bench -p tokencap --bench page`.
#![expect(
    clippy::unwrap_used,
    reason = "a bench prints what it measured, and ends where it cannot measure"
)]

use serde_json::{Value, json};
use tokencap::web;
use tokencap_shared::bundle;
use tokencap_shared::definitions::promise::Role;
use tokencap_shared::signoff::fixture as signing;
use tokencap_testkit::browser::{Browser, in_browser, serve, serve_trusting};
use tokencap_testkit::bundles::soak;

const REPEATS: usize = 5;
const ROWS: u32 = 1_000_000;

/// Times of one large bundle, in milliseconds: from its choice to the report, and the longest that
/// the page did not answer meanwhile.
const WATCH: &str = "
    const bench = globalThis.bench = { longest: 0 };
    document.querySelector('#file').addEventListener('change', () => {
        bench.from = bench.last = performance.now();
        setTimeout(tick);
    }, { capture: true });
    new MutationObserver(() => {
        bench.judging ??= document.querySelector('#jobs')?.textContent.includes('judging step')
            ? performance.now() : undefined;
        const row = document.querySelector('[data-testid=summary-row]');
        if (!bench.to && row) {
            bench.to = performance.now();
        }
        if (!bench.signed && row?.textContent.includes('signed 2/2')) {
            bench.signed = performance.now();
        }
    }).observe(document.body, { characterData: true, childList: true, subtree: true });
    function tick() {
        const now = performance.now();
        bench.longest = Math.max(bench.longest, now - bench.last);
        bench.last = now;
        if (!bench.to) setTimeout(tick);
    }";
/// Times from a slider's move to the frame that shows what depends on it, in milliseconds.
const SLIDE: &str = "
    const slider = document.querySelector('#need-people ~ input[type=range]');
    const shown = () => document.querySelector('[data-testid=offer]')?.textContent;
    const times = [];
    for (let i = 0; i < 20; i++) {
        const before = shown();
        const from = performance.now();
        slider.value = 300 + 20 * i;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        while (shown() === before && performance.now() - from < 1000) {
            await new Promise(requestAnimationFrame);
        }
        await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
        times.push(performance.now() - from);
    }
    return times.sort((a, b) => a - b);";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(in_browser("bench", measure));
}

async fn measure(browser: &Browser) {
    let app = web::files().iter().filter(|file| !file.is_on_demand());
    let bytes: usize = app.map(|file| file.gzip.unwrap_or(file.bytes).len()).sum();
    println!("app, compressed: {bytes} bytes (at most 400,000)");

    let url = serve(vec![]).await;
    let mut starts = [Vec::new(), Vec::new()];
    for repeat in 0..REPEATS {
        // Another address each time: nothing but the browser's cache of files is warm.
        browser.open(&format!("{url}?{repeat}")).await;
        let script = "return [performance.getEntriesByName('first-contentful-paint')[0].startTime,
            performance.getEntriesByType('navigation')[0].duration]";
        let times = browser.run(script, vec![]).await;
        for (all, time) in starts.iter_mut().zip(times.as_array().unwrap()) {
            all.push(time.as_f64().unwrap());
        }
    }
    let [paint, load] = starts.map(median);
    println!("first content: {paint:.0} ms; loaded: {load:.0} ms (at most 500 ms)");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("million.tokencap");
    let bytes = bundle::write(&soak(ROWS)).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let (mut opened, mut judged, mut longest) = (Vec::new(), Vec::new(), Vec::new());
    for repeat in 0..REPEATS {
        browser.open(&format!("{url}?large{repeat}")).await;
        browser.run(WATCH, vec![]).await;
        browser.choose_file("#file", &path).await;
        browser.text("[data-testid=summary-row]").await;
        let times = "return [bench.to - bench.from, bench.to - bench.judging, bench.longest]";
        let times = browser.run(times, vec![]).await;
        let time = |at: usize| times.get(at).and_then(Value::as_f64).unwrap();
        for (at, all) in [&mut opened, &mut judged, &mut longest].into_iter().enumerate() {
            all.push(time(at));
        }
    }
    println!(
        "{ROWS} requests, from the choice of the file to the report: {:.0} ms (at most 1,500 ms), \
         {:.0} ms of it from the beginning of judging (at most 400 ms); the page did not answer for \
         {:.0} ms at most",
        median(opened),
        median(judged),
        median(longest),
    );

    let signed = signing::sign(&signing::sign(&bytes, 1, Role::MeasuredBy), 2, Role::ApprovedBy);
    std::fs::write(&path, signed).unwrap();
    let trusting = serve_trusting(vec![], signing::trust()).await;
    let mut verified = Vec::new();
    for repeat in 0..REPEATS {
        browser.open(&format!("{trusting}?signed{repeat}")).await;
        browser.run(WATCH, vec![]).await;
        browser.choose_file("#file", &path).await;
        let signed =
            async || browser.run("return bench.signed ?? null", vec![]).await != json!(null);
        browser.until("it is signed", signed).await;
        let time = browser.run("return bench.signed - bench.from", vec![]).await;
        verified.push(time.as_f64().unwrap());
    }
    println!(
        "the same signed by two, until its numbers are computed again beside their signatures: {:.0} \
         ms (at most 1,500 ms)",
        median(verified)
    );

    browser.click("[data-testid=nav-quote]").await;
    browser.text("[data-testid=offer]").await;
    let times = browser.run(SLIDE, vec![]).await;
    let times: Vec<f64> = times.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    println!(
        "a slider of the quote, until the frame that shows it: median {:.0} ms, slowest of {} {:.0} \
         ms (at most 50 ms)",
        times[times.len() / 2],
        times.len(),
        times[times.len() - 1],
    );
    assert_eq!(
        browser.run("return document.getElementById('failure').hidden", vec![]).await,
        json!(true)
    );
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
