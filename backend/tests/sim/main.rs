//! The simulated cluster over HTTP: the wire, the metrics, the faults, and the load generator's
//! own records of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use tokencap::drive::live::Live;
use tokencap::drive::plan::StepPlan;
use tokencap::drive::step::Generator;
use tokencap::net::target::Target;
use tokencap::presets::{Kind, find};
use tokencap::schedule::form::Route;
use tokencap::schedule::prompt::Ruler;
use tokencap::sim::{Config, Handle};
use tokencap::step::Recorder;
use tokencap::stop::Stop;
use tokencap::trial::preflight::preflight;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::record::{Outcome, Request};
use tokencap_shared::definitions::workload::Shape;
use tokencap_shared::units::{Nanos, Rate};
use tokencap_testkit::server::simulator;
use tokencap_testkit::{client, step};
use tokencap_wire::gaps::Gaps;

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::from_toml(
        "name = 't'\nmodel = 'm'\nreplicas = 2\n[iteration]\nbase_ms = 2\n\
         prefill_us_per_token = 5\ndecode_us_per_sequence = 20\n\
         [batch]\nmax_sequences = 16\nmax_tokens = 256\n\
         [kv]\nblocks = 2000\nblock_tokens = 16\nmax_context = 4096\n",
    )
    .unwrap();
    change(&mut config);
    config.check().unwrap();
    config
}

/// Sends a request and reads to the connection's end: status, and all that came after the head.
fn exchange(addr: SocketAddr, method: &str, path: &str, extra: &str, body: &str) -> (u16, String) {
    let fields = format!("Host: sim\r\n{extra}");
    let answer = client::ask(addr, &format!("{method} {path}"), &fields, body);
    (answer.status, answer.text())
}

fn chat(words: usize, tokens: u32, more: &str) -> String {
    let text = "word ".repeat(words);
    format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"{text}"}}],"max_tokens":{tokens},"ignore_eos":true{more}}}"#
    )
}

fn ask(handle: &Handle, body: &str) -> (u16, String) {
    exchange(handle.addr, "POST", "/v1/chat/completions", "", body)
}

