//! What is measured: an endpoint, a model, how to ask, and how long to wait.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hyper::Uri;
use hyper::http::{HeaderMap, HeaderValue, Method, Request, header};

use crate::files;
use crate::net::client::AGENT;
use crate::schedule::form::{RequestForm, Route};
use crate::schedule::prompt::Words;
use crate::schedule::tokenizer::Tokenizer;

/// Why a target cannot be used as it was given.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// Not an address of a server.
    #[error("`{url}` is no address of a server: {why}; write it like http://10.0.0.5:8000")]
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The host's name is not known here.
    #[error("the host `{host}` cannot be found ({why}): check the name, or give an IP address")]
    Resolve {
        /// The name.
        host: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// The file that holds the key cannot be read.
    #[error("the API key cannot be read from {path}: {why}")]
    KeyFile {
        /// The file.
        path: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// The key is empty, or has characters that no header may have.
    #[error("the API key from {place} is empty or has characters that a header cannot carry")]
    Key {
        /// Where it was read.
        place: String,
    },
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

/// A key that no log, error or bundle ever shows.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Takes a key from an environment variable; `None` if it is not set.
    ///
    /// # Errors
    /// If the key could not be sent.
    pub fn from_env(name: &str) -> Result<Option<Self>, TargetError> {
        match std::env::var(name) {
            Ok(key) => Self::new(&key, &format!("the environment variable {name}")).map(Some),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => {
                Err(TargetError::Key { place: format!("the environment variable {name}") })
            }
        }
    }

    /// Takes a key from a file, without the white space around it.
    ///
    /// # Errors
    /// If the file cannot be read or the key could not be sent.
    pub fn from_file(path: &Path) -> Result<Self, TargetError> {
        let key = files::read_secret(path)
            .map_err(|why| TargetError::KeyFile { path: path.display().to_string(), why })?;
        Self::new(&key, &path.display().to_string())
    }

    fn new(key: &str, place: &str) -> Result<Self, TargetError> {
        let key = key.trim();
        if key.is_empty() || !key.bytes().all(|byte| (0x21..0x7f).contains(&byte)) {
            return Err(TargetError::Key { place: place.into() });
        }
        Ok(Self(key.into()))
    }

    /// A text in which the key, should a server have repeated it, is replaced by `***`.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "***")
    }

    fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// How long the client waits before it gives a request up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, TLS included.
    pub connect: Duration,
    /// From sending to the first output.
    pub first_token: Duration,
    /// Between two outputs.
    pub gap: Duration,
    /// For the whole request.
    pub whole: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_token: Duration::from_secs(120),
            gap: Duration::from_secs(60),
            whole: Duration::from_secs(900),
        }
    }
}

/// Where a server is: enough to connect to it and to write requests.
#[derive(Clone, Debug)]
pub struct Server {
    /// Whether TLS is spoken.
    pub tls: bool,
    /// The host as TLS and the `Host` header name it.
    pub host: String,
    /// `host:port` for the `Host` header.
    pub authority: String,
    /// The path of the address, without a slash at its end.
    pub path: String,
    /// Addresses the host has, found once and then kept.
    pub addresses: Vec<SocketAddr>,
}

impl Server {
    /// Reads an address such as `http://10.0.0.5:8000/v1` and finds its host.
    ///
    /// # Errors
    /// If it is no address or the host is unknown.
    pub fn resolve(url: &str) -> Result<Self, TargetError> {
        let bad = |why: &str| TargetError::Url { url: without_user(url), why: why.into() };
        let uri: Uri = url.parse().map_err(|why| bad(&format!("{why}")))?;
        let tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            Some(_) => return Err(bad("only http and https are spoken")),
            None => return Err(bad("http:// or https:// is missing")),
        };
        let authority = uri.authority().ok_or_else(|| bad("the host is missing"))?;
        if authority.as_str().contains('@') {
            return Err(bad("a user or password in it would end up in logs; use the API key"));
        }
        if uri.query().is_some() {
            return Err(bad("it has a query"));
        }
        let host = authority.host().trim_matches(['[', ']']).to_owned();
        let port = match (authority.port_u16(), authority.as_str().len() > authority.host().len()) {
            (Some(port @ 1..), _) => port,
            (None, false) if tls => 443,
            (None, false) => 80,
            _ => return Err(bad("its port is not a number from 1 to 65535")),
        };
        let addresses = (host.as_str(), port)
            .to_socket_addrs()
            .map_err(|why| TargetError::Resolve { host: host.clone(), why })?
            .collect();
        let path = uri.path().trim_end_matches('/').to_owned();
        Ok(Self { tls, host, authority: authority.as_str().into(), path, addresses })
    }

    /// Its address without a path.
    #[must_use]
    pub fn root(&self) -> String {
        format!("{}://{}", if self.tls { "https" } else { "http" }, self.authority)
    }
}

/// An address whose user and password, if it has any, are replaced by `***`.
fn without_user(url: &str) -> String {
    let Some((before, host)) = url.rsplit_once('@') else { return url.into() };
    let scheme =
        before.split_once("://").map_or(String::new(), |(scheme, _)| format!("{scheme}://"));
    format!("{scheme}***@{host}")
}

