//! Charts of the raw records: distributions, and the course of a step in time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::Row;
use super::Latency;
use crate::bundle::Bundle;
use crate::definitions::record::Request;
use crate::definitions::step::Step;
use crate::definitions::telemetry::{Labels, Metric, Sample};
use crate::present::chart::{Across, AxisPlan, Band, Datum, Plan, Role, Rule, Series};
use crate::present::format;
use crate::present::words::Words;
use crate::units::{Moment, Nanos};

/// The values of a tier's valid requests in a step's window, `None` for a request that never
/// had the quantity. Of ITL it is each request's worst gap: all gaps together are kept as a
/// histogram only.
#[must_use]
pub fn values(
    bundle: &Bundle,
    row: &Row,
    step: &Step,
    tier: usize,
    latency: Latency,
) -> Vec<Option<Nanos>> {
    let members = members(bundle, step);
    let valid = members.filter(|request| request.outcome.is_valid());
    let of_tier = valid.filter(|request| row.promise.tier_of(request.isl) == Some(tier));
    let value = |request: &Request| match latency {
        Latency::Ttft => Some(request.ttft()),
        Latency::Itl => Some(request.gaps.map(|gaps| gaps.max)),
        Latency::Queue => request.queue.map(Some),
        Latency::Tpot => {
            let tokens = u64::from(request.osl?.checked_sub(1).filter(|more| *more > 0)?);
            Some(request.streaming_time().map(|time| Nanos(time.0 / tokens)))
        }
    };
    of_tier.filter_map(value).collect()
}

/// The distribution of each tier's latency in a step: for every time, the share of requests
/// that needed no longer. Requests that never had it keep a curve below 100 %.
#[must_use]
pub fn cdf(bundle: &Bundle, row: &Row, step: &Step, latency: Latency, words: &Words) -> Plan {
    let tiers = || row.promise.tiers.iter().enumerate();
    let series = tiers().filter_map(|(tier, promised)| {
        let points = cumulative(&values(bundle, row, step, tier, latency));
        let named = Series::line(&*promised.name, Role::Nth(tier), points).as_stairs();
        (!named.points.is_empty()).then_some(named)
    });
    let series: Vec<Series> = series.collect();
    let mut limits: Vec<Rule> = Vec::new();
    for (tier, promised) in tiers() {
        let Some(limit) = latency.limit(row, tier) else { continue };
        let at = limit.0 as f64 / 1e6;
        let text = format!("{} ms", format::trimmed(at));
        match limits.iter_mut().find(|rule| rule.at == at) {
            // One limit for all tiers is drawn once, without a tier's name.
            Some(rule) => rule.name = (words.chart.limit)(&text),
            None => limits.push(Rule {
                across: Across::Vertical,
                at,
                name: format!("{} {}", promised.name, (words.chart.limit)(&text)),
                role: Role::Limit,
            }),
        }
    }
    let name = match latency {
        Latency::Itl => words.chart.worst_gap,
        Latency::Ttft | Latency::Tpot | Latency::Queue => latency.name(words),
    };
    let title = (words.chart.distribution)(name);
    Plan {
        description: title.clone(),
        title,
        x: AxisPlan::log(name, "ms"),
        y: AxisPlan::from_zero(words.term.share, "%").up_to(100.0),
        series,
        rules: limits,
        bands: Vec::new(),
    }
}

/// Points of the empirical distribution, at most about a thousand, the last ones kept whole:
/// the tail is what promises are about.
fn cumulative(values: &[Option<Nanos>]) -> Vec<Datum> {
    const MOST: usize = 1_000;
    const TAIL: usize = 200;
    let mut times: Vec<u64> = values.iter().flatten().map(|time| time.0).collect();
    times.sort_unstable();
    let (n, all) = (times.len(), values.len() as f64);
    let every = (n / MOST).max(1);
    let kept = |rank: usize| rank.is_multiple_of(every) || rank + TAIL >= n;
    let points = times.into_iter().enumerate().filter(|(rank, _)| kept(*rank));
    let point =
        |(rank, time): (usize, u64)| Datum::new(time as f64 / 1e6, (rank + 1) as f64 / all * 100.0);
    points.map(point).collect()
}

/// What can be followed through a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// Requests in flight, as the client saw them.
    InFlight,
    /// Median and worst TTFT of each second's requests.
    Ttft,
    /// Worst send lag of each second's requests: the generator's own lateness.
    SendLag,
    /// Requests being computed, all sources together.
    Running,
    /// Requests waiting at the server, all sources together.
    Waiting,
    /// KV-cache use of the fullest source.
    KvUse,
    /// Power of all devices together.
    Power,
}

impl Course {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::InFlight,
        Self::Ttft,
        Self::SendLag,
        Self::Running,
        Self::Waiting,
        Self::KvUse,
        Self::Power,
    ];
}

