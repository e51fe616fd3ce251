//! What a client asks for, read from the body of its request.

use std::borrow::Cow;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::protocol::{WORD, refusal};
use crate::schedule::form::Route;
use crate::sim::chain::{Tokenizer, hash_bytes};
use crate::sim::{Chain, Config};

/// Tokens that the chat template puts before each message, and before the answer.
const TEMPLATE: u64 = 3;

/// A request, understood.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) chain: Chain,
    pub(super) isl: u32,
    /// Most output tokens.
    pub(super) max_tokens: u32,
    /// Fewest output tokens.
    pub(super) min_tokens: u32,
    /// Go on up to `max_tokens` in any case.
    pub(super) ignore_eos: bool,
    pub(super) stream: bool,
    pub(super) include_usage: bool,
}

/// Why a request cannot be understood or served: the client's fault.
#[derive(Debug, thiserror::Error)]
pub(super) enum Wrong {
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("The model `{0}` does not exist.")]
    Model(String),
    #[error("{0}")]
    Field(&'static str),
    #[error(
        "This model's maximum context length is {limit} tokens. However, you requested {output} \
         output tokens and your prompt contains {prompt} input tokens: shorten the prompt or ask \
         for fewer output tokens."
    )]
    TooLong { limit: u32, prompt: u32, output: u32 },
}

impl IntoResponse for Wrong {
    fn into_response(self) -> Response {
        let (status, kind) = match &self {
            Self::Model(_) => (StatusCode::NOT_FOUND, "NotFoundError"),
            _ => (StatusCode::BAD_REQUEST, "BadRequestError"),
        };
        refusal(status, kind, &self.to_string())
    }
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
    #[serde(borrow, default)]
    prompt: Option<Prompt<'a>>,
    max_tokens: Option<u32>,
    max_completion_tokens: Option<u32>,
    #[serde(default)]
    min_tokens: u32,
    #[serde(default)]
    ignore_eos: bool,
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    n: Option<u32>,
}

#[derive(Default, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Parts(#[serde(borrow)] Vec<Part<'a>>),
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Prompt<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Tokens(Vec<u32>),
    Texts(#[serde(borrow)] Vec<Cow<'a, str>>),
}

impl Asked {
    /// Reads a request's body.
    pub(super) fn read(route: Route, body: &[u8], config: &Config) -> Result<Self, Wrong> {
        let fields: Fields<'_> = serde_json::from_slice(body)?;
        if fields.model != config.model {
            return Err(Wrong::Model(fields.model.into_owned()));
        }
        if fields.n.is_some_and(|n| n != 1) {
            return Err(Wrong::Field("n must be 1: the simulator gives one choice"));
        }
        let mut tokens = Tokenizer::new(config.kv.block_tokens);
        match route {
            Route::Chat => read_messages(&fields.messages, &mut tokens)?,
            Route::Completions => read_prompt(fields.prompt.as_ref(), &mut tokens)?,
        }
        let isl = tokens.tokens();
        if isl == 0 {
            return Err(Wrong::Field("the prompt is empty: send at least one word"));
        }
        let limit = config.max_context();
        let asked = fields.max_completion_tokens.or(fields.max_tokens);
        let room = limit.saturating_sub(isl);
        let max_tokens = asked.unwrap_or(match route {
            Route::Chat => room.max(1),
            Route::Completions => 16,
        });
        if max_tokens == 0 {
            return Err(Wrong::Field("max_tokens must be at least 1"));
        }
        if max_tokens > room {
            return Err(Wrong::TooLong { limit, prompt: isl, output: max_tokens });
        }
        // The answer's own blocks: a later turn that carries it finds them in the cache.
        let word = hash_bytes(WORD.as_bytes());
        for _ in 0..max_tokens {
            tokens.token(word);
        }
        Ok(Self {
            chain: tokens.chain(),
            isl,
            max_tokens,
            min_tokens: fields.min_tokens.clamp(1, max_tokens),
            ignore_eos: fields.ignore_eos,
            stream: fields.stream,
            include_usage: fields.stream_options.unwrap_or_default().include_usage,
        })
    }
}

