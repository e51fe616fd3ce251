//! The receiving half of HTTP/1.1, without a socket: bytes in, head and body out.

use tokencap_shared::units::{Moment, Nanos};

/// Longest head that is accepted, in bytes.
const MAX_HEAD: usize = 64 << 10;
/// Most header fields that are accepted.
const MAX_FIELDS: usize = 96;

/// What is known of a response from its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// HTTP status.
    pub status: u16,
    /// The body is one JSON text.
    pub json: bool,
    /// Queue time from a header, where the server has one.
    pub queue: Option<Nanos>,
    /// The server's date, in seconds since 1970, where it tells.
    pub date: Option<i64>,
}

impl Head {
    /// A head of a status and the values of three fields, if they are there.
    pub fn of_fields(
        status: u16,
        content_type: Option<&str>,
        queue_time: Option<&str>,
        date: Option<&str>,
    ) -> Self {
        let media_type = content_type.and_then(|value| value.split(';').next()).unwrap_or("");
        let media_type = media_type.trim().to_ascii_lowercase();
        let json = media_type == "application/json" || media_type.ends_with("+json");
        let millis = queue_time.and_then(|value| value.trim().parse::<f64>().ok());
        let queue = millis
            .filter(|millis| millis.is_finite() && *millis >= 0.0)
            .map(|millis| Nanos((millis * 1e6).round() as u64));
        let date = date.and_then(|value| {
            let parser = jiff::fmt::rfc2822::DateTimeParser::new();
            Some(parser.parse_timestamp(value.trim()).ok()?.as_second())
        });
        Self { status, json, queue, date }
    }
}

/// Who wants the response.
pub trait Sink {
    /// The head has come.
    fn on_head(&mut self, head: Head);
    /// Bytes of the body have come, read at the given instant.
    fn on_body(&mut self, at: Moment, bytes: &[u8]);
}

/// One response coming in.
#[derive(Debug, Default)]
pub struct Response {
    state: State,
    /// The head as far as it has come; then a chunk's size line cut in two.
    held: Vec<u8>,
    /// The connection may carry another request once this response is whole.
    pub keep_alive: bool,
    /// How long the server says that it keeps an idle connection.
    pub idle_timeout_s: Option<u32>,
    /// Whether any byte has come.
    pub begun: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Head,
    Sized(u64),
    ChunkSize,
    Chunk(u64),
    ChunkEnd,
    Trailers,
    ToEof,
    Whole,
}

/// Why what came is no HTTP response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The head cannot be understood.
    #[error("the response's head is not HTTP/1")]
    Head,
    /// The chunked body cannot be understood.
    #[error("the response's body breaks the chunked encoding")]
    Chunk,
    /// More bytes than the response has.
    #[error("the server sent bytes after the end of its response")]
    Excess,
}

