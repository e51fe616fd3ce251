//! The viewer's server over a real socket.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use tokencap::serve::{Access, Config, Library, ServeError, Server};
use tokencap_shared::signoff::Trust;
use tokencap_testkit::client;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

const CONTENTS: &[u8] = b"PK\x03\x04 not much of a bundle, but enough for a server";

fn local(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

fn config(folder: &Path, access: Access) -> Config {
    std::fs::write(folder.join("run one.tokencap"), CONTENTS).unwrap();
    let library = Library::open(vec![folder.to_owned()]).unwrap();
    let prices = vec![serde_json::json!({"name": "p"})];
    Config { listen: local(0), access, library, prices, trust: Trust::default() }
}

struct Running {
    at: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<()>,
}

async fn start(config: Config) -> Running {
    let server = Server::bind(config).await.unwrap();
    let at = server.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    Running { at, stop, ended }
}

/// The head in lower case, and the body. The client waits on a thread of its own, beside the server.
async fn ask(at: SocketAddr, request: &str, fields: &str) -> (String, Vec<u8>) {
    let (request, fields) = (request.to_owned(), fields.to_owned());
    let asked = tokio::task::spawn_blocking(move || client::ask(at, &request, &fields, ""));
    let answer = asked.await.unwrap();
    (answer.head.to_lowercase(), answer.body)
}

async fn get(at: SocketAddr, path: &str) -> (String, Vec<u8>) {
    ask(at, &format!("GET {path}"), "Host: localhost\r\n").await
}

#[tokio::test]
async fn bundles_are_listed_and_sent_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path(), Access::Local)).await;
    let (head, body) = get(running.at, "/api/bundles").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let list: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(list[0]["name"], "run one.tokencap");
    assert_eq!(list[0]["size"], CONTENTS.len());
    assert!(list[0].get("path").is_none(), "paths of this machine stay here");

    let id = list[0]["id"].as_str().unwrap();
    let (head, body) = get(running.at, &format!("/api/bundles/{id}")).await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(body, CONTENTS);
    assert!(head.contains("content-disposition: attachment; filename=\"run_one.tokencap\""));
    assert!(head.contains(&format!("content-length: {}", CONTENTS.len())));

    let (head, body) = get(running.at, "/api/prices").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(body, br#"[{"name":"p"}]"#);
}

#[tokio::test]
async fn a_bundle_that_changed_is_not_sent_under_its_old_identity() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path(), Access::Local)).await;
    let (_, body) = get(running.at, "/api/bundles").await;
    let list: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let id = list[0]["id"].as_str().unwrap().to_owned();
    let changed = [CONTENTS, b"!"].concat();
    std::fs::write(folder.path().join("run one.tokencap"), changed).unwrap();
    let (head, body) = get(running.at, &format!("/api/bundles/{id}")).await;
    assert!(head.starts_with("http/1.1 404"), "{head}");
    let problem: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert!(problem["error"].as_str().unwrap().contains("reload the list"));
}

#[tokio::test]
async fn every_answer_carries_the_protecting_headers() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path(), Access::Local)).await;
    for path in ["/", "/quote", "/api/bundles", "/api/nothing", "/missing.js", "/version"] {
        let (head, _) = get(running.at, path).await;
        for part in [
            "script-src 'self' 'wasm-unsafe-eval';",
            "frame-ancestors 'none'",
            "default-src 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(head.contains(part), "{path} lacks {part}:\n{head}");
        }
        assert!(!head.contains("unsafe-inline"), "{head}");
    }
}

#[tokio::test]
async fn the_root_is_the_app_and_an_unknown_address_is_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path(), Access::Local)).await;
    for (path, status, kind) in [
        ("/", "200", "text/html"),
        ("/index.html", "200", "text/html"),
        ("/runs/a", "404", "application/json"),
        ("/app.js", "404", "application/json"),
        ("/../../etc/passwd.txt", "404", "application/json"),
        ("/api/unknown", "404", "application/json"),
        ("/api/bundles/..%2f..%2fetc%2fpasswd", "404", "application/json"),
        ("/api/bundles/0000", "404", "application/json"),
    ] {
        let (head, _) = get(running.at, path).await;
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{path}: {head}");
        assert!(head.contains(&format!("content-type: {kind}")), "{path}: {head}");
    }
    let (head, _) = ask(running.at, "POST /api/bundles", "Host: localhost\r\n").await;
    assert!(head.starts_with("http/1.1 405"), "{head}");
}

#[tokio::test]
async fn a_page_of_another_site_cannot_read_through_a_rebound_name() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path(), Access::Local)).await;
    let (head, body) = ask(running.at, "GET /api/bundles", "Host: evil.example\r\n").await;
    assert!(head.starts_with("http/1.1 421"), "{head}");
    assert!(String::from_utf8(body).unwrap().contains("localhost only"));
}

#[tokio::test]
async fn with_a_token_nothing_is_read_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let token = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(token.path(), "0123456789abcdef0123").unwrap();
    let access = Access::token_file(token.path()).unwrap();
    let running = start(config(folder.path(), access)).await;
    for path in ["/", "/api/bundles", "/version"] {
        let (head, body) = ask(running.at, &format!("GET {path}"), "Host: a\r\n").await;
        assert!(head.starts_with("http/1.1 401"), "{path}: {head}");
        assert!(head.contains("www-authenticate: basic"), "{head}");
        assert!(!String::from_utf8(body).unwrap().contains("run one"));
    }
    let bearer = "Host: a\r\nAuthorization: Bearer 0123456789abcdef0123\r\n";
    let (head, _) = ask(running.at, "GET /api/bundles", bearer).await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
}

#[tokio::test]
async fn a_port_in_use_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path(), Access::Local)).await;
    let mut second = config(folder.path(), Access::Local);
    second.listen = running.at;
    let error = Server::bind(second).await.unwrap_err();
    assert!(matches!(error, ServeError::PortInUse { .. }));
    assert!(error.to_string().contains("--port"), "{error}");
}

#[tokio::test]
async fn other_machines_are_refused_unless_somebody_decided() {
    let folder = tempfile::tempdir().unwrap();
    let mut open = config(folder.path(), Access::Local);
    open.listen = (Ipv4Addr::UNSPECIFIED, 0).into();
    let error = Server::bind(open).await.unwrap_err();
    assert!(error.to_string().contains("--allow-remote"), "{error}");
}

#[tokio::test]
async fn stopping_ends_the_server_although_a_client_hangs_on() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path(), Access::Local)).await;
    let mut idle = TcpStream::connect(running.at).await.unwrap();
    idle.write_all(b"GET /version HTTP/1.1\r\nHost: loc").await.unwrap();
    running.stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(30), running.ended).await;
    ended.expect("the server ends").unwrap();
}

#[tokio::test]
async fn a_half_request_is_given_up_and_so_is_an_idle_connection() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path(), Access::Local)).await;
    let mut half = TcpStream::connect(running.at).await.unwrap();
    half.write_all(b"GET /version HTTP/1.1\r\nHost: loc").await.unwrap();
    let mut idle = TcpStream::connect(running.at).await.unwrap();
    idle.write_all(b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answers = Vec::new();
    for stream in [&mut half, &mut idle] {
        let mut answer = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(60), stream.read_to_end(&mut answer));
        read.await.expect("the server gives the connection up").unwrap();
        answers.push(String::from_utf8(answer).unwrap());
    }
    assert!(!answers[0].contains("200 OK"), "{}", answers[0]);
    assert!(answers[1].starts_with("HTTP/1.1 200 OK"), "{}", answers[1]);
}
