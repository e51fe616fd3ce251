//! The browser's log, which WebDriver's standard does not cover but ChromeDriver gives.

use fantoccini::Client;
use fantoccini::wd::WebDriverCompatibleCommand;
use hyper::Method;
use serde_json::json;
use url::{ParseError, Url};

#[derive(Debug)]
struct ReadLog;

impl WebDriverCompatibleCommand for ReadLog {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}

/// What was logged with a level of at least a warning, and forgets it.
pub(super) async fn read(client: &Client) -> Vec<String> {
    let entries = client.issue_cmd(ReadLog).await.unwrap();
    let entries = entries.as_array().unwrap().iter();
    entries
        .filter(|entry| matches!(entry["level"].as_str(), Some("WARNING" | "SEVERE")))
        .map(|entry| entry["message"].as_str().unwrap_or_default().to_owned())
        .collect()
}
