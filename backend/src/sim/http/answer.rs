//! Answers as they go over the wire. What is the same for every token of a request is written
//! once.

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::protocol::{WORD, error};
use crate::schedule::form::Route;
use crate::sim::Done;

/// The fixed parts of one request's answer.
#[derive(Debug)]
pub(super) struct Form {
    route: Route,
    id: String,
    created: u64,
    model: String,
    stop_reason: &'static str,
    per_request_metrics: bool,
}

impl Form {
    pub(super) fn new(
        route: Route,
        key: u64,
        created: u64,
        model: &str,
        stop_reason: &'static str,
        per_request_metrics: bool,
    ) -> Self {
        let prefix = match route {
            Route::Chat => "chatcmpl",
            Route::Completions => "cmpl",
        };
        let model = model.to_owned();
        let id = format!("{prefix}-{key:016x}");
        Self { route, id, created, model, stop_reason, per_request_metrics }
    }

    fn event(&self, choices: &Value, usage: Option<Value>) -> String {
        let object = match self.route {
            Route::Chat => "chat.completion.chunk",
            Route::Completions => "text_completion",
        };
        let mut event = json!({
            "id": self.id, "object": object, "created": self.created, "model": self.model,
            "choices": choices,
        });
        if let (Some(usage), Some(event)) = (usage, event.as_object_mut()) {
            event.insert("usage".to_owned(), usage);
        }
        format!("data: {event}\n\n")
    }

    fn piece(&self, text: &str, finish: Option<&str>) -> String {
        let choice = match self.route {
            Route::Chat => json!({
                "index": 0, "delta": {"content": text}, "logprobs": null, "finish_reason": finish,
            }),
            Route::Completions => json!({
                "index": 0, "text": text, "logprobs": null, "finish_reason": finish,
            }),
        };
        self.event(&json!([choice]), None)
    }

    /// The event before the first token, which carries no output.
    pub(super) fn role(&self) -> Option<Bytes> {
        (self.route == Route::Chat).then(|| {
            let delta = json!({"role": "assistant", "content": ""});
            let choice =
                json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": null});
            self.event(&json!([choice]), None).into()
        })
    }

    /// An event of so many tokens.
    pub(super) fn tokens(&self, count: u32) -> Bytes {
        self.piece(&words(count), None).into()
    }

    /// The last event of so many tokens, usage if it was asked for, and the end of the stream.
    pub(super) fn last(&self, count: u32, isl: u32, done: &Done, usage: bool, now: u64) -> Bytes {
        let mut text = self.piece(&words(count), Some(self.stop_reason));
        if usage {
            text.push_str(&self.event(&json!([]), Some(self.usage(isl, done))));
            if self.per_request_metrics {
                let metrics = metrics(done, now);
                // The object that was just written ends in `}` and the event's two newlines.
                text.truncate(text.len() - 3);
                text.push_str(&format!(",\"metrics\":{metrics}}}\n\n"));
            }
        }
        text.push_str("data: [DONE]\n\n");
        text.into()
    }

    /// An error inside the stream, after so many tokens, and the end of the stream.
    pub(super) fn broken(&self, count: u32) -> Bytes {
        let error = error(500, "InternalServerError", "injected stream error");
        format!("{}data: {error}\n\ndata: [DONE]\n\n", self.piece(&words(count), None)).into()
    }

    /// The whole answer at once.
    pub(super) fn whole(&self, isl: u32, done: &Done, now: u64) -> Response {
        let text = words(done.tokens);
        let (object, choice) = match self.route {
            Route::Chat => (
                "chat.completion",
                json!({
                    "index": 0, "message": {"role": "assistant", "content": text},
                    "logprobs": null, "finish_reason": self.stop_reason,
                }),
            ),
            Route::Completions => (
                "text_completion",
                json!({
                    "index": 0, "text": text, "logprobs": null, "finish_reason": self.stop_reason,
                }),
            ),
        };
        let mut answer = json!({
            "id": self.id, "object": object, "created": self.created, "model": self.model,
            "choices": [choice], "usage": self.usage(isl, done),
        });
        if self.per_request_metrics
            && let Some(answer) = answer.as_object_mut()
        {
            answer.insert("metrics".to_owned(), metrics(done, now));
        }
        axum::Json(answer).into_response()
    }

    fn usage(&self, isl: u32, done: &Done) -> Value {
        json!({
            "prompt_tokens": isl,
            "completion_tokens": done.tokens,
            "total_tokens": isl + done.tokens,
            "prompt_tokens_details": {"cached_tokens": done.cached},
        })
    }
}

fn metrics(done: &Done, now: u64) -> Value {
    let millis = |nanos: u64| nanos as f64 / 1e6;
    json!({
        "queue_time_ms": millis(done.scheduled - done.arrived),
        "generation_time_ms": millis(now - done.scheduled),
    })
}

/// So many tokens as text.
fn words(count: u32) -> String {
    let mut text = String::with_capacity((WORD.len() + 1) * count as usize);
    for _ in 0..count {
        text.push(' ');
        text.push_str(WORD);
    }
    text
}
