//! `tokencap compare`: two bundles beside each other, in tokens or in money.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};
use serde_json::json;
use tokencap_shared::definitions::compare::{self, Candidate};
use tokencap_shared::definitions::money::Economics;
use tokencap_shared::present::document;

use tokencap_shared::present::words::Lang;

use super::answer::{say, say_json};
use super::report::{Shown, price_sheet, terminal_width};
use crate::{text, words};

/// Say which of two measured capacities is better, with intervals: the same model in tokens,
/// two models in money.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// The bundle to measure by.
    left: PathBuf,
    /// The bundle that is measured by it.
    right: PathBuf,
    /// In what to compare. Default: tokens for one model in one revision, money for two.
    #[arg(long = "in", value_name = "UNIT", value_enum)]
    unit: Option<Unit>,
    /// Price sheet of the second bundle, where its tokens sell at other prices.
    #[arg(long, value_name = "PRESET|FILE", requires = "prices")]
    prices_right: Option<String>,
    #[command(flatten)]
    shown: Shown,
}

/// In what two capacities are compared.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Unit {
    /// SLO goodput per GPU.
    Tokens,
    /// Margin of a GPU and a day.
    Money,
}

/// Runs the command.
///
/// # Errors
/// If a bundle or a sheet cannot be read, or the comparison asked for means nothing.
pub(super) fn run(args: &Compare, lang: Lang) -> anyhow::Result<()> {
    let entries = args.shown.entries(&[args.left.clone(), args.right.clone()], lang)?;
    let [left, right] = &entries[..] else { bail!(words::of(lang).two_bundles) };
    let names = [&*left.name, &*right.name];
    let sides = [left, right]
        .map(|entry| Candidate { declared: entry.manifest.declared(), capacity: &entry.capacity });
    let deployment = &left.manifest.deployment;
    let one_model = deployment.same_tokens(&right.manifest.deployment);
    let words = lang.words();
    let shown = match args.unit.unwrap_or(if one_model { Unit::Tokens } else { Unit::Money }) {
        Unit::Tokens => {
            let compared = compare::in_tokens(sides[0], sides[1])?;
            if args.shown.json {
                return say_json(
                    &json!({ "in": "tokens", "bundles": names, "compared": compared }),
                );
            }
            document::in_tokens(&compared, &deployment.model, names, words)
        }
        Unit::Money => {
            let compared = in_money(args, sides, lang)?;
            if args.shown.json {
                return say_json(&json!({ "in": "money", "bundles": names, "compared": compared }));
            }
            document::in_money(&compared, names, words)
        }
    };
    say(&text::comparison(&shown, words, terminal_width()))
}

fn in_money(
    args: &Compare,
    [left, right]: [Candidate<'_>; 2],
    lang: Lang,
) -> anyhow::Result<compare::InMoney> {
    let Some(prices) = args.shown.prices()? else {
        bail!(words::of(lang).needs_prices);
    };
    let prices_right = match &args.prices_right {
        Some(name) => price_sheet(name)?,
        None => prices.clone(),
    };
    let money = |side: Candidate<'_>, prices| {
        Economics::of(side.capacity, side.declared.deployment, prices)
    };
    let (a, b) = (money(left, &prices), money(right, &prices_right));
    Ok(compare::in_money((left, &a), (right, &b))?)
}
