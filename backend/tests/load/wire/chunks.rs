//! Every event is read as a plain JSON parser reads it, by the full reader and by the pattern.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokencap_shared::units::Nanos;
use tokencap_wire::event::{Glance, glance};
use tokencap_wire::json::unescape;
use tokencap_wire::pattern::Pattern;

use super::writer::Writer;

/// What an event says, from the values of a plain parser.
#[derive(Debug, Default, PartialEq)]
struct Said {
    output: bool,
    content: String,
    reasoning: String,
    ids: Option<u64>,
    usage: Option<[Option<u64>; 3]>,
    queue: Option<Nanos>,
    choices: u64,
    finished: u64,
    bad: Option<String>,
    error: bool,
}

impl Said {
    fn by(seen: &Glance<'_>) -> Self {
        let text = |bytes: &[u8]| unescape(bytes);
        Self {
            output: seen.output,
            content: text(seen.content),
            reasoning: text(seen.reasoning),
            ids: seen.token_ids.map(u64::from),
            usage: seen
                .usage
                .map(|u| [u.prompt, u.completion, u.cached].map(|count| count.map(u64::from))),
            queue: seen.queue,
            choices: seen.choices,
            finished: seen.finished,
            bad: seen.bad_finish.map(text),
            error: seen.error.is_some(),
        }
    }

    fn plainly(event: &Value) -> Self {
        let mut said = Self { error: !event["error"].is_null(), ..Self::default() };
        said.hear_ids(&event["output_ids"]);
        said.hear_ids(&event["sglext"]["output_ids"]);
        said.hear_usage(&event["usage"]);
        said.hear_usage(&event["x_groq"]["usage"]);
        said.hear_queue(&event["metrics"]["queue_time_ms"], 1e6);
        said.hear_queue(&event["meta_info"]["queue_time"], 1e9);
        for choice in event["choices"].as_array().into_iter().flatten() {
            let bit = 1 << choice["index"].as_u64().unwrap_or(0).min(63);
            said.choices |= bit;
            let reason = choice["finish_reason"].as_str().unwrap_or_default();
            if !reason.is_empty() {
                said.finished |= bit;
            }
            if ["abort", "error"].contains(&reason) {
                said.bad = Some(reason.into());
            }
            let delta = &choice["delta"];
            for text in [&choice["text"], &delta["content"]].into_iter().filter_map(Value::as_str) {
                said.hear(text, |said| &mut said.content);
            }
            for key in ["reasoning", "reasoning_content"] {
                said.hear(delta[key].as_str().unwrap_or_default(), |said| &mut said.reasoning);
            }
            let calls = delta["tool_calls"].as_array().into_iter().flatten();
            let calls = calls.map(|call| &call["function"]).chain([&delta["function_call"]]);
            let full = |value: &Value| {
                value.as_str().is_some_and(|text| !text.is_empty())
                    || value.as_object().is_some_and(|fields| !fields.is_empty())
            };
            said.output |= calls.map(|call| &call["arguments"]).any(full);
            said.output |= delta["refusal"].as_str().is_some_and(|text| !text.is_empty());
            for ids in ["token_ids", "output_ids"] {
                said.hear_ids(&choice[ids]);
                said.hear_ids(&delta[ids]);
            }
            said.hear_usage(&choice["usage"]);
            said.hear_queue(&choice["meta_info"]["queue_time"], 1e9);
        }
        said
    }

    fn hear(&mut self, text: &str, place: impl Fn(&mut Self) -> &mut String) {
        if !text.is_empty() {
            *place(self) = text.into();
            self.output = true;
        }
    }

    fn hear_ids(&mut self, ids: &Value) {
        if let Some(ids) = ids.as_array() {
            self.ids = Some(self.ids.unwrap_or(0) + ids.len() as u64);
            self.output |= !ids.is_empty();
        }
    }

