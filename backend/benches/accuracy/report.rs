//! What one run saw, and how far that lies from what the server did.

use std::time::{Duration, Instant};

use tokencap_shared::stats::rank::nearest_rank;
use tokencap_shared::units::Nanos;

use hyper::http::HeaderMap;
use tokencap::net::client::Client;
use tokencap::net::target::Server;
use tokencap::trial::pulse::{self, FIRST, GAP};
use tokencap_wire::gaps::Gaps;

/// One stream as it was seen.
#[derive(Default)]
pub(crate) struct Stream {
    /// Number of the request at the server.
    number: u32,
    first: Option<Duration>,
    last: Duration,
    gaps: Vec<i64>,
    /// Length of an event that carries a token: all have the same.
    length: usize,
}

impl Stream {
    pub(crate) fn of(number: u32, first: Duration, gaps: &Gaps) -> Self {
        let gaps = gaps.iter().map(|gap| gap.0 as i64).collect();
        Self { number, first: Some(first), gaps, ..Self::default() }
    }

    /// An event of a bare reader, which tells tokens by their length.
    pub(crate) fn event(&mut self, at: Duration, bytes: &[u8]) {
        if self.first.is_none() {
            self.first = Some(at);
            self.length = bytes.len();
        } else if bytes.len() == self.length {
            self.gaps.push((at - self.last).as_nanos() as i64);
        } else if let Some(found) = memchr::memmem::find(bytes, b"\"prompt_tokens\":") {
            let digits = &bytes[found + 16..];
            let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(0);
            let text = std::str::from_utf8(&digits[..end]).unwrap_or_default();
            self.number = text.parse().unwrap_or(0);
            return;
        } else {
            return;
        }
        self.last = at;
    }
}

/// What a run saw.
pub(crate) struct Seen {
    begun: Instant,
    cpu_before: Duration,
    pub(crate) cpu: Duration,
    pub(crate) elapsed: Duration,
    pub(crate) streams: Vec<Stream>,
    /// How late requests were sent, where that is known.
    pub(crate) lags: Vec<Nanos>,
    /// Events of a flood.
    pub(crate) flooded: u64,
    /// Requests of a campaign.
    pub(crate) requests: u64,
}

impl Seen {
    pub(crate) fn begin() -> Self {
        Self {
            begun: Instant::now(),
            cpu_before: cpu(),
            cpu: Duration::ZERO,
            elapsed: Duration::ZERO,
            streams: Vec::new(),
            lags: Vec::new(),
            flooded: 0,
            requests: 0,
        }
    }

    pub(crate) fn finish(&mut self) {
        if self.elapsed.is_zero() {
            self.elapsed = self.begun.elapsed();
            self.cpu = cpu() - self.cpu_before;
        }
    }

    /// The figures of the run, as one line of JSON.
    pub(crate) fn figures(mut self, server: &str) -> String {
        self.finish();
        let late = if self.streams.is_empty() { Vec::new() } else { lateness(server) };
        let (mut firsts, mut gaps, mut events) = (Vec::new(), Vec::new(), self.flooded);
        for stream in &self.streams {
            let Some(first) = stream.first else { continue };
            let Some(late) = late.get(stream.number as usize).filter(|late| !late.is_empty())
            else {
                continue;
            };
            events += 1 + stream.gaps.len() as u64;
            firsts.push((first.as_nanos() as i64 - FIRST.as_nanos() as i64 - late[0]).abs());
            for (index, gap) in stream.gaps.iter().enumerate().skip(100) {
                let Some(pair) = late.get(index..index + 2) else { break };
                gaps.push((gap - GAP.as_nanos() as i64 - (pair[1] - pair[0])).abs());
            }
        }
        let mut lags: Vec<i64> = self.lags.iter().map(|lag| lag.0 as i64).collect();
        let mut own: Vec<i64> = late.iter().flatten().copied().collect();
        let number = |value: Option<f64>| value.map_or("null".into(), |value| value.to_string());
        let millis = |values: &mut Vec<i64>| number(p99(values).map(|nanos| nanos as f64 / 1e6));
        format!(
            "{{\"streams\":{},\"ttft_ms\":{},\"gap_ms\":{},\"server_ms\":{},\"lag_ms\":{},\
             \"cpu_us\":{},\"per_second\":{},\"requests\":{},\"peak_mb\":{}}}",
            firsts.len(),
            millis(&mut firsts),
            millis(&mut gaps),
            millis(&mut own),
            millis(&mut lags),
            number((events > 0).then(|| self.cpu.as_secs_f64() * 1e6 / events as f64)),
            number((self.flooded > 0).then(|| events as f64 / self.elapsed.as_secs_f64())),
            number((self.requests > 0).then_some(self.requests as f64)),
            number(peak_mb()),
        )
    }
}

/// Nearest-rank 99th percentile.
fn p99(values: &mut [i64]) -> Option<i64> {
    values.sort_unstable();
    let rank = nearest_rank(values.len() as u64, 99);
    Some(values[rank.checked_sub(1)? as usize])
}

/// How late the server was, by request and event, in its own words.
fn lateness(server: &str) -> Vec<Vec<i64>> {
    let server = Server::resolve(server).expect("an address");
    let patience = Duration::from_secs(30);
    let client = Client::direct(&server, None, patience).expect("a client");
    let page = client.get("/", HeaderMap::new(), patience).expect("the server");
    pulse::lateness(&String::from_utf8_lossy(&page.body))
}

/// CPU time of this process.
fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Peak of this process's resident memory.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
