//! HTTP over TLS, of both versions, and what is said where TLS fails.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokencap::drive::plan::StepPlan;
use tokencap::drive::step::Generator;
use tokencap::net::io::Tls;
use tokencap::net::target::Target;
use tokencap::schedule::form::Route;
use tokencap::trial::preflight::preflight;
use tokencap_shared::definitions::record::{FailureKind, Outcome};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::http2::{Way, connection};
use crate::step::{SHORT, plan};
use crate::support::{Act, chat};
use tokencap_testkit::step::{generator, measure, workload};

/// An authority of a test's own.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: tempfile::NamedTempFile,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let mut pem = tempfile::NamedTempFile::new().unwrap();
        let text = STANDARD.encode(params.self_signed(&key).unwrap().der());
        write!(pem, "-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n").unwrap();
        Self { issuer: Issuer::new(params, key), pem }
    }
}

/// A server behind TLS.
struct Secure {
    address: SocketAddr,
    /// Connections by version of HTTP, 1 and 2.
    versions: Arc<[AtomicUsize; 2]>,
}

impl Secure {
    /// Serves under a certificate for a name, with the given protocols.
    fn start(authority: &Authority, name: &str, protocols: &'static [&'static str]) -> Self {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &authority.issuer).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.into()], key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let versions = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let server = Self { address, versions: Arc::clone(&versions) };
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(serve(
                listener,
                tokio_rustls::TlsAcceptor::from(Arc::new(config)),
                versions,
            ));
        });
        server
    }

    fn url(&self) -> String {
        format!("https://{}", self.address)
    }
}

async fn serve(
    listener: std::net::TcpListener,
    acceptor: tokio_rustls::TlsAcceptor,
    versions: Arc<[AtomicUsize; 2]>,
) {
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (acceptor, versions) = (acceptor.clone(), Arc::clone(&versions));
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                versions[1].fetch_add(1, Ordering::SeqCst);
                connection(stream, Way::Stream(3), 100, Arc::default()).await;
            } else {
                versions[0].fetch_add(1, Ordering::SeqCst);
                http1(stream).await;
            }
        });
    }
}

/// Answers each request with three tokens, in records that are not those of the events.
async fn http1(mut stream: tokio_rustls::server::TlsStream<tokio::net::TcpStream>) {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = text.split_once("\r\n\r\n").and_then(|(head, body)| {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
            (body.len() >= length.trim().parse().ok()?).then(|| body.to_owned())
        });
        if let Some(body) = body {
            bytes.clear();
            let asked: serde_json::Value = serde_json::from_str(&body).unwrap();
            let prompt = asked["messages"][0]["content"].as_str().unwrap();
            let acts = chat(prompt.split_whitespace().count(), 3, Duration::ZERO);
            let said: Vec<u8> = acts
                .into_iter()
                .flat_map(|act| if let Act::Say(piece) = act { piece } else { Vec::new() })
                .collect();
            for piece in said.chunks(61) {
                if stream.write_all(piece).await.is_err() {
                    return;
                }
            }
            continue;
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

fn generator_for(url: &str, authority: &Authority, http2: bool) -> Generator {
    let mut generator = generator(url, Route::Chat, workload(SHORT));
    generator.target.http2 = http2;
    generator.tls = Tls::for_server(&generator.target.server, Some(authority.pem.path())).unwrap();
    generator
}

/// The only outcome and error of a short step, and what a trial request says.
fn refused(url: &str, authority: &Authority, http2: bool) -> (String, String) {
    let generator = generator_for(url, authority, http2);
    let record = measure(&generator, &StepPlan { threads: 1, connections: 2, ..plan(20.0) });
    assert!(!record.requests.is_empty());
    for request in record.requests.iter().filter(|r| r.outcome != Outcome::Cancelled) {
        assert_eq!(request.outcome, Outcome::Failed(FailureKind::Unreachable));
    }
    let [error] = &record.errors[..] else { panic!("{:?}", record.errors) };
    let tried = preflight(&mut generator.target.clone(), generator.tls.as_ref());
    (error.clone(), tried.map_or_else(|error| error.to_string(), |_| String::new()))
}

#[test]
fn both_versions_of_http_work_under_an_authority_that_was_named() {
    let authority = Authority::new();
    let server = Secure::start(&authority, "127.0.0.1", &["h2", "http/1.1"]);
    for http2 in [false, true] {
        let before = server.versions[usize::from(http2)].load(Ordering::SeqCst);
        let generator = generator_for(&server.url(), &authority, http2);
        let plan = StepPlan { threads: 1, connections: 2, ..plan(40.0) };
        let record = measure(&generator, &plan);
        let completed: Vec<_> =
            record.requests.iter().filter(|r| r.outcome == Outcome::Completed).collect();
        assert!(completed.len() > 30, "{http2} {:?}", record.errors);
        for request in completed {
            assert_eq!((request.isl, request.osl, request.events), (Some(40), Some(3), 3));
        }
        assert!(server.versions[usize::from(http2)].load(Ordering::SeqCst) > before);
        // Trial requests speak HTTP/1.1 whatever the run speaks.
        let tried = preflight(&mut generator.target.clone(), generator.tls.as_ref());
        assert!(tried.is_ok(), "{tried:?}");
    }
}

#[test]
fn an_unknown_authority_is_told_with_the_option_that_names_one() {
    let server = Secure::start(&Authority::new(), "127.0.0.1", &["h2", "http/1.1"]);
    for http2 in [false, true] {
        let (error, tried) = refused(&server.url(), &Authority::new(), http2);
        for said in [error, tried] {
            assert!(said.contains("signed by nobody") && said.contains("--ca-file"), "{said}");
        }
    }
}

#[test]
fn a_certificate_for_another_name_is_told_so() {
    let authority = Authority::new();
    let server = Secure::start(&authority, "gpu.example", &["http/1.1"]);
    let (error, tried) = refused(&server.url(), &authority, false);
    for said in [error, tried] {
        assert!(said.contains("another name"), "{said}");
    }
}

#[test]
fn a_server_without_http2_or_without_tls_is_told_so() {
    let authority = Authority::new();
    let server = Secure::start(&authority, "127.0.0.1", &["http/1.1"]);
    let (error, _) = refused(&server.url(), &authority, true);
    assert!(error.contains("--http2"), "{error}");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            // Until the client has read it and gone.
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    let generator = generator_for(&url, &authority, false);
    let tried = preflight(&mut generator.target.clone(), generator.tls.as_ref());
    let said = tried.unwrap_err().to_string();
    assert!(said.contains("write http://"), "{said}");
}

#[test]
fn a_file_without_certificates_is_refused_by_name() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let missing = file.path().with_extension("missing");
    let target = Target::new("https://127.0.0.1:1", Route::Chat, "m").unwrap();
    for path in [&*missing, file.path()] {
        let error = Tls::for_server(&target.server, Some(path)).unwrap_err().to_string();
        assert!(error.contains(&*path.to_string_lossy()), "{error}");
        assert!(error.contains("--ca-file takes"), "{error}");
    }
    let plain = Target::new("http://127.0.0.1:1", Route::Chat, "m").unwrap();
    let error = Tls::for_server(&plain.server, Some(file.path())).unwrap_err().to_string();
    assert!(error.contains("--ca-file is for https://"), "{error}");
}
