//! What is believed of λ_slo_max after any number of steps.
//!
//! The share of values that miss a promise is taken to rise with the rate along a logistic
//! curve in its logarithm: `logit p = logit p₀ + b·(ln λ − x)`, where `p₀` is what the promise
//! allows, so that `x` is the logarithm of the rate at which it breaks. Its place and its slope
//! are unknown; each step's counts, weighed down by how much they depend on each other, say
//! something about both. λ_slo_max is the least of the promises' rates.
//!
//! The belief only steers: it chooses rates and says when to stop looking. What is signed is
//! judged on the records of one confirmation run alone.

use std::collections::BTreeMap;

use tokencap_shared::definitions::judge::StepJudgement;
use tokencap_shared::definitions::measured::Measured;
use tokencap_shared::definitions::promise::PromiseKind;
use tokencap_shared::units::Rate;

/// Slopes that are thought possible: from hardly any (values that are bad at every rate) to very
/// steep (a cliff).
const SLOPES: [f64; 10] = [1.0, 2.5, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0, 90.0, 150.0];
/// Places of a curve that are told apart.
const POINTS: usize = 160;

/// A promise, as the belief knows it.
pub(crate) type PromiseId = (PromiseKind, Option<usize>);

/// What one step showed of one promise, in counts that are worth that many independent ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Evidence {
    /// ln λ.
    pub(crate) x: f64,
    pub(crate) bad: f64,
    pub(crate) good: f64,
    /// logit of the bad share that is allowed.
    pub(crate) allowed: f64,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Belief {
    from: f64,
    to: f64,
    evidence: BTreeMap<PromiseId, Vec<Evidence>>,
}

/// The belief about ln λ_slo_max, by equal steps: probability that it lies above each.
#[derive(Clone, Debug)]
pub(crate) struct Survival {
    from: f64,
    step: f64,
    above: Vec<f64>,
}

impl Belief {
    /// Nothing known but a range that λ_slo_max surely lies in.
    #[must_use]
    pub fn between(least: Rate, most: Rate) -> Self {
        let ln = |rate: Rate| libm::log(rate.get().max(1e-9));
        Self { from: ln(least), to: ln(most).max(ln(least) + 0.01), evidence: BTreeMap::new() }
    }

    /// The same range, and nothing known.
    #[must_use]
    pub fn blank(&self) -> Self {
        Self { evidence: BTreeMap::new(), ..*self }
    }

    /// Adds what a step showed, its counts weighed down by how much they depend on each other,
    /// and further if they would be worth more than `most` independent ones.
    pub fn learn(&mut self, rate: Rate, judged: &StepJudgement, most: f64) {
        for promise in judged.promises.iter().filter(|promise| promise.signed) {
            let Measured::Value(evidence) = &promise.evidence else { continue };
            let weight = evidence.vif.get().max(1.0).max(evidence.n as f64 / most);
            let target = evidence.target.get();
            self.add(
                (promise.kind, promise.tier),
                Evidence {
                    x: libm::log(rate.get()),
                    bad: (evidence.n - evidence.good) as f64 / weight,
                    good: evidence.good as f64 / weight,
                    allowed: logit(1.0 - target),
                },
            );
        }
    }

    /// Adds what is known of one promise.
    pub(crate) fn add(&mut self, promise: PromiseId, evidence: Evidence) {
        self.evidence.entry(promise).or_default().push(evidence);
    }

    /// The rate below which λ_slo_max lies with a probability.
    #[must_use]
    pub fn quantile(&self, probability: f64) -> Rate {
        let x = self.survival().quantile(probability);
        Rate::new(libm::exp(x)).unwrap_or(Rate::ZERO)
    }

    /// Probability that λ_slo_max lies above a rate.
    #[must_use]
    pub fn above(&self, rate: Rate) -> f64 {
        self.survival().above(libm::log(rate.get().max(1e-9)))
    }

    pub(crate) fn survival(&self) -> Survival {
        let coarse = self.survival_between(self.from, self.to);
        // Again, where it matters.
        let margin = 2.0 * coarse.step;
        let from = (coarse.quantile(0.001) - margin).max(self.from);
        let to = (coarse.quantile(0.999) + margin).min(self.to);
        self.survival_between(from, to)
    }

    fn survival_between(&self, from: f64, to: f64) -> Survival {
        let step = (to - from) / POINTS as f64;
        let mut above = vec![1.0_f64; POINTS + 1];
        // Without evidence every place is as likely as any other.
        for (i, value) in above.iter_mut().enumerate() {
            *value = 1.0 - i as f64 / POINTS as f64;
        }
        if self.evidence.is_empty() {
            return Survival { from, step, above };
        }
        let mut least = vec![1.0_f64; POINTS + 1];
        for evidence in self.evidence.values() {
            let density = density(evidence, from, step);
            let total: f64 = density.iter().sum();
            let mut left = total;
            for (i, value) in above.iter_mut().enumerate() {
                *value = left / total;
                left -= density.get(i).copied().unwrap_or(0.0);
            }
            // Promises break together more often than not: the least one decides.
            for (least, above) in least.iter_mut().zip(&above) {
                *least = least.min(*above);
            }
        }
        Survival { from, step, above: least }
    }
}

