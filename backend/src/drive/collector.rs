//! The records of a step, gathered from its threads.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::thread::JoinHandle;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::definitions::record::{FailureKind, GapHistogram, Outcome, Request};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step};
use tokencap_shared::units::{Moment, Nanos, Share};

use crate::drive::ledger::{Finished, News, ThreadEvidence};
use crate::drive::shared::Shared;
use crate::histogram::{histogram, record_n};
use crate::schedule::tokenizer::Tokenizer;
use crate::step::{Control, Open, Recorder, Running, Steer, StepRecord};
use crate::stop::Stop;
use tokencap_wire::json::unescape;

/// Different error texts that one step keeps; the rest share one.
const MAX_ERRORS: usize = 500;
/// Gathers a step's records.
pub(crate) struct Collector<'a> {
    promise: &'a PromiseSheet,
    pub(crate) window: (Moment, Moment),
    recorder: &'a mut dyn Recorder,
    pub(crate) failure: Option<io::Error>,
    /// Those with an end, in any order.
    requests: Vec<Request>,
    /// Those without an end, by session and turn: when sent, tokens of the prompt, first token.
    open: HashMap<(u32, u32), (Moment, u32, Arc<AtomicU64>)>,
    /// What is given up from now on has failed if it is overdue.
    impatient: bool,
    tokenizer: Option<&'a Tokenizer>,
    gaps: BTreeMap<usize, GapHistogram>,
    errors: Vec<String>,
    known: HashMap<String, u32>,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        promise: &'a PromiseSheet,
        window: (Moment, Moment),
        tokenizer: Option<&'a Tokenizer>,
        recorder: &'a mut dyn Recorder,
    ) -> Self {
        Self {
            promise,
            window,
            recorder,
            failure: None,
            requests: Vec::new(),
            open: HashMap::new(),
            impatient: false,
            tokenizer,
            gaps: BTreeMap::new(),
            errors: Vec::new(),
            known: HashMap::new(),
        }
    }

    pub(crate) fn take(&mut self, news: News) {
        match news {
            News::Sent { name, at, isl, first } => _ = self.open.insert(name, (at, isl, first)),
            News::Finished(finished) => {
                let Request { session, turn, .. } = finished.request;
                self.open.remove(&(session, turn));
                self.finished(*finished);
            }
        }
    }

    fn running(&mut self, planned: &Step, now: Moment, scheduled: u64) -> Running<'_> {
        let w1 = self.window.1.min(now).max(planned.w0);
        let open = self.open.values().map(|(sent, isl, first)| {
            let first = first.load(Ordering::Relaxed);
            Open { sent: *sent, isl: *isl, first_token: (first > 0).then_some(Moment(first)) }
        });
        let mut open: Vec<Open> = open.collect();
        open.sort_unstable_by_key(|open| open.sent);
        let step = Step { w1, end: now, scheduled, ..planned.clone() };
        Running { step, now, ended: &mut self.requests, open, gaps: &self.gaps }
    }

    /// The step was given up as hopeless.
    pub(crate) const fn patience_ends(&mut self) {
        self.impatient = true;
    }

    /// Whether a request that was given up had waited longer for its first token than its tier
    /// allows.
    fn is_overdue(&self, request: &Request) -> bool {
        let tier = self.promise.tier(request.isl);
        request.outcome == Outcome::Cancelled
            && request.first_token.is_none()
            && tier.is_some_and(|tier| request.residence() > tier.ttft)
    }

    fn finished(&mut self, one: Finished) {
        let Finished { mut request, mut error, gaps, uncounted } = one;
        if let (Some(text), Some(tokenizer)) = (uncounted, self.tokenizer) {
            request.osl = tokenizer.tokens(&unescape(&text)).filter(|&tokens| tokens > 0);
        }
        if self.impatient && self.is_overdue(&request) {
            request.outcome = Outcome::Failed(FailureKind::Timeout);
            error = Some("no first token in the promised time when the step was given up".into());
        }
        if self.failure.is_none() {
            self.failure = self.recorder.request(&request, error.as_deref(), &gaps).err();
        }
        request.error = error.map(|text| self.error_id(text));
        let member = self.window.0 <= request.sent && request.sent < self.window.1;
        if member
            && request.outcome.is_valid()
            && let Some(tier) = self.promise.tier_of(request.isl)
        {
            let histogram = self.gaps.entry(tier).or_insert_with(|| histogram(3));
            for (gap, times) in gaps.runs() {
                record_n(histogram, gap.0, times as u64);
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

    pub(crate) fn into_record(mut self, step: Step) -> StepRecord {
        self.requests.sort_unstable_by_key(|request| (request.sent, request.session, request.turn));
        StepRecord { step, requests: self.requests, gaps: self.gaps, errors: self.errors }
    }
}

pub(crate) fn evidence_of(
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

/// Time between two looks at what the threads tell.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// News taken at once, before anything else is looked at.
const AT_ONCE: usize = 1 << 16;

/// How a step came to its end.
pub(crate) enum Ending {
    /// Every member has ended.
    Drained,
    /// It was told to stop.
    Stopped(Note),
    /// Whoever steers it gave it up.
    Abandoned(String),
}

/// How often whoever steers is asked.
const ASK: Nanos = Nanos::from_secs(1);
/// A window that is closed ends so much later, so that every thread knows of it by then.
const NOTICE: Nanos = Nanos::from_millis(50);

/// Takes in records until the step comes to its end.
pub(crate) fn collect(
    news: &Receiver<News>,
    shared: &Shared,
    reactors: &[JoinHandle<io::Result<ThreadEvidence>>],
    stop: &Stop,
    collector: &mut Collector<'_>,
    planned: &Step,
    steer: &mut Steer<'_>,
) -> Ending {
    let mut ask = planned.start + ASK;
    loop {
        // Nobody is woken by news: a thread that sends and reads has better things to do.
        std::thread::sleep(BETWEEN_LOOKS);
        for _ in 0..AT_ONCE {
            match news.try_recv() {
                Ok(one) => collector.take(one),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Ending::Drained,
            }
        }
        if collector.failure.is_some() {
            return Ending::Drained;
        }
        if let Some(reason) = stop.reason() {
            // What is in flight comes to its end; nothing more is sent.
            if !shared.is_held() {
                shared.hold();
                shared.close(shared.clock.now().max(planned.w0));
                collector.window = shared.window().unwrap_or(collector.window);
            }
            if shared.live.in_flight() == 0 {
                return Ending::Stopped(reason.clone());
            }
            continue;
        }
        // A thread that ends before it is told to has failed: joining it says how.
        if shared.is_drained(reactors.len()) || reactors.iter().any(JoinHandle::is_finished) {
            return Ending::Drained;
        }
        let now = shared.clock.now();
        if now < ask {
            continue;
        }
        ask = now + ASK;
        match steer(&mut collector.running(planned, now, shared.scheduled())) {
            Control::Go => {}
            Control::Close => {
                shared.close((now + NOTICE).max(planned.w0));
                collector.window = shared.window().unwrap_or(collector.window);
            }
            Control::Abandon(reason) => {
                shared.close(now.max(planned.w0));
                collector.window = shared.window().unwrap_or(collector.window);
                return Ending::Abandoned(reason);
            }
        }
    }
}
