//! What the search finds on hundreds of drawn clusters, beside the ways of others: `make truth`.

use std::time::Duration;

use anyhow::Context;
use tokencap_studies::truth::study::{Study, table};

/// A number from the environment.
fn number(name: &str, default: u64) -> anyhow::Result<u64> {
    let Ok(value) = std::env::var(name) else { return Ok(default) };
    value.parse().with_context(|| format!("{name} must be a whole number, not `{value}`"))
}

fn main() -> anyhow::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let study = Study {
        clusters: usize::try_from(number("CLUSTERS", 300)?)?,
        first: number("FIRST", 0)?,
        threads: number("THREADS", cores)?,
        budget: match number("MINUTES", 0)? {
            0 => None,
            minutes => Some(Duration::from_secs(60 * minutes)),
        },
        verbose: number("VERBOSE", 0)? > 0,
    };
    let (rows, left_out) = study.run();
    println!("{}", table(&rows, left_out));
    Ok(())
}
