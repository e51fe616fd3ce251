//! One step: warm-up, window, tail, at one offered rate.
//!
//! Arrivals go on through the tail at the same rate until every member of the window has ended,
//! so that no member enjoys an emptying system.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread::JoinHandle;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokencap_shared::bundle::GapHistogram;
use tokencap_shared::promise::PromiseSheet;
use tokencap_shared::record::Request;
use tokencap_shared::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::units::{Moment, Nanos, Rate, Share};
use tokencap_shared::workload::Workload;

use super::arrivals::{Profile, Schedule};
use super::clock::Clock;
use super::io::Tls;
use super::live::{Live, Stop, histogram, record};
use super::prompt::Ruler;
use super::reactor::{Finished, Job, Reactor, ThreadEvidence};
use super::shared::{Shared, thread_cpu};
use super::target::{Target, TargetError};
use super::workload::{Source, WorkloadError};

/// What one step is to do.
#[derive(Clone, Debug)]
pub struct StepPlan {
    /// Its number in the run.
    pub id: u32,
    /// Why it is run.
    pub kind: StepKind,
    /// Requests per second to offer (the steps of sessions count as requests).
    pub rate: Rate,
    /// Time before the window.
    pub warmup: Duration,
    /// Length of the window.
    pub window: Duration,
    /// Seed of arrivals and prompts.
    pub seed: u64,
    /// Connections to open before the step begins; requests beyond them open their own.
    pub connections: usize,
    /// Most connections at once, if the machine must be spared. An arrival that finds none is
    /// dropped and makes the step INVALID.
    pub max_connections: Option<usize>,
    /// Threads that send and read.
    pub threads: usize,
}

impl StepPlan {
    /// A probe with usual settings: half as many threads as the machine has cores, and
    /// connections for two seconds of arrivals.
    #[must_use]
    pub fn probe(id: u32, rate: Rate, warmup: Duration, window: Duration, seed: u64) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            id,
            kind: StepKind::Probe,
            rate,
            warmup,
            window,
            seed,
            connections: (rate.get() * 2.0).ceil().clamp(4.0, 10_000.0) as usize,
            max_connections: None,
            threads: cores.div_ceil(2).min(8),
        }
    }
}

/// What a step left behind.
#[derive(Clone, Debug)]
pub struct StepRecord {
    /// The step, for the bundle's manifest.
    pub step: Step,
    /// Every request, in the order of sending; [`Request::error`] points into `errors`.
    pub requests: Vec<Request>,
    /// Every gap of the window's valid requests, by index of the promise sheet's tier.
    pub gaps: BTreeMap<usize, GapHistogram>,
    /// Different texts of errors.
    pub errors: Vec<String>,
}

/// Why a step could not be run. What a server does wrong is none of these: that is recorded.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The target cannot be used.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The workload cannot be run.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The operating system refused what the generator needs.
    #[error("the load generator cannot work on this machine: {0}")]
    System(#[from] io::Error),
    /// Records cannot be written.
    #[error(
        "the step was stopped because its records cannot be written: {0}; free some space, \
             then resume"
    )]
    Record(io::Error),
    /// A thread ended by a fault of the program.
    #[error("a thread of the load generator failed; this is a fault of the program")]
    Thread,
}

/// Who is told of every request as it ends, in the order of ending.
pub trait Recorder {
    /// Takes a request down. Its `error` is not set; the text is given instead.
    ///
    /// # Errors
    /// If it cannot be taken down: the step then stops.
    fn request(&mut self, request: &Request, error: Option<&str>) -> io::Result<()>;
}

/// Takes nothing down.
impl Recorder for () {
    fn request(&mut self, _: &Request, _: Option<&str>) -> io::Result<()> {
        Ok(())
    }
}

/// Different error texts that one step keeps; the rest share one.
const MAX_ERRORS: usize = 500;
/// How far ahead of their instants requests are made ready.
const AHEAD: Nanos = Nanos::from_millis(1500);
/// Requests made ready, at most, for one thread.
const QUEUE: usize = 4096;

/// A generator for one run: one target, one workload, one clock.
#[derive(Clone, Debug)]
pub struct Generator {
    /// What is measured.
    pub target: Target,
    /// What is asked of it.
    pub workload: Workload,
    /// How the server counts the tokens of prompts.
    pub ruler: Ruler,
    /// The promise whose tiers the gaps are sorted into.
    pub promise: PromiseSheet,
    /// The run's clock.
    pub clock: Clock,
    /// A number of the run; with a step's number it keeps steps from feeding each other's
    /// prefix cache.
    pub salt: u64,
    /// TLS, where the target speaks it.
    pub tls: Option<Tls>,
}

