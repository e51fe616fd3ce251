//! One step: warm-up, window, tail, at one offered rate.
//!
//! Arrivals go on through the tail at the same rate until every member of the window has ended,
//! so that no member enjoys an emptying system.

use std::io;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::definitions::step::{GeneratorEvidence, Step};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::{Nanos, Rate};

use crate::clock::Clock;
use crate::drive::collector::{Collector, Ending, collect, evidence_of};
use crate::drive::live::Live;
use crate::drive::plan::{Load, StepError, StepPlan};
use crate::drive::shared::Shared;
use crate::drive::threads::{Feeder, Threads};
use crate::net::awake::Awake;
use crate::net::io::Tls;
use crate::net::limits::raise_open_files;
use crate::net::target::Target;
use crate::schedule::arrivals::{Profile, Schedule};
use crate::schedule::prompt::Ruler;
use crate::schedule::trace::Trace;
use crate::schedule::workload::Source;
use crate::step::{Control, Recorder, Steer, StepRecord};
use crate::stop::Stop;

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
    /// The trace, where the workload replays one.
    pub trace: Option<Arc<Trace>>,
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
        self.run_steered(plan, live, stop, recorder, &mut |_| Control::Go)
    }

    /// As [`Self::run_recorded`], and asks once a second what is to become of the step.
    ///
    /// # Errors
    /// As [`Self::run_recorded`].
    pub fn run_steered(
        &self,
        plan: &StepPlan,
        live: &Arc<Live>,
        stop: &Stop,
        recorder: &mut dyn Recorder,
        steer: &mut Steer<'_>,
    ) -> Result<StepRecord, StepError> {
        raise_open_files();
        let _awake = Awake::hold();
        let Self { target, workload, clock, .. } = self;
        let salt = self.salt ^ (u64::from(plan.id) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let source = Arc::new(Source::new(
            workload,
            &target.form(),
            self.ruler,
            self.trace.clone(),
            plan.seed,
            salt,
        )?);
        let arrivals: Box<dyn Iterator<Item = Nanos> + Send> = match plan.load {
            Load::Open(rate) => match source.replay(rate) {
                Some(instants) => instants,
                None => {
                    let rate = rate.get() / f64::from(source.requests_per_arrival());
                    let rate = Rate::new(rate).map_err(io::Error::other)?;
                    let profile = Profile::of(workload, rate);
                    Box::new(Schedule::new(workload.arrivals, profile, plan.seed))
                }
            },
            Load::Closed(users) => Box::new((0..users).map(|_| Nanos(0))),
        };
        let feeder = Feeder::new(source, arrivals, plan.shard);
        let shared = Arc::new(Shared::new(
            *clock,
            plan.id,
            target.clone(),
            self.tls.clone(),
            Arc::clone(live),
            plan.max_connections.map(|max| max.div_ceil(plan.threads.max(1))),
            match plan.load {
                Load::Open(_) => None,
                Load::Closed(users) => Some(users),
            },
        ));
        let (news_in, news) = mpsc::channel();
        let Threads { handles, jobs, wakers } = Threads::start(&shared, plan, &news_in)?;
        drop(news_in);
        let soon = clock.now() + Nanos::from_millis(50);
        let start = plan.begin.unwrap_or(soon);
        if start < soon {
            shared.end();
            return Err(StepError::TooLate { late_ms: soon.since(start).0 / 1_000_000 });
        }
        let w0 = start + Nanos::from(plan.warmup);
        let w1 = w0 + Nanos::from(plan.window);
        shared.set_window(w0, w1);
        let feeder = {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new()
                .name("load-feed".into())
                .spawn(move || feeder.feed(&shared, start, &jobs))?
        };
        let tokenizer = target.tokenizer.as_deref();
        let mut collector = Collector::new(&self.promise, (w0, w1), tokenizer, recorder);
        let planned = Step {
            id: plan.id,
            kind: plan.kind,
            asked: plan.load.rate().unwrap_or(Rate::ZERO),
            seed: plan.seed,
            start,
            w0,
            w1,
            end: start,
            scheduled: 0,
            generator: GeneratorEvidence::default(),
            stopped: None,
            abandoned: None,
        };
        let ending = collect(&news, &shared, &handles, stop, &mut collector, &planned, steer);
        shared.end();
        for waker in &wakers {
            let _ = waker.wake();
        }
        let mut evidence = Vec::new();
        for handle in handles {
            evidence.push(handle.join().map_err(|_| StepError::Thread)??);
        }
        let feeder_cpu = feeder.join().map_err(|_| StepError::Thread)?;
        if matches!(ending, Ending::Abandoned(_)) {
            collector.patience_ends();
        }
        for last in news.try_iter() {
            collector.take(last);
        }
        if let Some(failure) = collector.failure {
            return Err(StepError::Record(failure));
        }
        let (stopped, abandoned) = match ending {
            Ending::Drained => (None, None),
            Ending::Stopped(reason) => (Some(reason), None),
            Ending::Abandoned(reason) => (None, Some(reason)),
        };
        // It may have been stopped before the instant at which it was to start.
        let (end, scheduled) = (clock.now().max(planned.start), shared.scheduled());
        // A step that was stopped or steered has the window that it came to: the last request may have
        // ended before a window was closed as soon as its threads could know.
        let w1 = collector.window.1;
        let (w0, w1) = (w0.min(end), w1.min(end));
        let window = Duration::from(w1.since(w0));
        let generator = evidence_of(&evidence, feeder_cpu, window, shared.dropped());
        let asked = match plan.load {
            Load::Open(rate) => rate,
            // Nobody asked for a rate: what came about stands for it.
            Load::Closed(_) => {
                let rate = scheduled as f64 / plan.window.as_secs_f64();
                Rate::new(rate).map_err(io::Error::other)?
            }
        };
        let step = Step { asked, w0, w1, end, scheduled, generator, stopped, abandoned, ..planned };
        Ok(collector.into_record(step))
    }
}
