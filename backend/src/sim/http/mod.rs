//! The cluster in real time, behind the wire protocol of an inference server.
//!
//! One thread serves everything: connections, and the engine whose events are due at absolute
//! instants. A second thread only sleeps until the next one, because a timer of the runtime is
//! too coarse. How late events were served is measured and told at `/metrics`: a simulator that
//! is late simulates another cluster than the one that was declared.

mod answer;
mod body;
mod engine;
mod metrics;
mod pacer;
mod protocol;
mod request;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use tokio::sync::oneshot;

use super::config::Config;
use crate::schedule::form::Route;
use engine::{Accepted, Engine};
use protocol::refusal;
use request::Asked;

/// Largest request body: a prompt of some millions of words.
const MAX_BODY: usize = 64 << 20;

/// A running simulator. Dropping it stops it.
#[derive(Debug)]
pub struct Handle {
    /// Where it listens.
    pub addr: SocketAddr,
    server: Arc<Server>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

/// How late events were served, up to now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// Events that were waited for.
    pub events: u64,
    /// Median, in microseconds.
    pub p50_us: u64,
    /// 99th percentile, in microseconds.
    pub p99_us: u64,
    /// Greatest, in microseconds.
    pub max_us: u64,
}

#[derive(Debug)]
struct Server {
    config: Config,
    api_key: Option<String>,
    engine: Arc<Engine>,
}

/// Serves a simulated cluster on a listener, until the handle is dropped or told to stop.
/// With a key, every request must carry it.
///
/// # Errors
/// If the listener or a thread cannot be had.
pub fn serve(
    config: Config,
    api_key: Option<String>,
    listener: std::net::TcpListener,
) -> std::io::Result<Handle> {
    let addr = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let engine = Engine::start(&config)?;
    let server = Arc::new(Server { config, api_key, engine });
    let (stop, stopped) = oneshot::channel::<()>();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = Arc::clone(&server);
    let thread = std::thread::Builder::new().name("sim".to_owned()).spawn(move || {
        runtime.block_on(async move {
            let driver = tokio::spawn(Arc::clone(&served.engine).drive());
            let listener = tokio::net::TcpListener::from_std(listener)?
                // A token is a small packet that must leave at once.
                .tap_io(|stream| _ = stream.set_nodelay(true));
            let serving = axum::serve(listener, routes(served));
            let ended = tokio::select! {
                ended = serving => ended,
                _ = stopped => Ok(()),
            };
            driver.abort();
            ended
        })
    })?;
    Ok(Handle { addr, server, stop: Some(stop), thread: Some(thread) })
}

impl Handle {
    /// How late events were served, up to now.
    #[must_use]
    pub fn lateness(&self) -> Lateness {
        self.server.engine.lateness()
    }

    /// Stops serving; open connections are cut.
    ///
    /// # Errors
    /// If the server had failed.
    pub fn shutdown(mut self) -> std::io::Result<()> {
        self.stop_and_join()
    }

    /// Serves until it fails.
    ///
    /// # Errors
    /// If the server failed.
    pub fn wait(mut self) -> std::io::Result<()> {
        self.join()
    }

    fn stop_and_join(&mut self) -> std::io::Result<()> {
        if let Some(stop) = self.stop.take() {
            // Where the receiver is gone the server has ended already.
            let _ = stop.send(());
        }
        self.join()
    }

    fn join(&mut self) -> std::io::Result<()> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let ended = thread.join();
        self.server.engine.stop();
        ended.unwrap_or_else(|_| Err(std::io::Error::other("the simulator's thread panicked")))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // An error was for whoever asked with `shutdown` or `wait`.
        let _ = self.stop_and_join();
    }
}

fn routes(server: Arc<Server>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat))
        .route("/v1/completions", post(completions))
        .route("/v1/models", get(models))
        .route("/health", get(|| async {}))
        .route("/metrics", get(metrics))
        .fallback(async || refusal(StatusCode::NOT_FOUND, "NotFoundError", "Not Found"))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(server)
}

async fn chat(State(server): State<Arc<Server>>, headers: HeaderMap, body: Bytes) -> Response {
    complete(&server, Route::Chat, &headers, &body).await
}

async fn completions(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    complete(&server, Route::Completions, &headers, &body).await
}

async fn complete(server: &Server, route: Route, headers: &HeaderMap, body: &[u8]) -> Response {
    if let Some(refused) = unauthorised(server, headers) {
        return refused;
    }
    let asked = match Asked::read(route, body, &server.config) {
        Ok(asked) => asked,
        Err(wrong) => return wrong.into_response(),
    };
    match server.engine.accept(route, asked) {
        Ok(Accepted::Stream(body)) => body.into_response(),
        Ok(Accepted::Whole(whole)) => match whole.await {
            Ok(response) => response,
            // The engine was stopped.
            Err(_) => refusal(
                StatusCode::SERVICE_UNAVAILABLE,
                "ServiceUnavailableError",
                "the simulator is stopping",
            ),
        },
        Err(refused) => refused.into_response(),
    }
}

fn unauthorised(server: &Server, headers: &HeaderMap) -> Option<Response> {
    let key = server.api_key.as_deref()?;
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let good = given.and_then(|value| value.strip_prefix("Bearer ")) == Some(key);
    (!good).then(|| {
        (StatusCode::UNAUTHORIZED, axum::Json(serde_json::json!({"error": "Unauthorized"})))
            .into_response()
    })
}

async fn models(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    if let Some(refused) = unauthorised(&server, &headers) {
        return refused;
    }
    axum::Json(serde_json::json!({
        "object": "list",
        "data": [{
            "id": server.config.model,
            "object": "model",
            "created": 0,
            "owned_by": "tokencap-sim",
            "max_model_len": server.config.max_context(),
        }],
    }))
    .into_response()
}

async fn metrics(State(server): State<Arc<Server>>) -> Response {
    let text = server.engine.metrics(&server.config);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
