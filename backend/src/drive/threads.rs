//! The threads of a step: those that send and read, and the one that makes requests ready.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender, SyncSender, TrySendError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokencap_shared::units::{Moment, Nanos};

use crate::drive::h2;
use crate::drive::ledger::{Job, Ledger, News, ThreadEvidence};
use crate::drive::plan::{Load, StepError, StepPlan};
use crate::drive::reactor::Reactor;
use crate::drive::shared::{Shared, thread_cpu};
use crate::schedule::workload::{Source, Task};
use tokencap_shared::definitions::origin::Shard;

/// How far ahead of their instants requests are made ready.
const AHEAD: Nanos = Nanos::from_millis(1500);
/// Requests made ready, at most, for one thread.
const QUEUE: usize = 4096;
/// Time to make the first of them ready before a step begins.
const MADE_READY: Duration = Duration::from_millis(250);

/// Streams that an HTTP/2 server usually allows on one connection.
const STREAMS: usize = 100;
/// The threads of a step, ready to send.
pub(crate) struct Threads {
    pub(crate) handles: Vec<JoinHandle<io::Result<ThreadEvidence>>>,
    pub(crate) jobs: Vec<SyncSender<Job>>,
    pub(crate) wakers: Vec<mio::Waker>,
}

impl Threads {
    /// Starts them; returns when each has opened its connections, or has no hope to.
    pub(crate) fn start(
        shared: &Arc<Shared>,
        plan: &StepPlan,
        news: &Sender<News>,
    ) -> Result<Self, StepError> {
        let threads = plan.threads.max(1);
        let hold_idle = shared.target.hold_idle;
        let reserve = match plan.load {
            _ if !hold_idle => 0,
            Load::Open(rate) => {
                (rate.get() * 0.2 / threads as f64).ceil().clamp(2.0, 256.0) as usize
            }
            Load::Closed(_) => 1,
        };
        let connections = if hold_idle { plan.connections } else { 0 };
        let until = shared.clock.now() + Nanos::from_secs(10);
        let (ready_in, ready) = mpsc::channel();
        let mut all = Self { handles: Vec::new(), jobs: Vec::new(), wakers: Vec::new() };
        for index in 0..threads {
            let (jobs_in, jobs) = mpsc::sync_channel(QUEUE);
            let ledger = Ledger::new(Arc::clone(shared), jobs, news.clone());
            let ready_in = ready_in.clone();
            let is_ready = move || _ = ready_in.send(());
            let thread = std::thread::Builder::new().name(format!("load-{index}"));
            let handle = if shared.target.http2 {
                let share = connections.div_ceil(STREAMS * threads).max(1);
                thread.spawn(move || h2::run(ledger, share, until, is_ready))?
            } else {
                let share = connections / threads + usize::from(index < connections % threads);
                let (mut reactor, waker) = Reactor::new(ledger, reserve)?;
                all.wakers.push(waker);
                thread.spawn(move || {
                    let opened = reactor.open_in_advance(share, until);
                    is_ready();
                    opened?;
                    reactor.run()
                })?
            };
            all.handles.push(handle);
            all.jobs.push(jobs_in);
        }
        for _ in 0..threads {
            // A thread that failed says so when it is joined.
            let _ = ready.recv_timeout(Duration::from_secs(12));
        }
        Ok(all)
    }
}

/// Makes requests ready ahead of their instants and deals them out to the threads.
pub(crate) struct Feeder {
    source: Arc<Source>,
    shard: Shard,
    /// The number of a request, and how long after the beginning it is to be sent.
    arrivals: Box<dyn Iterator<Item = (u32, Nanos)> + Send>,
    ready: VecDeque<(u32, Nanos, Task)>,
}

impl Feeder {
    /// Makes the first requests ready, so that a crowd at the beginning does not wait for its
    /// prompts.
    pub(crate) fn new(
        source: Arc<Source>,
        arrivals: impl Iterator<Item = Nanos> + Send + 'static,
        shard: Shard,
    ) -> Self {
        let own = (0..u32::MAX).zip(arrivals).filter(move |&(number, _)| shard.has(number));
        let mut feeder = Self { source, shard, arrivals: Box::new(own), ready: VecDeque::new() };
        let begun = Instant::now();
        while feeder.ready.len() < QUEUE && begun.elapsed() < MADE_READY {
            let Some(next) = feeder.make() else { break };
            let is_early = next.1 > AHEAD;
            feeder.ready.push_back(next);
            if is_early {
                break;
            }
        }
        feeder
    }

    fn make(&mut self) -> Option<(u32, Nanos, Task)> {
        let (number, after) = self.arrivals.next()?;
        Some((number, after, self.source.task(number)))
    }

    /// Deals requests out until there are no more or the step has ended; returns its CPU time.
    pub(crate) fn feed(
        mut self,
        shared: &Shared,
        start: Moment,
        threads: &[SyncSender<Job>],
    ) -> Option<Duration> {
        while let Some((number, after, task)) = self.ready.pop_front().or_else(|| self.make()) {
            let intended = start + after;
            while shared.clock.now() + AHEAD < intended {
                if shared.is_held() || shared.has_ended() {
                    return thread_cpu();
                }
                let left = shared.clock.until(intended - AHEAD);
                std::thread::sleep(left.min(Duration::from_millis(20)));
            }
            let mut job = Job { intended, task };
            let thread = &threads[(number / self.shard.of()) as usize % threads.len()];
            loop {
                match thread.try_send(job) {
                    Ok(()) => break,
                    Err(TrySendError::Disconnected(_)) => return thread_cpu(),
                    Err(TrySendError::Full(back)) => {
                        job = back;
                        if shared.is_held() || shared.has_ended() {
                            return thread_cpu();
                        }
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
            }
        }
        thread_cpu()
    }
}
