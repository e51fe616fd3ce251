//! Streams that complete, in every engine's way.

use tokencap_shared::units::Nanos;

use super::{Case, check_all, completes, events, some};

#[test]
fn engines_that_do_well() {
    check_all(&[
        (
            "vLLM chat: role with nothing, finish with the last text, usage apart",
            completes(
                events(&[
                    r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}"#,
                    r#"{"id":"c","choices":[{"index":0,"delta":{"content":"Hel"},"logprobs":null,"finish_reason":null}]}"#,
                    r#"{"id":"c","choices":[{"index":0,"delta":{"content":"lo \"you\" é"},"finish_reason":"length","stop_reason":null}]}"#,
                    r#"{"id":"c","choices":[],"usage":{"prompt_tokens":25,"total_tokens":29,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":16}}}"#,
                    "[DONE]",
                ]),
                some(25, 4, 16, 2),
            ),
        ),
        (
            "vLLM without prompt token details: cached is unknown, not 0",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"text":"a","finish_reason":"stop"}]}"#,
                    r#"{"choices":[],"usage":{"prompt_tokens":25,"completion_tokens":1,"prompt_tokens_details":null}}"#,
                    "[DONE]",
                ]),
                [Some(25), Some(1), None, Some(1)],
            ),
        ),
        (
            "vLLM completions with token ids and held-back text",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"text":"","token_ids":[11,12],"prompt_token_ids":[1,2,3]}]}"#,
                    r#"{"choices":[{"index":0,"text":"x","token_ids":[13],"finish_reason":"stop"}]}"#,
                    "[DONE]",
                ]),
                [None, Some(3), None, Some(2)],
            ),
        ),
        (
            "vLLM per-request metrics on the usage event",
            Case {
                queue: Some(Nanos(12_500_000)),
                ..completes(
                    events(&[
                        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                        r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":0}},"metrics":{"time_to_first_token_ms":20.1,"queue_time_ms":12.5,"mean_itl_ms":null}}"#,
                        "[DONE]",
                    ]),
                    some(9, 1, 0, 1),
                )
            },
        ),
        (
            "vLLM tool calls",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"f"}}]}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
                    r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":0}}}"#,
                    "[DONE]",
                ]),
                some(9, 7, 0, 2),
            ),
        ),
        (
            "SGLang: null reasoning, finish of its own, ids in a named event",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"reasoning_content":null,"role":"assistant","content":""},"finish_reason":null}],"usage":null}"#,
                    r#"{"choices":[{"index":0,"delta":{"reasoning_content":"hm","content":null}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop","matched_stop":2}]}"#,
                ]) + "event: sglext_ids\ndata: 0x5 framed ids\n\n"
                    + &events(&[
                        r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"reasoning_tokens":1,"prompt_tokens_details":{"cached_tokens":8}}}"#,
                        "[DONE]",
                    ]),
                some(9, 3, 8, 2),
            ),
        ),
        (
            "SGLang continuous usage: the last one counts",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}"#,
                    r#"{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}"#,
                    "[DONE]",
                ]),
                [Some(9), Some(3), None, Some(2)],
            ),
        ),
        (
            "TensorRT-LLM: a space before the line end, text empty although tokens came",
            completes(
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]} \n\n"
                    .to_owned()
                    + &events(&[
                        r#"{"choices":[{"index":0,"delta":{"content":""},"avg_decoded_tokens_per_iter":2}]}"#,
                        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                        r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":0}}}"#,
                        "[DONE] ",
                    ]),
                some(9, 3, 0, 1),
            ),
        ),
        (
            "TGI: no event without a token, a usage event of empty id, comments between",
            completes(
                ":\n\n".to_owned()
                    + &events(&[
                        r#"{"object":"chat.completion.chunk","id":"","choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}"#,
                        r#"{"object":"chat.completion.chunk","id":"","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}"#,
                        r#"{"id":"","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#,
                        "[DONE]",
                    ]),
                [Some(9), Some(2), None, Some(1)],
            ),
        ),
        (
            "LMDeploy: usage null on every event",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}],"usage":null}"#,
                    r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"length","output_ids":[5]}],"usage":null}"#,
                    r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}"#,
                    "[DONE]",
                ]),
                some(9, 2, 4, 2),
            ),
        ),
        (
            "Ollama completions: zeros in every usage until the last",
            completes(
                events(&[
                    r#"{"choices":[{"text":"a","index":0,"finish_reason":""}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}"#,
                    r#"{"choices":[{"text":"b","index":0,"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}"#,
                    r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#,
                    "[DONE]",
                ]),
                [Some(9), Some(2), None, Some(2)],
            ),
        ),
        (
            "DeepSeek: keep-alive comments and its own words for the cache",
            completes(
                ": keep-alive\n\n: keep-alive\n\n".to_owned()
                    + &events(&[
                        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"a"}}]}"#,
                        r#"{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":1}}"#,
                        "[DONE]",
                    ]),
                some(9, 2, 8, 2),
            ),
        ),
        (
            "usage inside the choice, and a gateway's pings",
            completes(
                ": PING\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\n".to_owned()
                    + &events(&[
                        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop","usage":{"prompt_tokens":9,"completion_tokens":1}}]}"#,
                        "[DONE]",
                    ]),
                [Some(9), Some(1), None, Some(1)],
            ),
        ),
        (
            "one-api: the usage event is gone and there are two ends",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                    "[DONE]",
                    "[DONE]",
                ]),
                [None, None, None, Some(1)],
            ),
        ),
        (
            "no [DONE], but a finish reason",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                ]),
                [None, None, None, Some(1)],
            ),
        ),
        (
            "a connection that breaks behind [DONE] broke nothing",
            Case {
                cut: true,
                ..completes(
                    events(&[
                        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                        "[DONE]",
                    ]),
                    [None, None, None, Some(1)],
                )
            },
        ),
        (
            "more reused than there was is unknown",
            completes(
                events(&[
                    r#"{"choices":[{"text":"a","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":10}}}"#,
                ]),
                [Some(9), Some(1), None, Some(1)],
            ),
        ),
        (
            "a queue time in the head",
            Case {
                fields: "x-queue-time: 3\r\n",
                queue: Some(Nanos(3_000_000)),
                ..completes(
                    events(&[r#"{"choices":[{"text":"a","finish_reason":"stop"}]}"#]),
                    [None, None, None, Some(1)],
                )
            },
        ),
        (
            "two choices, each with its finish",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"text":"a"},{"index":1,"text":"b"}]}"#,
                    r#"{"choices":[{"index":1,"text":"","finish_reason":"stop"}]}"#,
                    r#"{"choices":[{"index":0,"text":"","finish_reason":"length"}]}"#,
                ]),
                [None, None, None, Some(1)],
            ),
        ),
    ]);
}

