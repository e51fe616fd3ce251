//! Scraping real pages, and pages that fail.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokencap::clock::Clock;
use tokencap::observe::prometheus::parse;
use tokencap::observe::scrape::{Observer, Source};
use tokencap::observe::vocabulary::read;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::telemetry::{Labels, Metric, Sample};

use crate::support::{Act, Server};

/// A page of the samples; `None`, said, where they are not here.
fn sample(name: &str) -> Option<String> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = std::env::var_os("TOKENCAP_SHARED_DIR")
        .map_or_else(|| here.join("../../shared"), PathBuf::from);
    let path = root.join("samples/engine-metrics").join(name);
    let page = std::fs::read_to_string(&path).ok();
    if page.is_none() {
        println!("skipped: {} is not here", path.display());
    }
    page
}

/// What a page says: metric → number of series, sum of values.
fn said(page: &str) -> BTreeMap<Metric, (usize, f64)> {
    let mut said = BTreeMap::new();
    for reading in read(&parse(page).0) {
        let entry: &mut (usize, f64) = said.entry(reading.metric).or_default();
        entry.0 += 1;
        entry.1 += reading.value;
    }
    said
}

#[test]
fn the_engines_real_pages_are_understood() {
    use Metric::{
        KvUse, OutputTokens, Preemptions, PrefixHits, PrefixQueries, PromptTokens, QueueBucket,
        Running, Waiting,
    };
    let check = |name: &str, expected: &[(Metric, (usize, f64))]| {
        if let Some(page) = sample(name) {
            assert_eq!(said(&page), expected.iter().copied().collect(), "{name}");
        }
    };
    check("vllm_doc_example.prom", &[(Running, (1, 8.0)), (OutputTokens, (1, 27_453.0))]);
    check("vllm_v0_names_aibrix_test.prom", &[(Waiting, (1, 0.0)), (KvUse, (1, 0.0))]);
    check("vllm_dynamo_component_excerpt.prom", &[(QueueBucket, (22, 44.0))]);
    // Zero requests lie at or under the first bound, 0; one at or under each other.
    check("sglang_queue_time_old_buckets.prom", &[(QueueBucket, (34, 33.0))]);
    check("trtllm_prometheus_excerpt.prom", &[(QueueBucket, (22, 44.0))]);
    check(
        "llamacpp_live_xllamacpp_2026.10.11549.prom",
        &[
            (Running, (1, 0.0)),
            (Waiting, (1, 0.0)),
            (PromptTokens, (1, 40.0)),
            (PrefixHits, (1, 2.0)),
            (PrefixQueries, (1, 42.0)),
            (OutputTokens, (1, 7.0)),
        ],
    );
    check(
        "dynamo_frontend_doc.prom",
        &[
            (Waiting, (1, 0.0)),
            (OutputTokens, (1, 4_500_000.0)),
            (PrefixHits, (1, 30_000_000.0)),
            (KvUse, (1, 0.5)),
        ],
    );
    check(
        "mindie_doc.prom",
        &[
            (Preemptions, (1, 637.0)),
            (Running, (1, 0.0)),
            (Waiting, (1, 0.0)),
            (PromptTokens, (1, 9564.0)),
        ],
    );
    check("npu_exporter_doc.prom", &[]);
    check("dcgm_readme.prom", &[]);
}

fn page(body: &str) -> Vec<Act> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    vec![Act::Say(head.into_bytes())]
}

fn observe(sources: Vec<Source>, time: Duration) -> (Vec<Sample>, Vec<Note>, Vec<Metric>) {
    let observer = Observer::start(sources, Clock::start(), Duration::from_millis(20)).unwrap();
    std::thread::sleep(time);
    let warnings = observer.warnings();
    let missing = observer.not_observed(&[Metric::QueueBucket, Metric::Running]);
    (observer.stop(), warnings, missing)
}

fn source(name: &str, server: &Server) -> Source {
    Source::new(name, &server.url(), None).unwrap()
}

