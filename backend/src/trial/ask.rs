//! One request at a time, waiting for its answer: for what is asked before a run, and for
//! scraping. Nothing that is measured goes this way.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tokencap_shared::units::Moment;

use crate::clock::Clock;
use crate::net::io::{Tls, explain};
use crate::net::target::{Server, Target};
use crate::schedule::workload::Task;
use tokencap_wire::answer::{Answer, End, Verdict};
use tokencap_wire::http1::{Head, Response, Sink};

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No connection.
    #[error("{0}")]
    Unreachable(String),
    /// The time was up.
    #[error("no whole response within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// It broke off.
    #[error("{0}")]
    Cut(String),
    /// What came is not HTTP.
    #[error("{0}")]
    Malformed(String),
    /// It is larger than any page should be.
    #[error("the page is larger than {} MiB", MAX_PAGE >> 20)]
    TooLarge,
}

/// Largest page that is read.
const MAX_PAGE: usize = 64 << 20;

/// A page as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// HTTP status.
    pub status: u16,
    /// The server's date, in seconds since 1970, where it tells.
    pub date: Option<i64>,
    /// The body.
    pub body: Vec<u8>,
}

impl Sink for Page {
    fn on_head(&mut self, head: Head) {
        (self.status, self.date) = (head.status, head.date);
    }

    fn on_body(&mut self, _: Moment, bytes: &[u8]) {
        // One byte more than allowed tells that there was more.
        let room = (MAX_PAGE + 1).saturating_sub(self.body.len());
        self.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// Fetches a page, such as `/metrics`.
///
/// # Errors
/// If there is no whole response in time. A status other than 200 is a response.
pub fn get(
    server: &Server,
    tls: Option<&Tls>,
    path: &str,
    fields: &str,
    limit: Duration,
) -> Result<Page, AskError> {
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: tokencap/{}\r\nAccept: */*\r\n{fields}\
         Connection: close\r\n\r\n",
        server.authority,
        env!("CARGO_PKG_VERSION"),
    );
    let mut page = Page::default();
    exchange(server, tls, &[request.as_bytes()], limit, &mut page)?;
    if page.body.len() > MAX_PAGE {
        return Err(AskError::TooLarge);
    }
    Ok(page)
}

/// Sends one request of a workload and waits for its verdict. What breaks is in the verdict.
#[must_use]
pub fn complete(target: &Target, tls: Option<&Tls>, task: &Task, limit: Duration) -> Verdict {
    let (head, tail) = task.frame();
    let pieces = [&head[..], task.shared(), task.own(), &tail];
    let mut answer = Answer::new(false);
    let end = match exchange(&target.server, tls, &pieces, limit, &mut answer) {
        Ok(()) => End::Whole,
        Err(AskError::Unreachable(why)) => End::Unreachable(why),
        Err(AskError::Timeout(_)) => End::Timeout("no whole answer within the time limit"),
        Err(AskError::Malformed(why)) => End::Malformed(why),
        Err(error) => End::Cut(error.to_string()),
    };
    let mut verdict = answer.verdict(&end);
    verdict.error = verdict.error.map(|error| target.redact(error));
    verdict
}

fn exchange(
    server: &Server,
    tls: Option<&Tls>,
    request: &[&[u8]],
    limit: Duration,
    sink: &mut impl Sink,
) -> Result<(), AskError> {
    let deadline = Instant::now() + limit;
    let mut last = AskError::Unreachable("the host has no address".into());
    for address in &server.addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(AskError::Timeout(limit));
        }
        match TcpStream::connect_timeout(address, left) {
            Ok(stream) => {
                let mut stream = Deadline { stream, deadline };
                let _ = stream.stream.set_nodelay(true);
                let done = match tls {
                    None => converse(&mut stream, request, sink),
                    Some(tls) => {
                        let mut session = tls
                            .session()
                            .map_err(|error| AskError::Unreachable(error.to_string()))?;
                        while session.is_handshaking() {
                            session.complete_io(&mut stream).map_err(|error| {
                                match error.kind() {
                                    io::ErrorKind::TimedOut => AskError::Timeout(limit),
                                    _ => AskError::Unreachable(explain(&error)),
                                }
                            })?;
                        }
                        converse(&mut rustls::Stream::new(&mut session, &mut stream), request, sink)
                    }
                };
                return done.map_err(|error| match error {
                    Broken::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
                        AskError::Timeout(limit)
                    }
                    Broken::Io(error) => AskError::Cut(format!("the connection broke: {error}")),
                    Broken::Short => {
                        AskError::Cut("the connection closed before the response was whole".into())
                    }
                    Broken::Http(why) => AskError::Malformed(why),
                });
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                last = AskError::Unreachable("no connection within the time limit".into());
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                last = AskError::Unreachable("connection refused".into());
            }
            Err(error) => last = AskError::Unreachable(error.to_string()),
        }
    }
    Err(last)
}

enum Broken {
    Io(io::Error),
    Short,
    Http(String),
}

fn converse(
    stream: &mut (impl Read + Write),
    request: &[&[u8]],
    sink: &mut impl Sink,
) -> Result<(), Broken> {
    // A server may refuse a request before it has read all of it: then its answer counts.
    let sent = request.iter().try_for_each(|piece| stream.write_all(piece));
    let sent = sent.and_then(|()| stream.flush());
    let (mut response, clock) = (Response::default(), Clock::start());
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = match stream.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
            Err(error) => return Err(Broken::Io(sent.err().unwrap_or(error))),
        };
        if count == 0 {
            return if response.is_whole_at_eof() { Ok(()) } else { Err(Broken::Short) };
        }
        match response.feed(clock.now(), &buffer[..count], sink) {
            Ok(false) => {}
            Ok(true) => return Ok(()),
            Err(error) => return Err(Broken::Http(error.to_string())),
        }
    }
}

/// A socket on which every read and write ends by one common instant.
struct Deadline {
    stream: TcpStream,
    deadline: Instant,
}

impl Deadline {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

/// The name that the system gives to a passed time limit differs from one to the next.
fn timed_out(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

impl Read for Deadline {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer).map_err(timed_out)
    }
}

impl Write for Deadline {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes).map_err(timed_out)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
