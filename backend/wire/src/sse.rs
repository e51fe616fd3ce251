//! Server-sent events by the WHATWG rules, incrementally, and without copying where an event
//! lies whole in what was read.
//!
//! Lines end with LF, CR or CRLF; comments are skipped; several `data` lines of an event are
//! joined by LF; one space after the colon is dropped; an event that the stream's end cuts off
//! is no event.

use memchr::memchr2;

/// One event. Borrowed: it lives until the next byte is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The last `event` field, or empty.
    pub name: &'a [u8],
    /// The `data` lines, joined by LF.
    pub data: &'a [u8],
}

/// An event that is longer than any answer could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {MAX_EVENT} bytes")]
pub struct TooLong;

/// Longest event that is accepted, in bytes.
pub const MAX_EVENT: usize = 16 << 20;

/// The parser's state between two reads.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    /// A line whose end has not come.
    line: Vec<u8>,
    /// `data` of the event so far, each line followed by LF.
    data: Vec<u8>,
    name: Vec<u8>,
    /// The last byte was CR: a LF right after it belongs to it.
    after_cr: bool,
    /// The first line may start with a byte order mark.
    started: bool,
    /// First line that is no field of the protocol: some servers write an error as bare text.
    stray: Option<Vec<u8>>,
}

impl Parser {
    /// Takes the next bytes of the stream and hands out each event that they complete.
    ///
    /// # Errors
    /// If an event grows beyond [`MAX_EVENT`]; the stream is then not worth reading on.
    pub fn feed(
        &mut self,
        mut bytes: &[u8],
        mut on_event: impl FnMut(Event<'_>),
    ) -> Result<(), TooLong> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        // The common event is one data line and a blank one: it is handed out from the read
        // buffer itself. `direct` is such a line whose blank line has not been seen yet.
        let mut direct: Option<&[u8]> = None;
        while let Some(end) = memchr2(b'\n', b'\r', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            if bytes[end] == b'\r' {
                self.after_cr = rest.is_empty();
                bytes = rest.strip_prefix(b"\n").unwrap_or(rest);
            } else {
                bytes = rest;
            }
            if !self.line.is_empty() {
                let mut whole = std::mem::take(&mut self.line);
                whole.extend_from_slice(line);
                self.on_line(&whole, &mut on_event);
                whole.clear();
                self.line = whole;
            } else if line.is_empty() && direct.is_some() {
                let data = direct.take().unwrap_or_default();
                on_event(Event { name: &self.name, data });
                self.name.clear();
            } else if let Some(data) = data_of(line)
                && self.data.is_empty()
                && direct.is_none()
            {
                self.started = true;
                // Most often the blank line is there as well.
                if let Some(rest) = bytes.strip_prefix(b"\n") {
                    bytes = rest;
                    on_event(Event { name: &self.name, data });
                    self.name.clear();
                } else {
                    direct = Some(data);
                }
            } else {
                self.keep(direct.take());
                self.on_line(line, &mut on_event);
            }
            if self.data.len() > MAX_EVENT {
                return Err(TooLong);
            }
        }
        self.keep(direct);
        self.line.extend_from_slice(bytes);
        if self.line.len() + self.data.len() > MAX_EVENT { Err(TooLong) } else { Ok(()) }
    }