#[test]
fn samples_carry_source_labels_and_an_up_of_each_scrape() {
    let server = Server::start(|asked| {
        assert!(asked.line.starts_with("GET /metrics "));
        page("vllm:num_requests_running{model_name=\"m\",engine=\"0\"} 3\n")
    });
    let (samples, warnings, missing) =
        observe(vec![source("engine", &server)], Duration::from_millis(200));
    assert_eq!(warnings, []);
    assert_eq!(missing, [Metric::QueueBucket]);
    let running: Vec<_> = samples.iter().filter(|s| s.metric == Metric::Running).collect();
    let up: Vec<_> = samples.iter().filter(|s| s.metric == Metric::Up).collect();
    assert!(running.len() >= 2 && running.len() == up.len());
    for sample in &running {
        let labels = sample.labels.to_string();
        assert_eq!((sample.source.as_str(), labels.as_str()), ("engine", "engine=0,model_name=m"));
    }
    assert!(up.iter().all(|sample| sample.value == 1.0));
    assert!(samples.windows(2).all(|pair| pair[0].time <= pair[1].time));
}

#[test]
fn a_page_that_hangs_fails_alone_and_says_so() {
    let hanging = Server::start(|_| vec![Act::Wait(Duration::from_secs(60))]);
    let good = Server::start(|_| page("vllm:num_requests_running 1\n"));
    let sources = vec![source("hanging", &hanging), source("good", &good)];
    let (samples, warnings, _) = observe(sources, Duration::from_millis(2300));
    let of = |name| samples.iter().filter(move |s| s.metric == Metric::Up && s.source == name);
    assert!(of("good").count() > 5 && of("good").all(|sample| sample.value == 1.0));
    let failed = of("hanging").next().unwrap();
    let why = "no whole response within 2000 ms";
    assert_eq!((failed.value, &failed.labels), (0.0, &Labels::one("reason", why)));
    assert_eq!(warnings, [Note::NotScraped { source: "hanging".into(), why: why.into() }]);
}

#[test]
fn a_router_is_believed_only_where_the_engine_is_silent() {
    let copy = "vllm:num_requests_running{server=\"http://a\"} 3\n";
    let router = Server::start(move |_| page(copy));
    let engine = Server::start(|_| page("vllm:num_requests_running{engine=\"0\"} 3\n"));
    let both = vec![source("router", &router), source("engine", &engine)];
    let (samples, ..) = observe(both, Duration::from_millis(150));
    let running = |samples: &[Sample], name: &str| {
        samples.iter().filter(|s| s.metric == Metric::Running && s.source == name).count()
    };
    assert_eq!(running(&samples, "router"), 0);
    assert!(running(&samples, "engine") > 0);
    let (samples, ..) = observe(vec![source("router", &router)], Duration::from_millis(150));
    assert!(running(&samples, "router") > 0);
}

#[test]
fn an_unknown_engine_is_said_to_be_unknown() {
    let server = Server::start(|_| page("my_engine_requests 3\n"));
    let (samples, warnings, missing) =
        observe(vec![source("mine", &server)], Duration::from_millis(100));
    assert!(samples.iter().all(|sample| sample.metric == Metric::Up));
    assert_eq!(warnings[0], Note::NothingKnown { source: "mine".into() });
    assert_eq!(missing, [Metric::QueueBucket, Metric::Running]);
}

#[test]
fn json_in_place_of_a_page_names_the_right_one() {
    let server = Server::start(|_| page("[{\"iter\": 1}]"));
    let (_, warnings, _) = observe(vec![source("trt", &server)], Duration::from_millis(100));
    assert!(warnings[0].says().contains("/prometheus/metrics"), "{warnings:?}");
}

/// A response of these header fields and this body.
fn response(status: &str, fields: &str, body: &[u8]) -> Vec<Act> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\n\r\n");
    vec![Act::Say([head.as_bytes(), body].concat())]
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// What one look at a server's page says, and the warning of it.
fn look(server: &Server) -> (BTreeMap<Metric, f64>, Vec<String>) {
    let (samples, warnings, _) =
        observe(vec![source("engine", server)], Duration::from_millis(100));
    let values = samples.iter().filter(|sample| sample.metric != Metric::Up);
    let said = warnings.iter().map(Note::says);
    (values.map(|sample| (sample.metric, sample.value)).collect(), said.collect())
}

