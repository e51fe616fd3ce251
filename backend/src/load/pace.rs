//! Waking up at an instant, to some microseconds.
//!
//! The operating system's poll counts in milliseconds. On Linux a timer file wakes it instead;
//! the last stretch is spent polling without waiting.

use std::io;
use std::time::Duration;

use mio::{Events, Poll, Token};
use tokencap_shared::units::Moment;

use super::clock::Clock;

/// The last stretch before an instant: about what waking up costs.
const SPIN: Duration = Duration::from_micros(50);

/// Waits for events or for an instant, whichever comes first.
#[derive(Debug)]
pub(super) struct Pacer {
    #[cfg(target_os = "linux")]
    timer: rustix::fd::OwnedFd,
    #[cfg(target_os = "linux")]
    armed: Option<Moment>,
}

impl Pacer {
    /// A pacer whose wake-ups come under the given token, which asks for nothing to be done.
    ///
    /// # Errors
    /// If the system has no timer to give.
    #[cfg(target_os = "linux")]
    pub(super) fn new(poll: &Poll, token: Token) -> io::Result<Self> {
        use std::os::fd::AsRawFd;

        let timer = timer_file()?;
        poll.registry().register(
            &mut mio::unix::SourceFd(&timer.as_raw_fd()),
            token,
            mio::Interest::READABLE,
        )?;
        Ok(Self { timer, armed: None })
    }

    /// A pacer; where polling has fine time limits of its own it needs nothing.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn new(_poll: &Poll, _token: Token) -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits until events come, until just before `due`, or for `at_most`.
    ///
    /// # Errors
    /// As the system's poll; an interruption is none.
    pub(super) fn wait(
        &mut self,
        poll: &mut Poll,
        events: &mut Events,
        clock: Clock,
        due: Option<Moment>,
        at_most: Duration,
    ) -> io::Result<()> {
        let left = due.map(|due| clock.until(due));
        let timeout = match left {
            Some(left) if left <= SPIN => Duration::ZERO,
            Some(left) => self.arm(due, left - SPIN, at_most)?,
            None => at_most,
        };
        match poll.poll(events, Some(timeout)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            result => result,
        }
    }

    #[cfg(target_os = "linux")]
    fn arm(
        &mut self,
        due: Option<Moment>,
        left: Duration,
        at_most: Duration,
    ) -> io::Result<Duration> {
        if self.armed != due {
            set_timer(&self.timer, left)?;
            self.armed = due;
        }
        Ok(at_most)
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the same call as where a timer is armed")]
    fn arm(&self, _: Option<Moment>, left: Duration, at_most: Duration) -> io::Result<Duration> {
        Ok(left.min(at_most))
    }
}

/// A timer for asynchronous code, as exact as a [`Pacer`].
#[derive(Debug)]
pub(super) struct Timer {
    #[cfg(target_os = "linux")]
    file: tokio::io::unix::AsyncFd<rustix::fd::OwnedFd>,
}

impl Timer {
    /// A timer of the current runtime.
    ///
    /// # Errors
    /// If the system has no timer to give.
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "registering a descriptor is unsafe: it must stay open")]
    pub(super) fn new() -> io::Result<Self> {
        // SAFETY: the timer's descriptor is owned by the registration and neither closed nor
        // replaced while it stands.
        Ok(Self { file: unsafe { tokio::io::unix::AsyncFd::register(timer_file()?)? } })
    }

    /// A timer; where sleeping is fine enough it needs nothing.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits until an instant; for ever without one.
    ///
    /// # Errors
    /// As the system's timer.
    pub(super) async fn until(&self, clock: Clock, due: Option<Moment>) -> io::Result<()> {
        let Some(due) = due else { return std::future::pending().await };
        loop {
            let left = clock.until(due);
            if left.is_zero() {
                return Ok(());
            }
            if left <= SPIN {
                tokio::task::yield_now().await;
                continue;
            }
            #[cfg(target_os = "linux")]
            {
                set_timer(self.file.get_ref(), left - SPIN)?;
                self.file.readable().await?.clear_ready();
            }
            #[cfg(not(target_os = "linux"))]
            tokio::time::sleep(left - SPIN).await;
        }
    }
}

#[cfg(target_os = "linux")]
fn timer_file() -> io::Result<rustix::fd::OwnedFd> {
    use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};

    let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
    Ok(timerfd_create(TimerfdClockId::Monotonic, flags)?)
}

/// Lets the timer's file become readable once, in so much time.
#[cfg(target_os = "linux")]
fn set_timer(timer: &rustix::fd::OwnedFd, left: Duration) -> io::Result<()> {
    use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};

    let value =
        Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().max(1).into() };
    let once = Itimerspec { it_interval: Timespec::default(), it_value: value };
    timerfd_settime(timer, TimerfdTimerFlags::empty(), &once)?;
    Ok(())
}
