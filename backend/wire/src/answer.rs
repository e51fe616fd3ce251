//! One answer as it comes in: its times, its token counts, and how it ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokencap_shared::definitions::record::{ClientFaultKind, FailureKind, Outcome};
use tokencap_shared::units::{Moment, Nanos};

use crate::event::{Glance, Usage, glance};
use crate::gaps::Gaps;
use crate::http1::{Head, Sink};
use crate::json::{self, Reader};
use crate::pattern::Pattern;
use crate::sse;

/// How the response's bytes came to an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The response is whole.
    Whole,
    /// The connection ended or broke before it was.
    Cut(String),
    /// A time limit of the client passed.
    Timeout(&'static str),
    /// There was no connection to send it on.
    Unreachable(String),
    /// What came is not HTTP.
    Malformed(String),
    /// Given up by the (simulated) user, or by the tool after the step's last member had ended.
    Cancelled,
}

/// Longest body of an error, or of an answer that is no stream, that is kept.
const MAX_BODY: usize = 64 << 10;

/// An answer in the making.
#[derive(Debug, Default)]
pub struct Answer {
    head: Option<Head>,
    parser: sse::Parser,
    pattern: Pattern,
    body: Vec<u8>,
    /// First event with output.
    pub first: Option<Moment>,
    /// Where that is told to others meanwhile: nanoseconds on the run's clock, 0 before.
    pub told: Arc<AtomicU64>,
    /// Last event with output.
    pub last: Option<Moment>,
    /// Events with output.
    pub events: u32,
    /// Gaps between them.
    pub gaps: Gaps,
    usage: Usage,
    ids: Option<u32>,
    /// Queue time, where the server says it.
    pub queue: Option<Nanos>,
    choices: u64,
    finished: u64,
    bad_finish: Option<String>,
    error: Option<Vec<u8>>,
    done: bool,
    malformed: Option<&'static str>,
    text: Option<Text>,
}

/// The answer's own text, kept where a session's next prompt or the count of its tokens needs it:
/// as it stood in the JSON.
#[derive(Debug, Default)]
struct Text {
    content: Vec<u8>,
    reasoning: Vec<u8>,
    /// There was other output too: a tool's call.
    more: bool,
}

/// How an answer ended, ready for its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Exactly one outcome.
    pub outcome: Outcome,
    /// What was said, where it was no success.
    pub error: Option<String>,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
    /// Prompt tokens.
    pub isl: Option<u32>,
    /// Generated tokens.
    pub osl: Option<u32>,
    /// Reused prompt tokens.
    pub cached: Option<u32>,
}

impl Answer {
    /// An answer of which nothing has come. `keep_text`: a later prompt will contain it, or its
    /// tokens may have to be counted here.
    #[must_use]
    pub fn new(keep_text: bool) -> Self {
        Self { text: keep_text.then(Text::default), ..Self::default() }
    }

    #[inline]
    fn on_event(&mut self, at: Moment, event: sse::Event<'_>) {
        let data = event.data.trim_ascii();
        if data == b"[DONE]" {
            self.done = true;
            return;
        }
        if let Some(text) = self.pattern.text(data)
            && event.name.is_empty()
        {
            return self.on_next_text(at, text);
        }
        let Ok(seen) = glance(data) else {
            match event.name {
                b"" | b"message" => self.malformed = Some("an event of the stream is not JSON"),
                b"error" => _ = self.error.get_or_insert_with(|| data.to_vec()),
                // An extension's own event.
                _ => {}
            }
            return;
        };
        self.pattern.learn(data, &seen);
        self.on_text(at, &seen);
        if let Some(ids) = seen.token_ids {
            self.ids = Some(self.ids.unwrap_or(0).saturating_add(ids));
        }
        if let Some(usage) = seen.usage {
            // Some servers send zeros until the last event, or leave parts out of later ones.
            self.usage.prompt = usage.prompt.filter(|&n| n > 0).or(self.usage.prompt);
            self.usage.completion = usage.completion.filter(|&n| n > 0).or(self.usage.completion);
            self.usage.cached = usage.cached.or(self.usage.cached);
        }
        self.queue = seen.queue.or(self.queue);
        self.finished |= seen.finished;
        if let Some(reason) = seen.bad_finish {
            self.bad_finish = Some(String::from_utf8_lossy(reason).into_owned());
        }
        if let Some(error) = seen.error {
            self.error.get_or_insert_with(|| error.to_vec());
        } else if event.name == b"error" {
            self.error.get_or_insert_with(|| data.to_vec());
        }
    }

    /// Takes down what an event that follows the pattern can say.
    fn on_text(&mut self, at: Moment, seen: &Glance<'_>) {
        if seen.output {
            self.on_output(at);
        }
        self.choices |= seen.choices;
        if let Some(text) = &mut self.text {
            text.content.extend_from_slice(seen.content);
            text.reasoning.extend_from_slice(seen.reasoning);
            text.more |= seen.output && seen.content.is_empty() && seen.reasoning.is_empty();
        }
    }

