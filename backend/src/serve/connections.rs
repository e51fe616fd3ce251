//! Connections: how many are open at once, and how long one may take to ask.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::net::limits::open_files;

/// How long a connection may take to send a request's head, and stay idle between two of them: a
/// thousand half requests, each held for ever, would otherwise leave no descriptor for anybody.
const HEAD: Duration = Duration::from_secs(10);
/// How long open answers may take to finish once the server is told to stop.
const DRAIN: Duration = Duration::from_secs(5);
/// Descriptors for everything but connections: bundles that are sent, listings, standard streams.
const OTHER_FILES: u64 = 64;
/// Connections at once, where the system allows more descriptors than that.
const MOST: u64 = 4_096;

/// Serves until `stop` is ready, then lets open answers finish for a few seconds.
pub(super) async fn serve(listener: TcpListener, app: Router, stop: impl Future<Output = ()>) {
    let most = open_files().saturating_sub(OTHER_FILES).clamp(1, MOST);
    let slots = Arc::new(Semaphore::new(usize::try_from(most).unwrap_or(1)));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let open = GracefulShutdown::new();
    tokio::pin!(stop);
    loop {
        // The slot comes first: until there is one, a connection waits in the system's queue.
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, accept(&listener).await)
        };
        let (slot, (stream, _)) = tokio::select! {
            () = &mut stop => break,
            next = next => next,
        };
        let serving =
            http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app.clone()));
        let serving = open.watch(serving);
        tokio::spawn(async move {
            // A client that goes away, or dawdles, is no failure of the server.
            let _ = serving.await;
            drop(slot);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(DRAIN, open.shutdown()).await;
}

/// The next connection. Where the system has no descriptor left, one that ends will give it back.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_the_clients(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Whether the connection was given up before it was accepted.
fn is_the_clients(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}
