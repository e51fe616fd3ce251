//! The run's one monotonic clock.

use std::time::{Duration, Instant};

use tokencap_shared::units::Moment;

/// A monotonic clock that starts at 0 with the run. Copies tell the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock whose zero is now.
    #[must_use]
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// The time on this clock. 2⁶⁴ ns are 584 years.
    #[must_use]
    pub fn now(&self) -> Moment {
        Moment(self.origin.elapsed().as_nanos() as u64)
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
