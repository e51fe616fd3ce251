//! What every tool's reader needs: units, spreads, and records out of seconds since some epoch.

use super::json::Json;
use super::run::{Records, Spread};
use crate::definitions::record::{GapSummary, Outcome, Request};
use crate::units::{Moment, Nanos, Rate, Seconds, TokenRate};

/// A time of `value` units of so many seconds.
pub(super) fn seconds(value: Option<f64>, unit: f64) -> Option<Seconds> {
    Seconds::new(value? * unit).ok()
}

pub(super) fn rate(value: Option<f64>) -> Option<Rate> {
    Rate::new(value?).ok().filter(|rate| rate.get() > 0.0)
}

pub(super) fn token_rate(value: Option<f64>) -> Option<TokenRate> {
    TokenRate::new(value?).ok()
}

/// A whole number of tokens or requests, from a float that may carry rounding.
pub(super) fn rounded(value: Option<f64>) -> Option<u64> {
    value.filter(|value| (0.0..9e15).contains(value)).map(|value| value.round() as u64)
}

pub(super) fn count32(json: &Json) -> Option<u32> {
    json.count().and_then(|count| u32::try_from(count).ok())
}

/// What most tools call the points of a spread, in the order in which [`spread`] takes them.
pub(super) const MEDIAN: [&str; 6] = ["mean", "median", "p90", "p95", "p99", "max"];
/// The same where the median is a percentile like others.
pub(super) const P50: [&str; 6] = ["mean", "p50", "p90", "p95", "p99", "max"];

/// A spread of values in units of so many seconds: mean, median, 90th, 95th and 99th percentile,
/// greatest, each looked up by what a tool calls it.
pub(super) fn spread<N>(names: [N; 6], value: impl Fn(N) -> Option<f64>, unit: f64) -> Spread {
    let [mean, p50, p90, p95, p99, max] = names.map(|name| seconds(value(name), unit));
    Spread { mean, p50, p90, p95, p99, max }
}

/// Longest time that is taken for one, in nanoseconds: 100 days. What is longer is damaged.
const LONGEST: u64 = 100 * 86_400 * 1_000_000_000;

/// A duration of `value` units of so many seconds; `None` if it is negative, no number, or longer
/// than any measurement.
pub(super) fn nanos(value: f64, unit: f64) -> Option<Nanos> {
    let nanos = (value * unit * 1e9).round();
    (0.0..=LONGEST as f64).contains(&nanos).then_some(Nanos(nanos as u64))
}

/// One request as other tools record it: offsets from its own start.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// When it was sent, on any clock in nanoseconds; `None` where the file does not say.
    pub(super) sent: Option<u64>,
    /// How long before that it should have been sent.
    pub(super) late: Option<Nanos>,
    pub(super) ttft: Option<Nanos>,
    /// From sending to the last token.
    pub(super) last: Option<Nanos>,
    /// From sending to the end.
    pub(super) end: Nanos,
    pub(super) isl: Option<u32>,
    pub(super) osl: Option<u32>,
    /// Output events; `None` where nobody counted them.
    pub(super) events: Option<u32>,
    /// Gaps between events.
    pub(super) gaps: Option<Vec<Nanos>>,
    pub(super) outcome: Option<Outcome>,
    pub(super) error: Option<String>,
    pub(super) session: Option<u32>,
    pub(super) turn: u32,
}

