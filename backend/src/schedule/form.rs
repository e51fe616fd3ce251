//! How requests to a target are written, whatever they ask.

use super::prompt::Words;

/// The route by which completions are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// `/v1/chat/completions`
    #[default]
    Chat,
    /// `/v1/completions`
    Completions,
}

impl Route {
    /// The last part of the route's path.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Completions => "/completions",
        }
    }
}

/// What is the same in every request to a target.
#[derive(Clone, Debug)]
pub struct RequestForm {
    /// The route, by which the body is one of messages or of a prompt.
    pub route: Route,
    /// The model's name, as the server knows it.
    pub model: String,
    /// The head of HTTP/1.1 up to the value of its `Content-Length`, which comes last.
    pub head: Vec<u8>,
    /// The words of which prompts are made.
    pub words: Words,
    /// Whether the engine is asked to generate exactly as many tokens as the workload says.
    pub exact_lengths: bool,
}
