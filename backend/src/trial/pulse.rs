//! A server with exact timing, to measure the generator against: the first token 50 ms after a
//! request has come in (as the kernel tells, so that a crowd of requests delays none of them), then
//! one every 10 ms, on an absolute schedule. It spins while it has something to send, and keeps a
//! list of how late each event was.
//!
//! A request for [`FLOOD_TOKENS`] tokens gets [`FLOOD`] of them at once, as fast as they are
//! taken; one for [`SINGLY_TOKENS`] gets [`SINGLY`], each in a write of its own. `GET` gives the
//! list, a line a request: the lateness of its events in nanoseconds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use memchr::memmem;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};

use crate::net::limits::raise_open_files;
use crate::net::stamp::{self, Arrived};
use crate::stop::Stop;

/// When the first token comes after a request.
pub const FIRST: Duration = Duration::from_millis(50);
/// When the next ones follow.
pub const GAP: Duration = Duration::from_millis(10);
/// A request for so many tokens gets a flood.
pub const FLOOD_TOKENS: u32 = 1_000_000;
/// Events of a flood.
pub const FLOOD: usize = 400_000;
/// Events of a flood that are written at once.
const PIECE: usize = 200;
/// A request for so many tokens gets a flood of single events, as engines write them.
pub const SINGLY_TOKENS: u32 = FLOOD_TOKENS + 1;
/// Events of such a flood.
pub const SINGLY: usize = 100_000;

const EVENT: &str = "data: {\"id\":\"chatcmpl-0123456789abcdef\",\"object\":\
\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"pulse\",\"choices\":[{\"index\":0,\
\"delta\":{\"content\":\" word\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n";

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

const LISTENER: Token = Token(0);

fn chunk(body: &str) -> Vec<u8> {
    format!("{:x}\r\n{body}\r\n", body.len()).into_bytes()
}

/// The end of a stream. `prompt_tokens` carries the request's number, so that the reader's
/// record can be laid beside the server's list.
fn ending(number: u32, tokens: u32) -> Vec<u8> {
    let mut bytes =
        chunk("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n");
    bytes.extend(chunk(&format!(
        "data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":{number},\
         \"completion_tokens\":{tokens},\"prompt_tokens_details\":{{\"cached_tokens\":0}}}}}}\n\n"
    )));
    bytes.extend(chunk("data: [DONE]\n\n"));
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

/// The server, listening.
pub struct Pulse {
    poll: Poll,
    listener: TcpListener,
    conns: Vec<Option<Conn>>,
    due: BinaryHeap<Reverse<(Instant, usize)>>,
    /// Per request: how late its events were.
    late: Vec<Vec<u32>>,
    event: Vec<u8>,
    flood: Vec<u8>,
}

impl Pulse {
    /// Listens on a port of its own on this machine.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn listen() -> io::Result<Self> {
        raise_open_files();
        let poll = Poll::new()?;
        let mut listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        // The kernel begins to stamp some time after the first socket asks for it: before anybody
        // connects. What is accepted inherits it.
        stamp::enable(&listener);
        // The system's choice may be one that paces: it holds events back that are due, and on
        // one machine its timers take the reader's time.
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_tcp_congestion(&listener, "reno");
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let event = chunk(EVENT);
        let flood = event.repeat(PIECE);
        Ok(Self {
            poll,
            listener,
            conns: vec![None],
            due: BinaryHeap::new(),
            // Numbers begin at 1: no prompt has 0 tokens.
            late: vec![Vec::new()],
            event,
            flood,
        })
    }

    /// Its address, as a target is given.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn url(&self) -> io::Result<String> {
        Ok(format!("http://{}", self.listener.local_addr()?))
    }

    /// Serves until it is told to stop.
    ///
    /// # Errors
    /// If polling fails.
    pub fn serve(&mut self, stop: &Stop) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        let mut active = Instant::now();
        while stop.reason().is_none() {
            self.send_due();
            let spins = !self.due.is_empty() || active.elapsed() < Duration::from_millis(100);
            let timeout = if spins { Duration::ZERO } else { Duration::from_millis(1) };
            match self.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            for event in &events {
                active = Instant::now();
                match event.token() {
                    LISTENER => self.accept()?,
                    Token(index) => self.on_ready(index),
                }
            }
        }
        Ok(())
    }

    /// Sends what is due; requests wait no longer than some events take.
    fn send_due(&mut self) {
        let begun = Instant::now();
        while let Some(&Reverse((at, index))) = self.due.peek()
            && at <= begun
        {
            self.due.pop();
            let Some(conn) = self.conns[index].as_mut() else { continue };
            let late = Instant::now().duration_since(at).as_nanos();
            self.late[conn.number as usize].push(u32::try_from(late).unwrap_or(u32::MAX));
            conn.write(&self.event);
            conn.sent += 1;
            if conn.sent < conn.tokens {
                conn.due += GAP;
                self.due.push(Reverse((conn.due, index)));
            } else {
                let bytes = ending(conn.number, conn.tokens);
                conn.write(&bytes);
            }
            if begun.elapsed() > Duration::from_micros(200) {
                return;
            }
        }
    }

    fn accept(&mut self) -> io::Result<()> {
        while let Ok((mut stream, _)) = self.listener.accept() {
            stream.set_nodelay(true)?;
            let interest = Interest::READABLE | Interest::WRITABLE;
            self.poll.registry().register(&mut stream, Token(self.conns.len()), interest)?;
            self.conns.push(Some(Conn::new(stream)));
        }
        Ok(())
    }

    fn on_ready(&mut self, index: usize) {
        let Some(conn) = self.conns.get_mut(index).and_then(Option::as_mut) else { return };
        if !conn.read() {
            self.conns[index] = None;
            return;
        }
        conn.flush(&self.flood, &self.event);
        match conn.asked() {
            None => {}
            Some(Asked::Late) => {
                let lines = self.late.iter().map(|all| {
                    let numbers: Vec<String> = all.iter().map(u32::to_string).collect();
                    numbers.join(" ") + "\n"
                });
                let body: String = lines.collect();
                let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
                let date = printer.timestamp_to_rfc9110_string(&jiff::Timestamp::now());
                let head = format!(
                    "HTTP/1.1 200 OK\r\nDate: {}\r\nContent-Length: {}\r\n\r\n",
                    date.unwrap_or_default(),
                    body.len()
                );
                conn.write(head.as_bytes());
                conn.write(body.as_bytes());
            }
            Some(Asked::Tokens(tokens)) => {
                conn.number = self.late.len() as u32;
                conn.write(HEAD);
                let flood = match tokens {
                    FLOOD_TOKENS => Some((FLOOD, PIECE)),
                    SINGLY_TOKENS => Some((SINGLY, 1)),
                    _ => None,
                };
                if let Some((events, piece)) = flood {
                    self.late.push(Vec::new());
                    (conn.tokens, conn.flood, conn.singly) =
                        (events as u32, events / piece, piece == 1);
                    conn.flush(&self.flood, &self.event);
                } else {
                    self.late.push(Vec::with_capacity(tokens as usize));
                    (conn.tokens, conn.sent) = (tokens, 0);
                    conn.due = conn.came + FIRST;
                    self.due.push(Reverse((conn.due, index)));
                }
            }
        }
    }
}

