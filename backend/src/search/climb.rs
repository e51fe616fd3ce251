//! After a rate was signed: is a higher one within reach?
//!
//! A signed rate is an answer once a rate not far above it is seen to break. Until then probes,
//! each judged by what it alone shows, go up from it; where they held, a rate that broke before
//! is tried again, and a higher rate is confirmed, or else one a little lower.

use tokencap_shared::definitions::judge::Verdict;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::units::Rate;

use super::machine::{Order, Past, Search};

/// Most probes above a signed rate, and most runs to confirm a higher one that fail.
const MOST_PROBES: usize = 8;
const MOST_CONFIRMS: usize = 3;
/// A higher rate is confirmed so much below the highest one that held.
const BELOW: f64 = 0.025;
/// Rates that differ by less are one.
const SAME: f64 = 0.01;

impl Search {
    /// What is still to be run beside a signed rate.
    pub(super) fn climb(&self, signed: Rate) -> Option<Order> {
        if self.left().is_some_and(|left| left <= self.least()) {
            return None;
        }
        let since = self.past.get(self.until_signed..).unwrap_or_default();
        let probe = |rate: f64| {
            let rate = Rate::new(rate).ok()?;
            Some(self.order(StepKind::Probe, rate, self.longest_probe()))
        };
        if let Some(lower) = self.doubted(signed) {
            return probe(lower);
        }
        let signed = signed.get();
        let failed = since.iter().filter(|past| past.kind == StepKind::Confirm);
        let failed: Vec<f64> = failed.map(|past| past.rate.get() * past.lower).collect();
        if !failed.is_empty() {
            let next = failed.iter().copied().fold(f64::INFINITY, f64::min);
            let again = failed.len() < MOST_CONFIRMS;
            return self.higher(signed, next).filter(|_| again);
        }
        let times = |screen: Verdict, rate: f64| {
            let same = |past: &&Past| (past.rate.get() / rate - 1.0).abs() < SAME;
            self.past.iter().filter(same).filter(|past| past.screen == screen).count()
        };
        let above = since.iter().filter(|past| past.screen == Verdict::Held);
        let above = above.map(|past| past.rate.get()).filter(|rate| *rate > signed);
        let ups = above.clone().count();
        let held = above.fold(signed, f64::max);
        // What longer runs at higher rates showed outweighs one short one that broke.
        let broken = self.past.iter().filter(|past| {
            past.screen == Verdict::Broken
                && (self.belief.above(past.rate) < 0.5
                    || times(Verdict::Broken, past.rate.get()) > 1)
        });
        let broken = broken.map(|past| past.rate.get()).filter(|rate| *rate > held * (1.0 + SAME));
        let broken = broken.fold(f64::INFINITY, f64::min);
        let higher = self.higher(signed, held * (1.0 - BELOW));
        if since.iter().filter(|past| past.rate.get() > signed).count() >= MOST_PROBES {
            return higher;
        }
        let stride = 1.0 + 1.5 * self.goal.precision;
        if ups == 0 && broken <= signed * (1.0 + 2.0 * self.goal.precision) {
            return self.between(signed, broken);
        }
        if ups == 0 || broken > held * stride * (1.0 + SAME) {
            // By growing strides, to the middle where a rate above is known to break.
            let next = held * stride.powi(1 + ups as i32);
            return probe(next.min((held * broken).sqrt()).max(held * (1.0 + 2.0 * SAME)));
        }
        // One broken probe below others that held may be chance.
        if times(Verdict::Broken, broken) < 2 {
            return probe(broken);
        }
        higher
    }

    /// A confirmation run at a rate, if that is worth it beside the signed one.
    fn higher(&self, signed: f64, rate: f64) -> Option<Order> {
        let worthwhile = rate > signed * (1.0 + 0.3 * self.goal.precision)
            && self.count(StepKind::Confirm) < self.goal.confirms;
        let rate = Rate::new(rate).ok().filter(|_| worthwhile)?;
        Some(self.order(StepKind::Confirm, rate, self.goal.longest_confirm))
    }

    /// A confirmation run between the signed rate and one that broke, if they are further apart
    /// than the asked precision and a lower one did not fail.
    fn between(&self, signed: f64, broken: f64) -> Option<Order> {
        let confirm = |past: &&Past| past.kind == StepKind::Confirm && !past.held;
        let failed = self.past.iter().filter(confirm).map(|past| past.rate.get() * past.lower);
        let rate = failed.fold((signed * broken).sqrt(), f64::min);
        self.higher(signed, rate).filter(|_| broken > signed * (1.0 + self.goal.precision))
    }

    /// A rate below the signed one that broke, and has not held twice or been tried three times.
    fn doubted(&self, signed: Rate) -> Option<f64> {
        let broken = |past: &&Past| past.kind == StepKind::Probe && past.screen == Verdict::Broken;
        let lower = self.past.iter().filter(broken).filter(|past| past.rate < signed);
        lower
            .map(|past| past.rate)
            .find(|&rate| {
                let again = self.past.iter().filter(|past| past.rate == rate);
                let held = again.clone().filter(|past| past.screen == Verdict::Held).count();
                again.count() < 3 && held < 2
            })
            .map(Rate::get)
    }
}
