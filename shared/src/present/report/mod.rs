//! The report: a pure function of bundles and a dated price sheet, in no language yet.
//!
//! Numbers stay typed data, so that `--json` and the page have them unrounded; words and
//! formatted numbers are made of them by [`super::document`], which builds every table once for the
//! terminal, the page and print alike.

mod attention;
pub mod charts;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::bundle::judged::of_bundle_under;
use crate::bundle::{Bundle, Manifest};
use crate::definitions::capacity::{Capacity, tasks_per_day};
use crate::definitions::deployment::Deployment;
use crate::definitions::judge::{Degradation, StepJudgement};
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::money::{Economics, PriceSheet};
use crate::definitions::note::Note;
use crate::definitions::promise::PromiseSheet;
use crate::definitions::workload::{Shape, Workload};
use crate::units::Ratio;

pub use crate::present::attention::{
    Attention, AttentionKind, DegradationOfTier, MoneyPart, PromiseOfTier, Severity,
};
pub use crate::signoff::SignOff;

/// What a report is made of: one judged bundle.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What the bundle is called, such as its file's name.
    pub name: String,
    /// What the bundle declares.
    pub manifest: Manifest,
    /// The sheet it was judged by: its own, or another one.
    pub promise: PromiseSheet,
    /// What the judgement says.
    pub capacity: Arc<Capacity>,
    /// What its signatures are worth, as the caller verified them.
    pub sign_off: SignOff,
}

/// One or several bundles, side by side.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The metric definitions that every number here follows.
    pub definitions: u32,
    /// The price sheet that money was derived by, if one was chosen.
    pub prices: Option<PriceSheet>,
    /// One row a bundle, in the order given.
    pub rows: Vec<Row>,
    /// What a reader must know before using any of the numbers. Nothing is left out of it.
    pub attention: Vec<Attention>,
}

/// One bundle: what was measured, what was promised, and what that makes.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What the bundle is called.
    pub name: String,
    /// Identity of the run.
    pub run: String,
    /// When it started, RFC 3339 in UTC.
    pub started: String,
    /// What measured it.
    pub tool: String,
    /// The definitions it was measured under.
    pub definitions: u32,
    /// What was measured.
    pub deployment: Deployment,
    /// What it was judged by.
    pub promise: PromiseSheet,
    /// Whether that is another sheet than the bundle's own: a scenario, never signed.
    pub rejudged: bool,
    /// What the load was.
    pub workload: Workload,
    /// Every step, λ_slo_max, and the figures at it.
    pub capacity: Arc<Capacity>,
    /// The step whose promise table stands for the row: that of λ_slo_max, else the lowest valid
    /// rate. `None` without a valid step.
    pub shown: Option<u32>,
    /// Serial steps of an agent task, where the workload runs tasks.
    pub steps_per_task: Option<u32>,
    /// Cost, value and margin, once a price sheet is chosen.
    pub economics: Measured<Economics>,
    /// What the signatures are worth.
    pub sign_off: SignOff,
    /// Facts about the measuring machine and the run.
    pub environment: BTreeMap<String, String>,
    /// What the measuring tool wants its reader to know.
    pub warnings: Vec<Note>,
}

impl Entry {
    /// A bundle that was judged under its own promise sheet.
    #[must_use]
    pub fn new(
        name: String,
        manifest: &Manifest,
        capacity: Arc<Capacity>,
        sign_off: SignOff,
    ) -> Self {
        let promise = manifest.promise.clone();
        Self { name, manifest: manifest.clone(), promise, capacity, sign_off }
    }

    /// Judges a bundle under its own promise sheet, or under another one.
    #[must_use]
    pub fn judged(
        name: String,
        bundle: &Bundle,
        other: Option<&PromiseSheet>,
        sign_off: SignOff,
    ) -> Self {
        let promise = other.unwrap_or(&bundle.manifest.promise);
        Self {
            name,
            manifest: bundle.manifest.clone(),
            promise: promise.clone(),
            capacity: Arc::new(of_bundle_under(bundle, promise)),
            sign_off,
        }
    }
}