    fn hear_usage(&mut self, usage: &Value) {
        if usage.is_object() {
            let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
            let cached = cached.or(usage["prompt_cache_hit_tokens"].as_u64());
            let [prompt, completion] =
                ["prompt_tokens", "completion_tokens"].map(|key| usage[key].as_u64());
            self.usage = Some([prompt, completion, cached]);
        }
    }

    fn hear_queue(&mut self, time: &Value, nanos: f64) {
        if let Some(time) = time.as_f64() {
            self.queue = Some(Nanos((time * nanos).round() as u64));
        }
    }
}

/// Pieces of text, many of which look like what surrounds them.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => " ?[a-zé世]{1,6}",
        2 => ".{0,12}",
        1 => Just(String::new()),
        3 => prop::sample::select(vec![
            r#""usage":{"prompt_tokens":1}"#,
            r#"","finish_reason":"stop","#,
            r#"{"error":{"message":"m"}}"#,
            "\\",
            "\\\\\"",
            "\"}]}",
            "\\u0022",
            "data: [DONE]\n\n",
            "}]}\n\ndata: {\"choices\":[]}",
            "\u{1F600}/\u{7f}\u{0}",
        ]).prop_map(String::from),
    ]
}

fn ids() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        prop::collection::vec(0..200_000_u32, 0..5).prop_map(Value::from)
    ]
}

fn usage() -> impl Strategy<Value = Value> {
    let count = || prop_oneof![(0..70_000_u32).prop_map(Value::from), Just(Value::Null)];
    let details = prop_oneof![
        Just(Value::Null),
        Just(json!({})),
        (0..70_000_u32).prop_map(|n| json!({"cached_tokens": n, "audio_tokens": 0})),
    ];
    (count(), count(), details, prop::option::of(0..70_000_u32)).prop_map(
        |(prompt, completion, details, hit)| {
            let mut usage = json!({
                "prompt_tokens": prompt, "completion_tokens": completion,
                "prompt_tokens_details": details, "total_tokens": 7, "reasoning_tokens": 0,
            });
            if let Some(hit) = hit {
                usage["prompt_cache_hit_tokens"] = hit.into();
            }
            usage
        },
    )
}

/// What an event has where other things are to be told from what counts.
fn beside() -> impl Strategy<Value = (&'static str, Value)> {
    prop::sample::select(vec![
        ("id", json!("chatcmpl-0")),
        ("object", json!("chat.completion.chunk")),
        ("created", json!(1_700_000_000)),
        ("model", json!("a \"model\"")),
        ("system_fingerprint", Value::Null),
        ("service_tier", json!("default")),
        ("error", Value::Null),
        ("nvext", json!({"timing": {"usage": {"prompt_tokens": 3}}})),
        ("timings", json!({"cache_n": 3, "prompt_ms": 12.5, "predicted_ms": 1e3, "x": -0.5})),
        ("avg_decoded_tokens_per_iter", json!(1.5)),
        ("x", json!([{"choices": [{"delta": {"content": "no"}}], "error": "no"}, [], {}, true])),
        ("prompt_token_ids", json!([1, 2, 3])),
    ])
}

fn delta() -> impl Strategy<Value = Value> {
    let calls = prop_oneof![
        text().prop_map(|a| json!({"index": 0, "function": {"arguments": a}})),
        Just(json!({"index": 0, "id": "t", "type": "function", "function": {"name": "f"}})),
        Just(json!({"index": 1, "function": {"name": "f", "arguments": {"a": "b"}}})),
        Just(json!({"function": {"arguments": {}}})),
    ];
    let field = prop_oneof![
        1 => Just(("role", json!("assistant"))),
        4 => text().prop_map(|text| ("content", text.into())),
        1 => Just(("content", Value::Null)),
        1 => text().prop_map(|text| ("reasoning", text.into())),
        1 => text().prop_map(|text| ("refusal", text.into())),
        1 => prop::collection::vec(calls, 0..3).prop_map(|calls| ("tool_calls", calls.into())),
        1 => Just(("tool_calls", Value::Null)),
        1 => text().prop_map(|text| ("function_call", json!({"name": "f", "arguments": text}))),
        1 => ids().prop_map(|ids| ("token_ids", ids)),
    ];
    (prop::collection::vec(field, 0..4), any::<bool>()).prop_map(|(fields, older_name)| {
        let mut delta: Map<_, _> =
            fields.into_iter().map(|(key, value)| (key.into(), value)).collect();
        // Engines have one of two names for it.
        if older_name && let Some(text) = delta.remove("reasoning") {
            delta.insert("reasoning_content".into(), text);
        }
        delta.into()
    })
}

