//! Servers for the tests, inside the test's own process.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokencap::serve::{Access, Config, Library, Server};
use tokencap::web;
use tokencap_shared::signoff::Trust;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Serves these bundles as `tokencap serve` does; gives the page's address. The server ends with
/// the test's runtime.
pub async fn serve(bundles: Vec<PathBuf>) -> String {
    serve_trusting(bundles, Trust::default()).await
}

/// The same, with the keys by which the page verifies.
pub async fn serve_trusting(bundles: Vec<PathBuf>, trust: Trust) -> String {
    let server = bind(bundles, trust, 0).await;
    let url = format!("http://{}/", server.address());
    tokio::spawn(server.run(std::future::pending()));
    url
}

/// Serves these bundles on a port (0: any free one) until the sender says so or is dropped.
pub async fn serve_until_told(
    bundles: Vec<PathBuf>,
    port: u16,
) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
    let server = bind(bundles, Trust::default(), port).await;
    let address = server.address();
    let (stop, told) = oneshot::channel();
    let serving = tokio::spawn(async {
        let stopped = async { told.await.unwrap_or_default() };
        server.run(stopped).await;
    });
    (address, stop, serving)
}

async fn bind(bundles: Vec<PathBuf>, trust: Trust, port: u16) -> Server {
    let listen = (Ipv4Addr::LOCALHOST, port).into();
    let (access, library) = (Access::Local, Library::open(bundles).unwrap());
    Server::bind(Config { listen, access, library, prices: vec![], trust }).await.unwrap()
}

/// A static host that knows nothing of the app and has its files in a folder `some/where`, each
/// changed by `change`, which gives `None` for a file that the host lacks.
pub async fn static_host(
    change: impl Fn(&'static web::WebFile) -> Option<Vec<u8>> + Clone + Send + Sync + 'static,
) -> String {
    let file = async move |Path(path): Path<String>| -> Response {
        let path = if path.is_empty() { web::INDEX } else { &path };
        match web::file(path).and_then(|file| Some((file.content_type, change(file)?))) {
            Some((kind, bytes)) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        }
    };
    let index = file.clone();
    let app = Router::new()
        .route("/some/where/", get(async move || index(Path(String::new())).await))
        .route("/some/where/{*path}", get(file));
    format!("{}some/where/", host(app).await)
}

/// Serves until the test's runtime ends; gives the address, with a slash at its end.
async fn host(app: Router) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async { axum::serve(listener, app).await });
    url
}
