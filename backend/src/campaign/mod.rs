//! A campaign: the steps of a plan, run one after the other into one bundle.
//!
//! The bundle on disk is written anew, atomically, after every step: whatever happens, at most
//! the step in flight is lost.

mod agenda;
mod gather;
pub mod live_file;
pub mod merge;
pub mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokencap_shared::bundle::judged;
use tokencap_shared::bundle::{self, Bundle, BundleError, FORMAT_VERSION, Manifest};
use tokencap_shared::definitions::judge::StepJudgement;
use tokencap_shared::definitions::money::PriceSheet;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::origin::{Calendar, Origin, Shard};
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::units::Nanos;
use tokencap_shared::{DEFINITIONS_VERSION, TOOL};

use crate::clock::Clock;
use crate::drive::live::Live;
use crate::drive::plan::{Load, StepError, StepPlan};
use crate::drive::step::Generator;
use crate::journal::{Journal, JournalError};
use crate::net::awake::Awake;
use crate::net::io::Tls;
use crate::net::stamp;
use crate::net::target::{Target, TargetError};
use crate::observe::scrape::{Observer, Source};
use crate::plan::Plan;
use crate::search::budget::Budget;
use crate::search::{Answer, Search, Steering};
use crate::step::{Control, StepRecord};
use crate::stop::Stop;
use crate::store::{self, StoreError};
use crate::trial::preflight::{PreflightError, alone, preflight};
use crate::trial::skew;
use agenda::{Agenda, Due};
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
    /// Go on with the run whose journal lies beside the bundle's path.
    pub resume: bool,
    /// The part that this process has in a campaign shared with others.
    pub together: Option<Together>,
    /// What else is asked.
    pub options: Options,
}

/// What else is asked of a campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Time for everything: the plan is cut to it.
    pub budget: Option<Duration>,
    /// Prices that the budget is told in.
    pub prices: Option<PriceSheet>,
    /// The steps are soaks.
    pub soak: bool,
}