enum Asked {
    Tokens(u32),
    Late,
}

struct Conn {
    stream: TcpStream,
    request: Vec<u8>,
    /// When the last of it came in.
    came: Instant,
    /// Number of the request that is being answered, tokens it gets, tokens it got.
    number: u32,
    tokens: u32,
    sent: u32,
    due: Instant,
    /// Bytes that the socket did not take.
    unsent: Vec<u8>,
    /// Pieces of a flood that are left, and whether each is a single event.
    flood: usize,
    singly: bool,
}

impl Conn {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            request: Vec::new(),
            came: Instant::now(),
            number: 0,
            tokens: 0,
            sent: 0,
            due: Instant::now(),
            unsent: Vec::new(),
            flood: 0,
            singly: false,
        }
    }

    /// False: the connection has ended.
    fn read(&mut self) -> bool {
        let mut buffer = [0; 16 << 10];
        loop {
            match stamp::read(&self.stream, &mut buffer) {
                Ok((0, _)) => return false,
                Ok((count, arrived)) => {
                    self.request.extend_from_slice(&buffer[..count]);
                    let ago = arrived.and_then(Arrived::ago).unwrap_or_default();
                    let now = Instant::now();
                    self.came = now.checked_sub(ago).unwrap_or(now);
                    if count < buffer.len() {
                        return true;
                    }
                }
                Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
            }
        }
    }

    /// What a whole request asks for: its `max_tokens`.
    fn asked(&mut self) -> Option<Asked> {
        let end = memmem::find(&self.request, b"\r\n\r\n")?;
        let (head, body) = (&self.request[..end], &self.request[end + 4..]);
        let asked = if head.starts_with(b"GET ") {
            Asked::Late
        } else {
            let length = number_behind(head, b"Content-Length:")
                .or_else(|| number_behind(head, b"content-length:"))?;
            if body.len() < length as usize {
                return None;
            }
            Asked::Tokens(number_behind(body, b"\"max_tokens\":")?)
        };
        self.request.clear();
        Some(asked)
    }

    fn write(&mut self, bytes: &[u8]) {
        if !self.unsent.is_empty() {
            self.unsent.extend_from_slice(bytes);
            return;
        }
        let taken = match self.stream.write(bytes) {
            Ok(taken) => taken,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            // Whoever has gone gets nothing more.
            Err(_) => bytes.len(),
        };
        self.unsent.extend_from_slice(&bytes[taken..]);
    }

    /// Writes what is waiting, and as much of a flood as the socket takes.
    fn flush(&mut self, flood: &[u8], event: &[u8]) {
        loop {
            if self.unsent.is_empty() {
                if self.flood == 0 {
                    return;
                }
                self.flood -= 1;
                self.unsent.extend_from_slice(if self.singly { event } else { flood });
                if self.flood == 0 {
                    self.unsent.extend(ending(self.number, self.tokens));
                }
            }
            match self.stream.write(&self.unsent) {
                Ok(taken) => _ = self.unsent.drain(..taken),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.unsent.clear(),
            }
        }
    }
}

/// The number behind the last place where a key stands.
fn number_behind(text: &[u8], key: &[u8]) -> Option<u32> {
    let rest = text[memmem::rfind(text, key)? + key.len()..].trim_ascii_start();
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

/// Reads the server's list of how late it was, by request and event, in nanoseconds.
#[must_use]
pub fn lateness(list: &str) -> Vec<Vec<i64>> {
    let numbers = |line: &str| line.split(' ').filter_map(|number| number.parse().ok()).collect();
    list.lines().map(numbers).collect()
}
