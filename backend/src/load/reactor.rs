//! One thread of the generator: its connections, its part of the schedule.
//!
//! The loop waits for nothing but the next event or the next instant of the schedule. Between
//! two events of a batch it looks at the schedule again, so that a busy moment delays no start
//! by more than one read; the time of each read is taken before a byte of it is looked at.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::Duration;

use hdrhistogram::Histogram;
use mio::{Events, Interest, Poll, Token, Waker};
use tokencap_shared::record::{GapSummary, Request};
use tokencap_shared::units::{Moment, Nanos};

use super::answer::End;
use super::conn::{Active, Conn, Progress, State};
use super::io::Io;
use super::live::{histogram, record};
use super::pace::Pacer;
use super::shared::{Shared, thread_cpu};
use super::workload::Task;

/// A request that is to be sent at an instant.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) intended: Moment,
    pub(super) task: Task,
}

/// A request that has ended.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) request: Request,
    pub(super) error: Option<String>,
    /// Sorted.
    pub(super) gaps: Vec<Nanos>,
}

/// What a thread measured of itself.
#[derive(Debug)]
pub(super) struct ThreadEvidence {
    /// CPU time inside the window.
    pub(super) cpu: Option<Duration>,
    /// How late a tick of each millisecond would have been served.
    pub(super) stalls: Histogram<u64>,
    /// From the return of the poll to the end of the parsing of a read, sampled.
    pub(super) read_lag: Histogram<u64>,
}

const WAKER: Token = Token(usize::MAX);
const TIMER: Token = Token(usize::MAX - 1);
/// Connections being opened at once: less than the backlog that any server keeps.
const OPENING: usize = 64;
/// How long an idle connection is trusted: less than servers usually keep one.
const TRUSTED_S: u32 = 4;
/// Longest sleep: other threads' wishes are looked at so often.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
const TICK: Nanos = Nanos(1_000_000);
/// One read of so many is timed.
const SAMPLE: u32 = 64;

/// A follow-up of a session, in the order of time.
#[derive(Debug)]
struct FollowUp(Job);

impl PartialEq for FollowUp {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for FollowUp {}
impl PartialOrd for FollowUp {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for FollowUp {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0.intended, self.0.task.session).cmp(&(other.0.intended, other.0.task.session))
    }
}

/// A generator thread's state.
pub(super) struct Reactor {
    shared: Arc<Shared>,
    poll: Poll,
    pacer: Pacer,
    jobs: Receiver<Job>,
    finished: Sender<Finished>,
    arrivals: VecDeque<Job>,
    follow_ups: BinaryHeap<Reverse<FollowUp>>,
    conns: Vec<Option<Conn>>,
    free: Vec<usize>,
    idle: Vec<usize>,
    /// Connections that are being opened in advance.
    opening: usize,
    again: Vec<usize>,
    /// Instant, connection, generation.
    deadlines: BinaryHeap<Reverse<(Moment, usize, u64)>>,
    buffer: Box<[u8]>,
    generation: u64,
    busy: usize,
    /// Idle connections to keep.
    reserve: usize,
    next_address: usize,
    refilled: Moment,
    next_tick: Moment,
    reads: u32,
    stalls: Histogram<u64>,
    read_lag: Histogram<u64>,
    cpu_at_w0: Option<Duration>,
    cpu_in_window: Option<Duration>,
    past_w1: bool,
}

impl Reactor {
    /// A thread's state, and the waker by which others reach it.
    pub(super) fn new(
        shared: Arc<Shared>,
        jobs: Receiver<Job>,
        finished: Sender<Finished>,
        reserve: usize,
    ) -> io::Result<(Self, Waker)> {
        let poll = Poll::new()?;
        let pacer = Pacer::new(&poll, TIMER)?;
        let waker = Waker::new(poll.registry(), WAKER)?;
        let reactor = Self {
            shared,
            poll,
            pacer,
            jobs,
            finished,
            arrivals: VecDeque::new(),
            follow_ups: BinaryHeap::new(),
            conns: Vec::new(),
            free: Vec::new(),
            idle: Vec::new(),
            opening: 0,
            again: Vec::new(),
            deadlines: BinaryHeap::new(),
            buffer: vec![0; 64 << 10].into_boxed_slice(),
            generation: 0,
            busy: 0,
            reserve,
            next_address: 0,
            refilled: Moment(0),
            next_tick: Moment(0),
            reads: 0,
            stalls: histogram(3),
            read_lag: histogram(3),
            cpu_at_w0: None,
            cpu_in_window: None,
            past_w1: false,
        };
        Ok((reactor, waker))
    }

