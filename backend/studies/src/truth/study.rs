//! The large study: clusters drawn at random, their truth, and what each way of measuring finds.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::brute::{NoTruth, Truth, truth};
use super::case::{Case, Flavour};
use super::measure::{Found, bisection, grid, search};

/// How large a study is.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Clusters that have a truth.
    pub clusters: usize,
    /// Number of the first draw.
    pub first: u64,
    /// Clusters that are studied at once.
    pub threads: u64,
    /// Time that each search has.
    pub budget: Option<Duration>,
    /// Print every step of the search.
    pub verbose: bool,
}

/// A cluster, its truth, and what was found.
#[derive(Clone, Debug)]
pub struct Row {
    flavour: Flavour,
    truth: Truth,
    /// The search, a grid, a bisection.
    found: [Option<Found>; 3],
}

impl Row {
    /// The rate that a way promised, as a part of the truth.
    fn ratio(&self, way: usize) -> Option<f64> {
        let rate = self.found[way].and_then(|found| found.rate)?;
        Some(rate.get() / self.truth.rate.get())
    }

    /// The rate that the search signed, as a part of the truth.
    #[must_use]
    pub fn signed(&self) -> Option<f64> {
        self.ratio(0)
    }
}

const WAYS: [&str; 3] = ["tokencap's search", "grid, 60 s steps", "bisection, 60 s steps"];

impl Study {
    /// Draws until there are enough clusters whose promises break between a quarter of
    /// saturation and saturation.
    ///
    /// Gives their rows, and how many were left out because they have no single limit.
    #[must_use]
    pub fn run(&self) -> (Vec<Row>, u64) {
        let next = AtomicU64::new(self.first);
        let left_out = AtomicU64::new(0);
        let rows = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    while rows.lock().unwrap_or_else(PoisonError::into_inner).len() < self.clusters
                    {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(row) = self.row(number, &left_out) else { continue };
                        rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
                    }
                });
            }
        });
        let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        rows.truncate(self.clusters);
        (rows, left_out.into_inner())
    }

    /// One draw; `None` where it has no truth, which is counted where it has no single limit.
    #[must_use]
    pub fn row(&self, number: u64, left_out: &AtomicU64) -> Option<Row> {
        let case = Case::draw(number)?;
        let truth = match truth(&case) {
            Ok(truth) => truth,
            Err(NoTruth::NoLimit) => return None,
            Err(NoTruth::NotMonotone) => {
                left_out.fetch_add(1, Ordering::Relaxed);
                return None;
            }
        };
        let mut log = String::new();
        let searched = search(&case, number + 1, self.budget, &mut |step, judged| {
            let _ = writeln!(
                log,
                "   {:?} {:.3} {:?}/{:?} window {:.0} took {:.0} n {}",
                step.kind,
                step.asked.get() / truth.rate.get(),
                judged.screen,
                judged.verdict,
                judged.window.get(),
                step.end.since(step.start).seconds().get(),
                judged.counts.valid
            );
        });
        let found = [searched, grid(&case, number + 1), bisection(&case, number + 1)];
        let said = found.map(|found| match found {
            Some(Found { rate: Some(rate), time, .. }) => {
                let minutes = time.seconds().get() / 60.0;
                format!("{:.3} {minutes:.0} min", rate.get() / truth.rate.get())
            }
            Some(Found { time, .. }) => format!("none {:.0} min", time.seconds().get() / 60.0),
            None => "-".to_owned(),
        });
        println!(
            "{number} {:?} ×{} truth {:.2} req/s ({:.2} of saturation) by {:?}: {}",
            case.flavour,
            case.config.replicas,
            truth.rate.get(),
            truth.rate.get() / case.saturation.get(),
            truth.binding,
            said.join(" | ")
        );
        if self.verbose {
            println!("{log}");
        }
        Some(Row { flavour: case.flavour, truth, found })
    }
}

/// The shares of clusters in which each way promises too much, promises well, promises too
/// little, or promises nothing; and the minutes that it measures.
#[must_use]
pub fn table(rows: &[Row], left_out: u64) -> String {
    let flavours = [Flavour::Compute, Flavour::Preemption, Flavour::Sessions, Flavour::Thrash];
    let mut text = format!("\n{} clusters:", rows.len());
    for flavour in flavours {
        let n = rows.iter().filter(|row| row.flavour == flavour).count();
        let _ = write!(text, " {n} {flavour:?}");
    }
    let _ = write!(text, "; {left_out} more were left out, which break, hold and break again");
    let _ = writeln!(
        text,
        "\n{:<22} {:>12} {:>15} {:>12} {:>9} {:>14} {:>10}",
        "", "above truth", "within 10 % below", "lower", "nothing", "median minutes", "P90 minutes"
    );
    for (way, name) in WAYS.iter().enumerate() {
        let share = |of: &dyn Fn(Option<f64>) -> bool| {
            let n = rows.iter().filter(|row| of(row.ratio(way))).count();
            format!("{:.1} %", 100.0 * n as f64 / rows.len().max(1) as f64)
        };
        let mut minutes: Vec<f64> = rows
            .iter()
            .filter_map(|row| row.found[way])
            .map(|found| found.time.seconds().get() / 60.0)
            .collect();
        minutes.sort_by(f64::total_cmp);
        let quantile = |part: f64| {
            let at = ((minutes.len() as f64 - 1.0) * part).round() as usize;
            minutes.get(at).map_or("-".to_owned(), |minutes| format!("{minutes:.0}"))
        };
        let _ = writeln!(
            text,
            "{name:<22} {:>12} {:>17} {:>12} {:>9} {:>14} {:>11}",
            share(&|ratio| ratio.is_some_and(|ratio| ratio > 1.0)),
            share(&|ratio| ratio.is_some_and(|ratio| (0.9..=1.0).contains(&ratio))),
            share(&|ratio| ratio.is_some_and(|ratio| ratio < 0.9)),
            share(&|ratio| ratio.is_none()),
            quantile(0.5),
            quantile(0.9)
        );
    }
    text
}
