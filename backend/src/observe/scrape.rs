//! Scraping: each source once a second, on a thread of its own, so that one that hangs holds
//! up no other.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::http::{HeaderMap, HeaderName, HeaderValue};
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::telemetry::{Labels, Metric, Sample};
use tokencap_shared::units::Nanos;

use super::prometheus::parse;
use super::vocabulary::{Reading, read};
use crate::clock::Clock;
use crate::net::client::Client;
use crate::net::io::Tls;
use crate::net::target::{Server, TargetError};

/// A page to scrape.
#[derive(Clone, Debug)]
pub struct Source {
    /// As samples name it.
    name: String,
    path: String,
    client: Client,
}

impl Source {
    /// A page at an address; `/metrics` where the address has no path. Where it has TLS, whom the
    /// target's TLS trusts is trusted.
    ///
    /// # Errors
    /// If the address is none or TLS cannot be set up.
    pub fn new(name: &str, url: &str, tls: Option<&Tls>) -> Result<Self, TargetError> {
        let server = Server::resolve(url)?;
        let client = Client::pages(&server, tls, CONNECT)?;
        let path = if server.path.is_empty() { "/metrics".into() } else { server.path };
        Ok(Self { name: name.into(), path, client })
    }

    /// Reads the page once; the reason is one for people.
    fn scrape(&self) -> Result<(Vec<Reading>, usize), String> {
        let page = self.client.get(&self.path, fields(), LIMIT);
        let page = page.map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&page.body);
        let status = page.status;
        if status != 200 || is_html(&text) || is_json(&text) {
            let moved = page.moved.map(|host| format!(" (moved to {host})")).unwrap_or_default();
            return Err(match status {
                200 if is_html(&text) => format!(
                    "the page{moved} is a web page, perhaps one to log in, not Prometheus text: \
                     name the address that the engine itself serves its metrics at"
                ),
                200 => "the page is JSON, not Prometheus text; TensorRT-LLM has its Prometheus \
                        page at /prometheus/metrics"
                    .into(),
                _ => format!("HTTP status {status}{moved}"),
            });
        }
        let (series, unreadable) = parse(&text);
        Ok((read(&series), unreadable))
    }
}

impl Source {
    fn tell(&self, scraped: &Result<(Vec<Reading>, usize), String>, took: Duration) {
        let (source, ms) = (&self.name, took.as_millis() as u64);
        match scraped {
            Ok((readings, unreadable)) => {
                let values = readings.len();
                tracing::debug!(%source, ms, values, unreadable, "a source is scraped");
            }
            Err(why) => tracing::info!(%source, ms, %why, "a source is not scraped"),
        }
    }
}

