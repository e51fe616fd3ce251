//! The plan of a measurement: what to measure, against which promises, under which load.
//!
//! Read from TOML. A typo is answered with its line and column, because a plan that is silently
//! half understood measures something else than was meant.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use sha2::{Digest, Sha256};
use tokencap_shared::deployment::Deployment;
use tokencap_shared::format;
use tokencap_shared::promise::PromiseSheet;
use tokencap_shared::units::Rate;
use tokencap_shared::workload::{Shape, Workload};

use crate::load::target::{self, Route};
use crate::load::trace::Trace;
use crate::presets::{self, Kind, Preset};
use crate::search::Settings;

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

/// Which rates are tried, and for how long.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Arrival rates in requests/s, in the order they are run.
    #[serde(default)]
    pub rates: Vec<Rate>,
    /// Numbers of users of closed loops, run after the rates: each user waits for an answer
    /// before the next request. Only for comparison with tools that measure so.
    #[serde(default)]
    pub users: Vec<u32>,
    /// Rates at equal distances on a logarithmic scale, instead of a list.
    #[serde(default)]
    pub grid: Option<Grid>,
    /// Shortest warm-up of a step, in seconds.
    #[serde(default = "default_warmup", with = "seconds")]
    pub warmup_s: Duration,
    /// Length of a step's window, in seconds.
    #[serde(default = "default_window", with = "seconds")]
    pub window_s: Duration,
    /// Seed of all arrivals and prompts.
    #[serde(default = "default_seed")]
    pub seed: u64,
}

impl Default for Sweep {
    fn default() -> Self {
        Self {
            rates: Vec::new(),
            users: Vec::new(),
            grid: None,
            warmup_s: default_warmup(),
            window_s: default_window(),
            seed: default_seed(),
        }
    }
}

/// Rates from one to another, each the same factor above the last.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// The lowest rate.
    pub from: Rate,
    /// The highest rate.
    pub to: Rate,
    /// How many rates.
    pub steps: u32,
}

impl Grid {
    fn rates(self) -> Result<Vec<Rate>, String> {
        let (from, to) = (self.from.get(), self.to.get());
        if !(from > 0.0 && to > from && (2..=1000).contains(&self.steps)) {
            return Err("sweep.grid needs 0 < from < to, and 2 to 1000 steps".to_owned());
        }
        let rate = |i: u32| {
            let part = f64::from(i) / f64::from(self.steps - 1);
            Rate::new(libm::exp(libm::log(from) + part * libm::log(to / from)))
        };
        (0..self.steps).map(rate).collect::<Result<_, _>>().map_err(|error| error.to_string())
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

/// Time limits of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// For a connection.
    #[serde(with = "seconds")]
    pub connect_s: Duration,
    /// For the first output; at least three times the greatest TTFT limit is wise, because
    /// nothing is known about a tail that was cut.
    #[serde(with = "seconds")]
    pub first_token_s: Duration,
    /// Between two events.
    #[serde(with = "seconds")]
    pub gap_s: Duration,
    /// For the whole response.
    #[serde(with = "seconds")]
    pub whole_s: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect_s: Duration::from_secs(10),
            first_token_s: Duration::from_secs(120),
            gap_s: Duration::from_secs(60),
            whole_s: Duration::from_secs(600),
        }
    }
}

impl From<Timeouts> for target::Timeouts {
    fn from(limits: Timeouts) -> Self {
        let Timeouts { connect_s, first_token_s, gap_s, whole_s } = limits;
        Self { connect: connect_s, first_token: first_token_s, gap: gap_s, whole: whole_s }
    }
}

pub(crate) mod seconds {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer};

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        if !(seconds.is_finite() && seconds > 0.0 && seconds < 1e7) {
            return Err(D::Error::custom("a time must be a positive number of seconds"));
        }
        Ok(Duration::from_secs_f64(seconds))
    }
}

fn default_warmup() -> Duration {
    Duration::from_secs(30)
}

fn default_window() -> Duration {
    Duration::from_secs(300)
}

fn default_seed() -> u64 {
    1
}

/// Why a plan, a promise sheet, a workload or a price sheet cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Not readable.
    #[error("cannot read {what} {}: {source}; check the path", path.display())]
    Read {
        /// What the file should hold.
        what: &'static str,
        /// Its path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A typo, with its place.
    #[error("{file}:{line}:{column}: {message}")]
    Syntax {
        /// The file, as the user named it.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// Neither a preset nor a file.
    #[error(
        "there is no {what} named `{name}`, neither a preset nor a file; \
         `tokencap presets` lists the presets: {known}"
    )]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// The presets of that kind.
        known: String,
    },
    /// Well-formed but senseless.
    #[error("{file}: {message}")]
    Senseless {
        /// The file, as the user named it.
        file: String,
        /// What is wrong, and what to do.
        message: String,
    },
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

/// Named (a preset, or a file beside the plan), or written out.
#[derive(Debug)]
enum Source<T> {
    Named(String),
    Inline(T),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Source<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct SourceVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: DeserializeOwned> Visitor<'de> for SourceVisitor<T> {
            type Value = Source<T>;
            fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str("the name of a preset, the path of a file, or a table")
            }
            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Source::Named(name.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Source::Inline)
            }
        }
        from.deserialize_any(SourceVisitor(std::marker::PhantomData))
    }
}

