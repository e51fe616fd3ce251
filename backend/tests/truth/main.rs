//! Known truth: what the search signs, against the highest rate that really holds.
//!
//! In continuous integration the truth is a closed form, and that of two clusters. The large study (`make truth`) draws
//! hundreds of clusters, finds the truth of each by brute force, and puts the search beside the
//! ways of others on the same clusters.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod budget;
mod closed_form;
mod resume;
mod study;

use std::sync::atomic::AtomicU64;
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

/// The table of two drawn clusters, one with preemption and one with sessions.
#[test]
fn two_clusters() {
    let study = Study { clusters: 2, first: 0, threads: 1, budget: None, verbose: false };
    let left_out = AtomicU64::new(0);
    let rows: Vec<_> =
        [600_018, 600_005].into_iter().filter_map(|number| study.row(number, &left_out)).collect();
    println!("{}", table(&rows, left_out.into_inner()));
    assert_eq!(rows.len(), 2);
    for row in rows {
        let ratio = row.signed().unwrap();
        assert!((0.9..=1.0).contains(&ratio), "{ratio} of the truth");
    }
}
