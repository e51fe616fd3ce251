//! The records of a step, gathered from its threads.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokencap_shared::bundle::GapHistogram;
use tokencap_shared::promise::PromiseSheet;
use tokencap_shared::record::Request;
use tokencap_shared::step::{GeneratorEvidence, Step};
use tokencap_shared::units::{Moment, Nanos, Share};

use super::ledger::{Finished, ThreadEvidence};
use super::live::{Stop, histogram, record};
use super::shared::Shared;
use super::step::StepRecord;

/// Who is told of every request as it ends, in the order of ending.
pub trait Recorder {
    /// Takes a request down, with its gaps in the order in which they came. Its `error` is not
    /// set; the text is given instead.
    ///
    /// # Errors
    /// If it cannot be taken down: the step then stops.
    fn request(&mut self, request: &Request, error: Option<&str>, gaps: &[Nanos])
    -> io::Result<()>;
}

/// Takes nothing down.
impl Recorder for () {
    fn request(&mut self, _: &Request, _: Option<&str>, _: &[Nanos]) -> io::Result<()> {
        Ok(())
    }
}

/// Different error texts that one step keeps; the rest share one.
const MAX_ERRORS: usize = 500;
/// Gathers a step's records.
pub(super) struct Collector<'a> {
    promise: &'a PromiseSheet,
    window: (Moment, Moment),
    recorder: &'a mut dyn Recorder,
    pub(super) failure: Option<io::Error>,
    requests: Vec<Request>,
    gaps: BTreeMap<usize, GapHistogram>,
    errors: Vec<String>,
    known: HashMap<String, u32>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(
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

    pub(super) fn take(&mut self, one: Finished) {
        let Finished { mut request, error, gaps } = one;
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

    pub(super) fn into_record(mut self, step: Step) -> StepRecord {
        self.requests.sort_unstable_by_key(|request| (request.sent, request.session, request.turn));
        StepRecord { step, requests: self.requests, gaps: self.gaps, errors: self.errors }
    }
}

pub(super) fn evidence_of(
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

/// Takes in records until the step has drained or is told to stop; returns why it was stopped.
pub(super) fn collect(
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