impl Plan {
    /// Reads a plan and everything it names. Paths in it are relative to it.
    ///
    /// # Errors
    /// With file, line and column of a typo; with the known names for an unknown preset.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let text = std::fs::read_to_string(path).map_err(|source| PlanError::Read {
            what: "the plan",
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
        let text = preset(name, Kind::Plan, "plan")?.text;
        Self::parse(text, &format!("preset plan/{name}"), Path::new("."))
    }

    /// Parses a plan's text; `file` is its name in messages, `beside` where its paths start.
    ///
    /// # Errors
    /// As [`Plan::read`].
    pub fn parse(text: &str, file: &str, beside: &Path) -> Result<Self, PlanError> {
        let written: PlanFile = parse(text, file)?;
        let mut workload = resolve(written.workload, Kind::Workload, "workload", beside)?;
        let trace = read_trace(&mut workload, beside)?;
        let senseless = |message| PlanError::Senseless { file: file.to_owned(), message };
        let sweep = rates(written.sweep, written.search.is_some()).map_err(senseless)?;
        let plan = Self {
            api: written.api,
            deployment: written.deployment,
            promise: resolve(written.promise, Kind::Promise, "promise sheet", beside)?,
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
        if self.sweep.users.contains(&0) {
            return Err("sweep.users: a closed loop needs at least 1 user".to_owned());
        }
        match &self.search {
            Some(search) => search.check()?,
            None if self.sweep.rates.is_empty() && self.sweep.users.is_empty() => {
                return Err("sweep.rates is empty: name at least one arrival rate, or write \
                            [search] instead of [sweep]"
                    .to_owned());
            }
            None => {}
        }
        if self.sweep.rates.iter().any(|rate| rate.get() <= 0.0) {
            return Err("sweep.rates: an arrival rate must be above 0".to_owned());
        }
        let deployment = &self.deployment;
        if deployment.gpus_serving == 0 || deployment.gpus_provisioned < deployment.gpus_serving {
            return Err(format!(
                "deployment: gpus_serving ({}) must be at least 1 and gpus_provisioned ({}) at \
                 least gpus_serving",
                deployment.gpus_serving, deployment.gpus_provisioned
            ));
        }
        Ok(())
    }
}

/// Reads the trace that a workload replays, and notes its digest in the workload.
fn read_trace(workload: &mut Workload, beside: &Path) -> Result<Option<Arc<Trace>>, PlanError> {
    let Shape::Trace { file, sha256, .. } = &mut workload.shape else { return Ok(None) };
    let path = beside.join(&*file);
    let senseless = |message| PlanError::Senseless { file: path.display().to_string(), message };
    let text = std::fs::read_to_string(&path).map_err(|source| PlanError::Read {
        what: "the trace",
        path: path.clone(),
        source,
    })?;
    let digest = format::hex(&Sha256::digest(text.as_bytes()));
    if !sha256.is_empty() && !sha256.eq_ignore_ascii_case(&digest) {
        return Err(senseless(format!(
            "this is not the trace that the workload names: its SHA-256 is {digest}"
        )));
    }
    *sha256 = digest;
    let trace = Trace::parse(&text).map_err(|error| senseless(error.to_string()))?;
    Ok(Some(Arc::new(trace)))
}

/// The rates of a plan: its list, its grid, or none where they are searched for.
fn rates(written: Option<Sweep>, searched: bool) -> Result<Sweep, String> {
    let Some(mut sweep) = written else {
        return if searched {
            Ok(Sweep::default())
        } else {
            Err("name the rates to measure in [sweep], or write [search] to look for the highest \
                 one that holds"
                .to_owned())
        };
    };
    if searched {
        return Err("[search] finds the rates itself: leave [sweep] out, or [search]".to_owned());
    }
    if let Some(grid) = sweep.grid {
        if !sweep.rates.is_empty() {
            return Err("sweep has both rates and a grid: leave one out".to_owned());
        }
        sweep.rates = grid.rates()?;
    }
    Ok(sweep)
}

/// Reads a promise sheet, workload or price sheet by the name of a preset or the path of a file.
///
/// # Errors
/// As [`Plan::read`].
pub fn named<T: DeserializeOwned>(
    name: &str,
    kind: Kind,
    what: &'static str,
    beside: &Path,
) -> Result<T, PlanError> {
    let path = beside.join(name);
    if let Some(preset) = presets::find(kind, name) {
        return parse(preset.text, &format!("preset {}/{name}", kind.name()));
    }
    if !path.exists() && !name.contains(['/', '.']) {
        preset(name, kind, what)?;
    }
    let text = std::fs::read_to_string(&path).map_err(|source| PlanError::Read {
        what,
        path: path.clone(),
        source,
    })?;
    parse(&text, &path.display().to_string())
}

fn resolve<T: DeserializeOwned>(
    source: Source<T>,
    kind: Kind,
    what: &'static str,
    beside: &Path,
) -> Result<T, PlanError> {
    match source {
        Source::Inline(value) => Ok(value),
        Source::Named(name) => named(&name, kind, what, beside),
    }
}

/// The preset of this kind and name, or the names that there are.
fn preset(name: &str, kind: Kind, what: &'static str) -> Result<&'static Preset, PlanError> {
    presets::find(kind, name).ok_or_else(|| {
        let of_kind = presets::ALL.iter().filter(|preset| preset.kind == kind);
        let known: Vec<_> = of_kind.map(|preset| preset.name).collect();
        PlanError::Unknown { what, name: name.to_owned(), known: known.join(", ") }
    })
}

/// Parses TOML; an error names its line and column.
fn parse<T: DeserializeOwned>(text: &str, file: &str) -> Result<T, PlanError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = &text[..at];
        PlanError::Syntax {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
            message: error.message().replace('\n', "; "),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
