//! Whether work piles up: a rate at which requests in flight keep rising cannot be sustained.

use crate::definitions::record::Request;
use crate::definitions::step::Step;
use crate::definitions::workload::{Shape, Workload};
use crate::stats::trend::Trend;
use crate::units::Moment;

/// Blocks of a window in which the number in flight is averaged.
const BLOCKS: usize = 20;
/// A rise must be this unlikely by chance (two-sided Mann–Kendall, Hamed–Rao corrected).
const P: f64 = 0.05;
/// And be at least this part of the median.
const GROWTH: f64 = 0.10;
/// Of fewer requests in the window a rise is a rise by some few: it tells nothing.
const FEWEST: u64 = 100;

/// Whether the number in flight rises through the window: of sessions where sessions are run,
/// since a slow server throttles their own next steps; else of requests.
pub(crate) fn grows(
    step: &Step,
    requests: &[Request],
    workload: &Workload,
    members: u64,
    of_requests: [u64; BLOCKS],
) -> bool {
    if members < FEWEST {
        return false;
    }
    let blocks = match workload.shape {
        Shape::Mix { .. } | Shape::Trace { .. } => of_requests,
        Shape::Sessions { .. } => {
            let mut open = InFlight::over(step);
            for (from, to) in sessions(requests) {
                open.add(from, to);
            }
            open.blocks
        }
    };
    Trend::of(&blocks.map(|time| time as f64)).is_some_and(|trend| {
        let growth = trend.relative_change(BLOCKS).unwrap_or(f64::INFINITY);
        trend.s > 0 && trend.p.get() < P && growth > GROWTH
    })
}

/// How long intervals [from, to) are open, in all, in each block of the window: their mean number
/// but for a factor.
pub(crate) struct InFlight {
    w0: Moment,
    w1: Moment,
    /// Length of a block, in nanoseconds, rounded up.
    length: u64,
    pub(crate) blocks: [u64; BLOCKS],
}

impl InFlight {
    /// No interval yet, over the window of a step.
    pub(crate) fn over(step: &Step) -> Self {
        let (w0, w1) = (step.w0, step.w1);
        let length = w1.since(w0).0.div_ceil(BLOCKS as u64);
        Self { w0, w1, length, blocks: [0; BLOCKS] }
    }

    /// One more interval.
    pub(crate) fn add(&mut self, from: Moment, to: Moment) {
        let at = |time: Moment| time.min(self.w1).since(self.w0).0;
        let (mut from, to) = (at(from), at(to));
        while from < to {
            let block = from / self.length;
            let border = (block + 1).saturating_mul(self.length).min(to);
            if let Some(sum) = self.blocks.get_mut(block as usize) {
                *sum = sum.saturating_add(border - from);
            }
            from = border;
        }
    }
}

/// First sending and last end of each session.
pub(crate) fn sessions(requests: &[Request]) -> Vec<(Moment, Moment)> {
    let mut parts: Vec<(u32, Moment, Moment)> =
        requests.iter().map(|request| (request.session, request.sent, request.end)).collect();
    parts.sort_unstable();
    parts
        .chunk_by(|a, b| a.0 == b.0)
        .map(|session| {
            let end = session.iter().map(|part| part.2).max().unwrap_or_default();
            (session[0].1, end)
        })
        .collect()
}