fn fields() -> HeaderMap {
    let seconds = HeaderValue::from(LIMIT.as_secs());
    HeaderMap::from_iter([(
        HeaderName::from_static("x-prometheus-scrape-timeout-seconds"),
        seconds,
    )])
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{'])
}

/// No line of Prometheus text begins so.
fn is_html(text: &str) -> bool {
    text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with('<')
}

/// One scrape may take so long.
const LIMIT: Duration = Duration::from_secs(2);
/// And so long of that until there is a connection: a lost packet is sent again after a second.
const CONNECT: Duration = Duration::from_millis(1500);

/// Scrapes while it lives.
#[derive(Debug)]
pub struct Observer {
    state: Arc<State>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct State {
    clock: Clock,
    stopped: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    samples: Vec<Sample>,
    /// Metrics that some source states of itself: a router's copies of them are left out.
    direct: BTreeSet<Metric>,
    sources: BTreeMap<String, Tally>,
}

/// How a source has done.
#[derive(Debug, Default)]
struct Tally {
    scrapes: u64,
    failed: u64,
    last_failure: Option<String>,
    metrics: BTreeSet<Metric>,
    resets: u64,
    /// Last values of counters, by metric and labels.
    counters: BTreeMap<(Metric, Labels), f64>,
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer {
    /// Starts to scrape. Each source is read once before this returns, so that it is known from
    /// the start which says what.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn start(sources: Vec<Source>, clock: Clock, interval: Duration) -> io::Result<Self> {
        let inner = Mutex::new(Inner::default());
        let state = Arc::new(State { clock, stopped: AtomicBool::new(false), inner });
        let spawn = |source: Source, work: fn(&State, &Source, Duration)| {
            let state = Arc::clone(&state);
            std::thread::Builder::new()
                .name("observe".into())
                .spawn(move || work(&state, &source, interval))
        };
        let mut first = Vec::new();
        for source in &sources {
            first.push(spawn(source.clone(), |state, source, _| state.learn(source))?);
        }
        for thread in first {
            let _ = thread.join();
        }
        let mut threads = Vec::new();
        for source in sources {
            threads.push(spawn(source, State::watch)?);
        }
        Ok(Self { state, threads })
    }

    /// Takes the samples that have come since the last call, in the order of time.
    #[must_use]
    pub fn take(&self) -> Vec<Sample> {
        in_order(std::mem::take(&mut self.state.lock().samples))
    }

    /// A copy of the samples that have come since they were last taken, in the order of time.
    #[must_use]
    pub fn so_far(&self) -> Vec<Sample> {
        in_order(self.state.lock().samples.clone())
    }

    /// What no source has said so far, of the given metrics.
    #[must_use]
    pub fn not_observed(&self, wanted: &[Metric]) -> Vec<Metric> {
        let inner = self.state.lock();
        let seen = |metric: &Metric| inner.sources.values().any(|t| t.metrics.contains(metric));
        wanted.iter().copied().filter(|metric| !seen(metric)).collect()
    }

    /// What a reader should know of the sources so far.
    #[must_use]
    pub fn warnings(&self) -> Vec<Note> {
        let inner = self.state.lock();
        inner.sources.iter().flat_map(|(name, tally)| tally.warnings(name)).collect()
    }

    /// Ends scraping and returns the last samples.
    #[must_use]
    pub fn stop(mut self) -> Vec<Sample> {
        self.state.stopped.store(true, Ordering::Release);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        self.take()
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::Release);
    }
}

impl State {
    fn learn(&self, source: &Source) {
        let begun = self.clock.now();
        let scraped = source.scrape();
        source.tell(&scraped, Duration::from(self.clock.now().since(begun)));
        let mut inner = self.lock();
        let tally = inner.sources.entry(source.name.clone()).or_default();
        match scraped {
            Ok((readings, _)) => {
                tally.metrics.extend(readings.iter().map(|reading| reading.metric));
                let own = readings.iter().filter(|reading| !reading.of_router);
                inner.direct.extend(own.map(|reading| reading.metric));
            }
            Err(why) => tally.last_failure = Some(why),
        }
    }

    fn watch(&self, source: &Source, interval: Duration) {
        let step = Nanos::from(interval);
        let mut next = self.clock.now();
        while !self.stopped.load(Ordering::Acquire) {
            let begun = self.clock.now();
            let scraped = source.scrape();
            let ended = self.clock.now();
            source.tell(&scraped, Duration::from(ended.since(begun)));
            // The page shows the server as it was at some instant in between.
            let time = begun + Nanos(ended.since(begun).0 / 2);
            self.lock().record(&source.name, time, scraped);
            next = next + step;
            if next < ended {
                next = ended;
            }
            while self.clock.now() < next && !self.stopped.load(Ordering::Acquire) {
                std::thread::sleep(self.clock.until(next).min(Duration::from_millis(50)));
            }
        }
    }
}

impl Inner {
    fn record(
        &mut self,
        source: &str,
        time: tokencap_shared::units::Moment,
        scraped: Result<(Vec<Reading>, usize), String>,
    ) {
        let Self { samples, direct, sources } = self;
        let tally = sources.entry(source.into()).or_default();
        tally.scrapes += 1;
        let sample =
            |metric, labels, value| Sample { time, source: source.into(), metric, labels, value };
        match scraped {
            Ok((readings, _)) => {
                samples.push(sample(Metric::Up, Labels::default(), 1.0));
                for reading in readings {
                    tally.note(&reading);
                    if !reading.of_router {
                        direct.insert(reading.metric);
                    } else if direct.contains(&reading.metric) {
                        continue;
                    }
                    samples.push(sample(reading.metric, reading.labels, reading.value));
                }
            }
            Err(why) => {
                tally.failed += 1;
                samples.push(sample(Metric::Up, Labels::one("reason", &why), 0.0));
                tally.last_failure = Some(why);
            }
        }
    }
}

impl Tally {
    fn note(&mut self, reading: &Reading) {
        self.metrics.insert(reading.metric);
        if is_counter(reading.metric) {
            let key = (reading.metric, reading.labels.clone());
            if let Some(before) = self.counters.insert(key, reading.value)
                && before > reading.value
            {
                self.resets += 1;
            }
        }
    }

    fn warnings(&self, name: &str) -> Vec<Note> {
        let mut warnings = Vec::new();
        let source = || name.to_owned();
        let why = self.last_failure.clone();
        if self.metrics.is_empty() {
            warnings.push(match why {
                Some(why) => Note::NotScraped { source: source(), why },
                None => Note::NothingKnown { source: source() },
            });
        } else if let (true, Some(why)) = (self.failed > 0, why) {
            let (failed, scrapes) = (self.failed, self.scrapes);
            warnings.push(Note::ScrapesFailed { source: source(), failed, scrapes, why });
        }
        if self.resets > 0 {
            warnings.push(Note::Restarted { source: source() });
        }
        warnings
    }
}

const fn is_counter(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::PrefixQueries
            | Metric::PrefixHits
            | Metric::Preemptions
            | Metric::QueueBucket
            | Metric::PromptTokens
            | Metric::OutputTokens
            | Metric::EnergyJoules
    )
}
/// Samples of several sources in the order of time.
fn in_order(mut samples: Vec<Sample>) -> Vec<Sample> {
    samples.sort_by_key(|sample| sample.time);
    samples
}
