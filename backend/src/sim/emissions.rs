//! When a request got its tokens: spans of iterations, read off the replica's log of their ends.

use std::collections::VecDeque;

/// The end of every iteration that some request still needs.
#[derive(Debug, Default)]
pub(super) struct IterationLog {
    first: u64,
    ends: VecDeque<u64>,
}

impl IterationLog {
    pub(super) fn push(&mut self, end: u64) {
        self.ends.push_back(end);
    }

    pub(super) fn forget_before(&mut self, iteration: u64) {
        let count = iteration.saturating_sub(self.first).min(self.ends.len() as u64);
        self.ends.drain(..count as usize);
        self.first += count;
    }

    fn end(&self, iteration: u64) -> u64 {
        self.ends[(iteration - self.first) as usize]
    }
}

/// The instants of a request's output tokens, ascending.
#[derive(Clone, Copy, Debug)]
pub struct Emissions<'a> {
    log: &'a IterationLog,
    spans: &'a [(u64, u64)],
}

impl<'a> Emissions<'a> {
    pub(super) const fn new(log: &'a IterationLog, spans: &'a [(u64, u64)]) -> Self {
        Self { log, spans }
    }

    /// When the first token was there, in nanoseconds.
    #[must_use]
    pub fn first(&self) -> Option<u64> {
        self.spans.first().map(|span| self.log.end(span.0))
    }

    /// Writes every instant into `times`, which is emptied first.
    pub fn write(&self, times: &mut Vec<u64>) {
        times.clear();
        for &(first, last) in self.spans {
            let from = (first - self.log.first) as usize;
            let to = (last - self.log.first) as usize;
            times.extend(self.log.ends.range(from..=to));
        }
    }
}