    /// Takes down an event that says what the pattern's said, with another text: its choices are
    /// known.
    #[inline]
    fn on_next_text(&mut self, at: Moment, text: &[u8]) {
        if self.text.is_some() {
            return self.on_text(at, &self.pattern.says(text));
        }
        self.on_output(at);
    }

    #[inline]
    fn on_output(&mut self, at: Moment) {
        if let Some(last) = self.last {
            self.gaps.push(at.since(last));
        } else {
            self.first = Some(at);
            self.told.store(at.0, Ordering::Relaxed);
        }
        self.last = Some(at);
        self.events += 1;
    }

    /// The generated text for the session's next prompt, as the inside of a JSON string: the
    /// content, or the reasoning where there was nothing else.
    #[must_use]
    pub fn take_text(&mut self) -> Option<Vec<u8>> {
        let text = self.text.take()?;
        Some(if text.content.is_empty() { text.reasoning } else { text.content })
    }

    /// All that was generated, as the inside of a JSON string; `None` where it was not kept, or not
    /// all of it.
    #[must_use]
    pub fn generated(&self) -> Option<Vec<u8>> {
        let text = self.text.as_ref().filter(|text| !text.more)?;
        Some([&text.reasoning[..], &text.content].concat())
    }

    /// Whether `[DONE]`, or an end that needs none, has been seen.
    fn every_choice_finished(&self) -> bool {
        self.choices != 0 && self.choices == self.finished
    }

    /// The verdict, once the response has ended.
    #[must_use]
    pub fn verdict(&self, end: &End) -> Verdict {
        let (outcome, error) = self.outcome(end);
        let isl = self.usage.prompt;
        // More reused than there was cannot be: then it is not known.
        let cached = self.usage.cached.filter(|&cached| isl.is_some_and(|isl| cached <= isl));
        let status = self.head.map(|head| head.status);
        // Output without a count, or a count without output, is an unknown count.
        let osl = self.usage.completion.or(self.ids.filter(|&ids| ids > 0));
        Verdict { outcome, error, status, isl, osl, cached }
    }

    fn outcome(&self, end: &End) -> (Outcome, Option<String>) {
        let failed = |kind, text: &str| (Outcome::Failed(kind), Some(text.to_owned()));
        if *end == End::Cancelled {
            return (Outcome::Cancelled, None);
        }
        if let End::Unreachable(why) = end {
            return failed(FailureKind::Unreachable, why);
        }
        if let Some(head) = self.head
            && head.status != 200
        {
            let text = message(&self.body)
                .unwrap_or_else(|| format!("HTTP status {} without a message", head.status));
            return (of_status(head.status, &text), Some(text));
        }
        if let Some(error) = &self.error {
            let text = message(error).unwrap_or_else(|| "an error without a message".into());
            let kind = if is_rejection(error, &text) {
                FailureKind::Rejected
            } else {
                FailureKind::StreamError
            };
            return failed(kind, &text);
        }
        match end {
            // What comes after `[DONE]` is of no account.
            End::Cut(_) | End::Timeout(_) if self.done && self.every_choice_finished() => {}
            End::Cut(why) => return failed(FailureKind::Disconnected, why),
            End::Timeout(which) => return failed(FailureKind::Timeout, which),
            End::Malformed(why) => return failed(FailureKind::Malformed, why),
            _ => {}
        }
        if let Some(head) = self.head
            && head.json
        {
            return self.outcome_of_json();
        }
        if let Some(why) = self.malformed {
            return failed(FailureKind::Malformed, why);
        }
        if let Some(reason) = &self.bad_finish {
            return failed(FailureKind::StreamError, &format!("finish reason `{reason}`"));
        }
        if !self.every_choice_finished() {
            if let Some(stray) = self.parser.stray_text() {
                let text = clean(&String::from_utf8_lossy(stray));
                let kind = if is_rejection(stray, &text) {
                    FailureKind::Rejected
                } else {
                    FailureKind::StreamError
                };
                return failed(kind, &text);
            }
            return failed(
                FailureKind::Disconnected,
                "the stream ended without a finish reason for every choice",
            );
        }
        if self.events == 0 {
            return failed(FailureKind::Empty, "finished without any output");
        }
        (Outcome::Completed, None)
    }

    /// A 200 whose body is one JSON text: an error, or an answer that was not streamed.
    fn outcome_of_json(&self) -> (Outcome, Option<String>) {
        let error = glance(&self.body).ok().and_then(|seen| seen.error);
        let (kind, text) = match error {
            Some(error) => {
                let text = message(error).unwrap_or_else(|| "an error without a message".into());
                let rejected = is_rejection(error, &text);
                (if rejected { FailureKind::Rejected } else { FailureKind::StreamError }, text)
            }
            None => (
                FailureKind::Malformed,
                "the answer is one JSON text although a stream was asked for".into(),
            ),
        };
        (Outcome::Failed(kind), Some(text))
    }
}

