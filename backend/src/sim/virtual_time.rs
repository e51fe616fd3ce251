//! The cluster in virtual time: a measured step as fast as the machine can compute it, with the
//! very records that the load generator would have made of it.

use std::collections::{BTreeMap, VecDeque};

use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::definitions::record::{
    ClientFaultKind, FailureKind, GapHistogram, GapSummary, Outcome, Request,
};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::stats::rank::nearest_rank;
use tokencap_shared::units::{Moment, Nanos, Rate};

use super::chain::{Chain, mix};
use super::cluster::{Cluster, Fault, Place, Refusal};
use super::config::Config;
use super::emissions::Emissions;
use super::replica::{Done, Job, Key, Observer};
use super::workload::Source;
use crate::histogram::{histogram, record};
use crate::schedule::described::Arrival;
use crate::schedule::draw::WorkloadError;
use crate::step::{Control, Open, Running, StepRecord};

/// What one step is to do.
#[derive(Clone, Copy, Debug)]
pub struct VirtualStep {
    /// Its number in the run.
    pub id: u32,
    /// Why it is run.
    pub kind: StepKind,
    /// Requests per second to offer (the steps of sessions count as requests).
    pub rate: Rate,
    /// Time before the window.
    pub warmup: Nanos,
    /// Length of the window.
    pub window: Nanos,
    /// Seed of arrivals and lengths.
    pub seed: u64,
    /// The client's time limit for a request.
    pub deadline: Nanos,
}

/// A cluster that is measured step by step, its caches living on between them.
#[derive(Debug)]
pub struct Simulation<'a> {
    cluster: Cluster,
    workload: &'a Workload,
    promise: Option<&'a PromiseSheet>,
    block_tokens: u32,
    tokens_per_event: u32,
    salt: u64,
    now: u64,
    keys: Key,
}

impl<'a> Simulation<'a> {
    /// An idle cluster. Gaps are kept by the promise's tiers, if there is one.
    #[must_use]
    pub fn new(config: &Config, workload: &'a Workload, promise: Option<&'a PromiseSheet>) -> Self {
        Self {
            cluster: Cluster::new(config),
            workload,
            promise,
            block_tokens: config.kv.block_tokens,
            tokens_per_event: config.output.tokens_per_event,
            salt: config.seed,
            now: 0,
            keys: 0,
        }
    }

    /// The cluster, with its counters.
    #[must_use]
    pub const fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The run's clock.
    #[must_use]
    pub const fn now(&self) -> Moment {
        Moment(self.now)
    }

