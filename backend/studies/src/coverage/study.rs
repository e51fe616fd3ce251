//! How often three ways of judging call a run `held`: the table that stands in the head of
//! `shared/src/stats/dependence.rs`.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};

use tokencap_shared::definitions::judge::Verdict;
use tokencap_testkit::random::Random;

use super::model::{Queue, as_if_independent, by_twenty_batches, verdict};

/// Servers of the queues, and those of the published tables of Erlang's formula.
const SERVERS: u32 = 16;
/// The limit that a share of independent requests exceeds, and the wait of those that do not.
const LIMIT: f64 = 1.0;

/// Where the requests of a line come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// Independent requests, a hundredth of which waits too long.
    Independent,
    /// An M/M/16 queue whose limit is the true P99 of its wait at this utilisation.
    Queue(f64),
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Where the requests come from.
    pub source: Source,
    /// The rate that is offered, as a part of the one at which the limit is just kept.
    pub rate: f64,
    /// Requests of a run.
    pub requests: usize,
    /// Part of the runs that are made: 1 at the limit, fewer below it.
    pub part: f64,
}

impl Line {
    /// Every line, in the table's order.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let line = |source, rate, requests, part| Self { source, rate, requests, part };
        let independent = [3_000, 36_000].map(|n| line(Source::Independent, 1.0, n, 1.0));
        let queues = |rate, requests, part| {
            [0.7, 0.8, 0.9].map(|rho| line(Source::Queue(rho), rate, requests, part))
        };
        let below = [queues(0.95, 36_000, 1.0), queues(0.9, 36_000, 0.1)];
        let at = [queues(1.0, 3_000, 1.0), queues(1.0, 36_000, 1.0)];
        independent.into_iter().chain(at.into_iter().chain(below).flatten()).collect()
    }

    /// The share of requests that truly keep the limit.
    #[must_use]
    pub fn truth(&self) -> f64 {
        match self.source {
            Source::Independent => 0.99,
            Source::Queue(rho) => self.queue(rho).attainment(Self::at_limit(rho).limit(0.01)),
        }
    }

    fn at_limit(rho: f64) -> Queue {
        Queue { servers: SERVERS, rho }
    }

    fn queue(&self, rho: f64) -> Queue {
        Queue { servers: SERVERS, rho: rho * self.rate }
    }

    /// Whether one run is `held` as if its requests were independent, by twenty batches, and by
    /// the judge.
    #[must_use]
    pub fn run(&self, random: &mut Random) -> [bool; 3] {
        let (requests, limit) = match self.source {
            Source::Independent => {
                let wait = |random: &mut Random| {
                    if random.unit() < 0.01 { 2.0 * LIMIT } else { random.unit() * LIMIT }
                };
                let requests =
                    (0..self.requests).map(|at| [at as f64, wait(random), LIMIT]).collect();
                (requests, LIMIT)
            }
            Source::Queue(rho) => {
                let limit = Self::at_limit(rho).limit(0.01);
                (self.queue(rho).run(self.requests, random), limit)
            }
        };
        [
            as_if_independent(&requests, limit),
            by_twenty_batches(&requests, limit),
            verdict(&requests, limit).0,
        ]
        .map(|verdict| verdict == Verdict::Held)
    }

    /// The shares of so many runs that are `held`, on as many threads.
    #[must_use]
    pub fn shares(&self, runs: u32, threads: u32) -> [f64; 3] {
        let next = AtomicU32::new(0);
        let held = Mutex::new([0_u32; 3]);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let run = next.fetch_add(1, Ordering::Relaxed);
                        if run >= runs {
                            return;
                        }
                        // The same runs on any number of threads.
                        let seen = self.run(&mut Random::new(u64::from(run) << 32 | 1));
                        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
                        for (count, seen) in held.iter_mut().zip(seen) {
                            *count += u32::from(seen);
                        }
                    }
                });
            }
        });
        let held = held.into_inner().unwrap_or_else(PoisonError::into_inner);
        held.map(|count| f64::from(count) / f64::from(runs.max(1)))
    }

    /// The line with its shares, as a row of Markdown.
    #[must_use]
    pub fn row(&self, shares: [f64; 3]) -> String {
        let source = match self.source {
            Source::Independent => "(independent)".to_owned(),
            Source::Queue(rho) => rho.to_string(),
        };
        let [independent, batches, judge] = shares.map(|share| format!("{:.1} %", 100.0 * share));
        format!(
            "| {source} | {:.2} | {:.2} % | {} | {independent} | {batches} | {judge} |",
            self.rate,
            100.0 * self.truth(),
            self.requests
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_are_those_of_the_table_with_their_true_shares() {
        let rows: Vec<String> = Line::all().iter().map(|line| line.row([0.0; 3])).collect();
        let table = include_str!("../../../../shared/src/stats/dependence.rs");
        let begins = |row: &str| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            (
                cells[1].to_owned(),
                cells[2].to_owned(),
                cells[3].to_owned(),
                cells[4].replace(',', ""),
            )
        };
        let stated: Vec<_> = table
            .lines()
            .filter_map(|line| line.strip_prefix("//! "))
            .filter(|line| line.starts_with("| (independent)") || line.starts_with("| 0."))
            .map(begins)
            .collect();
        assert_eq!(rows.iter().map(|row| begins(row)).collect::<Vec<_>>(), stated);
    }

    #[test]
    fn shares_do_not_depend_on_threads() {
        let line = Line { source: Source::Independent, rate: 1.0, requests: 3_000, part: 1.0 };
        let shares = line.shares(40, 1);
        assert_eq!(shares, line.shares(40, 3));
        // As if independent, a run of 3,000 at its limit is held about once in thirty.
        assert!(shares[0] < 0.3, "{shares:?}");
    }
}
