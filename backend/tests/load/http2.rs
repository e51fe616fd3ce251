//! HTTP/2 against a server of its own: streams share connections, and none waits for another.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use h2::server::SendResponse;
use hyper::http::{Request, Response};
use tokencap::drive::plan::StepPlan;
use tokencap::drive::step::Generator;
use tokencap::schedule::form::Route;
use tokencap_shared::definitions::record::{ClientFaultKind, FailureKind, Outcome};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::step::{SHORT, plan, tokenizer};
use crate::support::deaf_port;
use tokencap_testkit::step::{completed, generator, measure, members, workload};

/// How the server answers.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Way {
    /// A whole stream, of so many tokens, 10 ms apart.
    Stream(u32),
    /// The same, without usage.
    Uncounted(u32),
    /// A reset after the first token.
    Reset,
    /// 404 with a message.
    Unknown,
    /// Nothing.
    Silence,
}

struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    /// Most streams that were open on one connection.
    most: Arc<AtomicUsize>,
}

fn start(way: Way, max_streams: u32) -> Server {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let (connections, most) = (Arc::default(), Arc::default());
    let server = Server { address, connections: Arc::clone(&connections), most: Arc::clone(&most) };
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.fetch_add(1, Ordering::SeqCst);
                let most = Arc::clone(&most);
                tokio::spawn(connection(stream, way, max_streams, most));
            }
        });
    });
    server
}

/// Serves one connection; `most` becomes the most streams that were open on it.
pub(crate) async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    way: Way,
    max_streams: u32,
    most: Arc<AtomicUsize>,
) {
    let mut builder = h2::server::Builder::new();
    builder.max_concurrent_streams(max_streams);
    let Ok(mut connection) = builder.handshake::<_, Bytes>(stream).await else { return };
    let open = Arc::new(AtomicUsize::new(0));
    while let Some(Ok((request, respond))) = connection.accept().await {
        let (open, most) = (Arc::clone(&open), Arc::clone(&most));
        most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::spawn(async move {
            answer(way, request, respond).await;
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn answer(way: Way, mut request: Request<h2::RecvStream>, mut respond: SendResponse<Bytes>) {
    assert_eq!(request.uri().path(), "/v1/chat/completions");
    let mut body = Vec::new();
    while let Some(Ok(data)) = request.body_mut().data().await {
        body.extend_from_slice(&data);
        let _ = request.body_mut().flow_control().release_capacity(data.len());
    }
    let asked: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let prompt = asked["messages"][0]["content"].as_str().unwrap();
    let words = prompt.split_whitespace().count();
    if way == Way::Silence {
        tokio::time::sleep(Duration::from_secs(60)).await;
        return;
    }
    let status = if way == Way::Unknown { 404 } else { 200 };
    let response = Response::builder().status(status);
    let mut send = respond.send_response(response.body(()).unwrap(), false).unwrap();
    let say = |send: &mut h2::SendStream<Bytes>, text: String, end: bool| {
        let _ = send.send_data(Bytes::from(text), end);
    };
    if way == Way::Unknown {
        say(&mut send, r#"{"error":{"message":"no such model"}}"#.into(), true);
        return;
    }
    let token = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"}}]}\n\n";
    let tokens = if let Way::Stream(tokens) | Way::Uncounted(tokens) = way { tokens } else { 1 };
    for _ in 0..tokens {
        // An event cut in two frames.
        let (a, b) = token.split_at(17);
        say(&mut send, a.into(), false);
        tokio::time::sleep(Duration::from_millis(10)).await;
        say(&mut send, b.into(), false);
    }
    if way == Way::Reset {
        tokio::time::sleep(Duration::from_millis(5)).await;
        send.send_reset(h2::Reason::INTERNAL_ERROR);
        return;
    }
    let mut end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
        .to_owned();
    if let Way::Stream(_) = way {
        end += &format!(
            "data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":{words},\"completion_tokens\":{tokens}}}}}\n\n"
        );
    }
    say(&mut send, end + "data: [DONE]\n\n", true);
}

fn of(server: &Server) -> Generator {
    let url = format!("http://{}", server.address);
    let mut generator = generator(&url, Route::Chat, workload(SHORT));
    generator.target.http2 = true;
    generator.target.timeouts.first_token = Duration::from_millis(300);
    generator
}

fn run(server: &Server, plan: &StepPlan) -> tokencap::step::StepRecord {
    measure(&of(server), plan)
}

#[test]
fn requests_share_connections_and_are_recorded_as_over_http1() {
    let server = start(Way::Stream(3), 100);
    let record = run(&server, &StepPlan { threads: 2, connections: 2, ..plan(60.0) });
    let members = completed(&record);
    assert!(members.len() > 50, "{:?}", record.errors);
    for request in members {
        assert_eq!((request.isl, request.osl, request.events), (Some(40), Some(3), 3));
        assert_eq!(request.status, Some(200));
        assert!(request.sent < request.first_token.unwrap());
    }
    assert_eq!(server.connections.load(Ordering::SeqCst), 2);
    assert_eq!(record.step.generator.dropped, 0);
}

#[test]
fn where_the_server_counts_no_tokens_the_tokenizer_does() {
    let mut generator = of(&start(Way::Uncounted(3), 100));
    generator.target.tokenizer = Some(tokenizer().into());
    let record = measure(&generator, &StepPlan { threads: 1, ..plan(30.0) });
    let members = completed(&record);
    assert!(!members.is_empty(), "{:?}", record.errors);
    for request in members {
        assert_eq!((request.isl, request.osl, request.events), (Some(40), Some(3), 3));
    }
}

#[test]
fn a_request_beyond_the_servers_limit_of_streams_opens_a_connection_and_does_not_wait() {
    let server = start(Way::Stream(30), 2);
    let record = run(&server, &StepPlan { threads: 1, connections: 1, ..plan(30.0) });
    let completed = record.requests.iter().filter(|r| r.outcome == Outcome::Completed);
    assert!(completed.count() > 20, "{:?}", record.errors);
    assert!(server.most.load(Ordering::SeqCst) <= 2);
    // About 30/s × 0.3 s are in flight at a time.
    assert!(server.connections.load(Ordering::SeqCst) > 3);
}

#[test]
fn failures_are_told_apart() {
    let outcome = |way| {
        let record = run(&start(way, 100), &StepPlan { threads: 1, ..plan(20.0) });
        let member = record.requests.iter().find(|r| r.sent >= record.step.w0).unwrap();
        (member.outcome, record.errors[member.error.unwrap() as usize].clone())
    };
    let (kind, text) = outcome(Way::Reset);
    assert_eq!(kind, Outcome::Failed(FailureKind::Disconnected), "{text}");
    let (kind, text) = outcome(Way::Unknown);
    assert_eq!(kind, Outcome::ClientFault(ClientFaultKind::NotFound));
    assert_eq!(text, "no such model");
    let (kind, text) = outcome(Way::Silence);
    assert_eq!(kind, Outcome::Failed(FailureKind::Timeout));
    assert!(text.contains("first token"), "{text}");
}

#[test]
fn nobody_there_is_unreachable() {
    let (_held, address) = deaf_port();
    let server = Server { address, connections: Arc::default(), most: Arc::default() };
    let record = run(&server, &StepPlan { threads: 1, ..plan(20.0) });
    assert!(!members(&record).is_empty());
    for request in members(&record) {
        assert_eq!(request.outcome, Outcome::Failed(FailureKind::Unreachable));
    }
}
