//! Servers that break: what each kind of failure is recorded as, over real sockets.

use std::time::Duration;

use tokencap::schedule::form::Route;
use tokencap_shared::definitions::record::{ClientFaultKind, FailureKind, Outcome};

use crate::step::{SHORT, plan, run};
use crate::support::{Act, STREAM, Server, chunk, deaf_port};
use tokencap_testkit::step::{generator, measure, members, workload};

/// The only outcome and error text of a step against a server that always answers so.
fn outcome(acts: Vec<Act>) -> (Outcome, String) {
    let server = Server::start(move |_| acts.clone());
    let record = run(&server, Route::Chat, workload(SHORT), &plan(20.0));
    let ended = record.requests.iter().filter(|r| r.outcome != Outcome::Cancelled);
    let mut outcomes: Vec<_> = ended.map(|r| (r.outcome, r.error)).collect();
    outcomes.dedup();
    let [(outcome, error)] = outcomes[..] else { panic!("{outcomes:?} {:?}", record.errors) };
    (outcome, error.map(|id| record.errors[id as usize].clone()).unwrap_or_default())
}

fn say(text: &str) -> Act {
    Act::Say(text.as_bytes().to_vec())
}

#[test]
fn a_connection_that_closes_or_breaks_is_a_disconnection() {
    let disconnected = Outcome::Failed(FailureKind::Disconnected);
    let (kind, text) = outcome(vec![Act::Close]);
    assert_eq!((kind, text.contains("before a response")), (disconnected, true), "{text}");
    let token = Act::Say(chunk("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"));
    let (kind, text) = outcome(vec![say(STREAM), token.clone(), Act::Close]);
    assert_eq!((kind, text.contains("before the response was whole")), (disconnected, true));
    let (kind, text) =
        outcome(vec![say(STREAM), token, Act::Wait(Duration::from_millis(20)), Act::Reset]);
    assert_eq!((kind, text.contains("reset during")), (disconnected, true), "{text}");
}

#[test]
fn a_port_where_nobody_listens_is_unreachable_and_no_arrival_is_dropped() {
    let (_held, address) = deaf_port();
    let record = measure(
        &generator(&format!("http://{address}"), Route::Chat, workload(SHORT)),
        &plan(20.0),
    );
    assert!(!members(&record).is_empty());
    for request in members(&record) {
        assert_eq!(request.outcome, Outcome::Failed(FailureKind::Unreachable));
    }
    assert_eq!(record.errors, ["connection refused"]);
    assert_eq!(record.step.generator.dropped, 0);
}

#[test]
fn an_error_body_is_told_in_the_servers_own_words_but_without_the_key() {
    let server = Server::start(|asked| {
        assert!(asked.line.starts_with("POST /v1/completions HTTP/1.1"), "{}", asked.line);
        assert!(asked.head.contains("host: 127.0.0.1:"), "{}", asked.head);
        let body =
            r#"{"error":{"message":"Incorrect API key provided: none.","code":"invalid_api_key"}}"#;
        vec![say(&format!(
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))]
    });
    let record = run(&server, Route::Completions, workload(SHORT), &plan(20.0));
    assert!(!members(&record).is_empty());
    for request in members(&record) {
        assert_eq!(request.outcome, Outcome::ClientFault(ClientFaultKind::Unauthorised));
        assert_eq!(request.status, Some(401));
    }
    assert_eq!(record.errors, ["Incorrect API key provided: none."]);
}

#[test]
fn each_time_limit_is_told_apart() {
    let timeout = Outcome::Failed(FailureKind::Timeout);
    let token = || Act::Say(chunk("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"));
    let limit = |acts: Vec<Act>| {
        let server = Server::start(move |_| acts.clone());
        let mut generator = generator(&server.url(), Route::Chat, workload(SHORT));
        generator.target.timeouts.first_token = Duration::from_millis(150);
        generator.target.timeouts.gap = Duration::from_millis(100);
        generator.target.timeouts.whole = Duration::from_millis(400);
        let record = measure(&generator, &plan(20.0));
        let member = record.requests.iter().find(|r| r.sent >= record.step.w0).unwrap();
        assert_eq!(member.outcome, timeout);
        record.errors[member.error.unwrap() as usize].clone()
    };
    assert!(limit(vec![Act::Wait(Duration::from_secs(9))]).contains("first token"));
    let stalled = vec![say(STREAM), token(), Act::Wait(Duration::from_secs(9))];
    assert!(limit(stalled).contains("for a gap"));
    let endless = std::iter::repeat_with(|| [token(), Act::Wait(Duration::from_millis(30))]);
    let endless = [say(STREAM)].into_iter().chain(endless.take(50).flatten()).collect();
    assert!(limit(endless).contains("the request's time limit"));
}