impl Sink for Answer {
    fn on_head(&mut self, head: Head) {
        self.queue = head.queue;
        self.head = Some(head);
    }

    #[inline]
    fn on_body(&mut self, at: Moment, bytes: &[u8]) {
        let Some(Head { status: 200, json: false, .. }) = self.head else {
            let room = MAX_BODY - self.body.len();
            self.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            return;
        };
        // Most pieces are one event that differs from the last in its text alone: neither its
        // lines nor its JSON have to be taken apart.
        if let Some(data) = self.parser.single(bytes)
            && let Some(text) = self.pattern.text(data)
        {
            return self.on_next_text(at, text);
        }
        let mut parser = std::mem::take(&mut self.parser);
        if parser.feed(bytes, |event| self.on_event(at, event)).is_err() {
            self.malformed = Some("an event of the stream never ends");
        }
        self.parser = parser;
    }
}

/// The outcome of a response whose status is not 200.
fn of_status(status: u16, text: &str) -> Outcome {
    match status {
        408 => Outcome::Failed(FailureKind::Timeout),
        429 | 503 | 529 => Outcome::Failed(FailureKind::Rejected),
        // LMDeploy and Dynamo say "cancelled" so. Nobody here has: the server gave it up.
        499 | 500.. => Outcome::Failed(FailureKind::ServerError),
        401 | 403 => Outcome::ClientFault(ClientFaultKind::Unauthorised),
        404 => Outcome::ClientFault(ClientFaultKind::NotFound),
        413 => Outcome::ClientFault(ClientFaultKind::PromptTooLong),
        400..500 if says_too_long(text) => Outcome::ClientFault(ClientFaultKind::PromptTooLong),
        400..500 => Outcome::ClientFault(ClientFaultKind::BadRequest),
        _ => Outcome::Failed(FailureKind::Malformed),
    }
}

/// Whether a message says that the prompt does not fit the context, in the engines' words.
fn says_too_long(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let about = ["context", "prompt", "input", "tokens"].iter().any(|word| text.contains(word));
    let too_long = [
        "too long",
        "exceed",
        "maximum context",
        "maximum model length",
        "longer than",
        "must have less than",
        "must be <",
    ]
    .iter()
    .any(|word| text.contains(word));
    about && too_long
}

/// Whether an error inside a stream says what 429, 503 or 529 would have said.
fn is_rejection(error: &[u8], text: &str) -> bool {
    let mut code = None;
    let _ = Reader::new(error).object(|reader, key| {
        if matches!(key, b"code" | b"http_status_code" | b"status" | b"status_code") {
            let raw = reader.raw()?;
            let digits = raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\""));
            code = std::str::from_utf8(digits.unwrap_or(raw)).ok().and_then(|raw| raw.parse().ok());
            return Ok(());
        }
        reader.skip()
    });
    if matches!(code, Some(429_u16 | 503 | 529)) {
        return true;
    }
    let said = String::from_utf8_lossy(error).to_ascii_lowercase() + &text.to_ascii_lowercase();
    [
        "overloaded",
        "queue is full",
        "rate limit",
        "rate_limit",
        "reached the limit",
        "too many requests",
    ]
    .iter()
    .any(|word| said.contains(word))
}

/// The message in an error body of any of the engines' forms.
fn message(body: &[u8]) -> Option<String> {
    let body = body.trim_ascii();
    if body.is_empty() {
        return None;
    }
    Some(message_of_json(body).unwrap_or_else(|| clean(&String::from_utf8_lossy(body))))
}

fn message_of_json(body: &[u8]) -> Option<String> {
    let mut reader = Reader::new(body);
    match reader.kind().ok()? {
        json::Kind::String => Some(clean(&json::unescape(reader.string().ok()?))),
        json::Kind::Object => {
            let (mut found, mut inner) = (None, None);
            reader
                .object(|reader, key| match key {
                    b"message" | b"detail" | b"error_message" => {
                        let raw = reader.raw()?;
                        found = found.take().or(Some(raw));
                        Ok(())
                    }
                    b"error" | b"errors" => {
                        inner = Some(reader.raw()?);
                        Ok(())
                    }
                    _ => reader.skip(),
                })
                .ok()?;
            message_of_json(inner.or(found)?)
        }
        // A list of validation errors: as it stands.
        json::Kind::Array => Some(clean(&String::from_utf8_lossy(reader.raw().ok()?))),
        _ => None,
    }
}

/// One line of at most 300 characters.
fn clean(text: &str) -> String {
    let line = text.split(|c: char| c.is_control() || c == ' ').filter(|word| !word.is_empty());
    let mut cleaned = line.collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = cleaned.char_indices().nth(300) {
        cleaned.truncate(cut);
        cleaned.push('…');
    }
    cleaned
}
