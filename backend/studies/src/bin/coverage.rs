//! How often the judge calls a run `held`, where the truth is a closed form: `make coverage`.

use anyhow::Context;
use tokencap_studies::coverage::study::Line;

fn main() -> anyhow::Result<()> {
    let runs: u32 = match std::env::var("RUNS") {
        Ok(text) => text.parse().with_context(|| format!("RUNS must be a number, not `{text}`"))?,
        Err(_) => 10_000,
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = u32::try_from(threads)?;
    println!(
        "| utilisation at the limit | rate | true share | requests | as if independent | 20 \
         batches | here |\n|---|---|---|---|---|---|---|"
    );
    for line in Line::all() {
        let runs = (f64::from(runs) * line.part).ceil() as u32;
        println!("{}", line.row(line.shares(runs, threads)));
    }
    Ok(())
}
