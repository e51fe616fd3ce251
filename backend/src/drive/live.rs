//! What a step looks like while it runs: counters that any thread may read at any time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use hdrhistogram::Histogram;
use tokencap_shared::definitions::record::{Outcome, Request};
use tokencap_shared::units::Nanos;

use tokencap_wire::gaps::Gaps;

use crate::histogram::{histogram, record, record_n};

/// Counters of a step that is running. They are for the eye: nothing is judged by them.
#[derive(Debug)]
pub struct Live {
    sent: AtomicU64,
    in_flight: AtomicU64,
    completed: AtomicU64,
    failed: AtomicU64,
    faults: AtomicU64,
    tokens: AtomicU64,
    latencies: Mutex<Latencies>,
}

#[derive(Debug)]
struct Latencies {
    ttft: Histogram<u64>,
    gaps: Histogram<u64>,
}

/// A look at the counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Requests sent.
    pub sent: u64,
    /// Requests without an end.
    pub in_flight: u64,
    /// Requests completed.
    pub completed: u64,
    /// Requests that the service failed.
    pub failed: u64,
    /// Requests that were wrong.
    pub faults: u64,
    /// Output tokens of the requests that ended.
    pub tokens: u64,
    /// Time to first token: median and 99th percentile, once there is one.
    pub ttft: Option<[Nanos; 2]>,
    /// Gaps: median and 99th percentile, once there is one.
    pub itl: Option<[Nanos; 2]>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            sent: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            faults: AtomicU64::new(0),
            tokens: AtomicU64::new(0),
            latencies: Mutex::new(Latencies { ttft: histogram(2), gaps: histogram(2) }),
        }
    }
}

impl Live {
    pub(crate) fn on_sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn on_end(&self, request: &Request, gaps: &Gaps) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        match request.outcome {
            Outcome::Completed => self.completed.fetch_add(1, Ordering::Relaxed),
            Outcome::Failed(_) => self.failed.fetch_add(1, Ordering::Relaxed),
            Outcome::ClientFault(_) => self.faults.fetch_add(1, Ordering::Relaxed),
            Outcome::Cancelled => 0,
        };
        self.tokens.fetch_add(request.osl.unwrap_or(0).into(), Ordering::Relaxed);
        let mut latencies = self.latencies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ttft) = request.ttft() {
            record(&mut latencies.ttft, ttft.0);
        }
        for (gap, times) in gaps.runs() {
            record_n(&mut latencies.gaps, gap.0, times as u64);
        }
    }

    /// Requests without an end.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// The counters as they are now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let latencies = self.latencies.lock().unwrap_or_else(PoisonError::into_inner);
        let quantiles = |histogram: &Histogram<u64>| {
            (!histogram.is_empty())
                .then(|| [0.5, 0.99].map(|q| Nanos(histogram.value_at_quantile(q))))
        };
        Snapshot {
            sent: get(&self.sent),
            in_flight: get(&self.in_flight),
            completed: get(&self.completed),
            failed: get(&self.failed),
            faults: get(&self.faults),
            tokens: get(&self.tokens),
            ttft: quantiles(&latencies.ttft),
            itl: quantiles(&latencies.gaps),
        }
    }
}
