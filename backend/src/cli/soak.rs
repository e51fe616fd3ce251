//! `tokencap soak`: one rate for half an hour or longer, with the drift tests that turn a measured
//! capacity into one that may be promised.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{ArgGroup, Args};
use tokencap_shared::bundle::judged;
use tokencap_shared::units::Rate;

use super::sweep::{self, Sweep};
use crate::plan::{self, Plan};
use crate::store;

/// Hold one rate for 30 minutes or longer and test it for drift: without degradation its
/// capacity is committed.
///
/// The rate is that of --rate, or λ_slo_max of a bundle measured before. Everything else is the
/// plan's.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("load").required(true).args(["rate", "at"])))]
pub(super) struct Soak {
    #[command(flatten)]
    sweep: Sweep,
    /// Requests per second.
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// A bundle: soak at its λ_slo_max.
    #[arg(long, value_name = "BUNDLE")]
    at: Option<PathBuf>,
    /// Length of the window. Below 30 minutes capacity stays a reference.
    #[arg(long = "for", value_name = "TIME", default_value = "30m",
          value_parser = humantime::parse_duration)]
    window: Duration,
}

/// Runs the command.
///
/// # Errors
/// As `tokencap sweep`, or if the bundle has no rate that held.
pub(super) fn run(args: &Soak) -> anyhow::Result<()> {
    if args.window < Duration::from_secs(1) {
        bail!("--for must be at least a second, and 30m for a committed capacity");
    }
    let mut plan = Plan::read(&args.sweep.plan)?;
    let rate = match (&args.at, args.rate) {
        (Some(path), _) => held(path, &plan)?,
        (None, Some(rate)) => {
            Rate::new(rate).ok().filter(|rate| rate.get() > 0.0).with_context(|| {
                format!("--rate must be a number of requests per second above 0, not {rate}")
            })?
        }
        (None, None) => bail!("name the rate to soak at: --rate RATE, or --at BUNDLE"),
    };
    // A soak's load is not that of any step before it.
    let seed = plan.search.map_or(plan.sweep.seed, |search| search.seed).wrapping_add(1 << 32);
    plan.search = None;
    plan.sweep = plan::Sweep {
        rates: vec![rate],
        users: Vec::new(),
        grid: None,
        window_s: args.window,
        warmup_s: plan.sweep.warmup_s,
        seed,
    };
    sweep::measure(&args.sweep, plan, true)
}

/// λ_slo_max of a bundle that measured what the plan says.
fn held(path: &Path, plan: &Plan) -> anyhow::Result<Rate> {
    let bundle = store::load(path)?;
    if let Some(what) = bundle.manifest.declared().differs(plan.declared()) {
        bail!(
            "the {what} of {} and of the plan differ: soak with its own plan, or name a rate with \
             --rate",
            path.display()
        );
    }
    let found = judged::of_bundle(&bundle);
    let lambda = found
        .lambda
        .value()
        .with_context(|| format!("no rate held in {}: name a rate with --rate", path.display()))?;
    Ok(lambda.rate)
}