impl Response {
    /// Takes bytes that were read at the given instant. True: the response is whole.
    ///
    /// # Errors
    /// If they are not HTTP; the connection is then of no further use.
    pub fn feed(
        &mut self,
        at: Moment,
        mut bytes: &[u8],
        sink: &mut impl Sink,
    ) -> Result<bool, HttpError> {
        self.begun |= !bytes.is_empty();
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Head => self.head(bytes, sink)?,
                State::Sized(left) => {
                    let (body, rest) = split(bytes, left);
                    sink.on_body(at, body);
                    self.state = match left - body.len() as u64 {
                        0 => State::Whole,
                        left => State::Sized(left),
                    };
                    rest
                }
                State::ChunkSize => {
                    // Most chunks lie whole in what was read.
                    if self.held.is_empty()
                        && let Some((body, rest)) = whole_chunk(bytes)
                    {
                        sink.on_body(at, body);
                        rest
                    } else {
                        self.chunk_size(bytes)?
                    }
                }
                State::Chunk(left) => {
                    let (body, rest) = split(bytes, left);
                    sink.on_body(at, body);
                    self.state = match left - body.len() as u64 {
                        0 => State::ChunkEnd,
                        left => State::Chunk(left),
                    };
                    rest
                }
                State::ChunkEnd => match bytes {
                    [b'\r', rest @ ..] => rest,
                    [b'\n', rest @ ..] => {
                        self.state = State::ChunkSize;
                        rest
                    }
                    _ => return Err(HttpError::Chunk),
                },
                State::Trailers => self.trailers(bytes)?,
                State::ToEof => {
                    sink.on_body(at, bytes);
                    &[]
                }
                State::Whole => return Err(HttpError::Excess),
            };
        }
        Ok(self.state == State::Whole)
    }

    /// The connection has ended. True: the response is whole, since its end was to be told so.
    #[must_use]
    pub fn is_whole_at_eof(&self) -> bool {
        matches!(self.state, State::Whole | State::ToEof)
    }

    fn head<'b>(&mut self, bytes: &'b [u8], sink: &mut impl Sink) -> Result<&'b [u8], HttpError> {
        if self.held.is_empty()
            && let Some(length) = self.parse_head(bytes, sink)?
        {
            return Ok(&bytes[length..]);
        }
        let before = self.held.len();
        self.held.extend_from_slice(bytes);
        let held = std::mem::take(&mut self.held);
        let Some(length) = self.parse_head(&held, sink)? else {
            self.held = held;
            return if self.held.len() > MAX_HEAD { Err(HttpError::Head) } else { Ok(&[]) };
        };
        Ok(&bytes[length.saturating_sub(before)..])
    }

    /// Length of the head, if it is whole.
    fn parse_head(
        &mut self,
        bytes: &[u8],
        sink: &mut impl Sink,
    ) -> Result<Option<usize>, HttpError> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
        let mut head = httparse::Response::new(&mut fields);
        let length = match head.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err(HttpError::Head),
        };
        let (Some(status), Some(minor)) = (head.code, head.version) else {
            return Err(HttpError::Head);
        };
        if (100..200).contains(&status) {
            // 100 Continue, 103 Early Hints: the response proper follows.
            if status == 101 {
                return Err(HttpError::Head);
            }
            return Ok(Some(length));
        }
        let (mut content_type, mut queue_time, mut date) = (None, None, None);
        let (mut sized, mut chunked) = (None, false);
        self.keep_alive = minor == 1;
        for field in head.headers.iter() {
            let Ok(value) = std::str::from_utf8(field.value) else { continue };
            let lower = value.trim().to_ascii_lowercase();
            match field.name.to_ascii_lowercase().as_str() {
                "content-type" => content_type = Some(value),
                "x-queue-time" => queue_time = Some(value),
                "date" => date = Some(value),
                "content-length" => {
                    let length: u64 = lower.parse().map_err(|_| HttpError::Head)?;
                    if sized.is_some_and(|before| before != length) {
                        return Err(HttpError::Head);
                    }
                    sized = Some(length);
                }
                "transfer-encoding" => chunked = lower.ends_with("chunked"),
                "connection" => {
                    if lower.split(',').any(|token| token.trim() == "close") {
                        self.keep_alive = false;
                    } else if minor == 0 {
                        self.keep_alive = lower.split(',').any(|t| t.trim() == "keep-alive");
                    }
                }
                "keep-alive" => {
                    self.idle_timeout_s = lower
                        .split(',')
                        .find_map(|part| part.trim().strip_prefix("timeout=")?.parse().ok());
                }
                _ => {}
            }
        }
        sink.on_head(Head::of_fields(status, content_type, queue_time, date));
        self.state = match (chunked, sized, status) {
            (_, _, 204 | 304) | (false, Some(0), _) => State::Whole,
            (true, _, _) => State::ChunkSize,
            (false, Some(length), _) => State::Sized(length),
            (false, None, _) => {
                self.keep_alive = false;
                State::ToEof
            }
        };
        Ok(Some(length))
    }

    #[inline]
    fn chunk_size<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], HttpError> {
        let Some(end) = memchr::memchr(b'\n', bytes) else {
            self.held.extend_from_slice(bytes);
            return if self.held.len() > 256 { Err(HttpError::Chunk) } else { Ok(&[]) };
        };
        let size = if self.held.is_empty() {
            size_of_line(&bytes[..end])?
        } else {
            self.held.extend_from_slice(&bytes[..end]);
            let size = size_of_line(&self.held)?;
            self.held.clear();
            size
        };
        self.state = if size == 0 { State::Trailers } else { State::Chunk(size) };
        Ok(&bytes[end + 1..])
    }

    fn trailers<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], HttpError> {
        let Some(end) = memchr::memchr(b'\n', bytes) else {
            self.held.extend_from_slice(bytes);
            return if self.held.len() > MAX_HEAD { Err(HttpError::Chunk) } else { Ok(&[]) };
        };
        self.held.extend_from_slice(&bytes[..end]);
        if self.held.trim_ascii().is_empty() {
            self.state = State::Whole;
        }
        self.held.clear();
        Ok(&bytes[end + 1..])
    }
}

#[inline]
fn split(bytes: &[u8], at: u64) -> (&[u8], &[u8]) {
    bytes.split_at(usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len()))
}

/// The body of a chunk that is there from its first line, which has nothing but digits, to its end;
/// and what follows.
#[inline]
fn whole_chunk(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut size = 0;
    for (at, &byte) in bytes.iter().enumerate().take(8) {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => {
                // The last chunk has size 0, and trailers behind it.
                let behind = bytes[at..].strip_prefix(b"\r\n").filter(|_| size > 0)?;
                let (body, rest) = behind.split_at_checked(size)?;
                return Some((body, rest.strip_prefix(b"\r\n")?));
            }
        };
        size = size * 16 + usize::from(digit);
    }
    None
}

/// The size in a chunk's first line, without its extensions.
#[inline]
fn size_of_line(line: &[u8]) -> Result<u64, HttpError> {
    let digits = line.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    if digits.is_empty() || digits.len() > 15 {
        return Err(HttpError::Chunk);
    }
    digits.iter().try_fold(0_u64, |size, &digit| {
        let digit = (digit as char).to_digit(16).ok_or(HttpError::Chunk)?;
        Ok(size * 16 + u64::from(digit))
    })
}
