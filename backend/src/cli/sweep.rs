//! `tokencap sweep`: measures an endpoint at the rates of a plan, into a bundle.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use crate::campaign::Campaign;
use crate::campaign::watch::Terminal;
use crate::interrupt;
use crate::load::io::Tls;
use crate::load::target::{Secret, Target};
use crate::plan::{Api, Plan};

/// Measure an OpenAI-compatible endpoint and write a bundle.
///
/// The API key, if one is needed, is read from the environment variable TOKENCAP_API_KEY or
/// from a file; it never reaches the bundle, a log or a URL.
#[derive(Debug, Args)]
pub(super) struct Sweep {
    /// Address of the server, such as http://10.0.0.5:8000
    #[arg(long)]
    target: String,
    /// The model's name, as the server knows it. Default: the deployment's model in the plan.
    #[arg(long)]
    model: Option<String>,
    /// The plan: promises, workload, deployment, rates (TOML).
    #[arg(long)]
    plan: PathBuf,
    /// The bundle to write.
    #[arg(long, default_value = "run.tokencap")]
    out: PathBuf,
    /// Which streaming API to use, instead of the plan's.
    #[arg(long, value_enum)]
    api: Option<Api>,
    /// File that holds the API key, instead of the environment variable.
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,
    /// Environment variable that holds the API key.
    #[arg(long, value_name = "NAME", default_value = "TOKENCAP_API_KEY")]
    api_key_env: String,
    /// PEM file of certificates to trust, for a server with a certificate of its own.
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If the plan, the target or the disk does not allow it; each error says what to do.
pub(super) fn run(args: &Sweep) -> anyhow::Result<()> {
    let plan = Plan::read(&args.plan)?;
    let model = args.model.as_deref().unwrap_or(&plan.deployment.model);
    let mut target = Target::new(&args.target, args.api.unwrap_or(plan.api).into(), model)?;
    target.timeouts = plan.timeouts.into();
    target.key = match &args.api_key_file {
        Some(path) => Some(Secret::from_file(path)?),
        None => Secret::from_env(&args.api_key_env)?,
    };
    let tls = Tls::for_server(&target.server, args.ca_file.as_deref())?;
    let campaign = Campaign { plan, target, tls, out: args.out.clone() };
    let stop = interrupt::stop_on_interrupt().context("cannot listen for Ctrl-C")?;
    campaign.run(&mut Terminal::default(), &stop)?;
    println!("{}", saved(&args.out));
    Ok(())
}

/// What to do with the bundle that was written.
pub(super) fn saved(out: &Path) -> String {
    let out = out.display();
    format!("Wrote {out}\nRead it:  tokencap report {out}\nShow it:  tokencap serve {out}")
}
