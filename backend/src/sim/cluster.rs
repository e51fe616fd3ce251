//! Replicas behind a router, and the faults that are injected on purpose.
//!
//! The cluster has no clock: its caller says when requests arrive and lets it advance from one
//! event to the next, in virtual time or in step with a real clock.

use super::chain::mix;
use super::config::{Config, Faults, Router};
use super::replica::{Job, Key, Observer, Replica};
use super::stats::ReplicaStats;

/// How many more requests than the least loaded replica one may have and still attract those
/// whose prefix it holds.
const AFFINITY_SLACK: usize = 8;

/// See the module.
#[derive(Debug)]
pub struct Cluster {
    replicas: Vec<Replica>,
    /// End of each replica's iteration in progress; `u64::MAX` while idle.
    ends: Vec<u64>,
    router: Router,
    turn: usize,
    faults: Faults,
    seed: u64,
    max_context: u32,
}

/// A request's place in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    replica: u32,
    slot: u32,
    key: Key,
}

impl Place {
    /// The caller's name for the request.
    #[must_use]
    pub const fn key(self) -> Key {
        self.key
    }
}

/// Why a request is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The queue is full: 503.
    QueueFull,
    /// Injected: 500.
    ServerError,
    /// Prompt and output together exceed the longest context: the request's fault.
    TooLong,
}

/// What will go wrong with an accepted request, once it has got so many tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An error object in the stream.
    StreamError {
        /// Tokens before it.
        after: u32,
    },
    /// The connection is cut.
    Disconnect {
        /// Tokens before it.
        after: u32,
    },
    /// Nothing is delivered for a while; then all of what came meanwhile.
    Stall {
        /// Tokens before it.
        after: u32,
        /// How long, in nanoseconds.
        nanos: u64,
    },
}

impl Fault {
    /// After how many tokens the request ends, if the fault ends it.
    #[must_use]
    pub const fn ends_after(self) -> Option<u32> {
        match self {
            Self::StreamError { after } | Self::Disconnect { after } => Some(after),
            Self::Stall { .. } => None,
        }
    }
}

impl Cluster {
    /// An idle cluster with empty caches.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let replicas: Vec<_> = (0..config.replicas).map(|_| Replica::new(config)).collect();
        Self {
            ends: vec![u64::MAX; replicas.len()],
            replicas,
            router: config.router,
            turn: 0,
            faults: config.faults,
            seed: config.seed,
            max_context: config.max_context(),
        }
    }

    /// Routes a request that arrives now. `now` must not lie before anything that happened.
    ///
    /// # Errors
    /// If the cluster does not accept it.
    pub fn submit(&mut self, now: u64, job: Job) -> Result<(Place, Option<Fault>), Refusal> {
        if job.isl.saturating_add(job.osl) > self.max_context {
            return Err(Refusal::TooLong);
        }
        let draw = |what| unit(mix(self.seed ^ mix(job.key)) ^ what);
        if draw(1) < self.faults.server_error {
            return Err(Refusal::ServerError);
        }
        let fault = draw_fault(&self.faults, job.osl, draw);
        let key = job.key;
        let mut job = job;
        if let Some(after) = fault.and_then(Fault::ends_after) {
            job.osl = after;
        }
        let replica = self.route(&job);
        let slot = self.replicas[replica].submit(now, job).map_err(|_full| Refusal::QueueFull)?;
        self.ends[replica] = self.replicas[replica].next().unwrap_or(u64::MAX);
        Ok((Place { replica: replica as u32, slot, key }, fault))
    }

    /// Gives a request up. Without effect if it has ended.
    pub fn abort(&mut self, place: Place) {
        self.replicas[place.replica as usize].abort(place.slot, place.key);
    }

    /// When the next iteration ends; `None` while nothing is to be done.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.ends.iter().copied().min().filter(|&end| end != u64::MAX)
    }

    /// Ends the iterations that end by `time`, in the order of their ends.
    pub fn advance(&mut self, time: u64, observer: &mut impl Observer) {
        loop {
            let (mut first, mut end) = (0, u64::MAX);
            for (index, &other) in self.ends.iter().enumerate() {
                if other < end {
                    (first, end) = (index, other);
                }
            }
            if end > time || end == u64::MAX {
                return;
            }
            let replica = &mut self.replicas[first];
            replica.complete(observer);
            self.ends[first] = replica.next().unwrap_or(u64::MAX);
        }
    }

    /// What each replica says of itself: requests running and waiting, share of KV blocks in
    /// use, counters.
    pub fn replicas(&self) -> impl ExactSizeIterator<Item = (usize, usize, f64, &ReplicaStats)> {
        self.replicas
            .iter()
            .map(|replica| (replica.running(), replica.waiting(), replica.kv_use(), &replica.stats))
    }

    fn route(&mut self, job: &Job) -> usize {
        self.turn = (self.turn + 1) % self.replicas.len();
        // Equals are taken in turn.
        let from_turn = (self.turn..self.replicas.len()).chain(0..self.turn);
        let least = || {
            let load = |&index: &usize| self.replicas[index].load();
            from_turn.clone().min_by_key(load).unwrap_or(0)
        };
        match self.router {
            Router::RoundRobin => self.turn,
            Router::LeastLoaded => least(),
            Router::PrefixAffinity => {
                let least = least();
                let most = self.replicas[least].load() + AFFINITY_SLACK;
                let fits = |&index: &usize| self.replicas[index].load() <= most;
                let cached = |&index: &usize| {
                    let replica = &self.replicas[index];
                    (replica.cached(job), std::cmp::Reverse(replica.load()))
                };
                from_turn.filter(fits).max_by_key(cached).unwrap_or(least)
            }
        }
    }
}

/// A number in [0, 1).
fn unit(bits: u64) -> f64 {
    (mix(bits) >> 11) as f64 / (1_u64 << 53) as f64
}

fn draw_fault(faults: &Faults, osl: u32, draw: impl Fn(u64) -> f64) -> Option<Fault> {
    // After 1 to osl − 1 tokens, so that there is a stream to break; a single token has none.
    let after = 1 + (draw(2) * f64::from(osl.saturating_sub(1))) as u32;
    let after = after.min(osl.saturating_sub(1)).max(1);
    if draw(3) < faults.stream_error {
        Some(Fault::StreamError { after })
    } else if draw(4) < faults.disconnect {
        Some(Fault::Disconnect { after })
    } else if draw(5) < faults.stall {
        Some(Fault::Stall { after, nanos: (faults.stall_ms * 1e6) as u64 })
    } else {
        None
    }
}
