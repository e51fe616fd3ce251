//! What is said before a run, to people who got something wrong, and what is learnt.

use std::time::Duration;

use tokencap::net::target::Target;
use tokencap::schedule::form::Route;
use tokencap::schedule::prompt::Ruler;
use tokencap::trial::preflight::{Preflight, preflight};
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::record::Outcome;

use crate::step::{SHORT, plan};
use crate::support::{Act, Asked, Server, chat, deaf_port, without_usage, words};
use tokencap_testkit::step::{generator, measure, workload};

fn json(status: &str, body: &str) -> Vec<Act> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    vec![Act::Say(head.into_bytes())]
}

fn attempt(
    answer: impl Fn(&Asked) -> Vec<Act> + Send + Sync + 'static,
) -> (Target, Result<Preflight, String>) {
    let server = Server::start(answer);
    let mut target = Target::new(&server.url(), Route::Chat, "m").unwrap();
    let learnt = preflight(&mut target, None).map_err(|error| error.to_string());
    (target, learnt)
}

#[test]
fn a_good_server_gives_its_tokens_a_word_and_no_warning() {
    // Three tokens for two words, and 14 of the template.
    let (target, learnt) = attempt(|asked| chat(14 + words(asked) * 3 / 2, 8, Duration::ZERO));
    let expected = Ruler { fixed: 14.0, per_word: 1.5 };
    assert_eq!(learnt.unwrap(), Preflight { ruler: expected, warnings: vec![] });
    assert!(target.exact_lengths);
}

#[test]
fn nobody_there() {
    let (_held, address) = deaf_port();
    let mut target = Target::new(&format!("http://{address}"), Route::Chat, "m").unwrap();
    let error = preflight(&mut target, None).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "nothing answers at http://{address}/v1: connection refused; check that the server \
             runs and that the address is right"
        )
    );
}

#[test]
fn a_wrong_key() {
    let body = r#"{"error":{"message":"Invalid API key."}}"#;
    let (_, learnt) = attempt(move |_| json("401 Unauthorized", body));
    assert_eq!(
        learnt.unwrap_err(),
        "the server refuses the API key (401): Invalid API key.; give one by environment \
         variable or file"
    );
}

#[test]
fn an_unknown_model_is_answered_with_the_known_ones() {
    let (_, learnt) = attempt(|asked| {
        if asked.line.starts_with("GET /v1/models ") {
            json("200 OK", r#"{"object":"list","data":[{"id":"llama-8b"},{"id":"qwen"}]}"#)
        } else {
            json("404 Not Found", r#"{"error":{"message":"The model `m` does not exist."}}"#)
        }
    });
    assert_eq!(
        learnt.unwrap_err(),
        "the server does not know the model `m`; it has: llama-8b, qwen"
    );
}

#[test]
fn a_route_that_is_not_there() {
    let (_, learnt) = attempt(|_| json("404 Not Found", r#"{"detail":"Not Found"}"#));
    assert_eq!(
        learnt.unwrap_err(),
        "the server has no /v1/chat/completions (404: Not Found); check the address, or try the \
         other route"
    );
}

#[test]
fn a_server_without_usage_is_warned_about() {
    let (_, learnt) = attempt(|asked| without_usage(chat(words(asked), 8, Duration::ZERO)));
    let learnt = learnt.unwrap();
    assert_eq!(learnt.ruler, Ruler::default());
    assert_eq!(learnt.warnings[0], Note::NoUsage);
}

#[test]
fn a_server_that_refuses_forced_lengths_is_asked_without_them() {
    let (target, learnt) = attempt(|asked| {
        if asked.body.contains("ignore_eos") {
            json(
                "400 Bad Request",
                r#"{"error":{"message":"Unrecognized request argument supplied: ignore_eos"}}"#,
            )
        } else {
            chat(words(asked), 8, Duration::ZERO)
        }
    });
    assert!(!target.exact_lengths);
    assert_eq!(learnt.unwrap().warnings[0], Note::LengthsRefused);
}

#[test]
fn a_server_with_a_thread_a_connection_is_not_held_up_by_idle_ones() {
    let server = Server::with_workers(4, |asked| chat(words(asked), 8, Duration::ZERO));
    let mut target = Target::new(&server.url(), Route::Chat, "m").unwrap();
    let learnt = preflight(&mut target, None).unwrap();
    assert!(!target.hold_idle);
    assert_eq!(learnt.warnings[0], Note::NoIdle);
    let mut generator = generator(&server.url(), Route::Chat, workload(SHORT));
    generator.target = target;
    let record = measure(&generator, &plan(40.0));
    let completed = record.requests.iter().filter(|r| r.outcome == Outcome::Completed);
    assert!(completed.count() > 30, "{:?}", record.errors);
}

#[test]
fn prompts_that_do_not_fit_are_measured_with_shorter_ones() {
    let (_, learnt) = attempt(|asked| {
        if words(asked) > 300 {
            let body =
                r#"{"error":{"message":"This model's maximum context length is 300 tokens."}}"#;
            json("400 Bad Request", body)
        } else {
            chat(words(asked) * 2, 8, Duration::ZERO)
        }
    });
    assert_eq!(learnt.unwrap().ruler, Ruler { fixed: 0.0, per_word: 2.0 });
}
