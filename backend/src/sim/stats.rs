//! What a replica says of itself: counters, histograms, power and energy.

use super::config::{Config, Power};

/// Bounds in seconds of vLLM's request-latency histograms.
const VLLM_LATENCY: [f64; 20] = [
    0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0,
    480.0, 960.0, 1920.0,
];

/// Bounds in seconds of the time-to-first-token histogram.
const TTFT: [f64; 20] = [
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
    20.0, 40.0, 80.0, 160.0,
];

/// A histogram of durations, with bounds in seconds.
#[derive(Clone, Debug)]
pub struct Histogram {
    bounds: Vec<f64>,
    limits_ns: Vec<u64>,
    counts: Vec<u64>,
    sum_ns: u128,
}

impl Histogram {
    /// An empty histogram with these upper bounds in seconds, ascending, and +∞ behind them.
    #[must_use]
    pub fn new(bounds: &[f64]) -> Self {
        Self {
            bounds: bounds.to_vec(),
            limits_ns: bounds.iter().map(|bound| (bound * 1e9).round() as u64).collect(),
            counts: vec![0; bounds.len() + 1],
            sum_ns: 0,
        }
    }

    /// Counts a duration in nanoseconds. A bound belongs to its own bucket.
    pub fn observe(&mut self, nanos: u64) {
        let bucket = self.limits_ns.partition_point(|&limit| limit < nanos);
        self.counts[bucket] += 1;
        self.sum_ns += u128::from(nanos);
    }

    /// Bounds in seconds with the cumulative count up to each, then the count of all.
    pub fn cumulative(&self) -> impl Iterator<Item = (Option<f64>, u64)> {
        let mut total = 0;
        self.counts.iter().enumerate().map(move |(i, count)| {
            total += count;
            (self.bounds.get(i).copied(), total)
        })
    }

    /// How many durations, and their sum in seconds.
    #[must_use]
    pub fn total(&self) -> (u64, f64) {
        (self.counts.iter().sum(), self.sum_ns as f64 / 1e9)
    }
}

/// Counters of one replica, since its start.
#[derive(Clone, Debug)]
pub struct ReplicaStats {
    /// Requests that got all their tokens.
    pub finished: u64,
    /// Requests given up by their client.
    pub aborted: u64,
    /// Sequences sent back to the queue for want of KV blocks.
    pub preemptions: u64,
    /// Prompt tokens of requests whose prompt is done, reused ones included.
    pub prompt_tokens: u64,
    /// Prompt tokens computed, recomputed ones included.
    pub prefill_tokens: u64,
    /// Tokens generated since the start.
    pub output_tokens: u64,
    /// Prompt tokens looked up in the prefix cache.
    pub prefix_queries: u64,
    /// Prompt tokens found there.
    pub prefix_hits: u64,
    /// From acceptance to the start of computation, at the request's end.
    pub queue: Histogram,
    /// From acceptance to the first token.
    pub ttft: Histogram,
    /// From acceptance to the last token.
    pub e2e: Histogram,
    power: Power,
    /// Nanojoules of one GPU, up to `energy_at`.
    energy_nj: f64,
    energy_at: u64,
    busy: bool,
    /// Power of the last iteration.
    watts: f64,
}

impl ReplicaStats {
    pub(super) fn new(config: &Config) -> Self {
        let queue = config.metrics.queue_bounds_s.as_deref().unwrap_or(&VLLM_LATENCY);
        Self {
            finished: 0,
            aborted: 0,
            preemptions: 0,
            prompt_tokens: 0,
            prefill_tokens: 0,
            output_tokens: 0,
            prefix_queries: 0,
            prefix_hits: 0,
            queue: Histogram::new(queue),
            ttft: Histogram::new(&TTFT),
            e2e: Histogram::new(&VLLM_LATENCY),
            power: config.power,
            energy_nj: 0.0,
            energy_at: 0,
            busy: false,
            watts: config.power.idle_watts,
        }
    }

    /// An iteration ended that took this long, this share of it for prompts.
    pub(super) fn iteration(&mut self, nanos: u64, prefill_share: f64) {
        let Power { decode_watts, prefill_watts, .. } = self.power;
        self.watts = decode_watts + (prefill_watts - decode_watts) * prefill_share;
        self.energy_nj += self.watts * nanos as f64;
        self.energy_at += nanos;
    }

    pub(super) const fn idle_since(&mut self, now: u64) {
        if self.busy {
            self.busy = false;
            self.energy_at = now;
        }
    }

    pub(super) fn busy_since(&mut self, now: u64) {
        if !self.busy {
            self.energy_nj += self.power.idle_watts * (now - self.energy_at) as f64;
            self.energy_at = now;
            self.busy = true;
        }
    }

    /// Power of one GPU now, in watts.
    #[must_use]
    pub const fn watts(&self) -> f64 {
        if self.busy { self.watts } else { self.power.idle_watts }
    }

    /// Energy of one GPU up to `now`, in joules.
    #[must_use]
    pub fn joules(&self, now: u64) -> f64 {
        let since = now.saturating_sub(self.energy_at) as f64;
        (self.energy_nj + self.watts() * since) / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_own_bucket() {
        let mut histogram = Histogram::new(&[0.3, 0.5]);
        for nanos in [0, 300_000_000, 300_000_001, 500_000_000, 500_000_001] {
            histogram.observe(nanos);
        }
        let cumulative: Vec<_> = histogram.cumulative().collect();
        assert_eq!(cumulative, [(Some(0.3), 2), (Some(0.5), 4), (None, 5)]);
    }
}
