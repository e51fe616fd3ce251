//! Draws every chart of a bundle as SVG files into a folder:
//! `cargo run --example charts -- run.tokencap FOLDER [en|zh]`.

use std::path::PathBuf;

use anyhow::Context;
use tokencap_shared::present::chart::{Chart, Plan, Size, svg};
use tokencap_shared::present::report::charts::{self, Course, Latency};
use tokencap_shared::present::report::{Entry, Report, SignOff};
use tokencap_shared::present::words::Lang;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let bundle = PathBuf::from(arguments.next().context("give a bundle")?);
    let folder = PathBuf::from(arguments.next().context("give a folder")?);
    let lang = arguments.next().and_then(|tag| Lang::of_tag(&tag)).unwrap_or_default();
    let words = lang.words();
    let bundle = tokencap::store::load(&bundle)?;
    let prices = tokencap::presets::find(tokencap::presets::Kind::Prices, "reference-2026-11");
    let prices = prices.map(|preset| toml::from_str(preset.text)).transpose()?;
    let entry = Entry::judged("bundle".to_owned(), &bundle, None, SignOff::Unsigned);
    let report = Report::new(vec![entry], prices);
    let row = &report.rows[0];
    let mut plans: Vec<Plan> = vec![charts::throughput(row, words), charts::attainment(row, words)];
    plans.extend(charts::cost(&report, row, words));
    plans.extend(charts::utilisation(&report, row, words));
    let shown = row.shown.unwrap_or(0);
    let step = bundle.manifest.steps.iter().find(|step| step.id == shown);
    for latency in Latency::ALL {
        plans.push(charts::latency(row, 0, latency, words));
        plans.extend(step.map(|step| charts::cdf(&bundle, row, step, latency, words)));
    }
    for what in Course::ALL {
        plans.extend(step.and_then(|step| charts::course(&bundle, step, what, words)));
    }
    for (at, plan) in plans.iter().enumerate() {
        let chart = Chart::of(plan, Size { width: 720.0, height: 320.0 });
        std::fs::write(folder.join(format!("{at:02}.svg")), svg::to_svg(&chart))?;
    }
    Ok(())
}
