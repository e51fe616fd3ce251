//! What a response means, for every behaviour that engines and gateways show on the wire. Each
//! is played back byte for byte, framed in every way HTTP allows and cut at random places.

mod chunks;
mod engines;
mod failures;
mod refusals;
mod writer;

use std::fmt::Write;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokencap_shared::definitions::record::{FailureKind, Outcome};
use tokencap_shared::units::{Moment, Nanos};
use tokencap_wire::answer::{Answer, End, Verdict};
use tokencap_wire::http1::Response;

/// What a server says, and what is to be understood.
struct Case {
    status: &'static str,
    fields: &'static str,
    body: String,
    /// The connection breaks where the body ends.
    cut: bool,
    outcome: Outcome,
    /// ISL, OSL, cached, events with output.
    counts: [Option<u32>; 4],
    queue: Option<Nanos>,
    /// Part of the error's text.
    error: &'static str,
}

const STREAM: &str = "Content-Type: text/event-stream; charset=utf-8\r\n";
const JSON: &str = "Content-Type: application/json\r\n";

fn events(events: &[&str]) -> String {
    let mut body = String::new();
    for event in events {
        write!(body, "data: {event}\n\n").unwrap();
    }
    body
}

/// A stream under a 200 that completes.
fn completes(body: String, counts: [Option<u32>; 4]) -> Case {
    let (outcome, status) = (Outcome::Completed, "200 OK");
    Case { status, fields: STREAM, body, cut: false, outcome, counts, queue: None, error: "" }
}

/// A stream under a 200 that fails.
fn fails(body: String, kind: FailureKind, error: &'static str) -> Case {
    let outcome = Outcome::Failed(kind);
    Case { outcome, error, ..completes(body, [None; 4]) }
}

/// A response of another status.
fn refuses(status: &'static str, body: &str, outcome: Outcome, error: &'static str) -> Case {
    Case { status, fields: JSON, outcome, error, ..completes(body.into(), [None; 4]) }
}

/// The response's bytes, framed by chunks of the given sizes, by its length or by its end.
fn framed(case: &Case, framing: &Framing) -> Vec<u8> {
    let body = case.body.as_bytes();
    let mut bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 ".to_vec();
    bytes.extend_from_slice(case.status.as_bytes());
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(case.fields.as_bytes());
    match framing {
        Framing::Chunks(sizes) => {
            bytes.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
            let mut rest = body;
            for size in sizes.iter().cycle() {
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                if chunk.is_empty() {
                    break;
                }
                bytes.extend_from_slice(format!("{:X};ext=1\r\n", chunk.len()).as_bytes());
                bytes.extend_from_slice(chunk);
                bytes.extend_from_slice(b"\r\n");
                rest = after;
            }
            if !case.cut {
                bytes.extend_from_slice(b"0\r\nX-Trailer: 1\r\n\r\n");
            }
        }
        Framing::Length => {
            let length = body.len() + usize::from(case.cut);
            bytes.extend_from_slice(format!("Content-Length: {length}\r\n\r\n").as_bytes());
            bytes.extend_from_slice(body);
        }
        Framing::Close => {
            bytes.extend_from_slice(b"\r\n");
            bytes.extend_from_slice(body);
        }
    }
    bytes
}

#[derive(Clone, Debug)]
enum Framing {
    Chunks(Vec<usize>),
    Length,
    Close,
}

fn framing() -> impl Strategy<Value = Framing> {
    prop_oneof![
        3 => prop::collection::vec(1..200_usize, 1..8).prop_map(Framing::Chunks),
        1 => Just(Framing::Length),
        1 => Just(Framing::Close),
    ]
}

/// Feeds the bytes in pieces, one a millisecond, and gives the verdict.
fn hear(bytes: &[u8], pieces: &[usize], cut: bool) -> (Answer, Verdict) {
    let (mut answer, mut response) = (Answer::new(false), Response::default());
    let (mut rest, mut at) = (bytes, 0);
    let mut whole = false;
    for size in pieces.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at((*size).min(rest.len()));
        at += 1_000_000;
        whole = response.feed(Moment(at), piece, &mut answer).unwrap();
        rest = after;
    }
    let end = if !cut && (whole || response.is_whole_at_eof()) {
        End::Whole
    } else {
        End::Cut("cut off".into())
    };
    let verdict = answer.verdict(&end);
    (answer, verdict)
}

