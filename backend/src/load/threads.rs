//! The threads of a step: those that send and read, and the one that makes requests ready.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender, SyncSender, TrySendError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokencap_shared::units::{Moment, Nanos};

use super::h2;
use super::ledger::{Job, Ledger, News, ThreadEvidence};
use super::reactor::Reactor;
use super::shard::Shard;
use super::shared::{Shared, thread_cpu};
use super::step::{Load, StepError, StepPlan};
use super::workload::Source;

/// How far ahead of their instants requests are made ready.
const AHEAD: Nanos = Nanos::from_millis(1500);
/// Requests made ready, at most, for one thread.
const QUEUE: usize = 4096;

/// Streams that an HTTP/2 server usually allows on one connection.
const STREAMS: usize = 100;
/// The threads of a step, ready to send.
pub(super) struct Threads {
    pub(super) handles: Vec<JoinHandle<io::Result<ThreadEvidence>>>,
    pub(super) jobs: Vec<SyncSender<Job>>,
    pub(super) wakers: Vec<mio::Waker>,
}

impl Threads {
    /// Starts them; returns when each has opened its connections, or has no hope to.
    pub(super) fn start(
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

/// Makes requests ready ahead of their instants and deals them out to the threads; returns its
/// CPU time.
pub(super) fn feed(
    shared: &Shared,
    source: &Arc<Source>,
    arrivals: impl Iterator<Item = Nanos>,
    (start, shard): (Moment, Shard),
    threads: &[SyncSender<Job>],
) -> Option<Duration> {
    for (number, after) in (0..u32::MAX).zip(arrivals).filter(|&(number, _)| shard.has(number)) {
        let intended = start + after;
        while shared.clock.now() + AHEAD < intended {
            if shared.is_held() || shared.has_ended() {
                return thread_cpu();
            }
            std::thread::sleep(shared.clock.until(intended - AHEAD).min(Duration::from_millis(20)));
        }
        let mut job = Job { intended, task: source.task(number) };
        let thread = &threads[(number / shard.of()) as usize % threads.len()];
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
