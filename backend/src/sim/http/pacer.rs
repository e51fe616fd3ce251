//! Sleeps until the engine's next event, precisely.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// No event is due.
const NEVER: u64 = u64::MAX;

/// A thread that wakes the engine when an event is due. A runtime's own timer works in whole
/// milliseconds; this one is late by the scheduler's latency only.
#[derive(Debug)]
pub(super) struct Pacer {
    origin: Instant,
    due: AtomicU64,
    stopped: AtomicBool,
    woken: Notify,
    thread: OnceLock<Thread>,
}

impl Pacer {
    pub(super) fn start(origin: Instant) -> std::io::Result<Arc<Self>> {
        let pacer = Arc::new(Self {
            origin,
            due: AtomicU64::new(NEVER),
            stopped: AtomicBool::new(false),
            woken: Notify::new(),
            thread: OnceLock::new(),
        });
        let own = Arc::clone(&pacer);
        let handle =
            std::thread::Builder::new().name("sim-pacer".to_owned()).spawn(move || own.sleep())?;
        // It can only be set once, here.
        let _ = pacer.thread.set(handle.thread().clone());
        Ok(pacer)
    }

    /// Asks to be woken at an instant of the engine's clock; `None`: not at all.
    pub(super) fn wake_at(&self, due: Option<u64>) {
        let due = due.unwrap_or(NEVER);
        if self.due.swap(due, Ordering::AcqRel) != due {
            self.unpark();
        }
    }

    /// Waits until an event is due.
    pub(super) async fn woken(&self) {
        self.woken.notified().await;
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.unpark();
    }

    fn unpark(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    fn sleep(&self) {
        while !self.stopped.load(Ordering::Acquire) {
            let due = self.due.load(Ordering::Acquire);
            if due == NEVER {
                std::thread::park();
                continue;
            }
            let left = Duration::from_nanos(due).saturating_sub(self.origin.elapsed());
            if left.is_zero() {
                // Told once: the engine sets the next instant when it has dealt with this one.
                let _ = self.due.compare_exchange(due, NEVER, Ordering::AcqRel, Ordering::Relaxed);
                self.woken.notify_one();
            } else {
                std::thread::park_timeout(left);
            }
        }
    }
}