fn check(name: &str, case: &Case) {
    let mut runner = TestRunner::new(ProptestConfig { cases: 60, ..ProptestConfig::default() });
    let pieces = prop_oneof![prop::collection::vec(1..60_usize, 1..6), Just(vec![1 << 20])];
    runner
        .run(&(framing(), pieces), |(framing, pieces)| {
            let (answer, verdict) = hear(&framed(case, &framing), &pieces, case.cut);
            prop_assert_eq!(verdict.outcome, case.outcome, "{} {:?}", name, verdict);
            let events = (answer.events > 0).then_some(answer.events);
            let counts = [verdict.isl, verdict.osl, verdict.cached, events];
            prop_assert_eq!(counts, case.counts, "{}", name);
            prop_assert_eq!(answer.queue, case.queue, "{}", name);
            prop_assert_eq!(
                answer.gaps.iter().count() as u32,
                answer.events.saturating_sub(1),
                "{}",
                name
            );
            prop_assert!(answer.first <= answer.last);
            let error = verdict.error.unwrap_or_default();
            prop_assert!(error.contains(case.error), "{}: {}", name, error);
            prop_assert_eq!(error.is_empty(), case.outcome == Outcome::Completed, "{}", name);
            Ok(())
        })
        .unwrap();
}

fn check_all(cases: &[(&str, Case)]) {
    for (name, case) in cases {
        check(name, case);
    }
}

const fn some(isl: u32, osl: u32, cached: u32, events: u32) -> [Option<u32>; 4] {
    [Some(isl), Some(osl), Some(cached), Some(events)]
}

#[test]
fn every_line_end_and_every_way_to_write_an_event() {
    let json = r#"{"choices":[{"text":"a","finish_reason":"stop"}]}"#;
    let counts = [None, None, None, Some(1)];
    for end in ["\n", "\r", "\r\n"] {
        for body in [
            format!("data:{json}{end}{end}"),
            format!("\u{feff}data: {json}{end}{end}data: [DONE]{end}{end}"),
            format!(": c{end}event: message{end}id: 1{end}data: {json}{end}retry: 5{end}{end}"),
            // A text that was broken into lines.
            format!(
                "data: {{\"choices\":{end}data: [{{\"text\":\"a\",\"finish_reason\":\"stop\"}}]{end}data: }}{end}{end}"
            ),
        ] {
            check(&format!("{body:?}"), &completes(body, counts));
        }
    }
}

#[test]
fn the_times_are_those_of_the_reads() {
    let token = "{\"choices\":[{\"text\":\"a\"}]}";
    let body = events(&[
        "{\"choices\":[{\"text\":\"\"}]}",
        token,
        token,
        "{\"choices\":[{\"text\":\"\",\"finish_reason\":\"stop\"}]}",
        token,
    ]);
    let case = completes(body, [None; 4]);
    let bytes = framed(&case, &Framing::Close);
    // One byte a millisecond: an event arrives with the second of its two line ends.
    let (answer, _) = hear(&bytes, &[1], false);
    let text = String::from_utf8(bytes).unwrap();
    let ends: Vec<u64> = text
        .match_indices("data: {\"choices\":[{\"text\":\"a\"}]}\n\n")
        .map(|(at, event)| (at + event.len()) as u64 * 1_000_000)
        .collect();
    assert_eq!(answer.first, Some(Moment(ends[0])));
    assert_eq!(answer.last, Some(Moment(ends[2])));
    let gaps: Vec<_> = answer.gaps.iter().collect();
    assert_eq!(gaps, [Nanos(ends[1] - ends[0]), Nanos(ends[2] - ends[1])]);
}

#[test]
fn a_response_that_breaks_http_is_told_so() {
    for bytes in [
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    ] {
        let mut response = Response::default();
        let fed = response.feed(Moment(1), bytes.as_bytes(), &mut Answer::new(false));
        assert!(fed.is_err(), "{bytes}");
    }
}

/// A stream that a real llama.cpp server sent; `None`, said, where it is not here.
fn recorded(name: &str) -> Option<String> {
    let root = std::env::var_os("TOKENCAP_SHARED_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let path = root.join("samples/engine-metrics").join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        println!("skipped: {} is not here", path.display());
    }
    text
}

#[test]
fn streams_of_a_real_engine_have_more_tokens_than_events() {
    if let Some(chat) = recorded("llamacpp_chat_stream.sse") {
        let body = chat.split_once("\r\n\r\n").or_else(|| chat.split_once("\n\n")).unwrap().1;
        check("llama.cpp chat", &completes(body.into(), some(25, 4, 0, 3)));
    }
    if let Some(body) = recorded("llamacpp_completions_stream.sse") {
        check("llama.cpp completions", &completes(body, some(17, 3, 2, 3)));
    }
}
