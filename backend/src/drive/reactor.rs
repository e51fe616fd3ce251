//! One thread of the generator: its connections, its part of the schedule.
//!
//! The loop waits for nothing but the next event or the next instant of the schedule. Between
//! two events of a batch it looks at the schedule again, so that a busy moment delays no start
//! by more than one read; what is read came in when the kernel says, however late it is looked at.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use mio::{Events, Interest, Poll, Token, Waker};
use rustix::io::Errno;
use tokencap_shared::units::{Moment, Nanos};

use crate::drive::conn::{Active, Conn, Progress, State};
use crate::drive::ledger::{Job, Ledger, ThreadEvidence};
use crate::drive::shared::Shared;
use crate::net::io::{Io, explain};
use crate::net::pace::Pacer;
use crate::net::stamp::Arrivals;
use tokencap_wire::answer::End;

const WAKER: Token = Token(usize::MAX);
const TIMER: Token = Token(usize::MAX - 1);
/// Connections being opened at once: less than the backlog that any server keeps.
const OPENING: usize = 64;
/// How long an idle connection is trusted: less than servers usually keep one.
const TRUSTED_S: u32 = 4;
/// Longest sleep: other threads' wishes are looked at so often.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Time limits that are looked at in a row.
const EXPIRE: usize = 64;
/// One read of so many is timed.
const SAMPLE: u32 = 64;
/// Bytes read at once, at most: half of what a core keeps near it.
const BUFFER: usize = 256 << 10;

/// A generator thread's state.
pub(crate) struct Reactor {
    shared: Arc<Shared>,
    ledger: Ledger,
    poll: Poll,
    pacer: Pacer,
    conns: Vec<Option<Conn>>,
    free: Vec<usize>,
    /// Idle connections, the one used last on top, each with its generation: an entry whose
    /// connection has changed since is none.
    idle: Vec<(usize, u64)>,
    /// Entries of `idle` that are.
    idle_count: usize,
    /// Connections that are being opened in advance.
    opening: usize,
    again: Vec<usize>,
    /// Instant, connection, generation.
    deadlines: BinaryHeap<Reverse<(Moment, usize, u64)>>,
    buffer: Box<[u8]>,
    generation: u64,
    /// Idle connections to keep.
    reserve: usize,
    next_address: usize,
    refilled: Moment,
    reads: u32,
}

impl Reactor {
    /// A thread's state, and the waker by which others reach it.
    pub(crate) fn new(ledger: Ledger, reserve: usize) -> io::Result<(Self, Waker)> {
        let poll = Poll::new()?;
        let pacer = Pacer::new(&poll, TIMER)?;
        let waker = Waker::new(poll.registry(), WAKER)?;
        let reactor = Self {
            shared: Arc::clone(&ledger.shared),
            ledger,
            poll,
            pacer,
            conns: Vec::new(),
            free: Vec::new(),
            idle: Vec::new(),
            idle_count: 0,
            opening: 0,
            again: Vec::new(),
            deadlines: BinaryHeap::new(),
            buffer: vec![0; BUFFER].into_boxed_slice(),
            generation: 0,
            reserve,
            next_address: 0,
            refilled: Moment(0),
            reads: 0,
        };
        Ok((reactor, waker))
    }

