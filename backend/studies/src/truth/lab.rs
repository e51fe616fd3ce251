//! A place to try a drawn cluster: any rate, any length, in virtual time.

use tokencap_shared::definitions::judge::StepJudgement;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::definitions::record::Outcome;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::definitions::workload::{Shape, Workload};
use tokencap_shared::units::{Moment, Nanos, Rate};

use tokencap::schedule::draw::WorkloadError;
use tokencap::sim::Config;
use tokencap::sim::virtual_time::{Simulation, VirtualStep};
use tokencap::step::{Control, StepRecord};

/// A cluster, a workload and a promise sheet.
#[derive(Clone, Copy, Debug)]
pub struct Lab<'a> {
    /// The cluster.
    pub config: &'a Config,
    /// What is asked of it.
    pub workload: &'a Workload,
    /// What is promised.
    pub promise: &'a PromiseSheet,
}

/// One run at one rate, on a fresh cluster.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Requests per second.
    pub rate: Rate,
    /// Time before the window.
    pub warmup: Nanos,
    /// Length of what is judged, after the warm-up.
    pub window: Nanos,
    /// Fixes arrivals and lengths.
    pub seed: u64,
}

impl Run {
    /// A run whose window holds about so many requests, after a warm-up of at least ten times
    /// the time that a request (or session) stays.
    #[must_use]
    pub fn of_requests(rate: Rate, requests: u32, seed: u64, residence: Nanos) -> Self {
        let window = Nanos((f64::from(requests) / rate.get() * 1e9) as u64);
        let warmup = Nanos((window.0 / 10).max(residence.0 * 10));
        Self { rate, warmup, window, seed }
    }
}

/// No virtual client gives up before this.
pub(super) const DEADLINE: Nanos = Nanos::from_secs(900);

impl<'a> Lab<'a> {
    /// A cluster that nothing has happened to.
    #[must_use]
    pub fn fresh(&self) -> Simulation<'a> {
        Simulation::new(self.config, self.workload, Some(self.promise))
    }

    /// Runs on a fresh cluster.
    ///
    /// # Errors
    /// If the workload cannot be run.
    pub fn record(&self, run: &Run) -> Result<StepRecord, WorkloadError> {
        let step = VirtualStep {
            id: 0,
            kind: StepKind::Probe,
            rate: run.rate,
            warmup: run.warmup,
            window: run.window,
            seed: run.seed,
            deadline: DEADLINE,
        };
        self.fresh().run(&step, |_| Control::Go)
    }

    /// Runs on a fresh cluster, and judges.
    ///
    /// # Errors
    /// If the workload cannot be run.
    pub fn judge(&self, run: &Run) -> Result<StepJudgement, WorkloadError> {
        let record = self.record(run)?;
        Ok(judge(&record, self.promise, self.workload))
    }

    /// Mean time that a request stays in an idle cluster.
    #[must_use]
    pub fn alone(&self) -> Option<Nanos> {
        let run = Run {
            rate: Rate::new(0.02).ok()?,
            warmup: Nanos(0),
            window: Nanos::from_secs(2000),
            seed: 1,
        };
        let record = self.record(&run).ok()?;
        let total: u64 = record.requests.iter().map(|request| request.residence().0).sum();
        Some(Nanos(total / record.requests.len().max(1) as u64))
    }

    /// Mean time that a request, or a session, stays in an idle cluster.
    #[must_use]
    pub fn residence(&self) -> Option<Nanos> {
        let alone = self.alone()?;
        Some(match &self.workload.shape {
            Shape::Mix { .. } | Shape::Trace { .. } => alone,
            Shape::Sessions { steps, think, .. } => {
                Nanos((alone.0 + think.mean_ns.0) * u64::from(*steps))
            }
        })
    }

    /// Share of requests in the tier that has fewest.
    #[must_use]
    pub fn rarest_tier(&self) -> f64 {
        match &self.workload.shape {
            Shape::Mix { classes } => {
                let all: f64 = classes.iter().map(|class| class.weight).sum();
                classes.iter().map(|class| class.weight / all).fold(1.0, f64::min)
            }
            Shape::Sessions { .. } | Shape::Trace { .. } => 0.3,
        }
    }

    /// Completed requests per second when far more arrive than can be served.
    #[must_use]
    pub fn saturation(&self) -> Option<Rate> {
        let residence = self.residence()?.0 as f64 / 1e9;
        let mut rate = 0.5 / residence;
        for _ in 0..24 {
            // Enough requests that chance does not look like saturation.
            let span = (residence * 6.0).max(20.0).max(1000.0 / rate);
            let served = self.served(Rate::new(rate).ok()?, span)?;
            if served < 0.8 * rate {
                return Rate::new(served).ok().filter(|rate| rate.get() > 0.0);
            }
            rate *= 1.6;
        }
        None
    }

    /// Requests that end per second, in the second half of a run.
    fn served(&self, rate: Rate, span: f64) -> Option<f64> {
        let window = Nanos((span * 1e9) as u64);
        let step = VirtualStep {
            id: 0,
            kind: StepKind::Probe,
            rate,
            warmup: window,
            window,
            seed: 2,
            deadline: Nanos(u64::MAX / 4),
        };
        let (w0, w1) = (Moment(window.0), Moment(2 * window.0));
        // What is in flight at the window's end is nobody's concern.
        let watched = self.fresh().run(&step, |running| {
            if running.now < w1 { Control::Go } else { Control::Abandon("measured".to_owned()) }
        });
        let ended = watched.ok()?.requests.into_iter().filter(|request| {
            request.outcome == Outcome::Completed && w0 <= request.end && request.end < w1
        });
        Some(ended.count() as f64 / span)
    }
}

/// Judges a step's records.
#[must_use]
pub fn judge(record: &StepRecord, promise: &PromiseSheet, workload: &Workload) -> StepJudgement {
    let StepRecord { step, requests, gaps, .. } = record;
    tokencap::search::steer::judge(step, requests, gaps, &[], promise, workload)
}