impl Report {
    /// Makes the report of judged bundles, with their money where a price sheet is chosen.
    #[must_use]
    pub fn new(entries: Vec<Entry>, prices: Option<PriceSheet>) -> Self {
        let rows = entries.into_iter().map(Row::new).collect();
        let definitions = crate::DEFINITIONS_VERSION;
        Self { definitions, prices: None, rows, attention: Vec::new() }.priced(prices)
    }

    /// The currency of its money as it stands in headers; a generic sign without prices.
    #[must_use]
    pub fn currency(&self) -> &str {
        self.prices.as_ref().map_or("¤", |prices| &prices.currency)
    }

    /// The same report under another price sheet: only money changes.
    #[must_use]
    pub fn priced(mut self, prices: Option<PriceSheet>) -> Self {
        for row in &mut self.rows {
            row.economics = match &prices {
                Some(prices) => {
                    Measured::Value(Economics::of(&row.capacity, &row.deployment, prices))
                }
                None => Measured::Missing(Missing::NoPriceSheet),
            };
        }
        self.prices = prices;
        self.attention = attention::of(&self.rows);
        self
    }
}

impl Row {
    fn new(entry: Entry) -> Self {
        let Entry { name, manifest, promise, capacity, sign_off } = entry;
        let steps_per_task = match manifest.workload.shape {
            Shape::Sessions { steps, .. } => Some(steps),
            Shape::Mix { .. } | Shape::Trace { .. } => None,
        };
        Self {
            name,
            run: manifest.run,
            started: manifest.started,
            tool: manifest.tool,
            definitions: manifest.definitions,
            deployment: manifest.deployment,
            rejudged: promise != manifest.promise,
            promise,
            workload: manifest.workload,
            shown: stands_for(&capacity),
            capacity,
            steps_per_task,
            economics: Measured::Missing(Missing::NoPriceSheet),
            sign_off,
            environment: manifest.environment,
            warnings: manifest.warnings,
        }
    }

    /// The judgement of a step.
    #[must_use]
    pub fn step(&self, id: u32) -> Option<&StepJudgement> {
        self.capacity.steps.iter().find(|judgement| judgement.step == id)
    }

    /// The judgement of the step whose promises stand for the row.
    #[must_use]
    pub fn shown_step(&self) -> Option<&StepJudgement> {
        self.step(self.shown?)
    }

    /// What speaks against a soak, with the names of its tiers.
    #[must_use]
    pub fn degradations(&self, against: &[Degradation]) -> Vec<DegradationOfTier> {
        let named = against.iter().map(|degradation| {
            let tier = match degradation {
                Degradation::Drift { tier, .. } | Degradation::DriftUnknown { tier } => *tier,
                _ => None,
            };
            let tier = tier.and_then(|tier| self.promise.tiers.get(tier));
            let tier_name = tier.map(|tier| tier.name.clone());
            DegradationOfTier { degradation: degradation.clone(), tier_name }
        });
        named.collect()
    }

    /// Agent tasks a day: steps a day by the steps of a task, where the workload runs tasks.
    #[must_use]
    pub fn tasks_per_day(&self) -> Option<Ratio> {
        let steps = *self.capacity.at.value()?.steps_per_day.value()?;
        tasks_per_day(steps, self.steps_per_task?).value().copied()
    }
}

/// The step of λ_slo_max, else the valid one of the lowest rate.
pub(crate) fn stands_for(capacity: &Capacity) -> Option<u32> {
    if let Some(lambda) = capacity.lambda.value() {
        return Some(lambda.step);
    }
    let valid = capacity.steps.iter().filter(|step| step.validity.is_valid());
    let lowest = valid.min_by(|a, b| a.offered.get().total_cmp(&b.offered.get()));
    lowest.map(|step| step.step)
}