impl Generator {
    /// Runs one step to its end: blocks until every member of the window has ended.
    ///
    /// # Errors
    /// If the target, the workload or this machine cannot be used. A server's failures are
    /// records.
    pub fn run(
        &self,
        plan: &StepPlan,
        live: &Arc<Live>,
        stop: &Stop,
    ) -> Result<StepRecord, StepError> {
        self.run_recorded(plan, live, stop, &mut ())
    }

    /// As [`Self::run`], and tells every request to a recorder as it ends.
    ///
    /// # Errors
    /// As [`Self::run`], or if the recorder fails.
    pub fn run_recorded(
        &self,
        plan: &StepPlan,
        live: &Arc<Live>,
        stop: &Stop,
        recorder: &mut dyn Recorder,
    ) -> Result<StepRecord, StepError> {
        run(self, plan, live, stop, recorder)
    }
}

fn run(
    generator: &Generator,
    plan: &StepPlan,
    live: &Arc<Live>,
    stop: &Stop,
    recorder: &mut dyn Recorder,
) -> Result<StepRecord, StepError> {
    let Generator { target, workload, clock, .. } = generator;
    let salt = generator.salt ^ (u64::from(plan.id) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let source = Arc::new(Source::new(workload, target, generator.ruler, plan.seed, salt)?);
    let shared = Arc::new(Shared::new(
        *clock,
        plan.id,
        target.clone(),
        generator.tls.clone(),
        Arc::clone(live),
        plan.max_connections.map(|max| max.div_ceil(plan.threads.max(1))),
    ));
    let threads = plan.threads.max(1);
    let (finished_in, finished) = mpsc::channel();
    let (ready_in, ready) = mpsc::channel();
    let (connections, reserve) = if target.hold_idle {
        (
            plan.connections,
            (plan.rate.get() * 0.2 / threads as f64).ceil().clamp(2.0, 256.0) as usize,
        )
    } else {
        (0, 0)
    };
    let deadline = clock.now() + Nanos::from_secs(10);
    let (mut reactors, mut senders, mut wakers) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..threads {
        let (jobs_in, jobs) = mpsc::sync_channel(QUEUE);
        let (mut reactor, waker) =
            Reactor::new(Arc::clone(&shared), jobs, finished_in.clone(), reserve)?;
        let ready_in = ready_in.clone();
        let share = connections / threads + usize::from(index < connections % threads);
        let thread =
            std::thread::Builder::new().name(format!("load-{index}")).spawn(move || {
                let opened = reactor.open_in_advance(share, deadline);
                let _ = ready_in.send(());
                opened?;
                reactor.run()
            })?;
        reactors.push(thread);
        senders.push(jobs_in);
        wakers.push(waker);
    }
    drop((finished_in, ready_in));
    for _ in 0..threads {
        // A thread that failed says so when it is joined.
        let _ = ready.recv_timeout(Duration::from_secs(12));
    }
    let start = clock.now() + Nanos::from_millis(50);
    let nanos = |duration: Duration| Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    let w0 = start + nanos(plan.warmup);
    let w1 = w0 + nanos(plan.window);
    shared.set_window(w0, w1);
    let feeder = {
        let (shared, source) = (Arc::clone(&shared), Arc::clone(&source));
        let rate = plan.rate.get() / f64::from(source.requests_per_arrival());
        let rate = Rate::new(rate).unwrap_or(plan.rate);
        let schedule = Schedule::new(workload.arrivals, Profile::Constant(rate), plan.seed);
        std::thread::Builder::new()
            .name("load-feed".into())
            .spawn(move || feed(&shared, &source, schedule, start, &senders))?
    };
    let mut collector = Collector::new(&generator.promise, (w0, w1), recorder);
    let reason = collect(&finished, &shared, &reactors, stop, &mut collector);
    shared.end();
    for waker in &wakers {
        let _ = waker.wake();
    }
    let mut evidence = Vec::new();
    for reactor in reactors {
        evidence.push(reactor.join().map_err(|_| StepError::Thread)??);
    }
    let feeder_cpu = feeder.join().map_err(|_| StepError::Thread)?;
    for last in finished.try_iter() {
        collector.take(last);
    }
    if let Some(failure) = collector.failure {
        return Err(StepError::Record(failure));
    }
    let generator = evidence_of(&evidence, feeder_cpu, plan.window, shared.dropped());
    let end = clock.now();
    // A step that was stopped has the window that it came to.
    let (w0, w1) = if reason.is_some() { (w0.min(end), w1.min(end)) } else { (w0, w1) };
    let step = Step {
        id: plan.id,
        kind: plan.kind,
        asked: plan.rate,
        seed: plan.seed,
        start,
        w0,
        w1,
        end,
        scheduled: shared.scheduled(),
        generator,
        stopped: reason,
    };
    Ok(collector.into_record(step))
}

/// Makes requests ready ahead of their instants and deals them out to the threads; returns its
/// CPU time.
fn feed(
    shared: &Shared,
    source: &Arc<Source>,
    schedule: Schedule,
    start: Moment,
    threads: &[SyncSender<Job>],
) -> Option<Duration> {
    for (number, after) in (0..u32::MAX).zip(schedule) {
        let intended = start + after;
        while shared.clock.now() + AHEAD < intended {
            if shared.has_ended() {
                return thread_cpu();
            }
            std::thread::sleep(shared.clock.until(intended - AHEAD).min(Duration::from_millis(20)));
        }
        let mut job = Job { intended, task: source.task(number) };
        let thread = &threads[number as usize % threads.len()];
        loop {
            match thread.try_send(job) {
                Ok(()) => break,
                Err(TrySendError::Disconnected(_)) => return thread_cpu(),
                Err(TrySendError::Full(back)) => {
                    job = back;
                    if shared.has_ended() {
                        return thread_cpu();
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
    thread_cpu()
}

/// Takes in records until the step has drained or is told to stop; returns why it was stopped.
fn collect(
    finished: &Receiver<Finished>,
    shared: &Shared,
    reactors: &[JoinHandle<io::Result<ThreadEvidence>>],
    stop: &Stop,
    collector: &mut Collector<'_>,
) -> Option<String> {
    loop {
        match finished.recv_timeout(Duration::from_millis(5)) {
            Ok(one) => collector.take(one),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if collector.failure.is_some() {
            return None;
        }
        if let Some(reason) = stop.reason() {
            return Some(reason.to_owned());
        }
        // A thread that ends before it is told to has failed: joining it says how.
        if shared.is_drained(reactors.len()) || reactors.iter().any(JoinHandle::is_finished) {
            return None;
        }
    }
}

/// Gathers a step's records.
struct Collector<'a> {
    promise: &'a PromiseSheet,
    window: (Moment, Moment),
    recorder: &'a mut dyn Recorder,
    failure: Option<io::Error>,
    requests: Vec<Request>,
    gaps: BTreeMap<usize, GapHistogram>,
    errors: Vec<String>,
    known: HashMap<String, u32>,
}

impl<'a> Collector<'a> {
    fn new(
        promise: &'a PromiseSheet,
        window: (Moment, Moment),
        recorder: &'a mut dyn Recorder,
    ) -> Self {
        Self {
            promise,
            window,
            recorder,
            failure: None,
            requests: Vec::new(),
            gaps: BTreeMap::new(),
            errors: Vec::new(),
            known: HashMap::new(),
        }
    }

    fn take(&mut self, one: Finished) {
        let Finished { mut request, error, gaps } = one;
        if self.failure.is_none() {
            self.failure = self.recorder.request(&request, error.as_deref()).err();
        }
        request.error = error.map(|text| self.error_id(text));
        let member = self.window.0 <= request.sent && request.sent < self.window.1;
        if member
            && request.outcome.is_valid()
            && let Some(tier) = self.promise.tier_of(request.isl)
        {
            let histogram = self.gaps.entry(tier).or_insert_with(|| histogram(3));
            for gap in gaps {
                record(histogram, gap.0);
            }
        }
        self.requests.push(request);
    }

    fn error_id(&mut self, text: String) -> u32 {
        if let Some(&id) = self.known.get(&text) {
            return id;
        }
        let text = if self.errors.len() < MAX_ERRORS {
            text
        } else {
            "further errors, each in words of its own".into()
        };
        *self.known.entry(text.clone()).or_insert_with(|| {
            self.errors.push(text);
            self.errors.len() as u32 - 1
        })
    }

    fn into_record(mut self, step: Step) -> StepRecord {
        self.requests.sort_by_key(|request| (request.sent, request.session, request.turn));
        StepRecord { step, requests: self.requests, gaps: self.gaps, errors: self.errors }
    }
}

fn evidence_of(
    threads: &[ThreadEvidence],
    feeder_cpu: Option<Duration>,
    window: Duration,
    dropped: u64,
) -> GeneratorEvidence {
    let busiest = threads.iter().map(|thread| thread.cpu).chain([feeder_cpu]).flatten().max();
    let cpu_busiest = busiest
        .and_then(|cpu| Share::new((cpu.as_secs_f64() / window.as_secs_f64()).min(1.0)).ok());
    let worst = |of: fn(&ThreadEvidence) -> &Histogram<u64>, quantile: f64| {
        let filled = threads.iter().map(of).filter(|histogram| !histogram.is_empty());
        filled.map(|histogram| Nanos(histogram.value_at_quantile(quantile))).max()
    };
    GeneratorEvidence {
        cpu_busiest,
        stall_p999: worst(|thread| &thread.stalls, 0.999),
        read_lag_p99: worst(|thread| &thread.read_lag, 0.99),
        dropped,
    }
}
