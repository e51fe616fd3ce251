//! Who may read, and the headers that keep a page to itself.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use sha2::{Digest, Sha256};

use super::ServeError;
use crate::files;

/// Fewest characters of a token.
const TOKEN_LEAST: usize = 16;

/// How long an answer to a wrong token takes.
const WRONG_TOKEN: Duration = Duration::from_millis(500);

/// Who may read.
#[derive(Clone)]
pub enum Access {
    /// Programs of this machine only.
    Local,
    /// Whoever knows the token; its digest is kept, not itself.
    Token([u8; 32]),
    /// Whoever can reach the address.
    Anybody,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            Self::Local => "Local",
            Self::Token(_) => "Token(***)",
            Self::Anybody => "Anybody",
        })
    }
}

impl Access {
    /// Access by the token in a file; white space around it does not count.
    ///
    /// # Errors
    /// If the file cannot be read or its token is too short to protect anything.
    pub fn token_file(path: &Path) -> Result<Self, ServeError> {
        let text = files::read_secret(path)
            .map_err(|source| ServeError::TokenFile { path: path.to_owned(), source })?;
        let token = text.trim();
        if token.len() < TOKEN_LEAST {
            return Err(ServeError::WeakToken { path: path.to_owned(), least: TOKEN_LEAST });
        }
        Ok(Self::Token(Sha256::digest(token).into()))
    }

    /// Whether this is a decision that suits the address.
    ///
    /// # Errors
    /// If other machines could reach it and nobody decided who may read.
    pub(super) const fn check(&self, ip: IpAddr) -> Result<(), ServeError> {
        match self {
            Self::Local if !ip.is_loopback() => Err(ServeError::RemoteUndecided { ip }),
            Self::Local | Self::Token(_) | Self::Anybody => Ok(()),
        }
    }

    /// Whether a request may read.
    fn admits(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        match self {
            // A page of another site whose name was rebound to 127.0.0.1 sends its own name.
            Self::Local if names_this_machine(uri, headers) => Ok(()),
            Self::Local => Err(Refusal::WrongHost),
            Self::Token(expected) => match credential(headers) {
                // Digests are compared, so that the time it takes says nothing about the token.
                Some(given) if <[u8; 32]>::from(Sha256::digest(&given)) == *expected => Ok(()),
                _ => Err(Refusal::Unauthorised),
            },
            Self::Anybody => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    WrongHost,
    Unauthorised,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::WrongHost => (
                StatusCode::MISDIRECTED_REQUEST,
                "This server answers to localhost only. Open it by the address it printed.\n",
            )
                .into_response(),
            Self::Unauthorised => (
                StatusCode::UNAUTHORIZED,
                [(header::WWW_AUTHENTICATE, "Basic realm=\"tokencap\", charset=\"UTF-8\"")],
                "Give the token of this server as the password; any user name will do.\n",
            )
                .into_response(),
        }
    }
}

/// Whether every name by which a request asks is one of this machine. Of two `Host` fields, or one
/// beside a whole address, a proxy may have looked at the other.
fn names_this_machine(uri: &Uri, headers: &HeaderMap) -> bool {
    let fields = headers.get_all(header::HOST).iter().map(|host| host.to_str().unwrap_or_default());
    let mut names = fields.chain(uri.authority().map(|authority| authority.as_str())).peekable();
    names.peek().is_some() && names.all(is_this_machine)
}

fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The token of a Basic or Bearer credential.
fn credential(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = base64::engine::general_purpose::STANDARD.decode(rest.trim()).ok()?;
    let (_, password) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    Some(password.to_owned())
}

/// Admits or refuses a request, and puts the protecting headers on every answer.
pub(super) async fn guard(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match access.admits(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => {
            // Who guesses waits; who has not been asked yet does not.
            if request.headers().contains_key(header::AUTHORIZATION) {
                tokio::time::sleep(WRONG_TOKEN).await;
            }
            refusal.into_response()
        }
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, crate::web::CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_loopback_names_reach_a_local_server() {
        for (host, admitted) in [
            ("localhost:8080", true),
            ("LOCALHOST", true),
            ("127.0.0.1:8080", true),
            ("127.3.2.1", true),
            ("[::1]:8080", true),
            ("evil.example:8080", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("10.0.0.1", false),
            ("[::2]:8080", false),
            ("", false),
        ] {
            let headers = headers(&[(header::HOST, host)]);
            assert_eq!(Access::Local.admits(&Uri::default(), &headers).is_ok(), admitted, "{host}");
        }
        let refused = Err(Refusal::WrongHost);
        assert_eq!(Access::Local.admits(&Uri::default(), &HeaderMap::new()), refused);
        let two = headers(&[(header::HOST, "localhost"), (header::HOST, "evil.example")]);
        assert_eq!(Access::Local.admits(&Uri::default(), &two), refused);
        let local = headers(&[(header::HOST, "localhost")]);
        let elsewhere = Uri::from_static("http://evil.example/api/bundles");
        assert_eq!(Access::Local.admits(&elsewhere, &local), refused);
        let here = Uri::from_static("http://127.0.0.1:8080/api/bundles");
        assert!(Access::Local.admits(&here, &local).is_ok());
    }

    #[test]
    fn a_token_is_taken_as_bearer_or_as_password_and_nothing_else() {
        let access = Access::Token(Sha256::digest("correct horse battery").into());
        let basic = |text: &str| {
            format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(text))
        };
        for (value, admitted) in [
            ("Bearer correct horse battery".to_owned(), true),
            (basic("anyone:correct horse battery"), true),
            (basic("correct horse battery:"), false),
            (basic("correct horse battery"), false),
            ("Bearer correct horse".to_owned(), false),
            ("Bearer ".to_owned(), false),
            ("Digest correct horse battery".to_owned(), false),
            ("Basic ***".to_owned(), false),
        ] {
            let headers = headers(&[(header::AUTHORIZATION, &value)]);
            assert_eq!(access.admits(&Uri::default(), &headers).is_ok(), admitted, "{value}");
        }
        assert_eq!(access.admits(&Uri::default(), &HeaderMap::new()), Err(Refusal::Unauthorised));
    }

    #[test]
    fn an_address_others_can_reach_needs_a_decision() {
        let any: IpAddr = "0.0.0.0".parse().unwrap();
        let loopback: IpAddr = "::1".parse().unwrap();
        assert!(matches!(Access::Local.check(any), Err(ServeError::RemoteUndecided { .. })));
        assert!(Access::Local.check(loopback).is_ok());
        assert!(Access::Anybody.check(any).is_ok());
        assert!(Access::Token([0; 32]).check(any).is_ok());
    }

    #[test]
    fn a_short_token_is_refused_and_a_tokens_debug_text_hides_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "secret\n").unwrap();
        assert!(matches!(Access::token_file(file.path()), Err(ServeError::WeakToken { .. })));
        std::fs::write(file.path(), "0123456789abcdef\n").unwrap();
        let access = Access::token_file(file.path()).unwrap();
        assert_eq!(format!("{access:?}"), "Token(***)");
    }
}
