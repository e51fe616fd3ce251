//! The one client of tests that look at a server's answer byte for byte: a request in, the whole
//! answer out.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long an answer may take: generous, because the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came back until the connection ended.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status, such as 200.
    pub status: u16,
    /// The status line and the fields, as they came.
    pub head: String,
    /// What came after them, with the framing of chunks where it has one.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

/// Sends a request, such as `GET /health`, with these fields (each with its line end) and this
/// body, and reads to the connection's end. A connection that is cut ends the answer.
#[must_use]
pub fn ask(at: SocketAddr, request: &str, fields: &str, body: &str) -> Answer {
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = match body.len() {
        0 => String::new(),
        bytes => format!("Content-Type: application/json\r\nContent-Length: {bytes}\r\n"),
    };
    write!(stream, "{request} HTTP/1.1\r\nConnection: close\r\n{fields}{length}\r\n{body}")
        .unwrap();
    let mut answer = Vec::new();
    // A cut connection is what some tests want.
    let _ = stream.read_to_end(&mut answer);
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body: answer[end + 4..].to_vec() }
}
