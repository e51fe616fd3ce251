//! What the tool is compared with: a bare reader of server-sent events on hyper and tokio, and
//! a bare TCP reader. Neither looks at what it reads.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;

use tokencap::clock::Clock;
use tokencap::schedule::arrivals::{Profile, Schedule};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::{Moment, Nanos, Rate};

use super::report::{Seen, Stream};

fn body(tokens: u32) -> String {
    format!("{{\"messages\":[],\"max_tokens\":{tokens},\"stream\":true}}")
}

/// Opens `streams` connections, sends on all of them at once, notes when each event came.
pub(crate) fn hyper(server: SocketAddr, streams: usize, tokens: u32) -> Seen {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut senders = Vec::new();
        for _ in 0..streams {
            let stream = tokio::net::TcpStream::connect(server).await.expect("the server");
            stream.set_nodelay(true).expect("a socket");
            let (sender, connection) =
                http1::handshake(TokioIo::new(stream)).await.expect("a connection");
            tokio::spawn(connection);
            senders.push(sender);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        let mut seen = Seen::begin();
        let tasks: Vec<_> = senders
            .into_iter()
            .map(|mut sender| {
                tokio::spawn(async move {
                    let request = Request::post("/v1/chat/completions")
                        .header("host", "bench")
                        .header("content-type", "application/json")
                        .body(Full::new(Bytes::from(body(tokens))))
                        .expect("a request");
                    let sent = Instant::now();
                    let mut body =
                        sender.send_request(request).await.expect("a response").into_body();
                    let (mut stream, mut tail) = (Stream::default(), Vec::new());
                    while let Some(Ok(frame)) = body.frame().await {
                        let at = sent.elapsed();
                        let Ok(data) = frame.into_data() else { continue };
                        tail.extend_from_slice(&data);
                        let mut used = 0;
                        for end in memchr::memmem::find_iter(&tail, b"\n\n") {
                            stream.event(at, &tail[used..end]);
                            used = end + 2;
                        }
                        tail.drain(..used);
                    }
                    stream
                })
            })
            .collect();
        for task in tasks {
            seen.streams.push(task.await.expect("a task"));
        }
        seen
    })
}

/// Counts blank lines on `streams` connections, as fast as they come.
pub(crate) fn tcp(server: SocketAddr, streams: usize, tokens: u32) -> Seen {
    let mut open: Vec<TcpStream> = (0..streams)
        .map(|_| {
            let mut stream = TcpStream::connect(server).expect("the server");
            let body = body(tokens);
            let head = format!(
                "POST / HTTP/1.1\r\nHost: bench\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(head.as_bytes()).expect("the server");
            stream.set_nonblocking(true).expect("a socket");
            stream
        })
        .collect();
    let mut poll = mio::Poll::new().expect("a poll");
    let mut streams: Vec<mio::net::TcpStream> =
        open.drain(..).map(mio::net::TcpStream::from_std).collect();
    for (index, stream) in streams.iter_mut().enumerate() {
        let registry = poll.registry();
        registry.register(stream, mio::Token(index), mio::Interest::READABLE).expect("a socket");
    }
    let mut seen = Seen::begin();
    let mut buffer = vec![0; 64 << 10];
    let mut events = mio::Events::with_capacity(256);
    let mut unfinished = streams.len();
    let mut last = vec![0_u8; streams.len()];
    let mut counts = vec![0_u64; streams.len()];
    while unfinished > 0 {
        poll.poll(&mut events, None).expect("a poll");
        for event in &events {
            let index = event.token().0;
            while let Ok(count) = streams[index].read(&mut buffer) {
                if count == 0 {
                    break;
                }
                let bytes = &buffer[..count];
                counts[index] += memchr::memmem::find_iter(bytes, b"\n\n").count() as u64
                    + u64::from(last[index] == b'\n' && bytes[0] == b'\n');
                last[index] = bytes[count - 1];
                if bytes.ends_with(b"\r\n0\r\n\r\n") || bytes == b"0\r\n\r\n" {
                    unfinished -= 1;
                }
            }
        }
    }
    seen.flooded = counts.iter().sum();
    seen
}

/// Does nothing but wake at the instants of a Poisson process.
pub(crate) fn sleeper(workload: &Workload, rate: Rate, time: Duration) -> Seen {
    let mut seen = Seen::begin();
    let clock = Clock::start();
    let end = Nanos::from(time);
    for after in Schedule::new(workload.arrivals, Profile::of(workload, rate), 1) {
        if after > end {
            break;
        }
        let due = Moment(0) + after;
        clock.sleep_until(due);
        seen.lags.push(clock.now().since(due));
    }
    seen
}
