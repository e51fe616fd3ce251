//! What a generator thread has to do and has done, whatever protocol it speaks: its part of the
//! schedule, its records, and the evidence about itself.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::Duration;

use hdrhistogram::Histogram;
use tokencap_shared::definitions::record::{Outcome, Request};
use tokencap_shared::units::{Moment, Nanos};

use crate::drive::shared::{Shared, thread_cpu};
use crate::histogram::{histogram, record};
use crate::schedule::workload::Task;
use tokencap_wire::answer::{Answer, End};
use tokencap_wire::gaps::Gaps;

/// A request that is to be sent at an instant.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) intended: Moment,
    pub(crate) task: Task,
}

/// What becomes of a request, told as it happens.
#[derive(Debug)]
pub(crate) enum News {
    /// It was sent.
    Sent {
        /// Its session and its place in it.
        name: (u32, u32),
        at: Moment,
        /// Tokens that its prompt is meant to have.
        isl: u32,
        /// When its first token came: nanoseconds, 0 before.
        first: Arc<AtomicU64>,
    },
    /// It has ended.
    Finished(Box<Finished>),
}

/// A request that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) request: Request,
    pub(crate) error: Option<String>,
    /// In the order in which they came.
    pub(crate) gaps: Gaps,
    /// What was generated, as the inside of a JSON string, where its tokens are still to be counted.
    pub(crate) uncounted: Option<Vec<u8>>,
}

/// What a thread measured of itself.
#[derive(Debug)]
pub(crate) struct ThreadEvidence {
    /// CPU time inside the window.
    pub(crate) cpu: Option<Duration>,
    /// How late a tick of each millisecond would have been served.
    pub(crate) stalls: Histogram<u64>,
    /// From "socket readable" to "event parsed", sampled.
    pub(crate) read_lag: Histogram<u64>,
}

/// A request under way, apart from the connection that carries it.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) task: Task,
    pub(crate) intended: Moment,
    pub(crate) sent: Moment,
    /// Sent inside the window.
    pub(crate) member: bool,
    pub(crate) answer: Answer,
    /// When the last byte of a whole response came in.
    pub(crate) ended: Option<Moment>,
}

/// Pause of a user of a closed loop after a failure.
const AFTER_FAILURE: Nanos = Nanos::from_millis(100);
const TICK: Nanos = Nanos(1_000_000);

/// A follow-up of a session, in the order of time.
#[derive(Debug)]
struct FollowUp(Job);

impl FollowUp {
    const fn key(&self) -> (Moment, u32) {
        (self.0.intended, self.0.task.session)
    }
}

impl PartialEq for FollowUp {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
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
        self.key().cmp(&other.key())
    }
}

/// A thread's ledger.
pub(crate) struct Ledger {
    pub(crate) shared: Arc<Shared>,
    jobs: Receiver<Job>,
    news: Sender<News>,
    arrivals: VecDeque<Job>,
    follow_ups: BinaryHeap<Reverse<FollowUp>>,
    sorted: Vec<Nanos>,
    next_tick: Moment,
    stalls: Histogram<u64>,
    read_lag: Histogram<u64>,
    cpu_at_w0: Option<Duration>,
    cpu_in_window: Option<Duration>,
    past_w1: bool,
}

impl Ledger {
    pub(crate) fn new(shared: Arc<Shared>, jobs: Receiver<Job>, news: Sender<News>) -> Self {
        let next_tick = shared.clock.now();
        Self {
            shared,
            jobs,
            news,
            arrivals: VecDeque::new(),
            follow_ups: BinaryHeap::new(),
            sorted: Vec::new(),
            next_tick,
            stalls: histogram(3),
            read_lag: histogram(3),
            cpu_at_w0: None,
            cpu_in_window: None,
            past_w1: false,
        }
    }

    /// Takes the jobs that the feeder has made.
    pub(crate) fn fetch(&mut self) {
        loop {
            match self.jobs.try_recv() {
                Ok(job) => self.arrivals.push_back(job),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
            }
        }
    }

    /// The instant of the next request, where any is to be sent still.
    pub(crate) fn next_due(&self) -> Option<Moment> {
        if self.shared.is_held() {
            return None;
        }
        let arrival = self.arrivals.front().map(|job| job.intended);
        let follow_up = self.follow_ups.peek().map(|Reverse(next)| next.0.intended);
        match (arrival, follow_up) {
            (Some(arrival), Some(follow_up)) => Some(arrival.min(follow_up)),
            (one, other) => one.or(other),
        }
    }

