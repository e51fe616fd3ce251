//! Waking up at an instant, to some microseconds.
//!
//! The operating system's poll counts in milliseconds. On Linux a timer file wakes it instead;
//! the last stretch is spent polling without waiting.

use std::io;
use std::time::Duration;

use mio::{Events, Poll, Token};
use tokencap_shared::units::Moment;

use crate::clock::Clock;

/// The last stretch before an instant, at least: about what waking up costs.
const SPIN: Duration = Duration::from_micros(50);
/// And at most, however late this machine wakes.
#[cfg(target_os = "linux")]
const LONGEST_SPIN: Duration = Duration::from_micros(500);
/// No more than this part of the time between two instants is spent so.
#[cfg(target_os = "linux")]
const PART: u32 = 20;

/// How long before an instant to wake: so long that one waking in four hundred comes too late.
#[cfg(target_os = "linux")]
#[derive(Debug)]
struct Stretch {
    length: Duration,
    last_due: Moment,
    /// Mean time between instants, of late.
    between: Duration,
}

#[cfg(target_os = "linux")]
impl Stretch {
    const fn new() -> Self {
        Self { length: SPIN, last_due: Moment(0), between: Duration::ZERO }
    }

    /// The stretch before this instant.
    fn before(&mut self, due: Moment) -> Duration {
        if due != self.last_due {
            let since = Duration::from(due.since(self.last_due));
            self.between = (self.between * 15 + since.min(Duration::from_secs(1))) / 16;
            self.last_due = due;
        }
        self.length.min(self.between / PART).max(SPIN)
    }

    /// A waking came so long after it was asked for. One that was too late lengthens the stretch
    /// four hundred times as much as one that was not shortens it.
    fn woke(&mut self, late: Duration) {
        let longer = if late > self.length {
            self.length + SPIN
        } else {
            self.length.saturating_sub(SPIN / 400)
        };
        self.length = longer.clamp(SPIN, LONGEST_SPIN);
    }
}

/// Waits for events or for an instant, whichever comes first.
#[derive(Debug)]
pub(crate) struct Pacer {
    #[cfg(target_os = "linux")]
    timer: rustix::fd::OwnedFd,
    /// The instant for which the timer is armed, and when it fires.
    #[cfg(target_os = "linux")]
    armed: Option<(Moment, Moment)>,
    #[cfg(target_os = "linux")]
    stretch: Stretch,
}

impl Pacer {
    /// A pacer whose wake-ups come under the given token, which asks for nothing to be done.
    ///
    /// # Errors
    /// If the system has no timer to give.
    #[cfg(target_os = "linux")]
    pub(crate) fn new(poll: &Poll, token: Token) -> io::Result<Self> {
        use std::os::fd::AsRawFd;

        let timer = timer_file()?;
        poll.registry().register(
            &mut mio::unix::SourceFd(&timer.as_raw_fd()),
            token,
            mio::Interest::READABLE,
        )?;
        Ok(Self { timer, armed: None, stretch: Stretch::new() })
    }

    /// A pacer; where polling has fine time limits of its own it needs nothing.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new(_poll: &Poll, _token: Token) -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits until events come, until just before `due`, or for `at_most`.
    ///
    /// # Errors
    /// As the system's poll; an interruption is none.
    pub(crate) fn wait(
        &mut self,
        poll: &mut Poll,
        events: &mut Events,
        clock: Clock,
        due: Option<Moment>,
        at_most: Duration,
    ) -> io::Result<()> {
        let timeout = match due {
            Some(due) => self.until(due, clock)?.min(at_most),
            None => at_most,
        };
        match poll.poll(events, Some(timeout)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            polled => polled?,
        }
        #[cfg(target_os = "linux")]
        if let Some((_, fires)) = self.armed
            && timeout > Duration::ZERO
        {
            let now = clock.now();
            if now >= fires {
                self.stretch.woke(now.since(fires).into());
                // What is left may be worth another sleep.
                self.armed = None;
            }
        }
        Ok(())
    }

