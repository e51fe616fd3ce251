//! What the threads of one step know in common.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokencap_shared::units::Moment;

use crate::clock::Clock;
use crate::drive::live::Live;
use crate::net::io::Tls;
use crate::net::target::Target;
use crate::schedule::workload::Task;

/// The common state of a step.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) step: u32,
    pub(crate) target: Target,
    pub(crate) tls: Option<Tls>,
    pub(crate) live: Arc<Live>,
    /// Most connections of one thread.
    pub(crate) max_connections: Option<usize>,
    /// Users of a closed loop, each of whom sends a request when the last one has ended.
    pub(crate) users: Option<u32>,
    w0: OnceLock<Moment>,
    /// End of the window; it may come earlier than planned.
    w1: AtomicU64,
    open_members: AtomicI64,
    scheduled: AtomicU64,
    dropped: AtomicU64,
    past_w1: AtomicUsize,
    held: AtomicBool,
    ended: AtomicBool,
}

impl Shared {
    pub(crate) fn new(
        clock: Clock,
        step: u32,
        target: Target,
        tls: Option<Tls>,
        live: Arc<Live>,
        max_connections: Option<usize>,
        users: Option<u32>,
    ) -> Self {
        Self {
            clock,
            step,
            target,
            tls,
            live,
            max_connections,
            users,
            w0: OnceLock::new(),
            w1: AtomicU64::new(u64::MAX),
            open_members: AtomicI64::new(0),
            scheduled: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            past_w1: AtomicUsize::new(0),
            held: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }
    }

    /// Fixes the window's first instant, once, and its planned end.
    pub(crate) fn set_window(&self, w0: Moment, w1: Moment) {
        self.w1.store(w1.0, Ordering::Release);
        let _ = self.w0.set(w0);
    }

    /// Ends the window at an instant still to come, if that is earlier than planned.
    pub(crate) fn close(&self, w1: Moment) {
        self.w1.fetch_min(w1.0, Ordering::AcqRel);
    }

    pub(crate) fn window(&self) -> Option<(Moment, Moment)> {
        let w0 = *self.w0.get()?;
        Some((w0, Moment(self.w1.load(Ordering::Acquire)).max(w0)))
    }

    fn in_window(&self, at: Moment) -> bool {
        self.window().is_some_and(|(w0, w1)| w0 <= at && at < w1)
    }

    /// Whether the text of a request's answer is needed: by the session's next prompt, or because
    /// its tokens may have to be counted.
    pub(crate) fn keeps_text(&self, task: &Task) -> bool {
        self.target.tokenizer.is_some() || task.goes_on()
    }

    /// A request's instant has come.
    pub(crate) fn on_due(&self, intended: Moment) {
        if self.in_window(intended) {
            self.scheduled.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_member(&self, sent: Moment) -> bool {
        self.in_window(sent)
    }

    pub(crate) fn on_sent(&self, member: bool) {
        self.live.on_sent();
        if member {
            self.open_members.fetch_add(1, Ordering::AcqRel);
        }
    }

    pub(crate) fn on_member_end(&self) {
        self.open_members.fetch_sub(1, Ordering::AcqRel);
    }

    pub(crate) fn on_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// A thread will send no further member.
    pub(crate) fn on_past_w1(&self) {
        self.past_w1.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether all of so many threads are past the window and every member has ended.
    pub(crate) fn is_drained(&self, threads: usize) -> bool {
        self.past_w1.load(Ordering::Acquire) >= threads
            && self.open_members.load(Ordering::Acquire) == 0
    }

    /// From now on no request is sent.
    pub(crate) fn hold(&self) {
        self.held.store(true, Ordering::Release);
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held.load(Ordering::Acquire)
    }

    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(crate) fn scheduled(&self) -> u64 {
        self.scheduled.load(Ordering::Relaxed)
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// CPU time that this thread has used; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn thread_cpu() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

/// CPU time that this thread has used; `None` where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub(crate) fn thread_cpu() -> Option<Duration> {
    None
}
