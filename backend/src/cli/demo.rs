//! `tokencap demo`: everything at once, without a GPU: a simulated cluster, a sweep over it
//! through HTTP, the report in the terminal and in the browser.

use std::io::IsTerminal;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use tokencap_shared::present::words::Lang;

use super::answer::{Answer, saved, shown, tell};
use super::{answer, report, serve};
use crate::campaign::watch::Terminal;
use crate::campaign::{Campaign, Options, journal_path};
use crate::interrupt;
use crate::net::target::Target;
use crate::plan::{Observed, Plan};
use crate::presets::{self, Kind};
use crate::sim;
use crate::words;

/// Try everything without a GPU: sweep a simulated cluster, show its report.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// The bundle to write; one of an earlier demo is overwritten.
    #[arg(long, default_value = "demo.tokencap")]
    out: PathBuf,
    /// Port of the report's page.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// End after writing the bundle, without serving the report. This is also what happens
    /// where there is no terminal.
    #[arg(long, env = "HEADLESS", value_parser = clap::builder::FalseyValueParser::new())]
    headless: bool,
    #[command(flatten)]
    shown: report::Shown,
}

/// Name of the presets that the demo uses.
const DEMO: &str = "demo";

/// Runs the command.
///
/// # Errors
/// If a port is taken or the bundle cannot be written.
pub(super) fn run(args: &Demo, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    let headless = args.headless || !std::io::stdout().is_terminal();
    if !headless {
        // A taken port is known before the sweep, not after it.
        TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
            .with_context(|| (words.port_taken)(args.port))?;
    }
    let config = presets::find(Kind::Sim, DEMO).context(words.damaged_preset)?;
    let config = sim::Config::from_toml(config.text)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context(words.no_sim_port)?;
    let cluster = sim::serve(config, None, listener).context(words.no_sim_port)?;
    let address = format!("http://{}", cluster.addr);
    let mut plan: Plan = Plan::preset(DEMO)?;
    plan.observe = vec![Observed { name: "sim".into(), url: format!("{address}/metrics") }];
    let mut target = Target::new(&address, plan.api.into(), &plan.deployment.model)?;
    target.timeouts = plan.timeouts.into();

    tell(&(words.sim_listens)(&address));
    let stop = interrupt::stop_on_interrupt(lang).context(words.no_ctrl_c)?;
    // An earlier demo, and what an interrupted one left.
    for old in [args.out.clone(), journal_path(&args.out)] {
        if old.exists() {
            std::fs::remove_file(&old).with_context(|| (words.unwritable)(&shown(&old)))?;
        }
    }
    let out = args.out.clone();
    let options = Options::default();
    let campaign =
        Campaign { plan, target, tls: None, out, resume: false, together: None, options };
    campaign.run(&mut Terminal::new(lang), &stop)?;
    let lateness = cluster.lateness();
    cluster.shutdown().context(words.sim_failed)?;
    tell(&(words.sim_late)(lateness.p99_us as f64 / 1e3));
    report::print(std::slice::from_ref(&args.out), &args.shown, lang)?;
    let answer = Answer { json: args.shown.json };
    if !answer.json {
        answer::say(&(saved(&args.out, lang) + "\n"))?;
    }
    if headless || stop.reason().is_some() {
        return Ok(());
    }
    serve::show(args.out.clone(), args.port, answer, lang)
}
