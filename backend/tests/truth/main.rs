//! Known truth: what the search signs, against the highest rate that really holds.
//!
//! In continuous integration the truth is a closed form. The large study (`make truth`) draws
//! hundreds of clusters, finds the truth of each by brute force, and puts the search beside the
//! ways of others on the same clusters.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod budget;
mod closed_form;
mod resume;
mod study;

use std::time::Duration;

use study::{Study, table};

/// A number from the environment.
fn var(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
#[ignore = "minutes of every core: make truth"]
fn three_hundred_clusters() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let study = Study {
        clusters: var("CLUSTERS", 300) as usize,
        first: var("FIRST", 0),
        threads: var("THREADS", cores),
        budget: match var("MINUTES", 0) {
            0 => None,
            minutes => Some(Duration::from_secs(60 * minutes)),
        },
        verbose: var("VERBOSE", 0) > 0,
    };
    let (rows, left_out) = study.run();
    println!("{}", table(&rows, left_out));
}
