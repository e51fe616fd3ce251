//! The plan of a measurement: what to measure, against which promises, under which load.
//!
//! Read from TOML. A typo is answered with its line and column, because a plan that is silently
//! half understood measures something else than was meant.

mod source;
mod sweep;
mod timeouts;

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokencap_shared::definitions::declared::Declared;
use tokencap_shared::definitions::deployment::{Deployment, Parallelism};
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::definitions::workload::{Shape, Workload};

use crate::files::{self, MOST_OF_A_SHEET};
use crate::presets::Kind;
use crate::schedule::form::Route;
use crate::schedule::trace::Trace;
use crate::search::Settings;
use source::{Source, parse, preset, resolve};
use sweep::rates;

pub use source::{PlanError, Sought, named};
pub use sweep::{Grid, Sweep};
pub use timeouts::Timeouts;

/// A plan, with everything it refers to read in.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which of the two streaming APIs is used.
    pub api: Api,
    /// What is measured.
    pub deployment: Deployment,
    /// What was promised.
    pub promise: PromiseSheet,
    /// What the load is.
    pub workload: Workload,
    /// Which rates are tried, and for how long; none where they are searched for.
    pub sweep: Sweep,
    /// How λ_slo_max is searched for, instead of measuring at given rates.
    pub search: Option<Settings>,
    /// Metric pages to read while measuring.
    pub observe: Vec<Observed>,
    /// Time limits of one request.
    pub timeouts: Timeouts,
    /// The trace, where the workload replays one.
    pub trace: Option<Arc<Trace>>,
}

/// The streaming API of the endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// `/v1/chat/completions`
    #[default]
    Chat,
    /// `/v1/completions`
    Completions,
}

impl From<Api> for Route {
    fn from(api: Api) -> Self {
        match api {
            Api::Chat => Self::Chat,
            Api::Completions => Self::Completions,
        }
    }
}

/// A metric page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// Name in the bundle, such as `engine` or `gpus`.
    pub name: String,
    /// Its address.
    pub url: String,
}

/// A plan as it is written: promise and workload may stand in it, or be named.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    #[serde(default)]
    api: Api,
    promise: Source<PromiseSheet>,
    workload: Source<Workload>,
    deployment: Deployment,
    sweep: Option<Sweep>,
    search: Option<Settings>,
    #[serde(default)]
    observe: Vec<Observed>,
    #[serde(default)]
    timeouts: Timeouts,
}

impl Plan {
    /// What is declared of every run by this plan.
    pub(crate) const fn declared(&self) -> Declared<'_> {
        Declared { deployment: &self.deployment, promise: &self.promise, workload: &self.workload }
    }

    /// Reads a plan and everything it names. Paths in it are relative to it.
    ///
    /// # Errors
    /// With file, line and column of a typo; with the known names for an unknown preset.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let text = files::read_text(path, MOST_OF_A_SHEET).map_err(|source| PlanError::Read {
            what: Sought::Plan,
            path: path.to_owned(),
            source,
        })?;
        let beside = path.parent().unwrap_or(Path::new("."));
        Self::parse(&text, &path.display().to_string(), beside)
    }

    /// A built-in plan.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn preset(name: &str) -> Result<Self, PlanError> {
        let text = preset(name, Kind::Plan)?.text;
        Self::parse(text, &format!("preset plan/{name}"), Path::new("."))
    }

    /// Parses a plan's text; `file` is its name in messages, `beside` where its paths start.
    ///
    /// # Errors
    /// As [`Plan::read`].
    pub fn parse(text: &str, file: &str, beside: &Path) -> Result<Self, PlanError> {
        let written: PlanFile = parse(text, file)?;
        let mut workload = resolve(written.workload, Kind::Workload, beside)?;
        let trace = read_trace(&mut workload, beside)?;
        let senseless = |message| PlanError::Senseless { file: file.to_owned(), message };
        let sweep = rates(written.sweep, written.search.is_some()).map_err(senseless)?;
        let plan = Self {
            api: written.api,
            deployment: written.deployment,
            promise: resolve(written.promise, Kind::Promise, beside)?,
            workload,
            trace,
            sweep,
            search: written.search,
            observe: written.observe,
            timeouts: written.timeouts,
        };
        plan.check().map_err(senseless)?;
        Ok(plan)
    }

    fn check(&self) -> Result<(), String> {
        self.sweep.check()?;
        self.workload.check().map_err(|error| error.to_string())?;
        match &self.search {
            Some(search) => search.check()?,
            None if self.sweep.rates.is_empty() && self.sweep.users.is_empty() => {
                return Err("sweep.rates is empty: name at least one arrival rate, or write \
                            [search] instead of [sweep]"
                    .to_owned());
            }
            None => {}
        }
        let deployment = &self.deployment;
        if deployment.gpus_serving == 0 || deployment.gpus_provisioned < deployment.gpus_serving {
            return Err(format!(
                "deployment: gpus_serving ({}) must be at least 1 and gpus_provisioned ({}) at \
                 least gpus_serving",
                deployment.gpus_serving, deployment.gpus_provisioned
            ));
        }
        let Parallelism { tp, pp, ep, dp, replicas } = deployment.parallelism;
        if [tp, pp, ep, dp, replicas].contains(&0) {
            return Err("deployment.parallelism: each number must be at least 1".to_owned());
        }
        Ok(())
    }
}