/// How several processes run one campaign: each its part of the arrivals, all from one instant.
#[derive(Clone, Copy, Debug)]
pub struct Together {
    /// This process's part.
    pub shard: Shard,
    /// When the first step begins.
    pub start_at: SystemTime,
    /// Time for a step's last requests to end, before the next step begins.
    pub pause: Duration,
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
    /// Records cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The interrupted run measured something else.
    #[error(
        "{} holds a run of another plan: its {what} differ from this plan's; resume it with its \
         own plan, or move the file away", .journal.display()
    )]
    OtherPlan {
        /// Where the records of the interrupted run lie.
        journal: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The time is too short.
    #[error(
        "{} s are too little for {steps} steps with a warm-up of {} s each: allow more time, or \
         plan fewer rates", budget.as_secs(), warmup.as_secs()
    )]
    BudgetTooShort {
        /// What was allowed.
        budget: Duration,
        /// Steps of the plan.
        steps: usize,
        /// Their warm-up.
        warmup: Duration,
    },
    /// The common start lies in the past.
    #[error("--start-at has passed: choose a time that lies a minute or more ahead, for all parts")]
    StartPassed,
    /// The output exists, and would be overwritten.
    #[error("{} exists already; name another file with --out, or move it away", .0.display())]
    Exists(PathBuf),
    /// No interrupted run is there.
    #[error(
        "there is no interrupted run to go on with: {} {}", .out.display(),
        if *complete { "is complete" } else { "does not exist; --resume names the bundle" }
    )]
    NothingToResume {
        /// The bundle.
        out: PathBuf,
        /// Whether it is there.
        complete: bool,
    },
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
        let begun = Instant::now();
        if self.out.exists() && !self.resume {
            return Err(CampaignError::Exists(self.out));
        }
        let preflight = preflight(&mut self.target, self.tls.as_ref())?;
        watch.on(Event::Ready { warnings: &preflight.warnings });
        let (mut journal, mut bundle, clock) = self.open(preflight.warnings)?;
        // A disk that cannot be written to is known before an hour has been measured.
        save(&self.out, &mut bundle)?;
        let observer = self.observer(clock)?;
        let generator = Generator {
            target: self.target.clone(),
            workload: self.plan.workload.clone(),
            ruler: preflight.ruler,
            promise: self.plan.promise.clone(),
            clock,
            salt: self.salt(),
            tls: self.tls.clone(),
            trace: self.plan.trace.clone(),
        };
        let mut agenda = self.agenda(&generator, &bundle, watch)?;
        while stop.reason().is_none() {
            let done: Vec<u32> = bundle.manifest.steps.iter().map(|step| step.id).collect();
            let Some(due) = agenda.next(&done, begun.elapsed()) else { break };
            let Due { plan, of, left, .. } = &due;
            tracing::info!(step = plan.id, kind = ?plan.kind, load = %plan.load, "a step begins");
            watch.on(Event::Begin { plan, index: done.len(), of: *of, left: *left });
            let so_far = || observer.as_ref().map_or_else(Vec::new, Observer::so_far);
            let steering = agenda
                .steering(&due, &self.plan.promise, &self.plan.workload)
                .with_scrapes(&so_far);
            let record = watched(&generator, plan, watch, stop, &mut journal, steering)?;
            let scrapes = observer.as_ref().map(Observer::take);
            // A step that was stopped is run again when the run is resumed.
            if record.step.stopped.is_none() {
                journal.telemetry(scrapes.as_deref().unwrap_or_default())?;
                journal.finish_step(&record)?;
            }
            let step = record.step.clone();
            gather::add(&mut bundle, record, scrapes);
            save(&self.out, &mut bundle)?;
            let judged = judged::of_step(&bundle, &step, &bundle.manifest.promise);
            agenda.report(&step, &judged);
            let abandoned = step.abandoned.as_deref();
            let (kind, promise) = (step.kind, &bundle.manifest.promise);
            watch.on(Event::End { kind, judged: &judged, promise, abandoned });
        }
        if let (Some(answer), None) = (agenda.answer(), stop.reason()) {
            bundle.manifest.warnings.extend(unsigned(&answer));
            let capacity = judged::of_bundle(&bundle);
            let promise = &bundle.manifest.promise;
            watch.on(Event::Found { answer: &answer, capacity: &capacity, promise });
        }
        if let Some(observer) = observer {
            bundle.manifest.warnings.extend(observer.warnings());
            bundle.telemetry.extend(observer.stop());
        }
        if bundle.manifest.steps.is_empty() {
            let _ = std::fs::remove_file(&self.out);
            let _ = journal.remove();
            return Err(CampaignError::Stopped);
        }
        if stop.reason().is_none() {
            let unsettled: Vec<Note> = gather::unsettled(&bundle).collect();
            bundle.manifest.warnings.extend(unsettled);
        }
        save(&self.out, &mut bundle)?;
        if stop.reason().is_none() {
            journal.remove()?;
        }
        Ok(bundle)
    }

    /// Begins the journal, or goes on with the one of an interrupted run.
    fn open(&self, warnings: Vec<Note>) -> Result<(Journal, Bundle, Clock), CampaignError> {
        let path = journal_path(&self.out);
        if !self.resume {
            let clock = Clock::start();
            let mut bundle = self.empty_bundle(clock);
            bundle.manifest.warnings.extend(warnings);
            let journal = Journal::create(&path, &bundle.manifest)?;
            return Ok((journal, bundle, clock));
        }
        if !path.exists() {
            return Err(CampaignError::NothingToResume {
                complete: self.out.exists(),
                out: self.out.clone(),
            });
        }
        let (journal, mut bundle) = Journal::resume(&path)?;
        let manifest = &mut bundle.manifest;
        if let Some(what) = manifest.declared().differs(self.plan.declared()) {
            return Err(CampaignError::OtherPlan { journal: path, what });
        }
        manifest.warnings.push(Note::Resumed { steps: manifest.steps.len() });
        let zero = manifest.calendar.map(|calendar| calendar.zero_unix_ns);
        let clock = zero.and_then(Clock::resumed).unwrap_or_else(Clock::start);
        Ok((journal, bundle, clock))
    }

    /// Keeps this run's prompts apart from any other's in the server's cache; the parts of a
    /// shared campaign have one salt, since what a trace shares must be shared between them.
    fn salt(&self) -> u64 {
        match &self.together {
            None => rand::random(),
            Some(together) => {
                let since = together.start_at.duration_since(SystemTime::UNIX_EPOCH);
                since.map_or(0, |since| since.as_nanos() as u64) ^ self.plan.sweep.seed
            }
        }
    }

    /// The steps of the plan, or the search for them; tells what they will take. What an
    /// interrupted run measured stands: a search goes on from there.
    fn agenda(
        &self,
        generator: &Generator,
        bundle: &Bundle,
        watch: &mut dyn Watch,
    ) -> Result<Agenda, CampaignError> {
        let Plan { sweep, workload, promise, .. } = &self.plan;
        let Options { budget: limit, prices, .. } = &self.options;
        let gpus = self.plan.deployment.gpus_provisioned;
        let mut tell = |budget: &Budget| {
            watch.on(Event::Budget { budget, prices: prices.as_ref(), gpus });
        };
        if let Some(settings) = &self.plan.search {
            let lone = alone(generator)?;
            let mut search = Box::new(Search::new(settings.goal(lone, workload, *limit)));
            tell(&Budget::of_search(settings, *limit, search.first_rate(), workload, promise));
            let mut earlier = Duration::ZERO;
            for step in &bundle.manifest.steps {
                search.report(step, &judged::of_step(bundle, step, &bundle.manifest.promise));
                earlier += Duration::from(step.end.since(step.start));
            }
            return Ok(Agenda::Search { search, seed: settings.seed, budget: *limit, earlier });
        }
        let steps = sweep.rates.len() + sweep.users.len();
        let mut window = sweep.window_s;
        if let Some(budget) = *limit {
            let each = budget / u32::try_from(steps).unwrap_or(u32::MAX);
            // As long a window as the time allows; half a warm-up is left for the last requests.
            let room = each.checked_sub(sweep.warmup_s * 3 / 2).filter(|room| !room.is_zero());
            let warmup = sweep.warmup_s;
            window = room.ok_or(CampaignError::BudgetTooShort { budget, steps, warmup })?;
        }
        let plans = self.steps(generator.clock, window)?;
        let done = &bundle.manifest.steps;
        if done.iter().any(|step| !plans.iter().any(|plan| plan.made(step))) {
            let journal = journal_path(&self.out);
            return Err(CampaignError::OtherPlan { journal, what: "steps" });
        }
        tell(&Budget::of_rates(&sweep.rates, sweep.warmup_s, window, workload, promise));
        Ok(Agenda::List(plans))
    }

    fn steps(&self, clock: Clock, window: Duration) -> Result<Vec<StepPlan>, CampaignError> {
        let sweep = &self.plan.sweep;
        let first = match &self.together {
            None => None,
            Some(together) => Some(clock.at(together.start_at).ok_or(CampaignError::StartPassed)?),
        };
        let open = sweep.rates.iter().map(|&rate| Load::Open(rate));
        let closed = sweep.users.iter().map(|&users| Load::Closed(users));
        let plan = |(id, load): (u32, Load)| {
            // Another seed for each step, the same for the same plan.
            let seed = sweep.seed.wrapping_add(u64::from(id));
            let mut plan = StepPlan::new(id, load, sweep.warmup_s, window, seed);
            if self.options.soak {
                plan.kind = StepKind::Soak;
            }
            if let (Some(together), Some(first)) = (&self.together, first) {
                let each = sweep.warmup_s + window + together.pause;
                plan.shard = together.shard;
                plan.begin = Some(first + Nanos::from(each * id));
            }
            plan
        };
        Ok((0..).zip(open.chain(closed)).map(plan).collect())
    }

    fn observer(&self, clock: Clock) -> Result<Option<Observer>, CampaignError> {
        if self.plan.observe.is_empty() {
            return Ok(None);
        }
        let tls = self.tls.as_ref();
        let pages = self.plan.observe.iter();
        let sources = pages.map(|page| Source::new(&page.name, &page.url, tls));
        let sources: Vec<_> = sources.collect::<Result<_, _>>()?;
        Ok(Some(Observer::start(sources, clock, SCRAPE)?))
    }

    fn empty_bundle(&self, clock: Clock) -> Bundle {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let idle = if Awake::hold().is_held() { "kept awake" } else { "may sleep" };
        let mut environment = BTreeMap::from([
            ("client.os".to_owned(), std::env::consts::OS.to_owned()),
            ("client.arch".to_owned(), std::env::consts::ARCH.to_owned()),
            ("client.cores".to_owned(), cores.to_string()),
            ("client.arrivals".to_owned(), stamp::STAMPED_BY.to_owned()),
            ("client.idle_cores".to_owned(), idle.to_owned()),
            ("target".to_owned(), self.target.server.authority.clone()),
            ("target.model".to_owned(), self.target.model.clone()),
            ("target.route".to_owned(), self.target.route.path().to_owned()),
        ]);
        if let Some(tokenizer) = &self.target.tokenizer {
            environment.insert("tokenizer.sha256".to_owned(), tokenizer.digest().to_owned());
        }
        let origin = self.together.map_or(Origin::Measured, |shared| Origin::Shard(shared.shard));
        let skew =
            self.together.and_then(|_| skew::measure(&self.target.server, self.tls.as_ref()));
        let manifest = Manifest {
            format: FORMAT_VERSION,
            definitions: DEFINITIONS_VERSION,
            tool: TOOL.to_owned(),
            run: format!("{:032x}", rand::random::<u128>()),
            started: format!("{:.0}", jiff::Timestamp::now()),
            deployment: self.plan.deployment.clone(),
            promise: self.plan.promise.clone(),
            workload: self.plan.workload.clone(),
            steps: Vec::new(),
            origin,
            calendar: Some(Calendar {
                zero_unix_ns: clock.zero_unix_ns(),
                ahead_of_target_ms: skew,
            }),
            environment,
            warnings: Vec::new(),
            members: BTreeMap::new(),
        };
        Bundle::of(manifest)
    }
}

