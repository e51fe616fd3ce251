//! What this machine can honestly drive: the generator against the built-in server with exact
//! timing, at more and more streams, until the generator's own evidence says no.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::http::HeaderMap;
use serde::Serialize;
use tokencap_shared::definitions::judge::{Invalid, generator_invalid};
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::definitions::record::{Outcome, Request};
use tokencap_shared::definitions::step::{GeneratorEvidence, StepKind};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::stats::rank::percentile;
use tokencap_shared::units::{Nanos, Rate};

use crate::clock::Clock;
use crate::drive::live::Live;
use crate::drive::plan::{Load, StepError, StepPlan};
use crate::drive::step::Generator;
use crate::net::client::Client;
use crate::net::target::Target;
use crate::schedule::form::Route;
use crate::schedule::prompt::Ruler;
use crate::step::Recorder;
use crate::stop::Stop;
use crate::trial::pulse::{FIRST, GAP, Pulse, lateness};
use tokencap_wire::gaps::Gaps;

/// Tokens of each stream.
const TOKENS: u32 = 150;
/// Streams that are tried, one after the other.
const LADDER: [u32; 9] = [50, 100, 250, 500, 1000, 2000, 4000, 8000, 16_000];

/// Beyond this lateness of its own the server says nothing about the generator.
const SERVER: Nanos = Nanos::from_millis(5);

/// How long the server's own list of its lateness may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// One rung of the ladder.
#[derive(Clone, Debug, Serialize)]
pub struct Rung {
    /// Streams meant to be open at a time.
    pub streams: u32,
    /// Events a second that were sent and read.
    pub events_per_s: f64,
    /// Requests a second.
    pub requests_per_s: f64,
    /// Lateness of sending: 99th percentile and greatest.
    pub lag: [Nanos; 2],
    /// Error of the time to first token, at its 99th percentile, the server's lateness
    /// subtracted.
    pub ttft_error: Nanos,
    /// Error of the gaps, the same way.
    pub gap_error: Nanos,
    /// The server's own lateness, at its 99th percentile.
    pub server: Nanos,
    /// What the generator measured of itself.
    pub generator: GeneratorEvidence,
    /// Why a step at this load would be INVALID under the promise sheet, as far as the generator is
    /// to blame; empty: it would not be.
    pub reasons: Vec<Invalid>,
    /// The server, not the generator, was too slow to say more.
    pub server_limited: bool,
}

/// Climbs until a rung does not hold under a promise sheet, whose limits say how late the generator
/// may be, and tells of each.
///
/// # Errors
/// If this machine does not even let the generator or the server start.
pub fn calibrate(
    promise: &PromiseSheet,
    stop: &Stop,
    mut on_rung: impl FnMut(&Rung),
) -> Result<Vec<Rung>, StepError> {
    let mut rungs = Vec::new();
    for streams in LADDER {
        if stop.reason().is_some() {
            break;
        }
        let rung = rung(streams, promise, stop)?;
        on_rung(&rung);
        let ends = !rung.reasons.is_empty() || rung.server_limited;
        rungs.push(rung);
        if ends {
            break;
        }
    }
    Ok(rungs)
}

/// Remembers each request's gaps in their order.
#[derive(Default)]
struct Keep(Vec<(Request, Gaps)>);

impl Recorder for Keep {
    fn request(&mut self, request: &Request, _: Option<&str>, gaps: &Gaps) -> io::Result<()> {
        if request.outcome == Outcome::Completed {
            self.0.push((*request, gaps.clone()));
        }
        Ok(())
    }
}

fn rung(streams: u32, promise: &PromiseSheet, stop: &Stop) -> Result<Rung, StepError> {
    let mut pulse = Pulse::listen()?;
    let url = pulse.url()?;
    let serving = Stop::default();
    let until = serving.clone();
    let server =
        std::thread::Builder::new().name("pulse".into()).spawn(move || pulse.serve(&until))?;
    let measured = measure(&url, streams, promise, stop);
    serving.stop(Note::sentence("measured"));
    server.join().map_err(|_| StepError::Thread)??;
    measured
}

fn measure(
    url: &str,
    streams: u32,
    promise: &PromiseSheet,
    stop: &Stop,
) -> Result<Rung, StepError> {
    let target = Target::new(url, Route::Chat, "pulse")?;
    let generator = Generator {
        target,
        workload: workload(),
        ruler: Ruler::default(),
        promise: promise.clone(),
        clock: Clock::start(),
        salt: 0,
        tls: None,
        trace: None,
    };
    let length = FIRST + GAP * (TOKENS - 1);
    let rate = f64::from(streams) / length.as_secs_f64();
    let rate = Rate::new(rate).map_err(io::Error::other)?;
    let plan = StepPlan {
        kind: StepKind::Probe,
        load: Load::Open(rate),
        connections: streams as usize + streams as usize / 4,
        ..StepPlan::probe(0, rate, length + Duration::from_millis(500), Duration::from_secs(3), 1)
    };
    let mut keep = Keep::default();
    let live = Arc::new(Live::default());
    let record = generator.run_recorded(&plan, &live, stop, &mut keep)?;
    let client =
        Client::direct(&generator.target.server, None, PATIENCE).map_err(io::Error::other)?;
    let list = client.get("/", HeaderMap::new(), PATIENCE);
    let late =
        list.map_or_else(|_| Vec::new(), |page| lateness(&String::from_utf8_lossy(&page.body)));
    let step = &record.step;
    let window = step.w0..step.w1;
    keep.0.retain(|(request, _)| window.contains(&request.sent));
    let (mut firsts, mut gaps_off, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for (request, gaps) in &keep.0 {
        let number = request.isl.unwrap_or(0) as usize;
        let (Some(late), Some(first)) = (late.get(number), request.ttft()) else { continue };
        own.extend(late.iter().map(|late| late.unsigned_abs()));
        let Some(&first_late) = late.first() else { continue };
        firsts.push((first.0 as i64 - FIRST.as_nanos() as i64 - first_late).unsigned_abs());
        for (gap, pair) in gaps.iter().zip(late.windows(2)) {
            let expected = GAP.as_nanos() as i64 + pair[1] - pair[0];
            gaps_off.push((gap.0 as i64 - expected).unsigned_abs());
        }
    }
    let members = record.requests.iter().filter(|request| window.contains(&request.sent));
    let mut lags: Vec<u64> = members.map(|request| request.send_lag().0).collect();
    let seconds = step.w1.since(step.w0).seconds().get();
    let requests_per_s = lags.len() as f64 / seconds;
    let lag = [p99(&mut lags), Nanos(lags.iter().copied().max().unwrap_or_default())];
    let server = p99(&mut own);
    Ok(Rung {
        streams,
        events_per_s: requests_per_s * f64::from(TOKENS),
        requests_per_s,
        lag,
        ttft_error: p99(&mut firsts),
        gap_error: p99(&mut gaps_off),
        server,
        generator: step.generator.clone(),
        reasons: generator_invalid(step, &record.requests, promise),
        server_limited: server > SERVER,
    })
}

/// 99th percentile; 0 without a value.
fn p99(values: &mut [u64]) -> Nanos {
    percentile(values, 99).map(Nanos).unwrap_or_default()
}

fn workload() -> Workload {
    use tokencap_shared::definitions::workload::{Class, Length};

    let class = Class {
        weight: 1.0,
        isl: Length::Fixed { tokens: 32 },
        osl: Length::Fixed { tokens: TOKENS },
        shared_prefix: 0,
    };
    Workload::mix("calibrate", vec![class])
}