/// Reads the trace that a workload replays, and notes its digest in the workload.
fn read_trace(workload: &mut Workload, beside: &Path) -> Result<Option<Arc<Trace>>, PlanError> {
    let Shape::Trace { file, sha256, .. } = &mut workload.shape else { return Ok(None) };
    let path = beside.join(&*file);
    let senseless = |message| PlanError::Senseless { file: path.display().to_string(), message };
    let text = files::read_text(&path, Trace::MOST_BYTES).map_err(|source| PlanError::Read {
        what: Sought::Trace,
        path: path.clone(),
        source,
    })?;
    let digest = base16ct::lower::encode_string(&Sha256::digest(text.as_bytes()));
    if !sha256.is_empty() && !sha256.eq_ignore_ascii_case(&digest) {
        return Err(senseless(format!(
            "this is not the trace that the workload names: its SHA-256 is {digest}"
        )));
    }
    *sha256 = digest;
    let trace = Trace::parse(&text).map_err(|error| senseless(error.to_string()))?;
    Ok(Some(Arc::new(trace)))
}

#[cfg(test)]
mod tests {
    use tokencap_shared::units::Rate;

    use super::*;
    use crate::presets;

    const PLAN: &str = r#"
promise = "demo"
workload = "demo"

[deployment]
model = "m"
engine = "sim"
gpu = "none"
gpus_serving = 2
gpus_provisioned = 2

[sweep]
rates = [1, 2.5]
window_s = 10
"#;

    fn parse_plan(text: &str) -> Result<Plan, String> {
        Plan::parse(text, "plan.toml", Path::new(".")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_plan_names_presets() {
        let plan = parse_plan(PLAN).unwrap();
        assert_eq!(plan.promise.name, "demo");
        assert_eq!(plan.workload.name, "demo");
        assert_eq!(plan.sweep.rates.len(), 2);
        assert_eq!(plan.timeouts, Timeouts::default());
    }

    #[test]
    fn a_typo_is_answered_with_line_and_column() {
        insta::assert_snapshot!(
            parse_plan(&PLAN.replace("window_s", "windw_s")).unwrap_err(),
            @"plan.toml:14:1: unknown field `windw_s`, expected one of `rates`, `users`, `grid`, `warmup_s`, `window_s`, `seed`"
        );
        insta::assert_snapshot!(parse_plan(&PLAN.replace("gpus_serving = 2", "gpus_serving = two")).unwrap_err(), @"plan.toml:9:16: invalid boolean, expected `true`");
        insta::assert_snapshot!(parse_plan(&PLAN.replace("[1, 2.5]", "[1, -2.5]")).unwrap_err(), @"plan.toml:13:9: Rate must lie in [0, ∞), not be -2.5");
    }

    #[test]
    fn an_unknown_preset_is_answered_with_the_known_ones() {
        insta::assert_snapshot!(
            parse_plan(&PLAN.replace("promise = \"demo\"", "promise = \"dmeo\"")).unwrap_err(),
            @"there is no promise sheet named `dmeo`, neither a preset nor a file; `tokencap presets` lists the presets: agent-coding-interactive, chat-interactive, demo"
        );
    }

    #[test]
    fn senseless_plans_are_refused() {
        for (rate, why) in [("0", "above 0"), ("1e9", "at most"), ("1e-5", "sees no request")] {
            let error = parse_plan(&PLAN.replace("2.5", rate)).unwrap_err();
            assert!(
                error.starts_with("plan.toml: sweep.rates: ") && error.contains(why),
                "{error}"
            );
        }
        let replicas = "gpus_provisioned = 2\nparallelism = { replicas = 0 }";
        let error = parse_plan(&PLAN.replace("gpus_provisioned = 2", replicas)).unwrap_err();
        assert_eq!(error, "plan.toml: deployment.parallelism: each number must be at least 1");
        insta::assert_snapshot!(parse_plan(&PLAN.replace("[1, 2.5]", "[]")).unwrap_err(), @"plan.toml: sweep.rates is empty: name at least one arrival rate, or write [search] instead of [sweep]");
        let search = PLAN.replace("[sweep]", "[search]").replace("rates = [1, 2.5]", "");
        let search = search.replace("window_s = 10", "precision = 0.03");
        assert_eq!(parse_plan(&search).unwrap().search.unwrap().precision, 0.03);
        let both = format!("{search}[sweep]\nrates = [1]\n");
        insta::assert_snapshot!(parse_plan(&both).unwrap_err(), @"plan.toml: [search] finds the rates itself: leave [sweep] out, or [search]");
        insta::assert_snapshot!(parse_plan(&search.replace("0.03", "5")).unwrap_err(), @"plan.toml: search.precision must lie between 0.005 and 0.5, such as 0.05 for 5 %, not be 5");
        let neither = &PLAN[..PLAN.find("[sweep]").unwrap()];
        insta::assert_snapshot!(parse_plan(neither).unwrap_err(), @"plan.toml: name the rates to measure in [sweep], or write [search] to look for the highest one that holds");
        insta::assert_snapshot!(parse_plan(&PLAN.replace("gpus_provisioned = 2", "gpus_provisioned = 1")).unwrap_err(), @"plan.toml: deployment: gpus_serving (2) must be at least 1 and gpus_provisioned (1) at least gpus_serving");
        insta::assert_snapshot!(parse_plan(&PLAN.replace("window_s = 10", "window_s = 0")).unwrap_err(), @"plan.toml:14:12: a time must be a positive number of seconds");
    }

    #[test]
    fn the_example_offers_a_search_and_says_its_defaults() {
        let example = presets::find(Kind::Plan, "example").unwrap().text;
        let from = example.find("# [search]").unwrap();
        let table = example[from..].split("\n\n").next().unwrap().replace("\n# ", "\n");
        let neither = &PLAN[..PLAN.find("[sweep]").unwrap()];
        let plan = parse_plan(&format!("{neither}{}", &table[2..])).unwrap();
        let first = Some(Rate::new(4.0).unwrap());
        assert_eq!(plan.search.unwrap(), Settings { first, ..Settings::default() });
    }
}