/// Runs one step on a thread of its own, and tells the watcher how it goes meanwhile.
fn watched(
    generator: &Generator,
    plan: &StepPlan,
    watch: &mut dyn Watch,
    stop: &Stop,
    journal: &mut Journal,
    mut steering: Steering<'_>,
) -> Result<StepRecord, CampaignError> {
    let live = Arc::new(Live::default());
    let begun = Instant::now();
    let seen: Mutex<Option<StepJudgement>> = Mutex::new(None);
    std::thread::scope(|scope| {
        let step = scope.spawn(|| {
            generator.run_steered(plan, &live, stop, journal, &mut |running| -> Control {
                let (control, judged) = steering.steer(running);
                if judged.is_some() {
                    *seen.lock().unwrap_or_else(PoisonError::into_inner) = judged;
                }
                control
            })
        });
        while !step.is_finished() {
            std::thread::sleep(TICK);
            let so_far = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
            watch.on(Event::Tick {
                plan,
                elapsed: begun.elapsed(),
                live: &live.snapshot(),
                so_far: so_far.as_ref(),
                promise: &generator.promise,
            });
        }
        Ok(step.join().unwrap_or(Err(StepError::Thread))?)
    })
}

/// What a reader should know of a search that signed nothing.
fn unsigned(answer: &Answer) -> Option<Note> {
    match answer {
        Answer::Signed(_) => None,
        Answer::Unsigned(rate) => Some(Note::Unconfirmed { rate: rate.get() }),
        Answer::Invalid => Some(Note::AllInvalid),
        Answer::Blind(kind) => Some(Note::Blind { promise: *kind }),
    }
}

/// Where the journal of a run lies until its bundle is complete.
#[must_use]
pub fn journal_path(out: &Path) -> PathBuf {
    store::beside(out, ".journal")
}

/// Writes the bundle to disk, with the digests of its members.
fn save(path: &Path, bundle: &mut Bundle) -> Result<(), CampaignError> {
    let bytes = bundle::write(bundle)?;
    store::save(path, &bytes)?;
    Ok(())
}
