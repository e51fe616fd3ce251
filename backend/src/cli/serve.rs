//! `tokencap serve`: shows bundles in the browser.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::json;
use tokencap_shared::definitions::money::PriceSheet;

use tokencap_shared::present::words::Lang;

use super::answer::Answer;
use crate::interrupt::interrupted;
use crate::plan;
use crate::presets::{self, Kind};
use crate::serve::{Access, Config, Library, Server};
use crate::trust;
use crate::words::{self, CommandWords};

/// Show bundles in the browser: the web app and the bundles, read-only.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Bundles, or folders of bundles. More can be dropped on the page itself.
    bundles: Vec<PathBuf>,
    /// Price sheet to offer beside the built-in ones: a TOML file. May be given several times.
    #[arg(long, value_name = "FILE")]
    prices: Vec<String>,
    /// Keys by which the page verifies sign-offs. Without it: tokencap/trusted.toml in your
    /// configuration folder.
    #[arg(long, value_name = "FILE", env = "TOKENCAP_TRUST")]
    trust: Option<PathBuf>,
    /// Port to listen on; 0 takes any free one.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// Let other machines read; needs --token-file or --no-auth. Put a proxy with TLS before it.
    #[arg(long)]
    allow_remote: bool,
    /// File with a token that readers must give as their password (or as a bearer token).
    #[arg(long, value_name = "FILE", conflicts_with = "no_auth")]
    token_file: Option<PathBuf>,
    /// Anybody who can reach the address may read every bundle.
    #[arg(long, requires = "allow_remote")]
    no_auth: bool,
    #[command(flatten)]
    answer: Answer,
}

impl Serve {
    fn access(&self) -> anyhow::Result<Access> {
        Ok(match &self.token_file {
            Some(_) if !self.listen.is_loopback() && !self.allow_remote => Access::Local,
            Some(path) => Access::token_file(path)?,
            None if self.no_auth => Access::Anybody,
            None => Access::Local,
        })
    }
}

/// Runs the command until it is interrupted.
///
/// # Errors
/// If a bundle cannot be read, or the address cannot be listened on.
pub(super) fn run(args: &Serve, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    let config = Config {
        listen: SocketAddr::new(args.listen, args.port),
        access: args.access()?,
        library: Library::open(args.bundles.clone())?,
        prices: prices(&args.prices)?,
        trust: trust::load(args.trust.as_deref())?,
    };
    serve(config, args.answer, words)
}

/// Shows one bundle on a port of this machine, for the demo.
///
/// # Errors
/// As [`run`].
pub(super) fn show(bundle: PathBuf, port: u16, answer: Answer, lang: Lang) -> anyhow::Result<()> {
    let config = Config {
        listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port),
        access: Access::Local,
        library: Library::open(vec![bundle])?,
        prices: prices(&[])?,
        trust: trust::load(None)?,
    };
    serve(config, answer, words::of(lang))
}

/// The price sheets that the page offers: those given, then the built-in ones.
fn prices(given: &[String]) -> anyhow::Result<Vec<serde_json::Value>> {
    let built_in = presets::ALL.iter().filter(|preset| preset.kind == Kind::Prices);
    let names = given.iter().map(String::as_str).chain(built_in.map(|preset| preset.name));
    let mut sheets = Vec::new();
    for name in names {
        let sheet: PriceSheet = plan::named(name, Kind::Prices, Path::new("."))?;
        sheets.push(serde_json::to_value(sheet)?);
    }
    Ok(sheets)
}

fn serve(config: Config, answer: Answer, words: &CommandWords) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context(words.no_threads)?;
    runtime.block_on(async {
        let server = Server::bind(config).await?;
        let url = server.url();
        answer.give(&json!({ "url": url }), &(words.report_at)(&url))?;
        server.run(interrupted()).await;
        anyhow::Ok(())
    })?;
    // A listing of a disk that does not answer shall not keep the process.
    runtime.shutdown_background();
    Ok(())
}
