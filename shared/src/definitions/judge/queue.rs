//! Queue time from a server's histogram: only ever known to lie in a bucket.

use std::collections::BTreeMap;

use super::verdict::{Quantity, ShareEvidence, Terms, Verdict};
use crate::definitions::promise::Target;
use crate::definitions::step::Step;
use crate::definitions::telemetry::{Labels, Metric, Sample};
use crate::stats::dependence::{Series, Slots};
use crate::stats::rank::nearest_rank;
use crate::units::{Moment, Nanos};

/// Upper bound of a bucket: nanoseconds, the last one +∞.
const INFINITE: u64 = u64::MAX;

/// One scrape of a histogram: cumulative counts by upper bound.
type Scrape = BTreeMap<u64, u64>;

/// A histogram of queue times over a step's window, summed over all sources.
pub struct QueueHistogram {
    /// Cumulative counts by ascending upper bound; the last bound is +∞.
    cumulative: Vec<(u64, u64)>,
    intervals: Vec<Interval>,
    longest_hole: Nanos,
}

/// What was counted between two scrapes of one source.
struct Interval {
    slot: usize,
    time: Moment,
    cumulative: Vec<(u64, u64)>,
}

impl QueueHistogram {
    /// The change over the window [W0, W1); `None` where no source has such a histogram or
    /// nothing was counted.
    #[must_use]
    pub fn over(step: &Step, telemetry: &[Sample]) -> Option<Self> {
        if step.w1 < step.w0 {
            // Only a hostile manifest has such a window; it has no scrapes.
            return None;
        }
        let slots = Slots::of(step.w0, step.w1);
        let mut sources: BTreeMap<(&str, Labels), BTreeMap<Moment, Scrape>> = BTreeMap::new();
        for sample in telemetry.iter().filter(|s| s.metric == Metric::QueueBucket) {
            let Some((series, bound)) = split_bound(&sample.labels) else { continue };
            if !(sample.value.is_finite() && sample.value >= 0.0) {
                continue;
            }
            let scrapes = sources.entry((&sample.source, series)).or_default();
            scrapes.entry(sample.time).or_default().insert(bound, sample.value as u64);
        }
        let mut intervals = Vec::new();
        let mut hole = Nanos(0);
        for scrapes in sources.values() {
            // From the last scrape before the window to the first one after it.
            let first = scrapes.range(..=step.w0).next_back().map_or(step.w0, |(time, _)| *time);
            let last = scrapes.range(step.w1..).next().map_or(step.w1, |(time, _)| *time);
            let inside = scrapes.range(first..=last);
            hole = hole.max(longest_hole(step, inside.clone().map(|(time, _)| *time)));
            let mut inside = inside;
            let Some((_, mut before)) = inside.next() else { continue };
            for (time, now) in inside {
                let cumulative = now
                    .iter()
                    .filter_map(|(bound, count)| {
                        // A counter that fell was restarted at 0.
                        let earlier = before.get(bound)?;
                        Some((*bound, count.checked_sub(*earlier).unwrap_or(*count)))
                    })
                    .collect();
                intervals.push(Interval { slot: slots.at(*time), time: *time, cumulative });
                before = now;
            }
        }
        intervals.sort_by_key(|interval| interval.time);
        // Only bounds that every source has can be summed without guessing.
        let common = intervals
            .iter()
            .map(|interval| interval.cumulative.iter().map(|&(bound, _)| bound).collect())
            .reduce(|a: std::collections::BTreeSet<u64>, b| {
                a.intersection(&b).copied().collect()
            })?;
        if !common.contains(&INFINITE) {
            return None;
        }
        for interval in &mut intervals {
            interval.cumulative.retain(|(bound, _)| common.contains(bound));
        }
        let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
        for (bound, count) in intervals.iter().flat_map(|interval| &interval.cumulative) {
            let sum = sums.entry(*bound).or_default();
            *sum = sum.saturating_add(*count);
        }
        let cumulative: Vec<_> = sums.into_iter().collect();
        let all = cumulative.last()?.1;
        (all > 0).then_some(Self { cumulative, intervals, longest_hole: hole })
    }

    /// The longest time of the window without a scrape of some source.
    pub(crate) fn longest_hole(&self) -> Nanos {
        self.longest_hole
    }

    /// The bucket that holds the nearest-rank P99.
    #[must_use]
    pub fn p99(&self) -> Quantity {
        let all = self.cumulative.last().map_or(0, |&(_, count)| count);
        let rank = nearest_rank(all, 99);
        let mut lo = 0;
        for &(bound, count) in &self.cumulative {
            if count >= rank {
                return Quantity::Bracket {
                    lo: Nanos(lo),
                    hi: (bound != INFINITE).then_some(Nanos(bound)),
                };
            }
            lo = bound;
        }
        Quantity::Bracket { lo: Nanos(lo), hi: None }
    }

    /// The screen, the evidence shown (values surely within the limit), and the verdict with
    /// confidence. Held: even if every value of the limit's bucket were above the limit.
    /// Broken: even if every one were below.
    pub(crate) fn judge(
        &self,
        limit: Nanos,
        target: Target,
        floor: f64,
        terms: Terms,
    ) -> (Verdict, ShareEvidence, Verdict) {
        let screen = match self.p99() {
            Quantity::Bracket { hi: Some(hi), .. } if hi <= limit => Verdict::Held,
            Quantity::Bracket { lo, .. } if lo >= limit => Verdict::Broken,
            _ => Verdict::Insufficient,
        };
        let bounds = || self.cumulative.iter().map(|&(bound, _)| bound);
        let surely = self.within(bounds().rev().find(|&bound| bound <= limit.0));
        let perhaps = self.within(bounds().find(|&bound| bound >= limit.0));
        let pessimist = ShareEvidence::of(&surely, target, floor, terms);
        let optimist = ShareEvidence::of(&perhaps, target, floor, terms);
        let verdict = match (pessimist.verdict(), optimist.verdict()) {
            (Verdict::Held, _) => Verdict::Held,
            (_, Verdict::Broken) => Verdict::Broken,
            _ => Verdict::Insufficient,
        };
        (screen, pessimist, verdict)
    }

    /// The series of values at most a bound (`None`: below every bound, so no value is).
    fn within(&self, chosen: Option<u64>) -> Series {
        let mut series = Series::new();
        for interval in &self.intervals {
            let count = |bound| {
                interval.cumulative.iter().find(|&&(at, _)| at == bound).map_or(0, |&(_, n)| n)
            };
            let all = count(INFINITE);
            let good = chosen.map_or(0, count).min(all);
            let clip = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
            series.count_many(interval.slot, interval.time, clip(all), clip(all - good));
        }
        series
    }
}

/// The longest time of the window without one of the ascending instants.
fn longest_hole(step: &Step, times: impl Iterator<Item = Moment>) -> Nanos {
    let mut last = step.w0;
    let mut longest = Nanos(0);
    for time in times.chain([step.w1]) {
        longest = longest.max(time.min(step.w1).since(last));
        last = last.max(time);
    }
    longest
}

/// A bucket's series (labels without `le`) and its bound in nanoseconds.
fn split_bound(labels: &Labels) -> Option<(Labels, u64)> {
    let bound = match labels.get("le")? {
        "+Inf" | "inf" | "Inf" => INFINITE,
        number => {
            let seconds: f64 = number.parse().ok()?;
            if seconds.is_infinite() {
                INFINITE
            } else if seconds >= 0.0 {
                libm::round(seconds * 1e9) as u64
            } else {
                return None;
            }
        }
    };
    Some((labels.without("le"), bound))
}