/// An endpoint with a model, ready to be asked.
#[derive(Clone, Debug)]
pub struct Target {
    /// Host, port, and whether TLS is spoken.
    pub server: Server,
    /// Which streaming API is asked.
    pub route: Route,
    /// The model's name, as the server knows it.
    pub model: String,
    /// The key, if one is needed.
    pub key: Option<Secret>,
    /// Limits on waiting.
    pub timeouts: Timeouts,
    /// Ask the engine to generate exactly as many tokens as the workload says (`ignore_eos` and
    /// `min_tokens`, which OpenAI's own API refuses).
    pub exact_lengths: bool,
    /// Open connections in advance and keep idle ones. Not for servers with a thread a
    /// connection, whose threads would wait on idle ones.
    pub hold_idle: bool,
    /// Speak HTTP/2, with TLS or (by prior knowledge) without.
    pub http2: bool,
    /// The words of which prompts are made: those that are one token each, where the model's
    /// tokenizer is known.
    pub words: Words,
    /// Counts the tokens of answers whose server does not.
    pub tokenizer: Option<Arc<Tokenizer>>,
}

impl Target {
    /// A target at an address, with or without `/v1` at its end.
    ///
    /// # Errors
    /// As [`Server::resolve`].
    pub fn new(url: &str, route: Route, model: &str) -> Result<Self, TargetError> {
        let mut server = Server::resolve(url)?;
        let stem = [Route::Chat, Route::Completions]
            .iter()
            .find_map(|route| server.path.strip_suffix(route.path()))
            .unwrap_or(&server.path);
        if stem.is_empty() {
            server.path = "/v1".into();
        } else {
            server.path = stem.into();
        }
        Ok(Self {
            server,
            route,
            model: model.into(),
            key: None,
            timeouts: Timeouts::default(),
            exact_lengths: true,
            hold_idle: true,
            http2: false,
            words: Words::default(),
            tokenizer: None,
        })
    }

    /// The head of a request up to the value of its `Content-Length`, which comes last.
    #[must_use]
    pub fn head(&self) -> Vec<u8> {
        let Server { authority, path, .. } = &self.server;
        let route = self.route.path();
        let mut head = format!("POST {path}{route} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
        for (name, value) in &self.fields() {
            let field = [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"];
            head.extend(field.concat());
        }
        head.extend_from_slice(b"Content-Length: ");
        head
    }

    /// How requests to it are written.
    #[must_use]
    pub fn form(&self) -> RequestForm {
        RequestForm {
            route: self.route,
            model: self.model.clone(),
            head: self.head(),
            words: self.words.clone(),
            exact_lengths: self.exact_lengths,
        }
    }

    /// A request with this body, for clients that write the head themselves.
    #[must_use]
    pub fn request<B>(&self, body: B) -> Request<B> {
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        let uri = format!("{}{}{}", self.server.root(), self.server.path, self.route.path());
        // Every part of it was checked when the target was made.
        *request.uri_mut() = uri.parse().unwrap_or_default();
        *request.headers_mut() = self.fields();
        request
    }

    /// The header fields of every request, but for its length.
    fn fields(&self) -> HeaderMap {
        let mut fields = self.key_field();
        fields.insert(header::USER_AGENT, HeaderValue::from_static(AGENT));
        fields.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        fields
    }

    /// The header field that carries the key; none without a key.
    pub(crate) fn key_field(&self) -> HeaderMap {
        let key = self.key.as_ref().map(|key| format!("Bearer {}", key.expose()));
        let value = key.and_then(|key| HeaderValue::from_str(&key).ok());
        let fields = value.map(|mut value| {
            value.set_sensitive(true);
            (header::AUTHORIZATION, value)
        });
        fields.into_iter().collect()
    }

    /// A message that a server sent, without the key should it have repeated it.
    #[must_use]
    pub fn redact(&self, text: String) -> String {
        self.key.as_ref().map_or_else(|| text.clone(), |key| key.redact(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(url: &str) -> String {
        Target::new(url, Route::Chat, "m").unwrap().server.path
    }

    #[test]
    fn an_address_may_end_with_v1_or_the_whole_route_or_neither() {
        for url in ["http://127.0.0.1:1", "http://127.0.0.1:1/", "http://127.0.0.1:1/v1/"] {
            assert_eq!(path(url), "/v1", "{url}");
        }
        assert_eq!(path("http://127.0.0.1:1/openai/v1"), "/openai/v1");
        assert_eq!(path("http://127.0.0.1:1/v1/chat/completions"), "/v1");
        assert_eq!(path("http://[::1]:1/v1"), "/v1");
    }

    #[test]
    fn what_is_no_address_is_refused_with_what_to_write_instead() {
        for url in [
            "127.0.0.1:8000",
            "ftp://x",
            "http://",
            "http://u:p@127.0.0.1",
            "http://127.0.0.1/?a",
            "http://127.0.0.1:99999",
            "http://127.0.0.1:0/v1",
            "http://127.0.0.1:/v1",
            "http://[::1]:99999",
        ] {
            let error = Target::new(url, Route::Chat, "m").unwrap_err().to_string();
            assert!(error.contains("write it like http://"), "{url}: {error}");
            assert!(!error.contains('\n'));
            assert!(!error.contains("u:p"), "{error}");
        }
    }

    #[test]
    fn a_key_is_in_the_request_and_nowhere_else() {
        let mut target = Target::new("http://127.0.0.1:1", Route::Completions, "m").unwrap();
        target.key = Some(Secret::new(" sk-12345\n", "here").unwrap());
        assert!(String::from_utf8(target.head()).unwrap().contains("Bearer sk-12345\r\n"));
        assert!(!format!("{target:?}").contains("12345"));
        assert_eq!(target.redact("Incorrect key: sk-12345.".into()), "Incorrect key: ***.");
    }

    #[test]
    fn a_key_that_would_break_the_header_is_refused() {
        for key in ["", "  ", "a b", "a\r\nX: y", "é"] {
            let error = Secret::new(key, "here").unwrap_err().to_string();
            assert!(error.contains("here") && (key.trim().is_empty() || !error.contains(key)));
        }
    }
}