/// Posterior weight of each place of a promise's curve, over all slopes.
fn density(evidence: &[Evidence], from: f64, step: f64) -> Vec<f64> {
    let mut logs = vec![[0.0_f64; SLOPES.len()]; POINTS];
    let mut most = f64::NEG_INFINITY;
    for (i, logs) in logs.iter_mut().enumerate() {
        let x = from + (i as f64 + 0.5) * step;
        for (log, slope) in logs.iter_mut().zip(SLOPES) {
            for e in evidence {
                let z = e.allowed + slope * (e.x - x);
                // ln of the logistic function and of its complement.
                let soft = if z > 0.0 {
                    z + libm::log1p(libm::exp(-z))
                } else {
                    libm::log1p(libm::exp(z))
                };
                *log += e.bad * (z - soft) - e.good * soft;
            }
            most = most.max(*log);
        }
    }
    logs.iter().map(|logs| logs.iter().map(|log| libm::exp(log - most)).sum()).collect()
}

pub(crate) fn logit(p: f64) -> f64 {
    libm::log(p / (1.0 - p))
}

impl Survival {
    pub(crate) fn quantile(&self, probability: f64) -> f64 {
        let at = self.above.partition_point(|&above| above > 1.0 - probability);
        if at == 0 {
            return self.from;
        }
        let (before, after) = (self.above[at - 1], self.above.get(at).copied().unwrap_or(0.0));
        let part = (before - (1.0 - probability)) / (before - after).max(1e-12);
        self.from + ((at - 1) as f64 + part.clamp(0.0, 1.0)) * self.step
    }

    pub(crate) fn above(&self, x: f64) -> f64 {
        let at = (x - self.from) / self.step;
        if at <= 0.0 {
            return 1.0;
        }
        let (low, part) = (at as usize, at.fract());
        match (self.above.get(low), self.above.get(low + 1)) {
            (Some(low), Some(high)) => low + (high - low) * part,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(value: f64) -> Rate {
        Rate::new(value).unwrap()
    }

    fn seen(at: f64, bad: f64, good: f64) -> Evidence {
        Evidence { x: libm::log(at), bad, good, allowed: logit(0.01) }
    }

    const TTFT: PromiseId = (PromiseKind::TtftP99, Some(0));

    #[test]
    fn nothing_known_is_a_uniform_belief_in_the_logarithm() {
        let belief = Belief::between(rate(1.0), rate(100.0));
        assert!((belief.quantile(0.5).get() - 10.0).abs() < 0.1);
        assert!((belief.above(rate(1.0)) - 1.0).abs() < 1e-9);
        assert!(belief.above(rate(100.0)) < 1e-9);
    }

    #[test]
    fn good_steps_move_it_up_and_bad_ones_down_and_both_narrow_it() {
        let mut belief = Belief::between(rate(1.0), rate(100.0));
        belief.add(TTFT, seen(10.0, 0.0, 600.0));
        assert!(belief.above(rate(10.0)) > 0.95, "{}", belief.above(rate(10.0)));
        belief.add(TTFT, seen(20.0, 120.0, 80.0));
        assert!(belief.above(rate(20.0)) < 0.01);
        let (low, high) = (belief.quantile(0.1).get(), belief.quantile(0.9).get());
        assert!(10.0 < low && low < high && high < 20.0, "{low} {high}");
    }

    #[test]
    fn the_place_of_a_known_curve_is_found() {
        // p = 1 % at 15, slope 30: the expected counts of three steps.
        let mut belief = Belief::between(rate(0.1), rate(1000.0));
        for at in [13.0, 14.5, 16.0] {
            let z = logit(0.01) + 30.0 * libm::log(at / 15.0);
            let p = 1.0 / (1.0 + libm::exp(-z));
            belief.add(TTFT, seen(at, 4000.0 * p, 4000.0 * (1.0 - p)));
        }
        let median = belief.quantile(0.5).get();
        assert!((median / 15.0 - 1.0).abs() < 0.02, "{median}");
        assert!(belief.quantile(0.95).get() / belief.quantile(0.05).get() < 1.08);
    }

    #[test]
    fn the_promise_that_breaks_first_decides() {
        let mut belief = Belief::between(rate(1.0), rate(100.0));
        let other = (PromiseKind::TpotP99, Some(0));
        belief.add(TTFT, seen(50.0, 0.0, 5000.0));
        belief.add(other, seen(50.0, 4000.0, 1000.0));
        assert!(belief.above(rate(50.0)) < 0.001);
    }
}