/// What the engines' sources show beside the common way.
#[test]
fn engines_in_their_less_common_ways() {
    check_all(&[
        (
            "llama.cpp: content null with the role, the server's own timings, cached always",
            completes(
                events(&[
                    r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1,"id":"c","model":"m","object":"chat.completion.chunk"}"#,
                    r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"content":"a"}}],"created":1,"timings":{"cache_n":2,"prompt_n":7,"prompt_ms":3.5,"predicted_n":1}}"#,
                    r#"{"choices":[{"finish_reason":"length","index":0,"delta":{}}],"created":2}"#,
                    r#"{"choices":[],"usage":{"completion_tokens":1,"prompt_tokens":9,"total_tokens":10,"prompt_tokens_details":{"cached_tokens":2}},"timings":{"cache_n":2}}"#,
                    "[DONE]",
                ]),
                some(9, 1, 2, 1),
            ),
        ),
        (
            "SGLang's extension: ids of the answer in an object of its own, ids of the prompt beside",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop","matched_stop":"</s>"}]}"#,
                    r#"{"choices":[],"sglext":{"input_ids":[1,2,3],"output_ids":[7,8]}}"#,
                    "[DONE]",
                ]),
                // The ids come behind the text; they are output that was not seen before.
                [None, Some(2), None, Some(2)],
            ),
        ),
        (
            "SGLang's details of what was cached are no choice and no output",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                    r#"{"choices":[],"sglext":{"cached_tokens_details":{"device":8,"host":0}},"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":8}}}"#,
                    "[DONE]",
                ]),
                some(9, 1, 8, 1),
            ),
        ),
        (
            "TensorRT-LLM completions without detokenising: token ids in place of text",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"text":"","token_ids":[5]}]}"#,
                    r#"{"choices":[{"index":0,"text":"","token_ids":[6,7],"finish_reason":"length","stop_reason":null}]}"#,
                    "[DONE]",
                ]),
                [None, Some(3), None, Some(2)],
            ),
        ),
        (
            "vLLM continuous usage: in every event, the details in the last one alone",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":9,"total_tokens":9,"completion_tokens":0}}"#,
                    r#"{"choices":[{"index":0,"delta":{"content":"a b"}}],"usage":{"prompt_tokens":9,"total_tokens":11,"completion_tokens":2}}"#,
                    r#"{"choices":[{"index":0,"delta":{"content":"c"},"finish_reason":"repetition"}],"usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3}}"#,
                    r#"{"choices":[],"usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":8}}}"#,
                    "[DONE]",
                ]),
                some(9, 3, 8, 2),
            ),
        ),
        (
            "vLLM reasoning by its newer name",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"reasoning":"hm"}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"reasoning":" so"}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                    "[DONE]",
                ]),
                [None, None, None, Some(3)],
            ),
        ),
        (
            "LMDeploy's and SGLang's further reasons to finish",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"parse_error"}]}"#,
                    "[DONE]",
                ]),
                [None, None, None, Some(1)],
            ),
        ),
        (
            "a content filter's end",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"content_filter"}]}"#,
                    "[DONE]",
                ]),
                [None, None, None, Some(1)],
            ),
        ),
        (
            "Ollama: tool arguments whole, reasoning, usage asked for",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"hm"},"finish_reason":null}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"t","index":0,"type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":null}]}"#,
                    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
                    r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}"#,
                    "[DONE]",
                ]),
                [Some(9), Some(5), None, Some(2)],
            ),
        ),
        (
            "xLLM: cached always, reasoning tokens a constant",
            completes(
                events(&[
                    r#"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"a"}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]}"#,
                    r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}"#,
                    "[DONE]",
                ]),
                some(9, 2, 0, 2),
            ),
        ),
        (
            "Dynamo: an extension beside the choices, a request's number in the head",
            Case {
                fields: "Content-Type: text/event-stream\r\nx-dynamo-request-id: 7\r\n",
                ..completes(
                    ":\n\n".to_owned()
                        + &events(&[
                            r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"nvext":{"worker_id":{"prefill_worker_id":1}}}"#,
                            r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}"#,
                            "[DONE]",
                        ]),
                    [Some(9), Some(1), None, Some(1)],
                )
            },
        ),
        (
            "TGI's and new-api's and LiteLLM's ways to keep a connection",
            completes(
                ":\n\n: PING\n\n: ping\n\n: keep-alive\n\n".to_owned()
                    + &events(&[
                        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                    ])
                    + ": ping\n\n"
                    + &events(&["[DONE]"]),
                [None, None, None, Some(1)],
            ),
        ),
    ]);
}