    /// Runs a step until every member of its window has ended. The watcher is asked once a virtual
    /// second what is to become of it.
    ///
    /// # Errors
    /// If the workload cannot be run.
    pub fn run(
        &mut self,
        plan: &VirtualStep,
        mut watch: impl FnMut(&mut Running<'_>) -> Control,
    ) -> Result<StepRecord, WorkloadError> {
        let salt = mix(self.salt ^ (u64::from(plan.id) + 1));
        let source = Source::new(self.workload, self.block_tokens, plan.rate, plan.seed, salt)?;
        let start = self.now;
        let w0 = start + plan.warmup.0;
        let mut w1 = w0 + plan.window.0;
        let mut run = Run {
            id: plan.id,
            start,
            promise: self.promise,
            tokens_per_event: self.tokens_per_event as usize,
            first_key: self.keys,
            source,
            pending: Vec::new(),
            head: 0,
            members_left: 0,
            requests: Vec::new(),
            gaps: BTreeMap::new(),
            times: Vec::new(),
        };
        let mut deadlines: VecDeque<(u64, Key)> = VecDeque::new();
        let mut scheduled = 0;
        let mut look = start + 1_000_000_000;
        let mut abandoned = None;
        let end = loop {
            let deadline = deadlines.front().map_or(u64::MAX, |next| next.0);
            let arrival = run.source.peek().map_or(u64::MAX, |at| start + at);
            let event = self.cluster.next().unwrap_or(u64::MAX);
            let now = arrival.min(event).min(deadline).min(look);
            if now >= w1 && run.members_left == 0 {
                break now.min(w1.max(run.last_end()));
            }
            if event == now {
                self.cluster.advance(now, &mut run);
            } else if arrival == now {
                let Some((arrival, chain)) = run.source.take() else { continue };
                let member = (w0..w1).contains(&now);
                scheduled += u64::from(member);
                let key = self.keys;
                self.keys += 1;
                if run.arrive(&mut self.cluster, now, key, (arrival, chain), member) {
                    deadlines.push_back((now + plan.deadline.0, key));
                }
            } else if deadline == now {
                if let Some((_, key)) = deadlines.pop_front()
                    && let Some(place) = run.time_out(now, key)
                {
                    self.cluster.abort(place);
                }
            } else {
                let step = step_of(plan, start, (w0, w1.min(now)), now, scheduled);
                let open = run.open();
                let (ended, gaps) = (&mut run.requests[..], &run.gaps);
                match watch(&mut Running { step, now: Moment(now), ended, open, gaps }) {
                    Control::Go => {}
                    Control::Close => w1 = w1.min(now.max(w0)),
                    Control::Abandon(reason) => {
                        w1 = w1.min(now.max(w0));
                        abandoned = Some(reason);
                        break now;
                    }
                }
                look += 1_000_000_000;
            }
        };
        run.give_up(&mut self.cluster, end);
        let (mut requests, gaps) = (run.requests, run.gaps);
        self.now = end;
        while let Some(next) = self.cluster.next() {
            self.now = self.now.max(next);
            self.cluster.advance(next, &mut Nobody);
        }
        requests.sort_by_key(|request| (request.sent, request.session, request.turn));
        let step = Step { abandoned, ..step_of(plan, start, (w0, w1), end, scheduled) };
        let errors = ERRORS.iter().map(|&text| text.to_owned()).collect();
        Ok(StepRecord { step, requests, gaps, errors })
    }
}

fn step_of(plan: &VirtualStep, start: u64, window: (u64, u64), end: u64, scheduled: u64) -> Step {
    Step {
        id: plan.id,
        kind: plan.kind,
        asked: plan.rate,
        seed: plan.seed,
        start: Moment(start),
        w0: Moment(window.0),
        w1: Moment(window.1),
        end: Moment(end),
        scheduled,
        generator: GeneratorEvidence::default(),
        stopped: None,
        abandoned: None,
    }
}

/// Texts of errors, by [`Request::error`].
const ERRORS: [&str; 5] = [
    "injected server error",
    "the queue is full",
    "injected stream error",
    "injected disconnect",
    "no end within the client's time limit",
];

/// Whose tokens nobody waits for.
struct Nobody;

impl Observer for Nobody {
    fn done(&mut self, _: u64, _: Key, _: &Done, _: Emissions<'_>) {}
}

/// A request without an end.
#[derive(Debug)]
struct Pending {
    /// `None` once it has ended.
    place: Option<Place>,
    session: u32,
    turn: u32,
    sent: u64,
    isl: u32,
    first_token: Option<u64>,
    fault: Option<Fault>,
    member: bool,
}

/// A step under way.
struct Run<'a> {
    id: u32,
    start: u64,
    promise: Option<&'a PromiseSheet>,
    tokens_per_event: usize,
    first_key: Key,
    source: Source<'a>,
    /// By key, from `first_key` on.
    pending: Vec<Pending>,
    /// All before this one have ended.
    head: usize,
    members_left: usize,
    requests: Vec<Request>,
    gaps: BTreeMap<usize, GapHistogram>,
    times: Vec<u64>,
}

impl Run<'_> {
    /// Requests without an end, in the order of sending.
    fn open(&mut self) -> Vec<Open> {
        while self.pending.get(self.head).is_some_and(|pending| pending.place.is_none()) {
            self.head += 1;
        }
        let open = self.pending[self.head..].iter().filter(|pending| pending.place.is_some());
        open.map(|pending| Open {
            sent: Moment(pending.sent),
            isl: pending.isl,
            first_token: pending.first_token.map(Moment),
        })
        .collect()
    }

    /// Ends everything that has no end. What is overdue by then has failed; what is not was given
    /// up by the tool.
    fn give_up(&mut self, cluster: &mut Cluster, now: u64) {
        for index in self.head..self.pending.len() {
            let pending = &mut self.pending[index];
            let Some(place) = pending.place.take() else { continue };
            cluster.abort(place);
            let tier = self.promise.and_then(|promise| promise.tier(Some(pending.isl)));
            let limit = tier.map(|tier| tier.ttft);
            let (age, first_token) = (now - pending.sent, pending.first_token);
            let overdue = first_token.is_none() && limit.is_some_and(|limit| age > limit.0);
            let (outcome, error) = if overdue {
                (Outcome::Failed(FailureKind::Timeout), Some(4))
            } else {
                (Outcome::Cancelled, None)
            };
            let blank = self.blank(self.first_key + index as u64, now, outcome);
            let first_token = first_token.map(Moment);
            self.requests.push(Request { first_token, last_token: first_token, error, ..blank });
        }
    }

    fn last_end(&self) -> u64 {
        self.requests.last().map_or(0, |request| request.end.0)
    }

    /// Sends a request; `false` if it ended at once.
    fn arrive(
        &mut self,
        cluster: &mut Cluster,
        now: u64,
        key: Key,
        (arrival, chain): (Arrival, Chain),
        member: bool,
    ) -> bool {
        let Arrival { session, turn, isl, osl, .. } = arrival;
        let submitted = cluster.submit(now, Job { key, chain, isl, osl });
        let (place, fault) = match submitted {
            Ok((place, fault)) => (Some(place), fault),
            Err(_) => (None, None),
        };
        let sent = now;
        let first_token = None;
        self.pending.push(Pending { place, session, turn, sent, isl, first_token, fault, member });
        let Err(refusal) = submitted else {
            self.members_left += usize::from(member);
            return true;
        };
        let (outcome, status, error) = match refusal {
            Refusal::ServerError => (Outcome::Failed(FailureKind::ServerError), 500, Some(0)),
            Refusal::QueueFull => (Outcome::Failed(FailureKind::Rejected), 503, Some(1)),
            Refusal::TooLong => (Outcome::ClientFault(ClientFaultKind::PromptTooLong), 400, None),
        };
        let blank = self.blank(key, now, outcome);
        self.requests.push(Request { status: Some(status), error, ..blank });
        false
    }

