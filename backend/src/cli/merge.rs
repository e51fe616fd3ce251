//! `tokencap merge`: joins the bundles of processes that shared one campaign.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use tokencap_shared::bundle;

use tokencap_shared::present::words::Lang;

use super::answer::{Answer, shown};
use crate::campaign::merge::merge;
use crate::store;
use crate::words;

/// Join the bundles of processes that shared one campaign (`tokencap sweep --shard`).
#[derive(Debug, Args)]
pub(super) struct Merge {
    /// The bundles of all parts, in any order.
    #[arg(required = true, num_args = 1..)]
    parts: Vec<PathBuf>,
    /// The bundle to write.
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    answer: Answer,
}

/// Runs the command.
///
/// # Errors
/// If a bundle cannot be read, the parts do not belong together, or the output exists.
pub(super) fn run(args: &Merge, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    ensure!(!args.out.exists(), (words.exists)(&shown(&args.out)));
    let load = |path: &PathBuf| Ok((path.display().to_string(), store::load(path)?));
    let parts = args.parts.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
    let merged = merge(parts)?;
    store::save(&args.out, &bundle::write(&merged)?)?;
    args.answer.saved(&args.out, &merged, lang)
}