fn choice() -> impl Strategy<Value = Value> {
    let reason = prop::sample::select(vec![
        Value::Null,
        json!(""),
        json!("stop"),
        json!("length"),
        json!("tool_calls"),
        json!("abort"),
        json!("error"),
    ]);
    let said = prop_oneof![
        3 => delta().prop_map(|delta| ("delta", delta)),
        2 => text().prop_map(|text| ("text", text.into())),
    ];
    let more = prop_oneof![
        Just(("logprobs", Value::Null)),
        text().prop_map(|t| ("logprobs", json!({"content": [{"token": t, "logprob": -0.25}]}))),
        Just(("stop_reason", Value::Null)),
        Just(("matched_stop", json!(2))),
        ids().prop_map(|ids| ("token_ids", ids)),
        ids().prop_map(|ids| ("output_ids", ids)),
        usage().prop_map(|usage| ("usage", usage)),
        (0..2000_u32).prop_map(|n| ("meta_info", json!({"queue_time": f64::from(n) / 1024.0}))),
    ];
    let index = prop::option::of(0..4_u32);
    let reason = prop::option::weighted(0.7, reason);
    (said, index, reason, prop::collection::vec(more, 0..3)).prop_map(
        |((key, said), index, reason, more)| {
            let mut choice = json!({key: said});
            for (key, value) in more {
                choice[key] = value;
            }
            if let Some(index) = index {
                choice["index"] = index.into();
            }
            if let Some(reason) = reason {
                choice["finish_reason"] = reason;
            }
            choice
        },
    )
}

fn event() -> impl Strategy<Value = Value> {
    let more = prop_oneof![
        12 => beside(),
        1 => Just(("usage", Value::Null)),
        1 => usage().prop_map(|usage| ("usage", usage)),
        1 => usage().prop_map(|usage| ("x_groq", json!({"id": "r", "usage": usage}))),
        1 => (0..2000_u32).prop_map(|n| ("metrics", json!({"queue_time_ms": f64::from(n) / 8.0}))),
        1 => ids().prop_map(|ids| ("sglext", json!({"output_ids": ids, "input_ids": [1]}))),
        1 => Just(("error", json!({"message": "m", "code": 503}))),
    ];
    (prop::collection::vec(choice(), 0..3), prop::collection::vec(more, 0..8)).prop_map(
        |(choices, more)| {
            let mut event = json!({"choices": choices});
            for (key, value) in more {
                event[key] = value;
            }
            say_once(&mut event);
            event
        },
    )
}

/// No engine says a count in two places; of two, the last one written would count.
fn say_once(event: &mut Value) {
    let usage = [event["usage"].is_object(), !event["x_groq"].is_null()];
    let queue = !event["metrics"].is_null();
    if usage[0]
        && let Some(fields) = event.as_object_mut()
    {
        fields.remove("x_groq");
    }
    for choice in event["choices"].as_array_mut().into_iter().flatten() {
        let Some(fields) = choice.as_object_mut() else { continue };
        if usage.contains(&true) {
            fields.remove("usage");
        }
        if queue {
            fields.remove("meta_info");
        }
    }
}

