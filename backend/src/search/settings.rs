//! What a plan says of a search.

use std::time::Duration;

use serde::Deserialize;
use tokencap_shared::definitions::workload::{Shape, Workload};
use tokencap_shared::units::{Nanos, Rate};

use super::machine::Goal;
use crate::seconds;

/// The `[search]` table of a plan: find λ_slo_max, instead of measuring at given rates.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Requests per second to begin with; without it, three at once by the time that a lone
    /// request takes.
    pub first: Option<Rate>,
    /// How closely rates are told apart before one of them is confirmed: 0.05 is 5 %.
    pub precision: f64,
    /// Most probes.
    pub probes: u32,
    /// Most confirmation runs.
    pub confirms: u32,
    /// Longest window of a probe, in seconds.
    #[serde(with = "seconds")]
    pub longest_probe_s: Duration,
    /// Longest window of a confirmation run, in seconds.
    #[serde(with = "seconds")]
    pub longest_confirm_s: Duration,
    /// Confirm by a soak: a window of at least 1,800 s, after which capacity may be committed.
    pub soak: bool,
    /// Seed of all arrivals and prompts.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            first: None,
            precision: 0.05,
            probes: 10,
            confirms: 8,
            longest_probe_s: Duration::from_secs(600),
            longest_confirm_s: Duration::from_secs(6 * 3600),
            soak: false,
            seed: 1,
        }
    }
}

/// Least window of a soak.
const SOAK: Nanos = Nanos::from_secs(1800);

impl Settings {
    /// What is wrong with them, and what to do.
    ///
    /// # Errors
    /// If no search could go by them.
    pub fn check(&self) -> Result<(), String> {
        if !(0.005..=0.5).contains(&self.precision) {
            return Err(format!(
                "search.precision must lie between 0.005 and 0.5, such as 0.05 for 5 %, not be {}",
                self.precision
            ));
        }
        if self.first.is_some_and(|rate| rate.get() <= 0.0) {
            return Err("search.first: an arrival rate must be above 0".to_owned());
        }
        if self.probes == 0 || self.confirms == 0 {
            return Err("search.probes and search.confirms must be at least 1".to_owned());
        }
        if self.soak && Nanos::from(self.longest_confirm_s) < SOAK {
            return Err("search.longest_confirm_s is below the 1800 s that a soak takes: raise \
                        it, or leave search.soak out"
                .to_owned());
        }
        Ok(())
    }

    /// The goal of a search, where a lone request takes so long.
    #[must_use]
    pub fn goal(&self, alone: Nanos, workload: &Workload, budget: Option<Duration>) -> Goal {
        let (turns, think) = match &workload.shape {
            Shape::Sessions { steps, think, .. } => (*steps, think.mean_ns),
            _ => (1, Nanos(0)),
        };
        Goal {
            alone,
            turns,
            think,
            first: self.first,
            precision: self.precision,
            probes: self.probes,
            confirms: self.confirms,
            longest_probe: self.longest_probe_s.into(),
            shortest_confirm: if self.soak { SOAK } else { Nanos(0) },
            longest_confirm: Nanos::from(self.longest_confirm_s),
            budget: budget.map(Nanos::from),
        }
    }
}
