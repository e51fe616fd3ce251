//! Requests that are not measured: pages of metrics, the list of models, the trial, the date.
//! One at a time, each on a connection of its own, each over by a stated time.

use std::error::Error;
use std::io;
use std::time::Duration;

use hyper::http::{HeaderMap, Method, Request, header};
use reqwest::redirect::Policy;
use reqwest::{Body, Response};
use rustls::ClientConfig;
use tokencap_wire::http1::{Head, Sink};

use crate::clock::Clock;
use crate::net::io::{Tls, explain};
use crate::net::target::{Server, TargetError};

/// How the tool names itself to servers.
pub(crate) const AGENT: &str = concat!("tokencap/", env!("CARGO_PKG_VERSION"));
/// Largest page that is read, in bytes once it is unpacked.
const MAX_PAGE: usize = 64 << 20;
/// Other addresses that a page may be moved to, one after the other.
const MOVES: usize = 5;

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No connection.
    #[error("{0}")]
    Unreachable(String),
    /// The time was up.
    #[error("no whole response within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// It broke off.
    #[error("{0}")]
    Cut(String),
    /// What came is not HTTP, or not packed as it says.
    #[error("{0}")]
    Malformed(String),
    /// It is moved on and on.
    #[error("the page is moved more than {MOVES} times: {0}")]
    Moved(String),
    /// It is larger than any page should be.
    #[error("the page is larger than {} MiB", MAX_PAGE >> 20)]
    TooLarge,
}

/// A page as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// HTTP status.
    pub status: u16,
    /// The server's date, in seconds since 1970, where it tells.
    pub date: Option<i64>,
    /// The host that the page was moved to, where it was.
    pub moved: Option<String>,
    /// The body, unpacked.
    pub body: Vec<u8>,
}

/// Asks one server.
#[derive(Clone, Debug)]
pub struct Client {
    client: reqwest::Client,
    /// Scheme, host and port.
    root: String,
    host: String,
}

impl Client {
    /// A client that goes the way of the measured requests: straight to the addresses that the
    /// server's name had, never through a proxy, to no other place.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn direct(
        server: &Server,
        tls: Option<&Tls>,
        connect: Duration,
    ) -> Result<Self, TargetError> {
        let builder = reqwest::Client::builder().no_proxy().no_gzip().redirect(Policy::none());
        let config = tls.map_or_else(Tls::of_nobody, |tls| Ok(tls.http1()))?;
        Self::build(builder, server, config, connect)
    }

    /// A client for pages: it unpacks them, follows where they were moved to, and goes through
    /// the proxy that the environment names (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`), but not to
    /// this machine itself.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn pages(
        server: &Server,
        tls: Option<&Tls>,
        connect: Duration,
    ) -> Result<Self, TargetError> {
        let mut builder = reqwest::Client::builder().redirect(Policy::limited(MOVES));
        if server.addresses.iter().all(|address| address.ip().is_loopback()) {
            builder = builder.no_proxy();
        }
        // A page without TLS may be moved to one with it.
        let config = tls.map_or_else(Tls::of_system, |tls| Ok(tls.http1()))?;
        Self::build(builder, server, config, connect)
    }

    fn build(
        builder: reqwest::ClientBuilder,
        server: &Server,
        config: ClientConfig,
        connect: Duration,
    ) -> Result<Self, TargetError> {
        // Without a port, so that a page moved to another port of the host is found there.
        let mut addresses = server.addresses.clone();
        addresses.iter_mut().for_each(|address| address.set_port(0));
        let client = builder
            .tls_backend_preconfigured(config)
            .user_agent(AGENT)
            .http1_only()
            .connect_timeout(connect)
            .pool_max_idle_per_host(0)
            .resolve_to_addrs(&server.host, &addresses)
            .build()
            .map_err(|error| TargetError::Tls(last(&error).to_string()))?;
        Ok(Self { client, root: server.root(), host: server.host.clone() })
    }

    /// Fetches a page, such as `/metrics`, with these header fields.
    ///
    /// # Errors
    /// If there is no whole response in time. A status other than 200 is a response.
    pub fn get(&self, path: &str, fields: HeaderMap, limit: Duration) -> Result<Page, AskError> {
        let mut request = Request::new(Body::default());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = format!("{}{path}", self.root)
            .parse()
            .map_err(|_| AskError::Unreachable(format!("`{path}` is no path")))?;
        *request.headers_mut() = fields;
        within(limit, async {
            let mut response = self.send(request).await?;
            let head = head_of(response.status().as_u16(), response.headers());
            let host = response.url().host_str().unwrap_or_default().trim_matches(['[', ']']);
            let moved = (!host.eq_ignore_ascii_case(&self.host)).then(|| host.to_owned());
            tracing::debug!(path, status = head.status, ?moved, "a page comes");
            let mut page = Page { status: head.status, date: head.date, moved, body: Vec::new() };
            while let Some(bytes) = response.chunk().await.map_err(|error| broken(&error))? {
                if page.body.len() + bytes.len() > MAX_PAGE {
                    return Err(AskError::TooLarge);
                }
                page.body.extend_from_slice(&bytes);
            }
            Ok(page)
        })
    }

    /// Sends a request and hands over the response as it comes.
    ///
    /// # Errors
    /// If there is no whole response in time. A status other than 200 is a response.
    pub fn stream(
        &self,
        request: Request<Vec<u8>>,
        limit: Duration,
        sink: &mut impl Sink,
    ) -> Result<(), AskError> {
        let clock = Clock::start();
        within(limit, async {
            let mut response = self.send(request.map(Body::from)).await?;
            tracing::debug!(status = response.status().as_u16(), "a trial request is answered");
            sink.on_head(head_of(response.status().as_u16(), response.headers()));
            while let Some(bytes) = response.chunk().await.map_err(|error| broken(&error))? {
                sink.on_body(clock.now(), &bytes);
            }
            Ok(())
        })
    }

    async fn send(&self, mut request: Request<Body>) -> Result<Response, AskError> {
        let close = header::HeaderValue::from_static("close");
        request.headers_mut().insert(header::CONNECTION, close);
        let request = request.try_into().map_err(|error| broken(&error))?;
        self.client.execute(request).await.map_err(|error| broken(&error))
    }
}

