//! What requests and answers have in common on the wire.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// The word that every output token is.
pub(super) const WORD: &str = "tok";

/// An error as engines say it.
pub(super) fn refusal(status: StatusCode, kind: &str, message: &str) -> Response {
    (status, axum::Json(error(status.as_u16(), kind, message))).into_response()
}

/// The object of an error.
pub(super) fn error(code: u16, kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}
