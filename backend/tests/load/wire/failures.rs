//! Failures that come inside a 200.

use tokencap_shared::definitions::record::FailureKind;

use super::{Case, JSON, check_all, events, fails};

#[test]
fn failures_inside_a_200() {
    use FailureKind::{Disconnected, Empty, Malformed, Rejected, StreamError};
    let token = r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#;
    let one_token = |case: Case| Case { counts: [None, None, None, Some(1)], ..case };
    check_all(&[
        (
            "SGLang's full queue",
            fails(
                events(&[
                    r#"{"error":{"object":"error","message":"The request queue is full.","type":"SERVICE_UNAVAILABLE","param":null,"code":503}}"#,
                    "[DONE]",
                ]),
                Rejected,
                "queue is full",
            ),
        ),
        (
            "TGI's overload, whose code is that of every error",
            fails(
                events(&[
                    r#"{"error":{"message":"Model is overloaded","http_status_code":422}}"#,
                    "[DONE]",
                ]),
                Rejected,
                "overloaded",
            ),
        ),
        (
            "TGI's failed generation",
            one_token(fails(
                events(&[
                    token,
                    r#"{"error":{"message":"Request failed during generation","http_status_code":422}}"#,
                    "[DONE]",
                ]),
                StreamError,
                "failed during generation",
            )),
        ),
        (
            "LiteLLM's error behind a ping, with a code in quotes",
            fails(
                ": ping\n\n".to_owned()
                    + &events(&[
                        r#"{"error":{"message":"Rate limit reached","type":"throttling_error","code":"429"}}"#,
                    ]),
                Rejected,
                "Rate limit",
            ),
        ),
        (
            "xLLM's bare text",
            fails(
                "The number of concurrent requests has reached the limit.".into(),
                Rejected,
                "concurrent requests",
            ),
        ),
        (
            "bare text that says something else",
            fails("Model not loaded\n".into(), StreamError, "Model not loaded"),
        ),
        (
            "vLLM's error in mid-stream, with an end and all",
            one_token(fails(
                events(&[
                    token,
                    r#"{"error":{"message":"EngineCore died","type":"InternalServerError","code":500}}"#,
                    "[DONE]",
                ]),
                StreamError,
                "EngineCore died",
            )),
        ),
        (
            "an error even behind a finish reason",
            one_token(fails(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                    r#"{"error":"late"}"#,
                ]),
                StreamError,
                "late",
            )),
        ),
        (
            "llama.cpp's error in mid-stream, without an end",
            one_token(fails(
                events(&[
                    token,
                    r#"{"error":{"code":500,"message":"Decode failed","type":"server_error"}}"#,
                ]),
                StreamError,
                "Decode failed",
            )),
        ),
        (
            "an error in a named event, as text",
            fails("event: error\ndata: something broke\n\n".into(), StreamError, "something broke"),
        ),
        (
            "Dynamo's flat error",
            fails(
                events(&[r#"{"message":"worker lost","type":"internal","code":500}"#]),
                StreamError,
                "worker lost",
            ),
        ),
        (
            "Ollama's error: an empty event, then nothing",
            one_token(fails(
                events(&[
                    token,
                    r#"{"id":"c","model":"","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
                ]),
                Disconnected,
                "finish reason",
            )),
        ),
        (
            "one-api's end after a truncated stream",
            one_token(fails(events(&[token, "[DONE]"]), Disconnected, "finish reason")),
        ),
        (
            "TensorRT-LLM's exception: the body breaks off",
            one_token(Case { cut: true, ..fails(events(&[token]), Disconnected, "cut off") }),
        ),
        (
            "a body that breaks off behind the finish reason lost its usage",
            one_token(Case {
                cut: true,
                ..fails(
                    events(&[
                        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                    ]),
                    Disconnected,
                    "cut off",
                )
            }),
        ),
        (
            "what was generated before the break is known from continuous usage",
            Case {
                cut: true,
                counts: [Some(9), Some(2), None, Some(1)],
                ..fails(
                    events(&[
                        r#"{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#,
                    ]),
                    Disconnected,
                    "cut off",
                )
            },
        ),
        (
            "a finish reason in an event whose blank line never came",
            one_token(fails(
                events(&[token]) + "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}",
                Disconnected,
                "finish reason",
            )),
        ),
        (
            "a finish reason for one choice of two",
            one_token(fails(
                events(&[
                    r#"{"choices":[{"index":0,"text":"a"},{"index":1,"text":"b","finish_reason":"stop"}]}"#,
                ]),
                Disconnected,
                "every choice",
            )),
        ),
        (
            "LMDeploy's and vLLM's aborts",
            one_token(fails(
                events(&[
                    token,
                    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"abort"}]}"#,
                    "[DONE]",
                ]),
                StreamError,
                "abort",
            )),
        ),
        (
            "a finish reason that is an error",
            one_token(fails(
                events(&[
                    token,
                    r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}"#,
                ]),
                StreamError,
                "`error`",
            )),
        ),
        (
            "finished with nothing",
            Case {
                counts: [Some(9), Some(1), None, None],
                ..fails(
                    events(&[
                        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}"#,
                        r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}"#,
                        "[DONE]",
                    ]),
                    Empty,
                    "without any output",
                )
            },
        ),
        ("an end and nothing else", fails(events(&["[DONE]"]), Disconnected, "finish reason")),
        ("nothing at all", fails(String::new(), Disconnected, "finish reason")),
        (
            "an event that is not JSON",
            one_token(fails(events(&[token, "{\"choices\":["]), Malformed, "not JSON")),
        ),
        (
            "one JSON text in place of a stream",
            Case {
                fields: JSON,
                ..fails(
                    r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#.into(),
                    Malformed,
                    "one JSON text",
                )
            },
        ),
        (
            "an error as one JSON text",
            Case {
                fields: JSON,
                ..fails(r#"{"error":{"message":"too many requests"}}"#.into(), Rejected, "too many")
            },
        ),
    ]);
}