/// The `data:` lines of a stream, without chunk framing.
fn events(body: &str) -> Vec<&str> {
    body.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_chat_streams_a_role_then_a_token_an_event_then_usage() {
    let handle = simulator(config(|_| ()), None);
    let more = r#","stream":true,"stream_options":{"include_usage":true}"#;
    let (status, body) = ask(&handle, &chat(40, 5, more));
    assert_eq!(status, 200);
    let events = events(&body);
    assert_eq!(events.len(), 1 + 5 + 1 + 1, "{events:?}");
    let first = json(events[0]);
    assert_eq!(first["choices"][0]["delta"]["role"], "assistant");
    assert_eq!(first["choices"][0]["delta"]["content"], "");
    for event in &events[1..5] {
        let choice = &json(event)["choices"][0];
        assert_eq!(choice["delta"]["content"], " tok");
        assert!(choice["finish_reason"].is_null());
    }
    let last = json(events[5]);
    assert_eq!(last["choices"][0]["delta"]["content"], " tok");
    assert_eq!(last["choices"][0]["finish_reason"], "length");
    let usage = json(events[6]);
    assert_eq!(usage["choices"], serde_json::json!([]));
    assert_eq!(usage["usage"]["prompt_tokens"], 46);
    assert_eq!(usage["usage"]["completion_tokens"], 5);
    assert_eq!(usage["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
    assert_eq!(events[7], "[DONE]");
}

#[test]
fn the_same_prompt_again_is_cached_and_events_may_hold_many_tokens() {
    let config = config(|config| {
        config.replicas = 1;
        config.output.tokens_per_event = 4;
        config.metrics.per_request = true;
    });
    let handle = simulator(config, None);
    let more = r#","stream":true,"stream_options":{"include_usage":true}"#;
    let _ = ask(&handle, &chat(100, 11, more));
    let (_, body) = ask(&handle, &chat(100, 11, more));
    let events = events(&body);
    let texts: Vec<_> = events[1..events.len() - 2]
        .iter()
        .map(|event| {
            let content = json(event)["choices"][0]["delta"]["content"].clone();
            content.as_str().unwrap().split_whitespace().count()
        })
        .collect();
    assert_eq!(texts, [1, 4, 4, 2]);
    let usage = json(events[events.len() - 2]);
    // 106 tokens: six full blocks of 16, and the last token is always computed.
    assert_eq!(usage["usage"]["prompt_tokens_details"]["cached_tokens"], 96);
    assert!(usage["metrics"]["queue_time_ms"].as_f64().unwrap() < 1000.0);
}

#[test]
fn without_streaming_the_answer_comes_whole() {
    let handle = simulator(config(|_| ()), None);
    let (status, body) = ask(&handle, &chat(10, 3, ""));
    assert_eq!(status, 200);
    let answer = json(&body);
    assert_eq!(answer["choices"][0]["message"]["content"], " tok tok tok");
    assert_eq!(answer["usage"]["total_tokens"], 19);
    let body = r#"{"model":"m","prompt":"a b c","max_tokens":2,"ignore_eos":true}"#;
    let (status, body) = exchange(handle.addr, "POST", "/v1/completions", "", body);
    assert_eq!(status, 200);
    assert_eq!(json(&body)["choices"][0]["text"], " tok tok");
    assert_eq!(json(&body)["usage"]["prompt_tokens"], 3);
}

#[test]
fn what_is_wrong_is_said_in_the_engines_way() {
    let handle = simulator(config(|_| ()), Some("secret"));
    let key = "Authorization: Bearer secret\r\n";
    let path = "/v1/chat/completions";
    let say = |extra: &str, body: &str| exchange(handle.addr, "POST", path, extra, body);
    assert_eq!(say("", &chat(1, 1, "")).0, 401);
    assert_eq!(say("Authorization: Bearer wrong\r\n", &chat(1, 1, "")).0, 401);
    assert_eq!(say(key, &chat(1, 1, "")).0, 200);
    let (status, body) = say(key, &chat(1, 1, "").replace("\"m\"", "\"other\""));
    assert_eq!((status, json(&body)["error"]["type"].as_str()), (404, Some("NotFoundError")));
    let (status, body) = say(key, &chat(4200, 1, ""));
    assert_eq!(status, 400);
    let message = json(&body)["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("maximum context length is 4096 tokens"), "{message}");
    assert_eq!(say(key, "{").0, 400);
    assert_eq!(exchange(handle.addr, "GET", "/v1/models", key, "").0, 200);
    assert_eq!(exchange(handle.addr, "GET", "/health", "", "").0, 200);
    assert_eq!(exchange(handle.addr, "GET", "/nowhere", "", "").0, 404);
}

#[test]
fn injected_faults_look_like_real_ones() {
    let more = r#","stream":true"#;
    let broken = simulator(config(|config| config.faults.stream_error = 1.0), None);
    let (status, body) = ask(&broken, &chat(5, 20, more));
    let seen = events(&body);
    assert_eq!(status, 200);
    assert_eq!(json(seen[seen.len() - 2])["error"]["code"], 500);
    assert_eq!(seen.last(), Some(&"[DONE]"));

    let cut = simulator(config(|config| config.faults.disconnect = 1.0), None);
    let (status, body) = ask(&cut, &chat(5, 20, more));
    assert_eq!(status, 200);
    assert!(!body.contains("[DONE]") && !body.contains("finish_reason\":\"length"));
    assert!(!body.ends_with("0\r\n\r\n"), "the chunked body is not ended");

    let errors = simulator(config(|config| config.faults.server_error = 1.0), None);
    assert_eq!(ask(&errors, &chat(5, 20, more)).0, 500);

    let stalls = simulator(
        config(|config| (config.faults.stall, config.faults.stall_ms) = (1.0, 300.0)),
        None,
    );
    let began = std::time::Instant::now();
    let (_, body) = ask(&stalls, &chat(5, 20, more));
    assert!(began.elapsed() >= Duration::from_millis(300));
    assert_eq!(events(&body).len(), 1 + 20 + 1, "all tokens come in the end");
}

#[test]
fn a_full_queue_answers_503_and_a_client_that_leaves_makes_room() {
    let handle = simulator(
        config(|config| {
            config.replicas = 1;
            config.batch.max_sequences = 1;
            config.batch.queue_limit = Some(1);
        }),
        None,
    );
    let body = chat(5, 3000, r#","stream":true"#);
    let send = || {
        let mut stream = TcpStream::connect(handle.addr).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST /v1/chat/completions HTTP/1.1\r\nHost: sim\r\nContent-Length: {length}\r\n\r\n\
             {body}"
        )
        .unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        (String::from_utf8_lossy(&first).into_owned(), stream)
    };
    let (first, one) = send();
    let (second, two) = send();
    let (third, _) = send();
    assert_eq!([first, second, third].map(|line| line[9..].to_owned()), ["200", "200", "503"]);
    drop((one, two));
    // Their places are free once the server has seen them go.
    let free = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        send().0.ends_with("200")
    });
    assert!(free, "whoever hung up still holds a place");
}

#[test]
fn the_metrics_tell_what_happened() {
    let handle = simulator(config(|config| config.replicas = 1), None);
    let _ = ask(&handle, &chat(58, 5, ""));
    let _ = ask(&handle, &chat(58, 5, ""));
    let (status, page) = exchange(handle.addr, "GET", "/metrics", "", "");
    assert_eq!(status, 200);
    for line in [
        "vllm:prompt_tokens_total{engine=\"0\",model_name=\"m\"} 128",
        "vllm:generation_tokens_total{engine=\"0\",model_name=\"m\"} 10",
        "vllm:prefix_cache_queries_total{engine=\"0\",model_name=\"m\"} 128",
        "vllm:prefix_cache_hits_total{engine=\"0\",model_name=\"m\"} 48",
        "vllm:request_queue_time_seconds_bucket{le=\"0.3\",engine=\"0\",model_name=\"m\"} 2",
        "vllm:request_queue_time_seconds_count{engine=\"0\",model_name=\"m\"} 2",
        "vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 0",
        "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0",
    ] {
        assert!(page.contains(line), "{line} not in\n{page}");
    }
    assert!(page.contains("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\""));
    let (series, unread) = tokencap::observe::prometheus::parse(&page);
    assert_eq!(unread, 0);
    let readings = tokencap::observe::vocabulary::read(&series);
    assert!(readings.len() > 20, "the observer understands the page: {readings:?}");
}

/// The load generator at the simulator: every record is whole, and says what was asked.
#[test]
fn the_load_generator_sees_what_was_asked() {
    let handle = simulator(config(|config| config.metrics.per_request = true), None);
    let workload = step::workload(
        r#"
name = "t"
[shape]
kind = "mix"
[[shape.classes]]
weight = 1.0
isl = { dist = "uniform", min = 64, max = 200 }
osl = { dist = "uniform", min = 2, max = 20 }
shared_prefix = 32
"#,
    );
    let target = Target::new(&format!("http://{}", handle.addr), Route::Chat, "m").unwrap();
    let ruler = Ruler { fixed: 6.0, per_word: 1.0 };
    let generator = Generator { ruler, ..step::of_target(target, workload) };
    let record = step::measure(&generator, &step::probe(40.0, 2000));
    let members = step::members(&record);
    assert!(members.len() > 40, "{}", members.len());
    for request in &members {
        assert_eq!(request.outcome, Outcome::Completed, "{request:?}");
        let (isl, osl) = (request.isl.unwrap(), request.osl.unwrap());
        assert!((64..=200).contains(&isl) && (2..=20).contains(&osl), "{request:?}");
        assert_eq!(request.events, osl, "a token an event");
        assert!(request.queue.is_some() && request.cached.is_some());
    }
    assert!(members.iter().any(|request| request.cached == Some(32)), "the prefix is shared");
}

/// Stops the step once so many sessions have ended.
struct UntilWhole<'a> {
    requests: Vec<Request>,
    stop: &'a Stop,
    sessions: usize,
}

impl Recorder for UntilWhole<'_> {
    fn request(&mut self, request: &Request, _: Option<&str>, _: &Gaps) -> std::io::Result<()> {
        self.requests.push(*request);
        let last = |request: &&Request| request.turn == 35;
        if self.requests.iter().filter(last).count() >= self.sessions {
            self.stop.stop(Note::sentence("enough sessions have ended"));
        }
        Ok(())
    }
}