/// Requests in the order of sending, on one clock that starts with the first of them.
pub(super) fn records(mut seen: Vec<Seen>) -> Option<Records> {
    if seen.is_empty() {
        return None;
    }
    for request in &mut seen {
        let whole = |gaps: &Vec<Nanos>| gaps.iter().copied().sum::<Nanos>() <= Nanos(LONGEST);
        request.gaps = request.gaps.take().filter(whole);
        request.end = request.end.min(Nanos(LONGEST));
        request.late = request.late.map(|late| late.min(Nanos(LONGEST)));
    }
    let sent = || seen.iter().filter_map(|request| request.sent);
    let span = sent().max().unwrap_or_default() - sent().min().unwrap_or_default();
    let sent_known = span <= LONGEST && seen.iter().all(|request| request.sent.is_some());
    let intended_known = sent_known && seen.iter().all(|request| request.late.is_some());
    let gaps_known = seen
        .iter()
        .all(|request| request.gaps.is_some() || request.ttft.is_none() || request.osl == Some(1));
    if sent_known {
        seen.sort_by_key(|request| request.sent);
    }
    let lateness = |request: &Seen| request.late.unwrap_or_default().0;
    // Room for the earliest intended time before the first sent one.
    let origin = seen
        .iter()
        .filter_map(|request| Some(request.sent?.saturating_sub(lateness(request))))
        .min()
        .unwrap_or_default();
    let mut found = Records { sent_known, intended_known, ..Records::default() };
    let mut all_gaps = Vec::with_capacity(seen.len());
    for (index, mut request) in seen.into_iter().enumerate() {
        let sent = request.sent.filter(|_| sent_known).unwrap_or(origin);
        let sent = Moment(sent.saturating_sub(origin));
        let late = if intended_known { request.late.unwrap_or_default() } else { Nanos(0) };
        let gaps = request.gaps.take();
        let first = request.ttft.map(|ttft| sent + ttft);
        let summed = gaps.iter().flatten().copied().sum::<Nanos>();
        let last = first.map(|first| match (&gaps, request.last) {
            (Some(_), _) => first + summed,
            (None, Some(last)) => (sent + last).max(first),
            (None, None) => (sent + request.end).max(first),
        });
        let events = match (&gaps, request.events, request.osl) {
            _ if first.is_none() => 0,
            (Some(gaps), _, _) => gaps.len() as u32 + 1,
            (None, Some(events), _) => events.max(1),
            // Nobody counted events: as many as tokens is the most there can be.
            (None, None, osl) => osl.unwrap_or(1).max(1),
        };
        let error = request.error.take().map(|text| {
            let known = found.errors.iter().position(|other| *other == text);
            known.unwrap_or_else(|| {
                found.errors.push(text);
                found.errors.len() - 1
            }) as u32
        });
        let mut sorted = gaps.clone().unwrap_or_default();
        found.requests.push(Request {
            step: 0,
            session: request.session.unwrap_or(index as u32),
            turn: request.turn,
            intended: sent - late,
            sent,
            first_token: first,
            last_token: last,
            end: (sent + request.end).max(last.unwrap_or(sent)),
            isl: request.isl,
            osl: request.osl,
            cached: None,
            queue: None,
            events,
            gaps: GapSummary::of(&mut sorted),
            outcome: request.outcome.unwrap_or(Outcome::Completed),
            status: None,
            error,
        });
        all_gaps.push(gaps.unwrap_or_default());
    }
    found.gaps = gaps_known.then_some(all_gaps);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stand_on_one_clock_in_the_order_of_sending() {
        let seen = |sent, late| Seen {
            sent: Some(sent),
            late: Some(Nanos(late)),
            ttft: Some(Nanos(5)),
            gaps: Some(vec![Nanos(2), Nanos(3)]),
            end: Nanos(10),
            osl: Some(3),
            ..Seen::default()
        };
        let found = records(vec![seen(1_000, 0), seen(900, 50)]).unwrap();
        assert!(found.sent_known && found.intended_known);
        let [first, second] = &found.requests[..] else { panic!("two") };
        assert_eq!((first.intended, first.sent), (Moment(0), Moment(50)));
        assert_eq!((second.sent, second.last_token), (Moment(150), Some(Moment(160))));
        assert_eq!(second.events, 3);
    }

    #[test]
    fn times_that_no_measurement_has_are_not_known() {
        assert_eq!(nanos(1e9, 1.0), None);
        let seen = |sent| Seen { sent: Some(sent), end: Nanos(u64::MAX), ..Seen::default() };
        let found = records(vec![seen(0), seen(u64::MAX)]).unwrap();
        assert!(!found.sent_known);
        assert!(found.requests.iter().all(|request| request.end <= Moment(0) + Nanos(LONGEST)));
    }

    #[test]
    fn one_unknown_time_of_sending_makes_all_unknown() {
        let seen = |sent| Seen { sent, end: Nanos(10), ..Seen::default() };
        let found = records(vec![seen(Some(7)), seen(None)]).unwrap();
        assert!(!found.sent_known);
        assert!(found.requests.iter().all(|request| request.sent == Moment(0)));
    }
}
