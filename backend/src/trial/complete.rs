//! One request of a workload at a time, waiting for its verdict.

use std::time::Duration;

use tokencap_wire::answer::{Answer, End, Verdict};

use crate::net::client::{AskError, Client};
use crate::net::io::Tls;
use crate::net::target::{Target, TargetError};
use crate::schedule::workload::Task;

/// Asks a target for completions as a run does, but one at a time.
#[derive(Debug)]
pub(crate) struct Trial {
    client: Client,
}

impl Trial {
    /// Takes the way of the measured requests.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub(crate) fn new(target: &Target, tls: Option<&Tls>) -> Result<Self, TargetError> {
        let client = Client::direct(&target.server, tls, target.timeouts.connect)?;
        Ok(Self { client })
    }

    /// Asks for something else of the same server.
    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    /// Sends a request and waits for its verdict. What breaks is in the verdict.
    pub(crate) fn complete(&self, target: &Target, task: &Task, limit: Duration) -> Verdict {
        let mut answer = Answer::new(false);
        let end = match self.client.stream(target.request(task.body()), limit, &mut answer) {
            Ok(()) => End::Whole,
            Err(AskError::Unreachable(why)) => End::Unreachable(why),
            Err(AskError::Timeout(_)) => End::Timeout("no whole answer within the time limit"),
            Err(AskError::Malformed(why)) => End::Malformed(why),
            Err(error) => End::Cut(error.to_string()),
        };
        let mut verdict = answer.verdict(&end);
        verdict.error = verdict.error.map(|error| target.redact(error));
        tracing::info!(outcome = verdict.outcome.name(), error = ?verdict.error, "a trial request ends");
        verdict
    }
}
