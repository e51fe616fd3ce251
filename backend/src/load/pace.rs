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
        use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
        use std::os::fd::AsRawFd;

        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
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
        use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};

        if self.armed != due {
            let value = Timespec {
                tv_sec: left.as_secs() as i64,
                tv_nsec: left.subsec_nanos().max(1).into(),
            };
            let once = Itimerspec { it_interval: Timespec::default(), it_value: value };
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once)?;
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