    /// Opens connections in advance: as many as wanted, until none is to be had or time is up.
    pub(super) fn open_in_advance(&mut self, wanted: usize, until: Moment) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        let kept = std::mem::replace(&mut self.reserve, wanted);
        loop {
            let now = self.shared.clock.now();
            self.refilled = Moment(0);
            self.refill(now);
            if self.opening == 0 || now >= until {
                break;
            }
            let wait = self.shared.clock.until(until).min(LONGEST_WAIT);
            self.pacer.wait(&mut self.poll, &mut events, self.shared.clock, None, wait)?;
            self.serve(&events, None);
        }
        self.reserve = kept;
        Ok(())
    }

    /// Runs until the step has ended; then gives up what is still in flight.
    pub(super) fn run(mut self) -> io::Result<ThreadEvidence> {
        let mut events = Events::with_capacity(1024);
        self.next_tick = self.shared.clock.now();
        while !self.shared.has_ended() {
            self.fetch();
            self.start_due();
            let now = self.shared.clock.now();
            self.pass(now);
            self.fire_deadlines(now);
            self.refill(now);
            let (due, wait) = self.next_wake(now);
            self.account_busy(now);
            self.pacer.wait(&mut self.poll, &mut events, self.shared.clock, due, wait)?;
            let woke = self.shared.clock.now();
            self.account_asleep(woke);
            self.serve(&events, Some(woke));
        }
        self.give_up();
        Ok(ThreadEvidence { cpu: self.cpu_in_window, stalls: self.stalls, read_lag: self.read_lag })
    }

    /// Takes the jobs that the feeder has made.
    fn fetch(&mut self) {
        loop {
            match self.jobs.try_recv() {
                Ok(job) => self.arrivals.push_back(job),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
            }
        }
    }

    fn next_due(&self) -> Option<Moment> {
        let arrival = self.arrivals.front().map(|job| job.intended);
        let follow_up = self.follow_ups.peek().map(|Reverse(next)| next.0.intended);
        match (arrival, follow_up) {
            (Some(arrival), Some(follow_up)) => Some(arrival.min(follow_up)),
            (one, other) => one.or(other),
        }
    }

    fn start_due(&mut self) {
        while let Some(due) = self.next_due()
            && due <= self.shared.clock.now()
        {
            let arrival_first = self.arrivals.front().is_some_and(|job| job.intended == due);
            let job = if arrival_first {
                self.arrivals.pop_front()
            } else {
                self.follow_ups.pop().map(|Reverse(next)| next.0)
            };
            if let Some(job) = job {
                self.start(job);
            }
        }
    }

    fn start(&mut self, job: Job) {
        self.shared.on_due(job.intended);
        let mut active = Box::new(Active::new(job.task, job.intended));
        let index = loop {
            let Some(index) = self.idle.pop() else { break None };
            // The server may have closed it meanwhile.
            if self.conns[index].as_mut().is_some_and(Conn::is_alive) {
                break Some(index);
            }
            self.drop_conn(index);
        };
        active.sent = self.shared.clock.now();
        active.member = self.shared.is_member(active.sent);
        let index = match index {
            Some(index) => index,
            None => match self.connect() {
                Ok(index) => index,
                Err(error) => return self.refuse(active, &error),
            },
        };
        self.busy += 1;
        self.shared.on_sent(active.member);
        let limits = self.shared.target.timeouts;
        let Some(conn) = self.conns[index].as_mut() else { return };
        self.generation += 1;
        conn.generation = self.generation;
        conn.since = active.sent;
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

    /// There is no socket for a request. A lack on this machine is an arrival that was dropped;
    /// anything else is the service's unreachability.
    fn refuse(&mut self, active: Box<Active>, error: &io::Error) {
        if is_local_lack(error) {
            self.shared.on_dropped();
            return;
        }
        self.busy += 1;
        self.shared.on_sent(active.member);
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
        while self.idle.len() + self.opening < self.reserve && self.opening < OPENING {
            let Ok(index) = self.connect() else { return };
            self.opening += 1;
            let limit = Nanos(self.shared.target.timeouts.connect.as_nanos() as u64);
            self.deadlines.push(Reverse((now + limit, index, self.generation)));
        }
    }

    fn serve(&mut self, events: &Events, woke: Option<Moment>) {
        for event in events {
            let Token(index) = event.token();
            if index < self.conns.len() {
                self.on_ready(index, event.is_read_closed() || event.is_error(), woke);
                if woke.is_some() {
                    self.start_due();
                }
            }
        }
        for index in std::mem::take(&mut self.again) {
            self.on_ready(index, false, woke);
        }
    }

    fn on_ready(&mut self, index: usize, closed: bool, woke: Option<Moment>) {
        let Some(conn) = self.conns[index].as_mut() else { return };
        match &mut conn.state {
            State::Opening(_) => self.on_opening(index),
            State::Idle => {
                if !conn.is_alive() {
                    self.idle.retain(|&other| other != index);
                    self.drop_conn(index);
                }
            }
            State::Busy(_) => {
                let progress = conn.proceed(self.shared.clock, &mut self.buffer, closed);
                self.reads += 1;
                if let Some(woke) = woke
                    && self.reads.is_multiple_of(SAMPLE)
                {
                    let lag = self.shared.clock.now().since(woke);
                    record(&mut self.read_lag, lag.0);
                }
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
            Err(error) => self.over(index, &End::Unreachable(unreachable(&error))),
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
        self.idle.push(index);
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
        while let Some(&Reverse((at, index, generation))) = self.deadlines.peek()
            && at <= now
        {
            self.deadlines.pop();
            let Some(conn) = self.conns[index].as_ref() else { continue };
            if conn.generation != generation {
                continue;
            }
            let limits = &self.shared.target.timeouts;
            let (deadline, end) = match &conn.state {
                State::Idle => {
                    self.idle.retain(|&other| other != index);
                    self.drop_conn(index);
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

    fn finish(&mut self, mut active: Box<Active>, end: &End) {
        self.busy -= 1;
        let now = self.shared.clock.now();
        let verdict = active.answer.verdict(end);
        let mut gaps = std::mem::take(&mut active.answer.gaps);
        let request = Request {
            step: self.shared.step,
            session: active.task.session,
            turn: active.task.turn,
            intended: active.intended,
            sent: active.sent,
            first_token: active.answer.first,
            last_token: active.answer.last,
            end: now,
            isl: verdict.isl,
            osl: verdict.osl,
            cached: verdict.cached,
            queue: active.answer.queue,
            events: active.answer.events,
            gaps: GapSummary::of(&mut gaps),
            outcome: verdict.outcome,
            status: verdict.status,
            error: None,
        };
        self.shared.live.on_end(&request, &gaps);
        let error = verdict.error.map(|error| self.shared.target.redact(error));
        let goes_on =
            request.outcome == tokencap_shared::record::Outcome::Completed && active.task.goes_on();
        // Nobody listens any more only when the step is over.
        let _ = self.finished.send(Finished { request, error, gaps });
        if active.member {
            self.shared.on_member_end();
        }
        if goes_on {
            let mut task = active.task;
            let text = active.answer.take_text().unwrap_or_default();
            let think = task.advance(&text);
            self.follow_ups.push(Reverse(FollowUp(Job { intended: now + think, task })));
        }
    }

    fn give_up(&mut self) {
        for index in 0..self.conns.len() {
            self.over(index, &End::Cancelled);
        }
    }

    /// Notes the passing of the window's borders.
    fn pass(&mut self, now: Moment) {
        let Some((w0, w1)) = self.shared.window() else { return };
        if self.cpu_at_w0.is_none() && now >= w0 {
            self.cpu_at_w0 = thread_cpu();
        }
        if !self.past_w1 && now >= w1 {
            self.past_w1 = true;
            let before = self.cpu_at_w0;
            self.cpu_in_window =
                thread_cpu().zip(before).map(|(after, before)| after.saturating_sub(before));
            self.shared.on_past_w1();
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
        (self.next_due(), wait)
    }

    /// Ticks that fell into work waited until its end.
    fn account_busy(&mut self, now: Moment) {
        while self.next_tick <= now {
            record(&mut self.stalls, now.since(self.next_tick).0);
            self.next_tick = self.next_tick + TICK;
        }
    }

    /// Ticks that fell into sleep would have been served.
    fn account_asleep(&mut self, woke: Moment) {
        while self.next_tick <= woke {
            record(&mut self.stalls, 0);
            self.next_tick = self.next_tick + TICK;
        }
    }
}

/// Whether the machine of the generator, not the service, refused a connection.
fn is_local_lack(error: &io::Error) -> bool {
    // EMFILE, ENFILE, ENOBUFS, ENOMEM; EADDRNOTAVAIL is a lack of local ports.
    matches!(
        error.kind(),
        io::ErrorKind::QuotaExceeded | io::ErrorKind::AddrNotAvailable | io::ErrorKind::OutOfMemory
    ) || matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS))
}

fn unreachable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".into(),
        io::ErrorKind::ConnectionReset => "connection reset while it was opened".into(),
        io::ErrorKind::InvalidData => format!("TLS: {error}"),
        _ => error.to_string(),
    }
}