    /// The next request whose instant has come.
    pub(crate) fn pop_due(&mut self) -> Option<Job> {
        let due = self.next_due().filter(|&due| due <= self.shared.clock.now())?;
        let arrival_first = self.arrivals.front().is_some_and(|job| job.intended == due);
        let job = if arrival_first {
            self.arrivals.pop_front()
        } else {
            self.follow_ups.pop().map(|Reverse(next)| next.0)
        }?;
        self.shared.on_due(job.intended);
        Some(job)
    }

    /// Tells that a request was sent.
    pub(crate) fn tell_sent(&self, sent: &Sent) {
        let Sent { task, sent: at, answer, .. } = sent;
        let name = (task.session, task.turn);
        let (isl, first) = (task.input_tokens(), Arc::clone(&answer.told));
        // Nobody listens any more only when the step is over.
        let _ = self.news.send(News::Sent { name, at: *at, isl, first });
    }

    /// Writes the record of a request that has ended, and schedules what follows it.
    pub(crate) fn record(&mut self, sent: Sent, end: &End) {
        let Sent { mut task, intended, sent, member, mut answer, ended } = sent;
        let end_at = ended.unwrap_or_else(|| self.shared.clock.now());
        let verdict = answer.verdict(end);
        let gaps = std::mem::take(&mut answer.gaps);
        let by_tokenizer = self.shared.target.tokenizer.is_some();
        let uncounted = match verdict.osl {
            None if by_tokenizer => answer.generated(),
            _ => None,
        };
        let request = Request {
            step: self.shared.step,
            session: task.session,
            turn: task.turn,
            intended,
            sent,
            first_token: answer.first,
            last_token: answer.last,
            end: end_at,
            // Where no answer says it, the length that was measured out for the prompt holds: by a
            // tokenizer, or since a refused request belongs to its tier as much as an answered one.
            isl: match verdict.outcome {
                Outcome::ClientFault(_) => verdict.isl,
                Outcome::Completed if !by_tokenizer => verdict.isl,
                _ => verdict.isl.or(Some(task.input_tokens())),
            },
            osl: verdict.osl,
            cached: verdict.cached,
            queue: answer.queue,
            events: answer.events,
            gaps: gaps.summary(&mut self.sorted),
            outcome: verdict.outcome,
            status: verdict.status,
            error: None,
        };
        self.shared.live.on_end(&request, &gaps);
        let error = verdict.error.map(|error| self.shared.target.redact(error));
        // Nobody listens any more only when the step is over.
        let finished = Finished { request, error, gaps, uncounted };
        let _ = self.news.send(News::Finished(Box::new(finished)));
        if member {
            self.shared.on_member_end();
        }
        let completed = request.outcome == Outcome::Completed;
        let next = if completed && task.goes_on() {
            let text = answer.take_text().unwrap_or_default();
            let think = task.advance(&text);
            Job { intended: end_at + think, task }
        } else if let Some(users) = self.shared.users {
            // The same user goes on; one that failed does not do so at the speed of failing.
            let pause = if completed { Nanos(0) } else { AFTER_FAILURE };
            Job { intended: end_at + pause, task: task.next_of_user(users) }
        } else {
            return;
        };
        self.follow_ups.push(Reverse(FollowUp(next)));
    }

    /// Notes the passing of the window's borders.
    pub(crate) fn pass(&mut self, now: Moment) {
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

    /// Ticks that fell into work waited until its end.
    pub(crate) fn was_busy_until(&mut self, now: Moment) {
        while self.next_tick <= now {
            record(&mut self.stalls, now.since(self.next_tick).0);
            self.next_tick = self.next_tick + TICK;
        }
    }

    /// Ticks that fell into sleep would have been served.
    pub(crate) fn slept_until(&mut self, now: Moment) {
        while self.next_tick <= now {
            record(&mut self.stalls, 0);
            self.next_tick = self.next_tick + TICK;
        }
    }

    /// A sampled time from "socket readable" to "event parsed".
    pub(crate) fn read_lagged(&mut self, lag: Duration) {
        record(&mut self.read_lag, lag.as_nanos() as u64);
    }

    pub(crate) fn into_evidence(self) -> ThreadEvidence {
        ThreadEvidence { cpu: self.cpu_in_window, stalls: self.stalls, read_lag: self.read_lag }
    }
}