fn read_messages(messages: &[Message<'_>], tokens: &mut Tokenizer) -> Result<(), Wrong> {
    if messages.is_empty() {
        return Err(Wrong::Field("messages is empty: send at least one message"));
    }
    let begin = |tokens: &mut Tokenizer, role: &str| {
        let role = hash_bytes(role.as_bytes());
        (0..TEMPLATE).for_each(|i| tokens.token(role ^ i));
    };
    for message in messages {
        begin(tokens, &message.role);
        match &message.content {
            Some(Content::Text(text)) => tokens.text(text),
            Some(Content::Parts(parts)) => parts.iter().for_each(|part| tokens.text(&part.text)),
            None => {}
        }
    }
    begin(tokens, "assistant");
    Ok(())
}

fn read_prompt(prompt: Option<&Prompt<'_>>, tokens: &mut Tokenizer) -> Result<(), Wrong> {
    match prompt {
        Some(Prompt::Text(text)) => tokens.text(text),
        Some(Prompt::Tokens(ids)) => ids.iter().for_each(|&id| tokens.token(id.into())),
        Some(Prompt::Texts(texts)) => {
            let [text] = &texts[..] else {
                return Err(Wrong::Field("prompt must be one text: the simulator takes one"));
            };
            tokens.text(text);
        }
        None => return Err(Wrong::Field("prompt is missing")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config::from_toml(
            "name = 't'\nmodel = 'm'\n[iteration]\nbase_ms = 5\n\
             [batch]\nmax_sequences = 8\nmax_tokens = 64\n[kv]\nblocks = 8\nblock_tokens = 4\n",
        )
        .unwrap()
    }

    fn chat(body: &str) -> Result<Asked, String> {
        Asked::read(Route::Chat, body.as_bytes(), &config()).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn a_prompt_has_its_words_and_the_template() {
        let asked = chat(
            r#"{"model":"m","messages":[{"role":"user","content":"one two\nthree"}],
                "max_tokens":4,"stream":true,"stream_options":{"include_usage":true}}"#,
        )
        .unwrap();
        assert_eq!((asked.isl, asked.max_tokens), (3 + 3 + 3, 4));
        assert!(asked.stream && asked.include_usage && !asked.ignore_eos);
        let parts = chat(
            r#"{"model":"m","max_tokens":4,"messages":[{"role":"user","content":
               [{"type":"text","text":"one two"},{"type":"text","text":"three"}]}]}"#,
        );
        assert_eq!(parts.unwrap().isl, 9);
    }

    #[test]
    fn the_next_turn_finds_the_whole_last_one() {
        let first =
            chat(r#"{"model":"m","max_tokens":3,"messages":[{"role":"user","content":"a b"}]}"#);
        let second = chat(
            r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a b"},
               {"role":"assistant","content":" tok tok tok"},{"role":"user","content":"c"}]}"#,
        );
        let (Chain::Hashed(first), Chain::Hashed(second)) =
            (first.unwrap().chain, second.unwrap().chain)
        else {
            unreachable!("text is hashed")
        };
        assert_eq!(first.len(), 2, "8 prompt and 3 output tokens");
        assert_eq!(first[..], second[..2]);
    }

    #[test]
    fn what_cannot_be_served_says_why() {
        for (body, expected) in [
            ("{", "EOF"),
            (r#"{"model":"x","messages":[]}"#, "`x` does not exist"),
            (r#"{"model":"m","messages":[]}"#, "messages is empty"),
            (
                r#"{"model":"m","messages":[{"role":"user","content":"a"}],"max_tokens":100}"#,
                "maximum context length is 32 tokens",
            ),
            (
                r#"{"model":"m","messages":[{"role":"user","content":"a"}],"max_tokens":0}"#,
                "max_tokens",
            ),
            (r#"{"model":"m","messages":[{"role":"user"}],"n":2}"#, "n must be 1"),
        ] {
            let error = chat(body).unwrap_err();
            assert!(error.contains(expected), "{body}: {error}");
        }
    }
}
