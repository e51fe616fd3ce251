//! A campaign: the steps of a plan, run one after the other into one bundle.
//!
//! The bundle on disk is written anew, atomically, after every step: whatever happens, at most
//! the step in flight is lost.

mod gather;
pub mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokencap_shared::bundle::{self, Bundle, BundleError, FORMAT_VERSION, Manifest};
use tokencap_shared::units::Rate;
use tokencap_shared::{DEFINITIONS_VERSION, capacity};

use crate::load::clock::Clock;
use crate::load::io::Tls;
use crate::load::live::{Live, Stop};
use crate::load::preflight::{PreflightError, preflight};
use crate::load::step::{Generator, StepError, StepPlan, StepRecord};
use crate::load::target::{Target, TargetError};
use crate::observe::scrape::{Observer, Source};
use crate::plan::Plan;
use crate::store::{self, StoreError};
use watch::{Event, Watch};

/// How often the watcher is told how a step goes.
const TICK: Duration = Duration::from_millis(250);
/// How often metric pages are read.
const SCRAPE: Duration = Duration::from_secs(1);

/// A plan, a target, and where the bundle goes.
#[derive(Debug)]
pub struct Campaign {
    /// What is to be measured.
    pub plan: Plan,
    /// Where it is measured.
    pub target: Target,
    /// TLS, where the target speaks it.
    pub tls: Option<Tls>,
    /// The bundle's path.
    pub out: PathBuf,
}

/// Why a campaign ended without a result. What was measured before stands in the bundle.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The target cannot be measured.
    #[error(transparent)]
    Preflight(#[from] PreflightError),
    /// An address in the plan is none.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The generator cannot work.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The bundle cannot be written as bytes.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The bundle cannot be saved.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The operating system refused a thread.
    #[error("this machine gives no more threads: {0}; close other programs and try again")]
    Threads(#[from] std::io::Error),
    /// The output exists, and would be overwritten.
    #[error("{} exists already; name another file with --out, or move it away", .0.display())]
    Exists(PathBuf),
    /// Stopped before anything was measured.
    #[error("stopped before the first step; nothing was measured")]
    Stopped,
}

impl Campaign {
    /// Runs every step of the plan, or up to the one that `stop` ends, and returns the bundle
    /// as it was saved.
    ///
    /// # Errors
    /// If the target, this machine or the disk does not allow it. Steps that ended before stand
    /// in the bundle on disk.
    pub fn run(mut self, watch: &mut dyn Watch, stop: &Stop) -> Result<Bundle, CampaignError> {
        if self.out.exists() {
            return Err(CampaignError::Exists(self.out));
        }
        let preflight = preflight(&mut self.target, self.tls.as_ref())?;
        watch.on(Event::Ready { warnings: &preflight.warnings });
        let clock = Clock::start();
        let mut bundle = self.empty_bundle();
        bundle.manifest.warnings.extend(preflight.warnings);
        // A disk that cannot be written to is known before an hour has been measured.
        save(&self.out, &mut bundle)?;
        let observer = self.observer(clock)?;
        let generator = Generator {
            target: self.target.clone(),
            workload: self.plan.workload.clone(),
            ruler: preflight.ruler,
            promise: self.plan.promise.clone(),
            clock,
            salt: rand::random(),
            tls: self.tls.clone(),
        };
        let plans = self.steps();
        for (index, plan) in plans.iter().enumerate() {
            if stop.reason().is_some() {
                break;
            }
            watch.on(Event::Begin { plan, index, left: &plans[index..] });
            let record = watched(&generator, plan, watch, stop)?;
            gather::add(&mut bundle, record, observer.as_ref().map(Observer::take));
            save(&self.out, &mut bundle)?;
            if let Some(judged) = capacity::of_bundle(&bundle).steps.last() {
                watch.on(Event::End { judged, promise: &bundle.manifest.promise });
            }
        }
        if let Some(observer) = observer {
            bundle.manifest.warnings.extend(observer.warnings());
            bundle.telemetry.extend(observer.stop());
        }
        if bundle.manifest.steps.is_empty() {
            let _ = std::fs::remove_file(&self.out);
            return Err(CampaignError::Stopped);
        }
        save(&self.out, &mut bundle)?;
        Ok(bundle)
    }

    fn steps(&self) -> Vec<StepPlan> {
        let sweep = &self.plan.sweep;
        let plan = |(id, rate): (u32, &Rate)| StepPlan {
            // Another seed for each step, the same for the same plan.
            seed: sweep.seed.wrapping_add(u64::from(id)),
            ..StepPlan::probe(id, *rate, sweep.warmup_s, sweep.window_s, sweep.seed)
        };
        (0..).zip(&sweep.rates).map(plan).collect()
    }

    fn observer(&self, clock: Clock) -> Result<Option<Observer>, CampaignError> {
        if self.plan.observe.is_empty() {
            return Ok(None);
        }
        let pages = self.plan.observe.iter();
        let sources: Vec<_> =
            pages.map(|page| Source::new(&page.name, &page.url, None)).collect::<Result<_, _>>()?;
        Ok(Some(Observer::start(sources, clock, SCRAPE)?))
    }

    fn empty_bundle(&self) -> Bundle {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let environment = BTreeMap::from([
            ("client.os".to_owned(), std::env::consts::OS.to_owned()),
            ("client.arch".to_owned(), std::env::consts::ARCH.to_owned()),
            ("client.cores".to_owned(), cores.to_string()),
            ("target".to_owned(), self.target.server.authority.clone()),
            ("target.model".to_owned(), self.target.model.clone()),
            ("target.route".to_owned(), self.target.route.path().to_owned()),
        ]);
        let manifest = Manifest {
            format: FORMAT_VERSION,
            definitions: DEFINITIONS_VERSION,
            tool: concat!("tokencap ", env!("CARGO_PKG_VERSION")).to_owned(),
            run: format!("{:032x}", rand::random::<u128>()),
            started: format!("{:.0}", jiff::Timestamp::now()),
            deployment: self.plan.deployment.clone(),
            promise: self.plan.promise.clone(),
            workload: self.plan.workload.clone(),
            steps: Vec::new(),
            environment,
            warnings: Vec::new(),
            members: BTreeMap::new(),
        };
        Bundle {
            manifest,
            requests: Vec::new(),
            errors: Vec::new(),
            gaps: BTreeMap::new(),
            telemetry: Vec::new(),
            signoffs: BTreeMap::new(),
        }
    }
}

/// Runs one step on a thread of its own, and tells the watcher how it goes meanwhile.
fn watched(
    generator: &Generator,
    plan: &StepPlan,
    watch: &mut dyn Watch,
    stop: &Stop,
) -> Result<StepRecord, CampaignError> {
    let live = Arc::new(Live::default());
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let step = scope.spawn(|| generator.run(plan, &live, stop));
        while !step.is_finished() {
            std::thread::sleep(TICK);
            watch.on(Event::Tick { plan, elapsed: begun.elapsed(), live: &live.snapshot() });
        }
        Ok(step.join().unwrap_or(Err(StepError::Thread))?)
    })
}

/// Writes the bundle to disk, with the digests of its members.
fn save(path: &Path, bundle: &mut Bundle) -> Result<(), CampaignError> {
    let bytes = bundle::write(bundle)?;
    store::save(path, &bytes)?;
    Ok(())
}