#[test]
fn agents_reach_their_declared_mix_ratio_and_hit_rate() {
    let handle = simulator(
        config(|config| {
            config.replicas = 1;
            config.iteration.base_ms = 0.1;
            config.iteration.prefill_us_per_token = 0.05;
            config.iteration.decode_us_per_sequence = 0.0;
            config.batch.max_tokens = 8192;
            config.kv.blocks = 100_000;
            config.kv.max_context = Some(200_000);
            config.output.tokens_per_event = 16;
        }),
        None,
    );
    let name = "agent-coding-interactive";
    let mut workload = step::workload(find(Kind::Workload, name).unwrap().text);
    let Shape::Sessions { think, .. } = &mut workload.shape else { panic!("no sessions") };
    // Time to think decides when, not what.
    think.mean_ns = Nanos::from_millis(5);
    let mut target = Target::new(&format!("http://{}", handle.addr), Route::Chat, "m").unwrap();
    // Calibrated against the server's own usage, as a sweep does it.
    let ruler = preflight(&mut target, None).unwrap().ruler;
    let promise = step::promise(name);
    let generator = Generator { ruler, promise, ..step::of_target(target, workload) };
    let (live, stop) = (Arc::new(Live::default()), Stop::default());
    let mut seen = UntilWhole { requests: Vec::new(), stop: &stop, sessions: 3 };
    // A session a second, until enough of them have ended.
    let rate = Rate::new(36.0).unwrap();
    let plan = StepPlan::probe(0, rate, Duration::ZERO, Duration::from_secs(300), 7);
    generator.run_recorded(&plan, &live, &stop, &mut seen).unwrap();

    let whole: BTreeSet<u32> =
        seen.requests.iter().filter(|r| r.turn == 35).map(|r| r.session).collect();
    assert!(whole.len() >= 3);
    let members: Vec<_> = seen.requests.iter().filter(|r| whole.contains(&r.session)).collect();
    assert_eq!(members.len(), 36 * whole.len());
    let (mut isl, mut osl, mut cached) = (0.0, 0.0, 0.0);
    for request in members {
        assert_eq!(request.outcome, Outcome::Completed, "{request:?}");
        let declared = f64::from(15_000 + 2905 + request.turn * (2905 + 247));
        let (input, output) = (f64::from(request.isl.unwrap()), f64::from(request.osl.unwrap()));
        assert!((input / declared - 1.0).abs() < 0.05, "{declared}: {request:?}");
        isl += input;
        osl += output;
        cached += f64::from(request.cached.unwrap());
    }
    let (ratio, hits) = (isl / osl, cached / isl);
    println!("input:output {ratio:.1}, hit rate {hits:.4}, {} sessions", whole.len());
    assert!((ratio / 295.8 - 1.0).abs() < 0.05, "{ratio}");
    assert!((hits / 0.96 - 1.0).abs() < 0.02, "{hits}");
}
