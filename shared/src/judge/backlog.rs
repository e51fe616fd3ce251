//! Whether work piles up: a rate at which requests in flight keep rising cannot be sustained.

use crate::record::Request;
use crate::stats::trend::Trend;
use crate::step::Step;
use crate::units::Moment;
use crate::workload::{Shape, Workload};

/// Blocks of a window in which the number in flight is averaged.
const BLOCKS: usize = 20;
/// A rise must be this unlikely by chance (two-sided Mann–Kendall, Hamed–Rao corrected).
const P: f64 = 0.05;
/// And be at least this part of the median.
const GROWTH: f64 = 0.10;

/// Whether the number in flight rises through the window: of sessions where sessions are run,
/// since a slow server throttles their own next steps; else of requests.
pub(crate) fn grows(step: &Step, requests: &[Request], workload: &Workload) -> bool {
    let blocks = match workload.shape {
        Shape::Mix { .. } | Shape::Trace { .. } => {
            in_flight(step, requests.iter().map(|request| (request.sent, request.end)))
        }
        Shape::Sessions { .. } => in_flight(step, sessions(requests).into_iter()),
    };
    Trend::of(&blocks).is_some_and(|trend| {
        let growth = trend.relative_change(BLOCKS).unwrap_or(f64::INFINITY);
        trend.s > 0 && trend.p.get() < P && growth > GROWTH
    })
}

/// Mean number of intervals [from, to) that are open, in each block of the window.
fn in_flight(step: &Step, intervals: impl Iterator<Item = (Moment, Moment)>) -> Vec<f64> {
    let length = step.w1.since(step.w0).0 as f64 / BLOCKS as f64;
    let mut blocks = vec![0.0; BLOCKS];
    if length <= 0.0 {
        return blocks;
    }
    for (from, to) in intervals {
        let mut from = from.max(step.w0).since(step.w0).0 as f64 / length;
        let to = to.min(step.w1).since(step.w0).0 as f64 / length;
        while from < to {
            let block = from as usize;
            let border = (block + 1) as f64;
            if let Some(sum) = blocks.get_mut(block) {
                *sum += border.min(to) - from;
            }
            from = border;
        }
    }
    blocks
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