/// The course of a step, in seconds since its start, its window shaded; `None` where nothing
/// was observed.
#[must_use]
pub fn course(bundle: &Bundle, step: &Step, what: Course, words: &Words) -> Option<Plan> {
    let (name, unit) = match what {
        Course::InFlight => (words.chart.in_flight, ""),
        Course::Ttft => (words.term.ttft, "ms"),
        Course::SendLag => (words.chart.send_lag, "ms"),
        Course::Running => (words.chart.running, ""),
        Course::Waiting => (words.chart.waiting, ""),
        Course::KvUse => (words.chart.kv_use, "%"),
        Course::Power => (words.term.power, "W"),
    };
    let sum = |values: &mut dyn Iterator<Item = f64>| values.sum();
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max) * 100.0;
    let series = match what {
        Course::InFlight => vec![in_flight(bundle, step, name)],
        Course::Ttft => ttft(bundle, step, words),
        Course::SendLag => vec![send_lag(bundle, step, name)],
        Course::Running => vec![gauge(bundle, step, Metric::Running, name, sum)],
        Course::Waiting => vec![gauge(bundle, step, Metric::Waiting, name, sum)],
        Course::KvUse => vec![gauge(bundle, step, Metric::KvUse, name, most)],
        Course::Power => vec![gauge(bundle, step, Metric::PowerWatts, name, sum)],
    };
    if series.iter().all(|series| series.points.is_empty()) {
        return None;
    }
    let window = Band {
        from: since(step, step.w0),
        to: Some(since(step, step.w1)),
        name: words.term.window.to_owned(),
        role: Role::Answer,
    };
    Some(Plan {
        title: name.to_owned(),
        description: name.to_owned(),
        x: AxisPlan::from_zero(words.chart.time, "s"),
        y: AxisPlan::from_zero(name, unit),
        series,
        rules: Vec::new(),
        bands: vec![window],
    })
}

fn since(step: &Step, moment: Moment) -> f64 {
    moment.since(step.start).seconds().get()
}

/// A bundle holds its requests in the order of steps.
fn requests<'a>(bundle: &'a Bundle, step: &Step) -> &'a [Request] {
    let from = bundle.requests.partition_point(|request| request.step < step.id);
    let to = bundle.requests.partition_point(|request| request.step <= step.id);
    bundle.requests.get(from..to).unwrap_or_default()
}

fn members<'a>(bundle: &'a Bundle, step: &Step) -> impl Iterator<Item = &'a Request> {
    let (w0, w1) = (step.w0, step.w1);
    requests(bundle, step).iter().filter(move |request| w0 <= request.sent && request.sent < w1)
}

fn in_flight(bundle: &Bundle, step: &Step, name: &str) -> Series {
    let mut changes: Vec<(Moment, i64)> = requests(bundle, step)
        .iter()
        .flat_map(|request| [(request.sent, 1), (request.end, -1)])
        .collect();
    changes.sort_unstable();
    let mut now = 0;
    let points = changes.into_iter().map(|(moment, change)| {
        now += change;
        Datum::new(since(step, moment), now as f64)
    });
    Series::line(name, Role::Nth(0), points.collect()).as_stairs()
}

/// Values of each second's requests by when they were sent, in milliseconds, in order.
fn by_second(
    bundle: &Bundle,
    step: &Step,
    value: impl Fn(&Request) -> Option<Nanos>,
) -> BTreeMap<u64, Vec<f64>> {
    let mut seconds: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for request in requests(bundle, step) {
        if let Some(value) = value(request) {
            let second = request.sent.since(step.start).0 / 1_000_000_000;
            seconds.entry(second).or_default().push(value.0 as f64 / 1e6);
        }
    }
    for values in seconds.values_mut() {
        values.sort_by(f64::total_cmp);
    }
    seconds
}

fn ttft(bundle: &Bundle, step: &Step, words: &Words) -> Vec<Series> {
    let seconds = by_second(bundle, step, Request::ttft);
    let of = |pick: fn(&[f64]) -> Option<&f64>| -> Vec<Datum> {
        let points = seconds
            .iter()
            .filter_map(|(second, values)| Some(Datum::new(*second as f64, *pick(values)?)));
        points.collect()
    };
    vec![
        Series::line("P50", Role::Nth(0), of(|values| values.get((values.len() - 1) / 2))),
        Series::line(words.chart.worst, Role::Nth(1), of(<[f64]>::last)),
    ]
}

fn send_lag(bundle: &Bundle, step: &Step, name: &str) -> Series {
    let seconds = by_second(bundle, step, |request| Some(request.send_lag()));
    let points = seconds
        .iter()
        .filter_map(|(second, values)| Some(Datum::new(*second as f64, *values.last()?)));
    Series::line(name, Role::Nth(0), points.collect())
}

/// A gauge of all sources together: at each scrape, the latest values of every series.
fn gauge(
    bundle: &Bundle,
    step: &Step,
    metric: Metric,
    name: &str,
    together: impl Fn(&mut dyn Iterator<Item = f64>) -> f64,
) -> Series {
    let inside = |sample: &&Sample| {
        sample.metric == metric && step.start <= sample.time && sample.time <= step.end
    };
    let mut latest: BTreeMap<(&str, &Labels), f64> = BTreeMap::new();
    let mut points: Vec<Datum> = Vec::new();
    for sample in bundle.telemetry.iter().filter(inside) {
        latest.insert((&sample.source, &sample.labels), sample.value);
        let point = Datum::new(since(step, sample.time), together(&mut latest.values().copied()));
        match points.last_mut() {
            // Series that were scraped together make one point.
            Some(last) if last.x == point.x => *last = point,
            _ => points.push(point),
        }
    }
    Series::line(name, Role::Nth(0), points)
}
