//! One connection of a generator thread, and the request that is on it.

use std::io::{self, IoSlice, Read, Write};
use std::time::Duration;

use tokencap_shared::units::{Moment, Nanos};

use crate::drive::ledger::Sent;
use crate::net::io::Io;
use crate::net::stamp::{Arrivals, Arrived};
use crate::net::target::Timeouts;
use crate::schedule::workload::Task;
use tokencap_wire::answer::{Answer, End};
use tokencap_wire::http1::Response;

/// A request under way on a connection.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) sent: Sent,
    response: Response,
    head: Vec<u8>,
    tail: Vec<u8>,
    written: usize,
    /// When what was read last came in.
    heard: Moment,
}

/// What a connection is at.
#[derive(Debug)]
pub(crate) enum State {
    /// Being opened, for a request or in advance.
    Opening(Option<Box<Active>>),
    /// Open and free.
    Idle,
    /// Carrying a request.
    Busy(Box<Active>),
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Conn {
    pub(crate) io: Io,
    pub(crate) state: State,
    /// Changes with every state, so that a time limit of an earlier one is known as such.
    pub(crate) generation: u64,
    /// When the state began.
    pub(crate) since: Moment,
    /// The server's own limit on idling, in seconds, where it states one.
    pub(crate) idle_timeout_s: Option<u32>,
}

/// How far a connection's request has come.
#[derive(Debug)]
pub(crate) enum Progress {
    /// More is to come.
    Pending,
    /// More is to be read at once, but others should have their turn.
    Again,
    /// It has ended; the connection may be used again.
    Reusable,
    /// It has ended so, and the connection with it.
    Over(End),
}

/// Bytes read from one connection, about, before others have their turn.
const TURN: usize = 512 << 10;

impl Active {
    pub(crate) fn new(task: Task, intended: Moment, keep_text: bool) -> Self {
        let (head, tail) = task.frame();
        let answer = Answer::new(keep_text);
        Self {
            sent: Sent { task, intended, sent: Moment(0), member: false, answer, ended: None },
            response: Response::default(),
            head,
            tail,
            written: 0,
            heard: Moment(0),
        }
    }

    fn length(&self) -> usize {
        self.head.len()
            + self.sent.task.shared().len()
            + self.sent.task.own().len()
            + self.tail.len()
    }

    /// Writes what the socket takes.
    pub(crate) fn write(&mut self, io: &mut Io) -> io::Result<()> {
        while self.written < self.length() {
            let mut skip = self.written;
            let pieces =
                [&self.head[..], self.sent.task.shared(), self.sent.task.own(), &self.tail[..]];
            let slices = pieces.map(|piece| {
                let from = skip.min(piece.len());
                skip -= from;
                IoSlice::new(&piece[from..])
            });
            let first = slices.iter().position(|slice| !slice.is_empty()).unwrap_or(0);
            match io.write_vectored(&slices[first..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        match io.flush() {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(()),
        }
    }

    pub(crate) fn is_written(&self) -> bool {
        self.written >= self.length()
    }

    /// The instant at which waiting ends, and what for.
    pub(crate) fn deadline(&self, opening: bool, limits: &Timeouts) -> (Moment, &'static str) {
        let after = |from: Moment, limit: Duration| from + Nanos::from(limit);
        let whole = (after(self.sent.sent, limits.whole), "the request's time limit passed");
        let part = match self.sent.answer.last {
            _ if opening => (
                after(self.sent.sent, limits.connect),
                "no connection within the time limit for connecting",
            ),
            None => (
                after(self.sent.sent, limits.first_token),
                "no output within the time limit for the first token",
            ),
            Some(last) => {
                (after(last, limits.gap), "no further output within the time limit for a gap")
            }
        };
        if part.0 < whole.0 { part } else { whole }
    }
}

impl Conn {
    /// Whether an idle connection is still open and silent.
    pub(crate) fn is_alive(&mut self) -> bool {
        let mut byte = [0];
        matches!(self.io.read(&mut byte), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Writes and reads what can be, for a request under way. `sampled`: tells how long after its
    /// arrival the first thing read had been parsed.
    pub(crate) fn proceed(
        &mut self,
        arrivals: Arrivals,
        buffer: &mut [u8],
        closed: bool,
        mut sampled: Option<&mut dyn FnMut(Duration)>,
    ) -> Progress {
        let State::Busy(active) = &mut self.state else { return Progress::Pending };
        if !active.is_written()
            && let Err(error) = active.write(&mut self.io)
            // What the server said before it closed is worth more than the failure to write.
            && !closed
        {
            return Progress::Over(End::Cut(broken(&error, active.response.begun)));
        }
        let mut left = TURN;
        while left > 0 {
            let (count, arrived) = match self.io.read_stamped(buffer) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Progress::Pending;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => (0, None),
                Err(error) => {
                    return Progress::Over(End::Cut(broken(&error, active.response.begun)));
                }
            };
            if count == 0 {
                return Progress::Over(if active.response.is_whole_at_eof() {
                    End::Whole
                } else if active.response.begun {
                    End::Cut("the connection closed before the response was whole".into())
                } else {
                    End::Cut("the connection closed before a response came".into())
                });
            }
            left = left.saturating_sub(count);
            let at = arrivals.at(arrived, active.heard.max(active.sent.sent));
            active.heard = at;
            let fed = active.response.feed(at, &buffer[..count], &mut active.sent.answer);
            if let (Some(tell), Some(lag)) = (sampled.take(), arrived.and_then(Arrived::ago)) {
                tell(lag);
            }
            match fed {
                Ok(false) => {}
                Ok(true) => {
                    active.sent.ended = Some(at);
                    self.idle_timeout_s = active.response.idle_timeout_s.or(self.idle_timeout_s);
                    let reusable = active.response.keep_alive && active.is_written() && !closed;
                    return if reusable { Progress::Reusable } else { Progress::Over(End::Whole) };
                }
                Err(error) => return Progress::Over(End::Malformed(error.to_string())),
            }
            if count < buffer.len() && self.io.short_read_empties() && !closed {
                return Progress::Pending;
            }
        }
        Progress::Again
    }
}

fn broken(error: &io::Error, begun: bool) -> String {
    let when = if begun { "during the response" } else { "before a response came" };
    match error.kind() {
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            format!("the connection was reset {when}")
        }
        _ => format!("the connection broke {when}: {error}"),
    }
}
