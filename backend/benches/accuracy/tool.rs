//! The tool itself, as a sweep uses it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokencap::campaign::watch::{Event, Watch};
use tokencap::campaign::{Campaign, Options};
use tokencap::clock::Clock;
use tokencap::drive::live::Live;
use tokencap::drive::plan::{Load, StepPlan};
use tokencap::drive::step::Generator;
use tokencap::net::target::Target;
use tokencap::plan::Plan;
use tokencap::presets::{Kind, find};
use tokencap::schedule::form::Route;
use tokencap::schedule::prompt::Ruler;
use tokencap::step::Recorder;
use tokencap::stop::Stop;
use tokencap_shared::definitions::record::{Outcome, Request};
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::{Nanos, Rate};
use tokencap_wire::gaps::Gaps;

use super::report::{Seen, Stream};

/// How a run loads the server.
pub(crate) enum Run {
    /// So many streams start at one instant.
    Burst(usize),
    /// Requests arrive by a Poisson process of so many a second.
    Poisson(f64),
    /// So many streams read as fast as the server sends.
    Flood(usize),
}

struct Keep {
    streams: Vec<Stream>,
    lags: Vec<Nanos>,
    only_first: usize,
}

impl Recorder for Keep {
    fn request(&mut self, request: &Request, _: Option<&str>, gaps: &Gaps) -> io::Result<()> {
        if request.outcome == Outcome::Completed {
            self.lags.push(request.send_lag());
            // Users of a closed loop go on when their first answer has ended; that is not asked
            // about here.
            if (request.session as usize) < self.only_first {
                let number = request.isl.unwrap_or(0);
                let first =
                    request.ttft().map_or(Duration::ZERO, |time| Duration::from_nanos(time.0));
                self.streams.push(Stream::of(number, first, gaps));
            }
        }
        Ok(())
    }
}

/// Requests for so many tokens.
pub(crate) fn workload(tokens: u32) -> Workload {
    let workload = format!(
        "name = \"bench\"\n[shape]\nkind = \"mix\"\n[[shape.classes]]\nweight = 1\n\
         isl = {{ dist = \"fixed\", tokens = 16 }}\nosl = {{ dist = \"fixed\", tokens = {tokens} }}\n"
    );
    toml::from_str(&workload).expect("a workload")
}

pub(crate) fn run(server: &str, run: &Run, tokens: u32) -> Seen {
    let target = Target::new(server, Route::Chat, "bench").expect("an address");
    let generator = Generator {
        target,
        workload: workload(tokens),
        ruler: Ruler::default(),
        promise: toml::from_str(find(Kind::Promise, "demo").expect("a preset").text)
            .expect("a sheet"),
        clock: Clock::start(),
        salt: 0,
        tls: None,
        trace: None,
    };
    let (load, connections, window) = match *run {
        Run::Burst(streams) | Run::Flood(streams) => {
            (Load::Closed(streams as u32), streams, Duration::from_millis(20))
        }
        Run::Poisson(rate) => {
            (Load::Open(Rate::new(rate).expect("a rate")), 50, Duration::from_secs(20))
        }
    };
    let plan = StepPlan {
        kind: StepKind::Probe,
        load,
        connections,
        threads: 1,
        ..StepPlan::probe(0, Rate::new(1.0).expect("a rate"), Duration::ZERO, window, 1)
    };
    let only_first = match run {
        Run::Burst(streams) => *streams,
        Run::Poisson(_) => usize::MAX,
        // Nobody asks when each of its events came.
        Run::Flood(_) => 0,
    };
    let mut keep = Keep { streams: Vec::new(), lags: Vec::new(), only_first };
    let mut seen = Seen::begin();
    let (live, stop) = (Arc::new(Live::default()), Stop::default());
    let record =
        generator.run_recorded(&plan, &live, &stop, &mut keep).expect("a step of the tool");
    seen.finish();
    let start = record.step.start;
    let ends = record.requests.iter().filter(|r| r.outcome == Outcome::Completed).map(|r| r.end);
    if let (Run::Flood(_), Some(end)) = (run, ends.max()) {
        seen.flooded = record
            .requests
            .iter()
            .filter(|request| request.outcome == Outcome::Completed)
            .map(|request| u64::from(request.events))
            .sum();
        seen.elapsed = Duration::from_nanos(end.since(start).0);
    }
    (seen.streams, seen.lags) = (keep.streams, keep.lags);
    seen
}

/// A whole campaign of short requests, as many as a thousand users make in so many seconds: with
/// its journal, its judgement and its bundle.
pub(crate) fn campaign(server: &str, seconds: usize) -> Seen {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = format!(
        "promise = \"demo\"\n[workload]\nname = \"bench\"\n[workload.shape]\nkind = \"mix\"\n\
         [[workload.shape.classes]]\nweight = 1\nisl = {{ dist = \"fixed\", tokens = 16 }}\n\
         osl = {{ dist = \"fixed\", tokens = 1 }}\n[deployment]\nmodel = \"bench\"\n\
         engine = \"pulse\"\ngpu = \"none\"\ngpus_serving = 1\ngpus_provisioned = 1\n\
         prefix_cache = \"off\"\nsimulated = true\n\
         [sweep]\nusers = [1000]\nwarmup_s = 1\nwindow_s = {seconds}\n"
    );
    let file = folder.path().join("plan.toml");
    std::fs::write(&file, plan).expect("a file");
    let campaign = Campaign {
        plan: Plan::read(&file).expect("a plan"),
        target: Target::new(server, Route::Chat, "bench").expect("an address"),
        tls: None,
        out: folder.path().join("bench.tokencap"),
        resume: false,
        together: None,
        options: Options::default(),
    };
    let mut seen = Seen::begin();
    let bundle = campaign.run(&mut Silent, &Stop::default()).expect("a campaign");
    seen.finish();
    seen.requests = bundle.requests.len() as u64;
    seen
}

struct Silent;

impl Watch for Silent {
    fn on(&mut self, _: Event<'_>) {}
}