    /// A record of which only the beginning and the end are known.
    fn blank(&self, key: Key, end: u64, outcome: Outcome) -> Request {
        let pending = &self.pending[(key - self.first_key) as usize];
        Request {
            step: self.id,
            session: pending.session,
            turn: pending.turn,
            intended: Moment(pending.sent),
            sent: Moment(pending.sent),
            first_token: None,
            last_token: None,
            end: Moment(end),
            isl: Some(pending.isl),
            osl: None,
            cached: None,
            queue: None,
            events: 0,
            gaps: None,
            outcome,
            status: Some(200),
            error: None,
        }
    }

    fn time_out(&mut self, now: u64, key: Key) -> Option<Place> {
        let pending = &mut self.pending[(key - self.first_key) as usize];
        let place = pending.place.take()?;
        let member = pending.member;
        self.members_left -= usize::from(member);
        let blank = self.blank(key, now, Outcome::Failed(FailureKind::Timeout));
        self.requests.push(Request { error: Some(4), ..blank });
        Some(place)
    }

    /// Turns the instants of tokens into those of events, in place.
    fn tokens_to_events(&mut self, fault: Option<Fault>) {
        if let Some(Fault::Stall { after, nanos }) = fault
            && let Some(&frozen) = self.times.get((after as usize).saturating_sub(1))
        {
            for time in self.times.iter_mut().skip(after as usize) {
                *time = (*time).max(frozen + nanos);
            }
        }
        let every = self.tokens_per_event;
        if every > 1 {
            let last = self.times.len() - 1;
            let mut index = 0;
            self.times.retain(|_| {
                let keep = index % every == 0 || index == last;
                index += 1;
                keep
            });
        }
    }

    /// Turns the instants of events into gaps, in place; the first place is of no meaning.
    fn events_to_gaps(&mut self) {
        for i in (1..self.times.len()).rev() {
            self.times[i] -= self.times[i - 1];
        }
    }
}

impl Observer for Run<'_> {
    fn token(&mut self, time: u64, key: Key) {
        let Some(index) = key.checked_sub(self.first_key) else { return };
        self.pending[index as usize].first_token.get_or_insert(time);
    }

    fn done(&mut self, _: u64, key: Key, done: &Done, emissions: Emissions<'_>) {
        // Requests of an earlier step may end while they are being given up.
        let Some(index) = key.checked_sub(self.first_key) else { return };
        let pending = &mut self.pending[index as usize];
        if pending.place.take().is_none() {
            return;
        }
        let (fault, member, session, isl) =
            (pending.fault, pending.member, pending.session, pending.isl);
        self.members_left -= usize::from(member);
        emissions.write(&mut self.times);
        self.tokens_to_events(fault);
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let events = self.times.len() as u32;
        self.events_to_gaps();
        let gaps = &mut self.times[1..];
        let (outcome, error) = match fault {
            Some(Fault::StreamError { .. }) => (Outcome::Failed(FailureKind::StreamError), Some(2)),
            Some(Fault::Disconnect { .. }) => (Outcome::Failed(FailureKind::Disconnected), Some(3)),
            _ => (Outcome::Completed, None),
        };
        if member && let Some(tier) = self.promise.and_then(|promise| promise.tier_of(Some(isl))) {
            let histogram = self.gaps.entry(tier).or_insert_with(|| histogram(3));
            for &gap in &*gaps {
                record(histogram, gap);
            }
        }
        let gaps = summary(gaps);
        let blank = self.blank(key, last, outcome);
        self.requests.push(Request {
            first_token: Some(Moment(first)),
            last_token: Some(Moment(last)),
            osl: Some(done.tokens),
            cached: Some(done.cached),
            queue: Some(Nanos(done.scheduled - done.arrived)),
            events,
            gaps,
            error,
            ..blank
        });
        // Where a stream breaks, its session ends: there is no answer to go on from.
        if outcome == Outcome::Completed {
            self.source.answered(last - self.start, session);
        }
    }
}

/// The same as [`GapSummary::of`], by selection instead of sorting.
fn summary(gaps: &mut [u64]) -> Option<GapSummary> {
    let count = gaps.len() as u64;
    let max = *gaps.iter().max()?;
    let rank = |percent| nearest_rank(count, percent) as usize - 1;
    let (p95_at, p99_at) = (rank(95), rank(99));
    let (_, &mut p95, above) = gaps.select_nth_unstable(p95_at);
    let p99 = match p99_at - p95_at {
        0 => p95,
        further => *above.select_nth_unstable(further - 1).1,
    };
    Some(GapSummary { max: Nanos(max), p99: Nanos(p99), p95: Nanos(p95) })
}