    /// Opens connections in advance: as many as wanted, until none is to be had or time is up.
    pub(crate) fn open_in_advance(&mut self, wanted: usize, until: Moment) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        loop {
            let now = self.shared.clock.now();
            self.open_until(wanted, now);
            if self.opening == 0 || now >= until {
                break;
            }
            let wait = self.shared.clock.until(until).min(LONGEST_WAIT);
            self.pacer.wait(&mut self.poll, &mut events, self.shared.clock, None, wait)?;
            self.serve(&events, false);
        }
        Ok(())
    }

    /// Runs until the step has ended; then gives up what is still in flight.
    pub(crate) fn run(mut self) -> io::Result<ThreadEvidence> {
        let mut events = Events::with_capacity(1024);
        self.ledger.slept_until(self.shared.clock.now());
        while !self.shared.has_ended() {
            self.ledger.fetch();
            self.start_due();
            let now = self.shared.clock.now();
            self.ledger.pass(now);
            self.fire_deadlines(now);
            self.refill(now);
            let (due, wait) = self.next_wake(now);
            self.ledger.was_busy_until(now);
            self.pacer.wait(&mut self.poll, &mut events, self.shared.clock, due, wait)?;
            let woke = self.shared.clock.now();
            self.ledger.slept_until(woke);
            self.serve(&events, true);
        }
        self.give_up();
        Ok(self.ledger.into_evidence())
    }

    fn start_due(&mut self) {
        while let Some(job) = self.ledger.pop_due() {
            self.start(job);
        }
    }

    fn start(&mut self, job: Job) {
        let keep_text = self.shared.keeps_text(&job.task);
        let mut active = Box::new(Active::new(job.task, job.intended, keep_text));
        let index = self.take_idle();
        active.sent.sent = self.shared.clock.now();
        active.sent.member = self.shared.is_member(active.sent.sent);
        let index = match index {
            Some(index) => index,
            None => match self.connect() {
                Ok(index) => index,
                Err(error) => return self.refuse(active, &error),
            },
        };
        self.shared.on_sent(active.sent.member);
        self.ledger.tell_sent(&active.sent);
        let limits = self.shared.target.timeouts;
        let Some(conn) = self.conns[index].as_mut() else { return };
        self.generation += 1;
        conn.generation = self.generation;
        conn.since = active.sent.sent;
        let opening = matches!(conn.state, State::Opening(_));
        let (deadline, _) = active.deadline(opening, &limits);
        self.deadlines.push(Reverse((deadline, index, conn.generation)));
        if opening {
            conn.state = State::Opening(Some(active));
        } else {
            let written = active.write(&mut conn.io);
            conn.state = State::Busy(active);
            if written.is_err() {
                // The reset is read, and told, where answers are.
                self.again.push(index);
            }
        }
    }

    /// A free connection that is still open.
    fn take_idle(&mut self) -> Option<usize> {
        while let Some((index, generation)) = self.idle.pop() {
            let conn = self.conns[index].as_mut();
            let Some(conn) = conn.filter(|conn| conn.generation == generation) else { continue };
            self.idle_count -= 1;
            // The server may have closed it meanwhile.
            if conn.is_alive() {
                return Some(index);
            }
            tracing::debug!("the server has closed an idle connection: another one is taken");
            self.drop_conn(index);
        }
        None
    }

    /// A free connection is no longer of use.
    fn drop_idle(&mut self, index: usize) {
        self.idle_count -= 1;
        self.drop_conn(index);
        if self.idle.len() > 2 * self.idle_count + 64 {
            let conns = &self.conns;
            self.idle.retain(|&(index, generation)| {
                conns[index].as_ref().is_some_and(|conn| conn.generation == generation)
            });
        }
    }

    /// There is no socket for a request. A lack on this machine is an arrival that was dropped;
    /// anything else is the service's unreachability.
    fn refuse(&mut self, active: Box<Active>, error: &io::Error) {
        if is_local_lack(error) {
            self.shared.on_dropped();
            return;
        }
        self.shared.on_sent(active.sent.member);
        self.ledger.tell_sent(&active.sent);
        self.finish(active, &End::Unreachable(unreachable(error)));
    }

    /// Begins to open a connection.
    fn connect(&mut self) -> io::Result<usize> {
        if self.shared.max_connections.is_some_and(|max| self.conns.len() - self.free.len() >= max)
        {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let addresses = &self.shared.target.server.addresses;
        let address = addresses
            .get(self.next_address % addresses.len().max(1))
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host has no address"))?;
        self.next_address += 1;
        let mut io = Io::connect(*address, self.shared.tls.as_ref())?;
        tracing::debug!(%address, open = self.conns.len() - self.free.len(), "a connection is opened");
        let index = self.free.pop().unwrap_or_else(|| {
            self.conns.push(None);
            self.conns.len() - 1
        });
        let registered = self.poll.registry().register(
            io.socket(),
            Token(index),
            Interest::READABLE | Interest::WRITABLE,
        );
        if let Err(error) = registered {
            self.free.push(index);
            return Err(error);
        }
        self.generation += 1;
        self.conns[index] = Some(Conn {
            io,
            state: State::Opening(None),
            generation: self.generation,
            since: self.shared.clock.now(),
            idle_timeout_s: None,
        });
        Ok(index)
    }

    /// Keeps as many idle connections as the schedule may soon need.
    fn refill(&mut self, now: Moment) {
        if now.since(self.refilled) < Nanos::from_millis(5) {
            return;
        }
        self.refilled = now;
        self.open_until(self.reserve, now);
    }

    /// Begins to open connections until so many are idle, or will be.
    fn open_until(&mut self, wanted: usize, now: Moment) {
        while self.idle_count + self.opening < wanted && self.opening < OPENING {
            let Ok(index) = self.connect() else { return };
            self.opening += 1;
            let limit = Nanos::from(self.shared.target.timeouts.connect);
            self.deadlines.push(Reverse((now + limit, index, self.generation)));
        }
    }

    /// Deals with what has become ready; `running`: while the schedule goes on.
    fn serve(&mut self, events: &Events, running: bool) {
        let arrivals = Arrivals::new(self.shared.clock);
        for event in events {
            let Token(index) = event.token();
            if index < self.conns.len() {
                self.on_ready(index, event.is_read_closed() || event.is_error(), arrivals);
                if running {
                    self.start_due();
                }
            }
        }
        for index in std::mem::take(&mut self.again) {
            self.on_ready(index, false, arrivals);
        }
    }

    fn on_ready(&mut self, index: usize, closed: bool, arrivals: Arrivals) {
        let Some(conn) = self.conns[index].as_mut() else { return };
        match &mut conn.state {
            State::Opening(_) => self.on_opening(index),
            State::Idle => {
                if !conn.is_alive() {
                    self.drop_idle(index);
                }
            }
            State::Busy(_) => {
                self.reads += 1;
                let ledger = &mut self.ledger;
                let mut tell = |lag: Duration| ledger.read_lagged(lag);
                let sampled = self.reads.is_multiple_of(SAMPLE);
                let sample: Option<&mut dyn FnMut(Duration)> =
                    if sampled { Some(&mut tell) } else { None };
                let progress = conn.proceed(arrivals, &mut self.buffer, closed, sample);
                match progress {
                    Progress::Pending => {}
                    Progress::Again => self.again.push(index),
                    Progress::Reusable => {
                        if !self.shared.target.hold_idle {
                            self.over(index, &End::Whole);
                        } else if let Some(active) = self.set_idle(index) {
                            self.finish(active, &End::Whole);
                        }
                    }
                    Progress::Over(end) => self.over(index, &end),
                }
            }
        }
    }

    fn on_opening(&mut self, index: usize) {
        let Some(conn) = self.conns[index].as_mut() else { return };
        match conn.io.open() {
            Ok(false) => {}
            Ok(true) => {
                let State::Opening(waiting) = &mut conn.state else { return };
                match waiting.take() {
                    Some(mut active) => {
                        let written = active.write(&mut conn.io);
                        // The limit is another one from here on.
                        let (deadline, _) = active.deadline(false, &self.shared.target.timeouts);
                        self.deadlines.push(Reverse((deadline, index, conn.generation)));
                        conn.state = State::Busy(active);
                        if written.is_err() {
                            self.again.push(index);
                        }
                    }
                    None => {
                        self.opening -= 1;
                        self.set_idle(index);
                    }
                }
            }
            Err(error) => {
                tracing::debug!(%error, "a connection is not to be had");
                self.over(index, &End::Unreachable(unreachable(&error)));
            }
        }
    }

    /// The connection is free; returns the request that was on it.
    fn set_idle(&mut self, index: usize) -> Option<Box<Active>> {
        let conn = self.conns[index].as_mut()?;
        let before = std::mem::replace(&mut conn.state, State::Idle);
        self.generation += 1;
        conn.generation = self.generation;
        conn.since = self.shared.clock.now();
        let stated = conn.idle_timeout_s.map(|limit| limit.saturating_sub(1).max(1));
        let limit = stated.map_or(TRUSTED_S, |stated| stated.min(TRUSTED_S));
        let limit = Nanos::from_secs(limit.into());
        self.deadlines.push(Reverse((conn.since + limit, index, conn.generation)));
        self.idle.push((index, conn.generation));
        self.idle_count += 1;
        match before {
            State::Busy(active) => Some(active),
            _ => None,
        }
    }

    /// The connection is gone, and so is the request on it, if there is one.
    fn over(&mut self, index: usize, end: &End) {
        match self.drop_conn(index) {
            Some(State::Busy(active) | State::Opening(Some(active))) => self.finish(active, end),
            Some(State::Opening(None)) => self.opening -= 1,
            _ => {}
        }
    }

    fn drop_conn(&mut self, index: usize) -> Option<State> {
        let mut conn = self.conns[index].take()?;
        let _ = self.poll.registry().deregister(conn.io.socket());
        self.free.push(index);
        Some(conn.state)
    }

    fn fire_deadlines(&mut self, now: Moment) {
        // Thousands may pass at one instant; the rest of them has its turn a millisecond later.
        for _ in 0..EXPIRE {
            let Some(&Reverse((at, index, generation))) = self.deadlines.peek() else { return };
            if at > now {
                return;
            }
            self.deadlines.pop();
            let Some(conn) = self.conns[index].as_ref() else { continue };
            if conn.generation != generation {
                continue;
            }
            let limits = &self.shared.target.timeouts;
            let (deadline, end) = match &conn.state {
                State::Idle => {
                    self.drop_idle(index);
                    continue;
                }
                State::Opening(None) => (at, End::Unreachable(String::new())),
                State::Opening(Some(active)) => {
                    let (deadline, what) = active.deadline(true, limits);
                    (deadline, End::Unreachable(what.into()))
                }
                State::Busy(active) => {
                    let (deadline, what) = active.deadline(false, limits);
                    (deadline, End::Timeout(what))
                }
            };
            if deadline > now {
                self.deadlines.push(Reverse((deadline, index, generation)));
            } else {
                self.over(index, &end);
            }
        }
    }

    fn finish(&mut self, active: Box<Active>, end: &End) {
        self.ledger.record(active.sent, end);
    }

    fn give_up(&mut self) {
        for index in 0..self.conns.len() {
            self.over(index, &End::Cancelled);
        }
    }

    fn next_wake(&self, now: Moment) -> (Option<Moment>, Duration) {
        if !self.again.is_empty() {
            return (None, Duration::ZERO);
        }
        let mut wait = LONGEST_WAIT;
        if let Some(Reverse((deadline, ..))) = self.deadlines.peek() {
            let left = Duration::from_nanos(deadline.since(now).0);
            // Time limits are kept to a millisecond.
            wait = wait.min(left.max(Duration::from_millis(1)));
        }
        (self.ledger.next_due(), wait)
    }
}

/// Whether the machine of the generator, not the service, refused a connection.
fn is_local_lack(error: &io::Error) -> bool {
    // ENOMEM too; EADDRNOTAVAIL is a lack of local ports.
    matches!(
        error.kind(),
        io::ErrorKind::QuotaExceeded | io::ErrorKind::AddrNotAvailable | io::ErrorKind::OutOfMemory
    ) || matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS))
}

fn unreachable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".into(),
        io::ErrorKind::ConnectionReset => "connection reset while it was opened".into(),
        _ => explain(error),
    }
}