/// The event of one text that most of a stream consists of, in an engine's way.
fn usual() -> impl Strategy<Value = fn(&str) -> Value> {
    let ways: [fn(&str) -> Value; 5] = [
        |text| {
            json!({"id": "c", "created": 1, "choices": [{"index": 0, "delta": {"content": text},
            "logprobs": null, "finish_reason": null}]})
        },
        |text| {
            json!({"choices": [{"index": 0, "delta": {"role": null, "content": null,
            "reasoning_content": text, "tool_calls": null}}], "usage": null})
        },
        |text| json!({"object": "text_completion", "choices": [{"text": text, "index": 0}]}),
        |text| {
            json!({"choices": [{"delta": {"tool_calls": [{"index": 0,
            "function": {"arguments": text}}]}}]})
        },
        |text| {
            json!({"choices": [{"index": 1, "delta": {"role": "assistant", "content": text},
            "finish_reason": ""}], "nvext": {"x": [1]}})
        },
    ];
    prop::sample::select(ways.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_event_is_read_as_a_plain_parser_reads_it(event in event(), layout: u64, escapes: u64) {
        let text = Writer::write(&event, layout, escapes);
        prop_assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), &event);
        let seen = glance(text.as_bytes()).unwrap();
        prop_assert_eq!(Said::by(&seen), Said::plainly(&event), "{}", text);
    }

    /// A stream of any events: whatever the pattern says of one is what the full reader says.
    #[test]
    fn the_pattern_says_what_the_full_reader_says(
        events in prop::collection::vec((event(), 0..3_u64), 1..6),
        order in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 1..12),
    ) {
        let mut pattern = Pattern::default();
        for (which, escapes) in order {
            let (event, layout) = which.get(&events);
            let text = Writer::write(event, *layout, escapes % 4);
            let data = text.as_bytes();
            let full = glance(data).unwrap();
            if let Some(inside) = pattern.text(data) {
                prop_assert_eq!(pattern.says(inside), full, "{}", text);
            }
            pattern.learn(data, &full);
        }
    }

    /// An event with any bytes put in place of others, right after the event itself.
    #[test]
    fn no_change_of_an_event_deceives_the_pattern(
        way in usual(),
        text in text(),
        layout: u64,
        from: prop::sample::Index,
        taken in 0..12_usize,
        put in prop_oneof![
            prop::collection::vec(prop::sample::select(b"\"\\{}[],: a0n".to_vec()), 0..8),
            text().prop_map(String::into_bytes),
        ],
    ) {
        let event = Writer::write(&way(&text), layout, 1);
        let mut pattern = Pattern::default();
        pattern.learn(event.as_bytes(), &glance(event.as_bytes()).unwrap());
        let mut changed = event.into_bytes();
        let from = from.index(changed.len());
        changed.splice(from..(from + taken).min(changed.len()), put);
        if let Some(text) = pattern.text(&changed) {
            prop_assert_eq!(Ok(pattern.says(text)), glance(&changed));
        }
    }

    /// The usual events of a stream do follow the pattern, or it would be of no use.
    #[test]
    fn the_usual_events_follow_the_pattern(
        way in usual(),
        texts in prop::collection::vec((text(), any::<bool>()), 2..6),
        layout: u64,
        escapes: u64,
    ) {
        // As engines write them: on one line.
        let around = Writer::write(&way("HERE"), layout, escapes).replace(['\n', '\r'], " ");
        let mut pattern = Pattern::default();
        let texts = texts.iter().filter(|(text, _)| !text.is_empty());
        for (index, (text, escape)) in texts.enumerate() {
            let mut writer = Writer::new(layout, escapes);
            writer.string(text, *escape);
            let event = around.replace("\"HERE\"", &writer.out);
            let full = glance(event.as_bytes()).unwrap();
            prop_assert_eq!(Said::by(&full), Said::plainly(&way(text)), "{}", event);
            let short = pattern.text(event.as_bytes()).map(|text| pattern.says(text));
            prop_assert_eq!(short, (index > 0).then_some(full), "{}", event);
            pattern.learn(event.as_bytes(), &full);
        }
    }
}
