//! A server that plays back bytes: it reads each request whole and answers it with pieces, each
//! after its delay.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

/// A port that is held, so that no other test gets it, and where nobody listens.
pub(crate) fn deaf_port() -> (Socket, SocketAddr) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    (socket, address)
}

/// A request as it came in.
pub(crate) struct Asked {
    /// The request line.
    pub(crate) line: String,
    /// Header fields in lower case.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: String,
}

/// What the server does next.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Waits.
    Wait(Duration),
    /// Writes.
    Say(Vec<u8>),
    /// Ends the connection.
    Close,
    /// Breaks the connection (RST).
    Reset,
}

/// A server on a port of its own; it lives as long as the test's process.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Server {
    /// Starts a server with an answer for each request.
    pub(crate) fn start(answer: impl Fn(&Asked) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let (answer, counter) = (Arc::new(answer), Arc::clone(&connections));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let answer = Arc::clone(&answer);
                counter.fetch_add(1, Ordering::Relaxed);
                std::thread::Builder::new()
                    .stack_size(128 << 10)
                    .spawn(move || serve(stream.unwrap(), &*answer))
                    .unwrap();
            }
        });
        Self { address, connections }
    }

    /// A server with so many threads, each of which serves one connection until it ends.
    pub(crate) fn with_workers(
        workers: usize,
        answer: impl Fn(&Asked) -> Vec<Act> + Send + Sync + 'static,
    ) -> Self {
        let listener = Arc::new(TcpListener::bind("127.0.0.1:0").unwrap());
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let answer = Arc::new(answer);
        for _ in 0..workers {
            let (listener, answer) = (Arc::clone(&listener), Arc::clone(&answer));
            let counter = Arc::clone(&connections);
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    counter.fetch_add(1, Ordering::Relaxed);
                    serve(stream.unwrap(), &*answer);
                }
            });
        }
        Self { address, connections }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn serve(mut stream: TcpStream, answer: &dyn Fn(&Asked) -> Vec<Act>) {
    stream.set_nodelay(true).unwrap();
    let mut bytes = Vec::new();
    loop {
        let Some(asked) = read_request(&mut stream, &mut bytes) else { return };
        for act in answer(&asked) {
            match act {
                Act::Wait(time) => std::thread::sleep(time),
                Act::Say(piece) => {
                    if stream.write_all(&piece).is_err() {
                        return;
                    }
                }
                Act::Close => return,
                Act::Reset => {
                    // Unread bytes at closing make the kernel send a reset.
                    socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
                    return;
                }
            }
        }
    }
}

fn read_request(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<Asked> {
    let mut buffer = [0; 16 << 10];
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let lower = head.to_ascii_lowercase();
            let length: usize = lower
                .lines()
                .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
                .unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                let body = String::from_utf8_lossy(&bytes[end + 4..end + 4 + length]).into_owned();
                bytes.drain(..end + 4 + length);
                let line = head.lines().next().unwrap_or_default().to_owned();
                return Some(Asked { line, head: lower, body });
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

/// The head of a response that streams in chunks.
pub(crate) const STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A piece of a body as a chunk.
pub(crate) fn chunk(body: &str) -> Vec<u8> {
    format!("{:x}\r\n{body}\r\n", body.len()).into_bytes()
}

/// A well-behaved chat stream: a role event, `tokens` events, finish, usage, `[DONE]`.
pub(crate) fn chat(prompt: usize, tokens: usize, gap: Duration) -> Vec<Act> {
    let event = |json: &str| Act::Say(chunk(&format!("data: {json}\n\n")));
    let mut acts = vec![
        Act::Say(STREAM.as_bytes().to_vec()),
        event(r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#),
    ];
    for index in 0..tokens {
        if index > 0 {
            acts.push(Act::Wait(gap));
        }
        acts.push(event(r#"{"choices":[{"index":0,"delta":{"content":" word"}}]}"#));
    }
    acts.push(event(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#));
    acts.push(event(&format!(
        r#"{{"choices":[],"usage":{{"prompt_tokens":{prompt},"completion_tokens":{tokens},"prompt_tokens_details":{{"cached_tokens":0}}}}}}"#
    )));
    acts.push(event("[DONE]"));
    acts.push(Act::Say(b"0\r\n\r\n".to_vec()));
    acts
}

/// The same answer without usage.
pub(crate) fn without_usage(mut acts: Vec<Act>) -> Vec<Act> {
    let says =
        |act: &Act| matches!(act, Act::Say(bytes) if bytes.windows(5).any(|w| w == b"usage"));
    acts.retain(|act| !says(act));
    acts
}

/// Words of a chat request's messages.
pub(crate) fn words(asked: &Asked) -> usize {
    let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
    let messages = body["messages"].as_array().unwrap();
    messages.iter().map(|m| m["content"].as_str().unwrap().split_whitespace().count()).sum()
}
