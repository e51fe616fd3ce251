//! `tokencap sim`: serves a simulated cluster, to try everything without a GPU.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;

use tokencap_shared::present::words::Lang;

use super::answer::{Answer, tell};
use crate::files::{self, MOST_OF_A_SHEET};
use crate::interrupt;
use crate::presets::{self, Kind};
use crate::sim::{self, Config};
use crate::words::{self, CommandWords};

/// Serve a simulated cluster over HTTP, to try everything without a GPU. Never a measurement of
/// real hardware.
#[derive(Debug, Args)]
pub(super) struct Sim {
    /// A preset's name (`tokencap presets` lists them as sim/NAME), or a TOML file.
    #[arg(long, default_value = "demo")]
    config: String,

    /// Port to listen on; 0 takes any free one.
    #[arg(long, default_value_t = 0)]
    port: u16,

    /// Address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// Listen where other machines can reach it.
    #[arg(long)]
    allow_remote: bool,

    /// Key that requests must carry, to try what happens without.
    #[arg(long, env = "TOKENCAP_SIM_KEY", hide_env_values = true)]
    api_key: Option<String>,
    #[command(flatten)]
    answer: Answer,
}

/// Runs the command until it is interrupted.
///
/// # Errors
/// If the configuration is none, or the address cannot be had.
pub(super) fn run(args: Sim, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    let config = read(&args.config, words)?;
    if !args.listen.is_loopback() && !args.allow_remote {
        bail!((words.sim_remote)(&args.listen.to_string()));
    }
    let at = SocketAddr::new(args.listen, args.port);
    let listener = TcpListener::bind(at).with_context(|| (words.cannot_listen)(&at.to_string()))?;
    let model = config.model.clone();
    let handle = sim::serve(config, args.api_key, listener)?;
    let url = format!("http://{}", handle.addr);
    let text = (words.sim_serves)(&url, &model);
    args.answer.give(&json!({ "url": url, "model": model }), &text)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(interrupt::asked())?;
    let late = handle.lateness();
    handle.shutdown()?;
    tell(&(words.sim_lateness)(late.events, late.p50_us, late.p99_us, late.max_us));
    Ok(())
}

/// The configuration of a preset, or else of a file.
fn read(name: &str, words: &CommandWords) -> anyhow::Result<Config> {
    let file = Path::new(name);
    let text = match presets::find(Kind::Sim, name) {
        Some(preset) => preset.text.to_owned(),
        None if file.exists() => {
            files::read_text(file, MOST_OF_A_SHEET).with_context(|| (words.unreadable)(name))?
        }
        None => bail!((words.no_sim)(name)),
    };
    Config::from_toml(&text).with_context(|| (words.not_a_sim)(name))
}
