//! Responses of another status than 200.

use tokencap_shared::definitions::record::{ClientFaultKind, FailureKind, Outcome};

use super::{check_all, refuses};

#[test]
fn refusals_by_status() {
    use ClientFaultKind::{BadRequest, NotFound, PromptTooLong, Unauthorised};
    let failed = Outcome::Failed;
    let fault = Outcome::ClientFault;
    check_all(&[
        (
            "vLLM's admission control",
            refuses(
                "503 Service Unavailable",
                r#"{"error":{"message":"queue","type":"ServiceUnavailable","code":503}}"#,
                failed(FailureKind::Rejected),
                "queue",
            ),
        ),
        (
            "a rate limit",
            refuses(
                "429 Too Many Requests",
                "slow down\n",
                failed(FailureKind::Rejected),
                "slow down",
            ),
        ),
        (
            "Dynamo's overload, flat",
            refuses(
                "529 Site Overloaded",
                r#"{"message":"busy","type":"overloaded","code":529}"#,
                failed(FailureKind::Rejected),
                "busy",
            ),
        ),
        (
            "Ollama's full queue",
            refuses(
                "503 Service Unavailable",
                r#"{"error":{"message":"server busy, please try again.  maximum pending requests exceeded","type":"api_error","param":null,"code":null}}"#,
                failed(FailureKind::Rejected),
                "server busy",
            ),
        ),
        (
            "llama.cpp while it loads",
            refuses(
                "503 Service Unavailable",
                r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
                failed(FailureKind::Rejected),
                "Loading model",
            ),
        ),
        (
            "LMDeploy's cancelled request that nobody cancelled",
            refuses(
                "499 Client Closed Request",
                r#"{"message":"Client closed request","type":"cancelled","code":499,"object":"error"}"#,
                failed(FailureKind::ServerError),
                "Client closed request",
            ),
        ),
        (
            "TGI's failed generation",
            refuses(
                "424 Failed Dependency",
                r#"{"error":"Request failed during generation: CUDA error","error_type":"generation"}"#,
                fault(BadRequest),
                "CUDA error",
            ),
        ),
        (
            "a gateway's limit on tokens a minute",
            refuses(
                "429 Too Many Requests",
                r#"{"error":{"message":"TPM exceeded","type":"rate_limit_exceeded"}}"#,
                failed(FailureKind::Rejected),
                "TPM exceeded",
            ),
        ),
        (
            "a gateway that wants usage asked for",
            refuses(
                "400 Bad Request",
                r#"{"error":{"message":"include_usage must be set for streaming requests","code":"no_stream_options_include_usage"}}"#,
                fault(BadRequest),
                "include_usage",
            ),
        ),
        (
            "Dynamo without a worker",
            refuses(
                "503 Service Unavailable",
                r#"{"message":"no instances found","type":"service_unavailable","code":503}"#,
                failed(FailureKind::Rejected),
                "no instances",
            ),
        ),
        (
            "blank lines before a JSON text",
            refuses(
                "500 Internal Server Error",
                "\n\n\n{\"error\":{\"message\":\"after a while\"}}",
                failed(FailureKind::ServerError),
                "after a while",
            ),
        ),
        (
            "a server's own error, as a page",
            refuses(
                "502 Bad Gateway",
                "<html>\n<h1>502</h1>",
                failed(FailureKind::ServerError),
                "<html> <h1>502",
            ),
        ),
        (
            "a status without a word",
            refuses(
                "500 Internal Server Error",
                "",
                failed(FailureKind::ServerError),
                "500 without",
            ),
        ),
        (
            "a request time-out",
            refuses("408 Request Timeout", "", failed(FailureKind::Timeout), "408"),
        ),
        (
            "a wrong key",
            refuses(
                "401 Unauthorized",
                r#"{"error":{"message":"Invalid key","type":"invalid_request_error"}}"#,
                fault(Unauthorised),
                "Invalid key",
            ),
        ),
        ("forbidden", refuses("403 Forbidden", r#"{"detail":"no"}"#, fault(Unauthorised), "no")),
        (
            "an unknown model",
            refuses(
                "404 Not Found",
                r#"{"object":"error","message":"The model `x` does not exist.","code":404}"#,
                fault(NotFound),
                "`x`",
            ),
        ),
        (
            "vLLM's context",
            refuses(
                "400 Bad Request",
                r#"{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000.","code":400}}"#,
                fault(PromptTooLong),
                "4096",
            ),
        ),
        (
            "llama.cpp's context",
            refuses(
                "400 Bad Request",
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000}}"#,
                fault(PromptTooLong),
                "exceeds",
            ),
        ),
        (
            "TGI's context",
            refuses(
                "422 Unprocessable Entity",
                r#"{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.","error_type":"validation"}"#,
                fault(PromptTooLong),
                "4096",
            ),
        ),
        (
            "SGLang's context",
            refuses(
                "400 Bad Request",
                r#"{"object":"error","message":"The input (5000 tokens) is longer than the model's context length (4096 tokens)."}"#,
                fault(PromptTooLong),
                "4096",
            ),
        ),
        ("a body too large", refuses("413 Payload Too Large", "", fault(PromptTooLong), "413")),
        (
            "TensorRT-LLM's validation, a text",
            refuses(
                "400 Bad Request",
                r#"{"error": "best_of must be 1"}"#,
                fault(BadRequest),
                "best_of",
            ),
        ),
        (
            "a list of validation errors",
            refuses(
                "422 Unprocessable Entity",
                r#"{"detail":[{"loc":["body","model"],"msg":"field required"}]}"#,
                fault(BadRequest),
                "field required",
            ),
        ),
        (
            "a redirection",
            refuses("307 Temporary Redirect", "", failed(FailureKind::Malformed), "307"),
        ),
    ]);
}