/// What the readers of answers want to know of a response's head.
pub(crate) fn head_of(status: u16, fields: &HeaderMap) -> Head {
    let field = |name: &str| fields.get(name).and_then(|value| value.to_str().ok());
    Head::of_fields(status, field("content-type"), field("x-queue-time"), field("date"))
}

/// Does it on this thread, and leaves nothing of it behind.
fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, AskError>>,
) -> Result<T, AskError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| AskError::Unreachable(error.to_string()))?;
    let done = runtime.block_on(async { tokio::time::timeout(limit, work).await });
    // Whoever still looks up a name is not waited for.
    runtime.shutdown_background();
    done.unwrap_or(Err(AskError::Timeout(limit)))
}

/// What broke, without the address: it stands where the message is shown.
fn broken(error: &reqwest::Error) -> AskError {
    let causes = || std::iter::successors(error.source(), |&cause| cause.source());
    let system = causes().find_map(|cause| cause.downcast_ref::<io::Error>());
    if error.is_redirect() {
        return AskError::Moved(error.url().map_or_else(String::new, |url| url.path().to_owned()));
    }
    if error.is_connect() {
        return AskError::Unreachable(match system {
            _ if error.is_timeout() => "no connection within the time limit".into(),
            Some(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                "connection refused".into()
            }
            Some(error) => explain(error),
            None => last(error).to_string(),
        });
    }
    match causes().find_map(|cause| cause.downcast_ref::<hyper::Error>()) {
        None if error.is_decode() || error.is_body() => {
            AskError::Malformed(format!("what came is not packed as it says: {}", last(error)))
        }
        Some(error) if error.is_parse() => {
            AskError::Malformed(format!("the response is not HTTP/1: {}", last(error)))
        }
        Some(error) if error.is_incomplete_message() => {
            AskError::Cut("the connection closed before the response was whole".into())
        }
        _ => AskError::Cut(format!("the connection broke: {}", last(error))),
    }
}

/// The cause of causes, which alone says what happened.
fn last<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    std::iter::successors(Some(error), |&cause| cause.source()).last().unwrap_or(error)
}
