//! Servers for the tests, inside the test's own process.

use std::net::Ipv4Addr;
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

/// Serves these bundles as `tokencap serve` does; gives the page's address. The server ends with
/// the test's runtime.
pub(crate) async fn serve(bundles: Vec<PathBuf>) -> String {
    serve_trusting(bundles, Trust::default()).await
}

/// The same, with the keys by which the page verifies.
pub(crate) async fn serve_trusting(bundles: Vec<PathBuf>, trust: Trust) -> String {
    let server = Server::bind(Config {
        listen: (Ipv4Addr::LOCALHOST, 0).into(),
        access: Access::Local,
        library: Library::open(bundles).unwrap(),
        prices: vec![],
        trust,
    })
    .await
    .unwrap();
    let url = format!("http://{}/", server.address());
    tokio::spawn(server.run(std::future::pending()));
    url
}

/// A static host that knows nothing of the app and has its files in a folder `some/where`, each
/// changed by `change`, which gives `None` for a file that the host lacks.
pub(crate) async fn static_host(
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