    /// The data of the one event that some bytes are, where they are nothing else and the stream is
    /// between two events. Nothing is taken: whoever finds a line end inside feeds the bytes.
    #[must_use]
    #[inline]
    pub fn single<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let between = self.line.is_empty()
            && self.data.is_empty()
            && self.name.is_empty()
            && !self.after_cr
            && self.started;
        if between { bytes.strip_prefix(b"data: ")?.strip_suffix(b"\n\n") } else { None }
    }

    /// The first line that was no field of the protocol, with what stands in an unfinished
    /// last line where nothing else did: the text of servers that write errors as they are.
    #[must_use]
    pub fn stray_text(&self) -> Option<&[u8]> {
        let unfinished = (!self.line.is_empty() && !is_field(&self.line)).then_some(&*self.line);
        self.stray.as_deref().or(unfinished)
    }

    /// A data line that could not be handed out from the read buffer.
    fn keep(&mut self, line: Option<&[u8]>) {
        if let Some(line) = line {
            self.data.extend_from_slice(line);
            self.data.push(b'\n');
        }
    }

    fn on_line(&mut self, line: &[u8], on_event: &mut impl FnMut(Event<'_>)) {
        let line = if self.started {
            line
        } else {
            self.started = true;
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
        };
        if line.is_empty() {
            if let Some((_, data)) = self.data.split_last() {
                on_event(Event { name: &self.name, data });
            }
            self.data.clear();
            self.name.clear();
            return;
        }
        let colon = memchr::memchr(b':', line);
        let (field, value) = colon.map_or((line, &[][..]), |at| (&line[..at], &line[at + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => self.keep(Some(value)),
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            _ if !is_field(line) && self.stray.is_none() => {
                self.stray = Some(line[..line.len().min(4096)].to_vec());
            }
            _ => {}
        }
    }
}

/// The value of a line that is a `data` field with a value.
fn data_of(line: &[u8]) -> Option<&[u8]> {
    let value = line.strip_prefix(b"data:")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

/// Whether a line is a comment or one of the protocol's fields.
fn is_field(line: &[u8]) -> bool {
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
    matches!(name, b"" | b"data" | b"event" | b"id" | b"retry")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Events = Vec<(String, String)>;

    fn parse(pieces: &[&[u8]]) -> Events {
        let (mut parser, mut events) = (Parser::default(), Vec::new());
        for piece in pieces {
            parser
                .feed(piece, |event| {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    events.push((text(event.name), text(event.data)));
                })
                .unwrap();
        }
        events
    }

    fn data(text: &str) -> (String, String) {
        (String::new(), text.into())
    }

    /// The rules of the standard, written down once more in the plainest way.
    fn oracle(stream: &str) -> Events {
        let stream = stream.strip_prefix('\u{feff}').unwrap_or(stream);
        let lines = stream.replace("\r\n", "\n").replace('\r', "\n");
        let (mut events, mut name, mut data) = (Vec::new(), String::new(), None::<String>);
        let Some((complete, _cut_off)) = lines.rsplit_once('\n') else { return events };
        for line in complete.split('\n') {
            if line.is_empty() {
                if let Some(data) = data.take() {
                    events.push((name.clone(), data));
                }
                name.clear();
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "data" => match &mut data {
                    Some(data) => *data = format!("{data}\n{value}"),
                    None => data = Some(value.into()),
                },
                "event" => name = value.into(),
                _ => {}
            }
        }
        events
    }

    #[test]
    fn the_three_line_ends_are_one() {
        for end in ["\n", "\r", "\r\n"] {
            let stream = format!("data: a{end}{end}data: b{end}{end}");
            assert_eq!(parse(&[stream.as_bytes()]), [data("a"), data("b")], "{end:?}");
        }
    }

    #[test]
    fn a_crlf_split_between_reads_is_one_line_end() {
        assert_eq!(parse(&[b"data: a\r", b"\n\r", b"\ndata: b\r\n\r\n"]), [data("a"), data("b")]);
    }

    #[test]
    fn the_space_after_the_colon_is_optional_and_only_one_is_dropped() {
        assert_eq!(parse(&[b"data:a\n\ndata:  b\n\n"]), [data("a"), data(" b")]);
    }

    #[test]
    fn comments_and_unknown_fields_make_no_event() {
        assert_eq!(
            parse(&[b": keep-alive\n\n:\n\nid: 7\nretry: 10\n\ndata: a\n: x\n\n"]),
            [data("a")]
        );
    }

    #[test]
    fn data_lines_are_joined_and_a_name_is_kept_for_its_event_alone() {
        let events = parse(&[b"event: x\ndata: a\ndata\ndata: b\n\ndata: c\n\n"]);
        assert_eq!(events, [("x".into(), "a\n\nb".into()), data("c")]);
    }

    #[test]
    fn an_event_cut_off_by_the_end_is_none() {
        assert_eq!(parse(&[b"data: a\n\ndata: b\n"]), [data("a")]);
        assert_eq!(parse(&[b"data: a\n\ndata: b"]), [data("a")]);
    }

    #[test]
    fn a_byte_order_mark_is_dropped_at_the_start_alone() {
        assert_eq!(parse(&[b"\xEF\xBB\xBFdata: a\n\n"]), [data("a")]);
        assert_eq!(parse(&[b"\xEF", b"\xBB\xBFdata: a\n\n"]), [data("a")]);
        assert_eq!(parse(&[b"\n\xEF\xBB\xBFdata: a\n\n"]), []);
    }

    #[test]
    fn bare_text_is_kept_for_the_error_message() {
        let mut parser = Parser::default();
        parser.feed(b"The number of requests ", |_| unreachable!()).unwrap();
        parser.feed(b"has reached the limit.", |_| unreachable!()).unwrap();
        let text: &[u8] = b"The number of requests has reached the limit.";
        assert_eq!(parser.stray_text(), Some(text));
        parser.feed(b"\n", |_| unreachable!()).unwrap();
        assert_eq!(parser.stray_text(), Some(text));
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut parser = Parser::default();
        let piece = vec![b'x'; 1 << 20];
        let fed = (0..20).map(|_| parser.feed(&piece, |_| {})).find(Result::is_err);
        assert_eq!(fed, Some(Err(TooLong)));
    }

    proptest! {
        #[test]
        fn any_stream_in_any_pieces_gives_the_events_of_the_standard(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "data:", "data", "event:", "event", ":", " ", "\n", "\r", "\r\n", "\n\n", "x",
                    "{\"a\":1}", "é", "id", "\u{feff}",
                ]),
                0..60,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let stream: String = parts.concat();
            let mut at: Vec<usize> =
                cuts.iter().map(|cut| cut.index(stream.len() + 1)).chain([0, stream.len()]).collect();
            at.sort_unstable();
            let pieces: Vec<&[u8]> =
                at.windows(2).map(|pair| &stream.as_bytes()[pair[0]..pair[1]]).collect();
            prop_assert_eq!(parse(&pieces), oracle(&stream));
        }
    }
}
