//! `tokencap sweep`: measures an endpoint at the rates of a plan, into a bundle.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;

use tokencap_shared::definitions::origin::Shard;
use tokencap_shared::present::words::Lang;

use super::answer::{Answer, shown};
use crate::campaign::live_file::LiveFile;
use crate::campaign::watch::Terminal;
use crate::campaign::{Campaign, Options, Together};
use crate::interrupt;
use crate::net::io::Tls;
use crate::net::target::{Secret, Target};
use crate::plan::{self, Api, Plan};
use crate::presets::Kind;
use crate::schedule::tokenizer::Tokenizer;
use crate::words::{self, CommandWords};

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
    /// The plan: promises, workload, deployment, rates or how to search for them (TOML).
    #[arg(long)]
    pub(super) plan: PathBuf,
    /// The bundle to write. Default: run.tokencap
    #[arg(long)]
    out: Option<PathBuf>,
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
    /// Speak HTTP/2: over TLS, or by prior knowledge to an http:// address.
    #[arg(long)]
    http2: bool,
    /// The model's tokenizer.json: prompts are made of words that are one token each, and tokens
    /// are counted where the server sends no usage. Without it the length of prompts is calibrated
    /// on the server's own counts.
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<PathBuf>,
    /// Go on with an interrupted run, whose journal lies beside its bundle. Default: the bundle of
    /// --out
    #[arg(long, value_name = "BUNDLE", num_args = 0..=1, conflicts_with = "start_at")]
    resume: Option<Option<PathBuf>>,
    /// Time for everything, such as 45m or 2h: the plan is cut to what is best within it.
    #[arg(long, value_name = "TIME", conflicts_with = "start_at",
          value_parser = humantime::parse_duration)]
    budget: Option<Duration>,
    /// Prices that the budget is told in: the name of a preset, or a file.
    #[arg(long, value_name = "PRICES")]
    prices: Option<String>,
    #[command(flatten)]
    together: TogetherArgs,
    #[command(flatten)]
    answer: Answer,
}

/// One of several processes that share a campaign.
#[derive(Debug, Args)]
struct TogetherArgs {
    /// This process's part of the arrivals, such as 0/4 for the first of four. `tokencap merge`
    /// joins the bundles of all parts.
    #[arg(long, value_name = "I/N", requires = "start_at", conflicts_with = "shards")]
    shard: Option<Shard>,
    /// Number of parts, where the environment variable JOB_COMPLETION_INDEX says which one this
    /// process is, as it does in an indexed job of Kubernetes.
    #[arg(long, value_name = "N", requires = "start_at")]
    shards: Option<u32>,
    /// When the first step begins, the same for all parts, such as 2026-11-30T12:00:00Z.
    #[arg(long, value_name = "TIME")]
    start_at: Option<jiff::Timestamp>,
    /// Seconds between a step's window and the next step's warm-up, for the last requests to
    /// end, the same for all parts.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    step_pause: u64,
}

impl TogetherArgs {
    fn read(&self, words: &CommandWords) -> anyhow::Result<Option<Together>> {
        let Some(start_at) = self.start_at else { return Ok(None) };
        let shard = match (self.shard, self.shards) {
            (Some(shard), _) => shard,
            (None, None) => Shard::WHOLE,
            (None, Some(of)) => {
                let index = std::env::var("JOB_COMPLETION_INDEX").context(words.no_index)?;
                format!("{index}/{of}").parse()?
            }
        };
        let pause = Duration::from_secs(self.step_pause);
        let start_at = start_at.try_into().context(words.no_start)?;
        Ok(Some(Together { shard, start_at, pause }))
    }
}

impl Sweep {
    /// The bundle to write, or to go on with.
    fn bundle(&self, words: &CommandWords) -> anyhow::Result<PathBuf> {
        let resumed = self.resume.iter().flatten().next();
        match (resumed, &self.out) {
            (Some(resumed), Some(out)) if resumed != out => {
                bail!((words.resume_and_out)(&shown(resumed), &shown(out)))
            }
            (Some(bundle), _) | (None, Some(bundle)) => Ok(bundle.clone()),
            (None, None) => Ok("run.tokencap".into()),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If the plan, the target or the disk does not allow it; each error says what to do.
pub(super) fn run(args: &Sweep, lang: Lang) -> anyhow::Result<()> {
    measure(args, Plan::read(&args.plan)?, false, lang)
}

/// Measures what a plan says, into the bundle.
///
/// # Errors
/// As [`run`].
pub(super) fn measure(args: &Sweep, plan: Plan, soak: bool, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    let model = args.model.as_deref().unwrap_or(&plan.deployment.model);
    let mut target = Target::new(&args.target, args.api.unwrap_or(plan.api).into(), model)?;
    target.timeouts = plan.timeouts.into();
    target.key = match &args.api_key_file {
        Some(path) => Some(Secret::from_file(path)?),
        None => Secret::from_env(&args.api_key_env)?,
    };
    target.http2 = args.http2;
    if let Some(path) = &args.tokenizer {
        let tokenizer = Tokenizer::read(path)?;
        target.words = tokenizer.words(path)?;
        target.tokenizer = Some(tokenizer.into());
    }
    let tls = Tls::for_server(&target.server, args.ca_file.as_deref())?;
    let (out, together) = (args.bundle(words)?, args.together.read(words)?);
    let prices = args.prices.as_deref();
    let prices = prices.map(|name| plan::named(name, Kind::Prices, Path::new("")));
    let options = Options { budget: args.budget, prices: prices.transpose()?, soak };
    if plan.search.is_some() && together.is_some() {
        bail!(words.search_together);
    }
    let live = LiveFile::beside(&out, &plan.deployment.model, &plan.promise.name);
    let resume = args.resume.is_some();
    let path = out.clone();
    let campaign = Campaign { plan, target, tls, out, resume, together, options };
    let stop = interrupt::stop_on_interrupt(lang).context(words.no_ctrl_c)?;
    let bundle = campaign.run(&mut (Terminal::new(lang), live), &stop)?;
    args.answer.saved(&path, &bundle, lang)
}