#[test]
fn a_packed_page_is_unpacked() {
    let packed = Server::start(|asked| {
        assert!(asked.head.contains("accept-encoding: gzip"), "{}", asked.head);
        let body = gzip(b"vllm:num_requests_running 3\n");
        response("200 OK", "Content-Encoding: gzip\r\n", &body)
    });
    assert_eq!(look(&packed), (BTreeMap::from([(Metric::Running, 3.0)]), vec![]));
}

#[test]
fn a_page_that_is_not_packed_as_it_says_is_told_so() {
    let cut = gzip(&b"vllm:num_requests_running 3\n".repeat(1000));
    let half = cut[..cut.len() / 2].to_vec();
    for body in [b"vllm:num_requests_running 3\n".to_vec(), half] {
        let server =
            Server::start(move |_| response("200 OK", "Content-Encoding: gzip\r\n", &body));
        let (values, warnings) = look(&server);
        assert_eq!(values, BTreeMap::new());
        assert!(warnings[0].contains("not packed as it says"), "{warnings:?}");
    }
}

#[test]
fn a_small_page_that_unpacks_to_a_huge_one_is_not_kept() {
    let bomb = gzip(&vec![b'#'; (64 << 20) + 1]);
    let server = Server::start(move |_| response("200 OK", "Content-Encoding: gzip\r\n", &bomb));
    let (values, warnings) = look(&server);
    assert_eq!(values, BTreeMap::new());
    assert!(
        warnings[0].contains("larger than 64 MiB") || warnings[0].contains("no whole response"),
        "{warnings:?}"
    );
}

#[test]
fn a_page_is_found_where_it_was_moved_to() {
    let server = Server::start(|asked| {
        if asked.line.starts_with("GET /metrics ") {
            response("308 Permanent Redirect", "Location: /engine/metrics/\r\n", b"")
        } else {
            assert!(asked.line.starts_with("GET /engine/metrics/ "), "{}", asked.line);
            page("vllm:num_requests_running 3\n")
        }
    });
    assert_eq!(look(&server), (BTreeMap::from([(Metric::Running, 3.0)]), vec![]));
}

#[test]
fn a_page_that_is_moved_in_a_circle_is_told_so() {
    let server = Server::start(|_| response("302 Found", "Location: /metrics\r\n", b""));
    let (_, warnings) = look(&server);
    let expected = "source `engine` could not be scraped: the page is moved more than 5 times";
    assert!(warnings[0].starts_with(expected), "{warnings:?}");
}

#[test]
fn a_page_to_log_in_is_called_that_and_its_host_named() {
    let login = Server::start(|_| {
        page("\n<!DOCTYPE html><html><title>Sign in</title><form>vllm:x 1\n</form></html>")
    });
    let (values, warnings) = look(&login);
    assert_eq!(values, BTreeMap::new());
    assert!(warnings[0].contains("a web page, perhaps one to log in"), "{warnings:?}");
    let to = login.url().replace("127.0.0.1", "localhost");
    let gate = Server::start(move |_| {
        response("302 Found", &format!("Location: {to}/login?next=metrics\r\n"), b"")
    });
    let (_, warnings) = look(&gate);
    assert!(warnings[0].contains("the page (moved to localhost) is a web page"), "{warnings:?}");
}

#[test]
fn a_restart_is_noticed_by_its_counters() {
    let count = AtomicU64::new(0);
    let server = Server::start(move |_| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        page(&format!(
            "vllm:generation_tokens_total {}\n",
            if number < 3 { 100 + number } else { number }
        ))
    });
    let (_, warnings, _) = observe(vec![source("engine", &server)], Duration::from_millis(300));
    assert_eq!(warnings[0], Note::Restarted { source: "engine".into() });
}
