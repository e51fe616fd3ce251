//! `tokencap soak`: one rate for half an hour or longer, with the drift tests that turn a measured
//! capacity into one that may be promised.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{ArgGroup, Args};
use tokencap_shared::bundle::judged;
use tokencap_shared::units::Rate;

use tokencap_shared::present::words::Lang;

use super::answer::shown;
use super::sweep::{self, Sweep};
use crate::plan::{self, Plan};
use crate::store;
use crate::words::{self, CommandWords};

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
pub(super) fn run(args: &Soak, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    if args.window < Duration::from_secs(1) {
        bail!(words.short_soak);
    }
    let mut plan = Plan::read(&args.sweep.plan)?;
    let rate = match (&args.at, args.rate) {
        (Some(path), _) => held(path, &plan, words)?,
        (None, Some(rate)) => Rate::new(rate)
            .ok()
            .filter(|rate| rate.get() > 0.0)
            .with_context(|| (words.bad_rate)(rate))?,
        (None, None) => bail!(words.no_rate),
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
    sweep::measure(&args.sweep, plan, true, lang)
}

/// λ_slo_max of a bundle that measured what the plan says.
fn held(path: &Path, plan: &Plan, words: &CommandWords) -> anyhow::Result<Rate> {
    let bundle = store::load(path)?;
    if let Some(what) = bundle.manifest.declared().differs(plan.declared()) {
        bail!((words.other_plan)(&shown(path), &(words.parts)(what)));
    }
    let found = judged::of_bundle(&bundle);
    let lambda = found.lambda.value().with_context(|| (words.nothing_held)(&shown(path)))?;
    Ok(lambda.rate)
}
