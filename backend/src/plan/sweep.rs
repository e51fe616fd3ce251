//! Which rates are tried, and for how long.

use std::time::Duration;

use serde::Deserialize;
use tokencap_shared::units::Rate;

use crate::seconds;

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

/// Requests/s beyond which a rate is a slip of the pen.
const MAX_RATE: f64 = 1e6;

impl Sweep {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.users.contains(&0) {
            return Err("sweep.users: a closed loop needs at least 1 user".to_owned());
        }
        let window = self.window_s.as_secs_f64();
        for rate in self.rates.iter().map(|rate| rate.get()) {
            if !(rate > 0.0 && rate <= MAX_RATE) {
                return Err(format!(
                    "sweep.rates: an arrival rate must be above 0 and at most {MAX_RATE} req/s, \
                     not {rate}"
                ));
            }
            if rate * window < 1.0 {
                return Err(format!(
                    "sweep.rates: at {rate} req/s a window of {window} s sees no request: lengthen \
                     window_s"
                ));
            }
        }
        Ok(())
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

fn default_warmup() -> Duration {
    Duration::from_secs(30)
}

fn default_window() -> Duration {
    Duration::from_secs(300)
}

fn default_seed() -> u64 {
    1
}

/// The rates of a plan: its list, its grid, or none where they are searched for.
pub(super) fn rates(written: Option<Sweep>, searched: bool) -> Result<Sweep, String> {
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
