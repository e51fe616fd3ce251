//! The run's one monotonic clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokencap_shared::units::Moment;

/// A monotonic clock that starts at 0 with the run. Copies tell the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
    /// What it showed at its origin.
    base: Moment,
}

impl Clock {
    /// A clock whose zero is now.
    #[must_use]
    pub fn start() -> Self {
        Self { origin: Instant::now(), base: Moment(0) }
    }

    /// The clock of a run that another process began: it stood at zero at the given time, in
    /// nanoseconds since 1970 by this machine's calendar. `None` if that lies in the future.
    #[must_use]
    pub fn resumed(zero_unix_ns: i64) -> Option<Self> {
        let base = unix_ns(SystemTime::now())?.checked_sub(zero_unix_ns)?;
        Some(Self { origin: Instant::now(), base: Moment(u64::try_from(base).ok()?) })
    }

    /// When the clock stood at zero, in nanoseconds since 1970 by this machine's calendar.
    #[must_use]
    pub fn zero_unix_ns(&self) -> i64 {
        unix_ns(SystemTime::now()).unwrap_or(0).saturating_sub_unsigned(self.now().0)
    }

    /// What the clock shows at an instant of the calendar; `None` before its zero.
    #[must_use]
    pub fn at(&self, time: SystemTime) -> Option<Moment> {
        let since_zero = unix_ns(time)?.checked_sub(self.zero_unix_ns())?;
        u64::try_from(since_zero).ok().map(Moment)
    }

    /// The time on this clock. 2⁶⁴ ns are 584 years.
    #[must_use]
    pub fn now(&self) -> Moment {
        Moment(self.base.0 + self.origin.elapsed().as_nanos() as u64)
    }

    /// How long until an instant; zero if it has passed.
    #[must_use]
    pub fn until(&self, moment: Moment) -> Duration {
        Duration::from_nanos(moment.0.saturating_sub(self.now().0))
    }

    /// Sleeps until an instant, or not at all if it has passed.
    pub fn sleep_until(&self, moment: Moment) {
        std::thread::sleep(self.until(moment));
    }
}

fn unix_ns(time: SystemTime) -> Option<i64> {
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_clock_goes_on_where_the_calendar_is() {
        let first = Clock::start();
        std::thread::sleep(Duration::from_millis(2));
        let second = Clock::resumed(first.zero_unix_ns()).unwrap();
        assert!(second.now() >= Moment(2_000_000));
        assert!(second.now().0.abs_diff(first.now().0) < 1_000_000_000);
        let future = first.zero_unix_ns() + 1_000_000_000_000_000_000;
        assert!(Clock::resumed(future).is_none());
    }

    #[test]
    fn an_instant_of_the_calendar_has_its_place_on_the_clock() {
        let clock = Clock::start();
        let soon = SystemTime::now() + Duration::from_secs(5);
        assert!(clock.at(soon).unwrap().0.abs_diff(5_000_000_000) < 1_000_000_000);
        assert_eq!(clock.at(UNIX_EPOCH), None);
    }
}
