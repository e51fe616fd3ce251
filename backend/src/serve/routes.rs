//! The routes: the app's files, the list of bundles, a bundle, what is being measured, price sheets,
//! trusted keys, the version.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router, middleware};
use futures_util::Stream;
use futures_util::stream;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::io::ReaderStream;

use super::Config;
use super::guard::guard;
use super::library::{Library, Listed};
use crate::web;

/// For files whose name changes with their contents.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// How often live files are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// What the routes read.
struct Shelf {
    library: Library,
    prices: Vec<serde_json::Value>,
    /// As TOML: what a reader would choose from a file of their own.
    trust: String,
    /// True once the server is told to stop.
    stopping: watch::Receiver<bool>,
}

type Shared = State<Arc<Shelf>>;

/// Everything that is served.
pub(super) fn router(config: Config, stopping: watch::Receiver<bool>) -> Router {
    let Config { access, library, prices, trust, .. } = config;
    // Keys, roles and dates are what TOML can hold.
    let trust = toml::to_string(&trust).unwrap_or_default();
    let shelf = Arc::new(Shelf { library, prices, trust, stopping });
    let api = Router::new()
        .route("/bundles", get(bundles))
        .route("/bundles/{id}", get(bundle))
        .route("/live", get(live))
        .route("/prices", get(prices_of))
        .route("/trust", get(trust_of))
        .fallback(|| async { Problem::no_such_route() });
    Router::new()
        .nest("/api", api)
        .route("/version", get(version))
        .fallback(get(file))
        .with_state(shelf)
        .layer(middleware::from_fn_with_state(Arc::new(access), guard))
}

/// An error as JSON with one sentence that says what to do.
struct Problem {
    status: StatusCode,
    error: &'static str,
}

impl Problem {
    const fn no_such_route() -> Self {
        Self { status: StatusCode::NOT_FOUND, error: "There is no such address on this server." }
    }

    const fn no_such_bundle() -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            error: "This server has no such bundle, or its file changed since it was listed: \
                    reload the list.",
        }
    }

    const fn busy() -> Self {
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            error: "The bundles could not be read: see whether the server's disk answers, then \
                    try again.",
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.error }))).into_response()
    }
}

async fn version() -> Response {
    Json(json!({
        "tool": tokencap_shared::TOOL,
        "definitions": tokencap_shared::DEFINITIONS_VERSION,
        "build": web::BUILD_ID,
    }))
    .into_response()
}

async fn prices_of(State(shelf): Shared) -> Response {
    Json(&shelf.prices).into_response()
}

async fn trust_of(State(shelf): Shared) -> Response {
    shelf.trust.clone().into_response()
}

/// What is being measured, as often as it changes, until reader or server go.
async fn live(State(shelf): Shared) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let stopping = shelf.stopping.clone();
    let changes = stream::unfold((shelf, stopping, None), async |(shelf, mut stopping, last)| {
        loop {
            let library = Arc::clone(&shelf);
            let looking = tokio::task::spawn_blocking(move || library.library.live());
            let now = serde_json::to_string(&looking.await.ok()?).ok()?;
            if last.as_ref() != Some(&now) {
                let event = Event::default().data(&now);
                return Some((Ok(event), (shelf, stopping, Some(now))));
            }
            tokio::select! {
                _ = stopping.wait_for(|stopping| *stopping) => return None,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    });
    Sse::new(changes).keep_alive(KeepAlive::default())
}

async fn bundles(State(shelf): Shared) -> Result<Json<Vec<Listed>>, Problem> {
    let listing = tokio::task::spawn_blocking(move || shelf.library.list());
    listing.await.map(Json).map_err(|_| Problem::busy())
}

async fn bundle(State(shelf): Shared, Path(id): Path<String>) -> Result<Response, Problem> {
    let is_digest = id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        return Err(Problem::no_such_bundle());
    }
    let finding = tokio::task::spawn_blocking(move || shelf.library.find(&id));
    let found = finding.await.map_err(|_| Problem::busy())?.ok_or(Problem::no_such_bundle())?;
    let file = tokio::fs::File::open(&found.path).await.map_err(|_| Problem::no_such_bundle())?;
    let mut response =
        Body::from_stream(ReaderStream::with_capacity(file, 1 << 16)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    headers.insert(header::CONTENT_LENGTH, found.size.into());
    headers.insert(header::CONTENT_DISPOSITION, attachment(&found.name));
    // The address is the digest of the contents.
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=31536000, immutable"),
    );
    Ok(response)
}

/// A download's name: plain ASCII for old clients, and the true name by RFC 5987.
fn attachment(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\') { c } else { '_' })
        .collect();
    let encoded: String = name
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect();
    let value = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}");
    HeaderValue::from_str(&value).unwrap_or(HeaderValue::from_static("attachment"))
}

/// A file of the app. Which page is seen stands behind the `#`, and the page's own addresses are
/// relative: under any other path it could not load its files.
async fn file(uri: Uri, headers: HeaderMap) -> Result<Response, Problem> {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { web::INDEX } else { path };
    let found = web::file(path).ok_or(Problem::no_such_route())?;
    let zipped = found.gzip.filter(|_| takes_gzip(&headers));
    let mut response = Body::from(zipped.unwrap_or(found.bytes)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(found.content_type));
    if found.gzip.is_some() {
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    if zipped.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let cache = if found.fingerprinted { FOR_EVER } else { "no-store" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    Ok(response)
}

/// Whether a client takes gzip: named, or by `*`, and not with a weight of 0.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let texts = values.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','));
    let weights = texts.filter_map(|coding| {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let name = name.trim();
        let named = name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip");
        let weight = parameters.trim().strip_prefix("q=").map_or(Some(1.0), |q| q.parse().ok());
        (named || name == "*").then_some((named, weight.unwrap_or(0.0)))
    });
    // What is named goes before what `*` says.
    let best = weights.max_by_key(|(named, _)| *named);
    best.is_some_and(|(_, weight): (bool, f64)| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_only_to_those_who_take_it() {
        for (value, taken) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0", false),
            ("gzip; q=0, *", false),
            ("identity", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(
                header::ACCEPT_ENCODING,
                HeaderValue::from_str(value).unwrap(),
            )]);
            assert_eq!(takes_gzip(&headers), taken, "{value}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn a_download_keeps_its_name_and_cannot_break_out_of_the_header() {
        assert_eq!(
            attachment("测\"量\r\n.tokencap"),
            "attachment; filename=\"_____.tokencap\"; \
             filename*=UTF-8''%E6%B5%8B%22%E9%87%8F%0D%0A.tokencap"
        );
    }
}
