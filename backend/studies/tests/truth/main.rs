//! Known truth: what the search signs, against the highest rate that really holds.
//!
//! Here the truth is a closed form, and that of two clusters. The large study (`make truth`)
//! draws hundreds of clusters, finds the truth of each by brute force, and puts the search beside
//! the ways of others on the same clusters.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod budget;
mod closed_form;
mod resume;

use std::sync::atomic::AtomicU64;

use tokencap_studies::truth::study::{Study, table};

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