    /// Arms the timer for an instant, unless that is so near that there is no time to sleep.
    #[cfg(target_os = "linux")]
    fn until(&mut self, due: Moment, clock: Clock) -> io::Result<Duration> {
        let (left, stretch) = (clock.until(due), self.stretch.before(due));
        if left <= stretch {
            return Ok(Duration::ZERO);
        }
        if self.armed.is_none_or(|(armed, _)| armed != due) {
            set_timer(&self.timer, left - stretch)?;
            self.armed = Some((due, clock.now() + (left - stretch).into()));
        }
        Ok(Duration::MAX)
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the same call as where a timer is armed")]
    fn until(&self, due: Moment, clock: Clock) -> io::Result<Duration> {
        Ok(clock.until(due).saturating_sub(SPIN))
    }
}

/// A timer for asynchronous code, as exact as a [`Pacer`].
#[derive(Debug)]
pub(crate) struct Timer {
    #[cfg(target_os = "linux")]
    file: tokio::io::unix::AsyncFd<rustix::fd::OwnedFd>,
    #[cfg(target_os = "linux")]
    stretch: std::cell::RefCell<Stretch>,
}

impl Timer {
    /// A timer of the current runtime.
    ///
    /// # Errors
    /// If the system has no timer to give.
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "registering a descriptor is unsafe: it must stay open")]
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: the timer's descriptor is owned by the registration and neither closed nor
        // replaced while it stands.
        let file = unsafe { tokio::io::unix::AsyncFd::register(timer_file()?)? };
        Ok(Self { file, stretch: Stretch::new().into() })
    }

    /// A timer; where sleeping is fine enough it needs nothing.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(target_os = "linux")]
    fn stretch_before(&self, due: Moment) -> Duration {
        self.stretch.borrow_mut().before(due)
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the same call as where it is learnt")]
    const fn stretch_before(&self, _: Moment) -> Duration {
        SPIN
    }

    /// Waits until an instant; for ever without one.
    ///
    /// # Errors
    /// As the system's timer.
    pub(crate) async fn until(&self, clock: Clock, due: Option<Moment>) -> io::Result<()> {
        let Some(due) = due else { return std::future::pending().await };
        loop {
            let left = clock.until(due);
            if left.is_zero() {
                return Ok(());
            }
            let stretch = self.stretch_before(due);
            if left <= stretch {
                tokio::task::yield_now().await;
                continue;
            }
            #[cfg(target_os = "linux")]
            {
                let fires = clock.now() + (left - stretch).into();
                set_timer(self.file.get_ref(), left - stretch)?;
                self.file.readable().await?.clear_ready();
                // The file may be readable still of an instant before.
                let now = clock.now();
                if now >= fires {
                    self.stretch.borrow_mut().woke(now.since(fires).into());
                }
            }
            #[cfg(not(target_os = "linux"))]
            tokio::time::sleep(left - stretch).await;
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use tokencap_shared::units::Nanos;

    use super::*;

    #[test]
    fn the_stretch_grows_where_waking_is_slow_and_stays_a_small_part_of_the_time() {
        let mut stretch = Stretch::new();
        let rarely = |number: u64| Moment(number * 20_000_000);
        for number in 1..2000 {
            let asked = stretch.before(rarely(number));
            assert!((SPIN..=LONGEST_SPIN).contains(&asked));
            // One waking in ten takes 0.3 ms, the others 0.1.
            let late = if number % 10 == 0 { 300 } else { 100 };
            stretch.woke(Duration::from_micros(late));
        }
        let learnt = stretch.before(rarely(2000));
        assert!(learnt >= Duration::from_micros(290), "{learnt:?}");
        // A thousand instants a second: no more than a twentieth of the time.
        let mut due = rarely(2000);
        for _ in 0..200 {
            due = due + Nanos::from_millis(1);
            stretch.before(due);
        }
        assert!(stretch.before(due) <= Duration::from_micros(51));
        for _ in 0..8000 {
            stretch.woke(Duration::from_micros(10));
        }
        assert_eq!(stretch.length, SPIN);
    }
}
