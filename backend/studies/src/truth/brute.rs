//! The truth: λ_slo_max of a drawn cluster by brute force.

use tokencap_shared::definitions::judge::{StepJudgement, Verdict};
use tokencap_shared::definitions::measured::Measured;
use tokencap_shared::definitions::promise::PromiseKind;
use tokencap_shared::units::Rate;

use super::case::Case;
use super::lab::{Lab, Run};

/// λ_slo_max, and what breaks there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// The highest rate at which, and below which, every signed promise holds in the long run.
    pub rate: Rate,
    /// The promise that breaks first beyond it, and its tier.
    pub binding: (PromiseKind, Option<usize>),
}

/// Rates tried on the way up, each this much above the last.
const STRIDE: f64 = 1.15;
/// Requests in the window of a rate on the way up.
const COARSE: u32 = 10_000;
/// Fewest and most requests in the window of a rate near the crossing.
const FINE: (u32, u32) = (30_000, 90_000);
/// Rates around the crossing, in relation to it.
const AROUND: [f64; 5] = [0.93, 0.965, 1.0, 1.035, 1.07];
/// Rounds around it, each about what the last ones found.
const ROUNDS: u64 = 3;
/// Rates at which a promise must hold below the crossing and break above it.
const BESIDE: [f64; 5] = [0.7, 0.85, 1.15, 1.3, 1.6];
/// A promise that breaks below this part of saturation says nothing of a cluster's capacity.
const LEAST: f64 = 0.2;

/// Why a case has no truth to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTruth {
    /// It breaks below a fifth of saturation, or not at all.
    NoLimit,
    /// What breaks it at a rate holds at a higher one, or the other way round: routers that keep
    /// sessions where their prefix lies can stay in one state or another for hours.
    NotMonotone,
}

/// Finds the truth of a case.
///
/// # Errors
/// If it has none.
pub fn truth(case: &Case) -> Result<Truth, NoTruth> {
    let truth = crossing(case).ok_or(NoTruth::NoLimit)?;
    let lab = Lab { config: &case.config, workload: &case.workload, promise: &case.promise };
    let residence = lab.residence().ok_or(NoTruth::NoLimit)?;
    let monotone = BESIDE.into_iter().zip(70..).all(|(part, seed)| {
        let rate = Rate::new(truth.rate.get() * part).unwrap_or(truth.rate);
        let judged = lab.judge(&Run::of_requests(rate, FINE.1, seed, residence));
        let ratio = judged.ok().and_then(|judged| worst(&judged)).map(|(ratio, _)| ratio);
        ratio.is_some_and(|ratio| (ratio > 0.0) == (part > 1.0))
    });
    monotone.then_some(truth).ok_or(NoTruth::NotMonotone)
}

fn crossing(case: &Case) -> Option<Truth> {
    let lab = Lab { config: &case.config, workload: &case.workload, promise: &case.promise };
    let residence = lab.residence()?;
    let look = |rate: f64, requests: u32, seed: u64| -> Option<(f64, StepJudgement)> {
        let run = Run::of_requests(Rate::new(rate).ok()?, requests, seed, residence);
        let judged = lab.judge(&run).ok()?;
        Some((worst(&judged)?.0, judged))
    };
    // The first rate that breaks as the next one does too: a single one may be chance.
    let mut rate = case.saturation.get() * LEAST;
    let mut points = Vec::new();
    let crossing = loop {
        points.push((rate, look(rate, COARSE, 11)?.0));
        match points[..] {
            [.., (_, before), (first, one), (_, other)]
                if before <= 0.0 && one > 0.0 && other > 0.0 =>
            {
                break first / STRIDE.sqrt();
            }
            // Broken from the start.
            [(_, one), (_, other)] if one > 0.0 && other > 0.0 => return None,
            _ => {}
        }
        rate *= STRIDE;
        if rate > case.saturation.get() * 1.6 {
            return None;
        }
    };
    // A straight line through the logarithms of the worst ratio, near the crossing.
    let requests = ((f64::from(FINE.0) * 0.3 / lab.rarest_tier()) as u32).clamp(FINE.0, FINE.1);
    let mut fine = Vec::new();
    let (mut middle, mut binding) = (crossing, None);
    for round in 0..ROUNDS {
        for (part, seed) in AROUND.into_iter().zip(20 + 10 * round..) {
            let (ratio, judged) = look(middle * part, requests, seed)?;
            fine.push((libm::log(middle * part), ratio));
            if part == 1.0 {
                binding = Some(worst(&judged)?.1);
            }
        }
        let near: Vec<_> =
            fine.iter().copied().filter(|at| (at.0 - libm::log(middle)).abs() < 0.12).collect();
        middle = libm::exp(root(&near)?);
    }
    Some(Truth { rate: Rate::new(middle).ok()?, binding: binding? })
}

/// ln of the bad share over the allowed one, of the promise where it is greatest: above 0 is
/// broken.
fn worst(judged: &StepJudgement) -> Option<(f64, (PromiseKind, Option<usize>))> {
    judged
        .promises
        .iter()
        .filter(|promise| promise.signed)
        .filter_map(|promise| match &promise.evidence {
            Measured::Value(evidence) => {
                let (n, bad) = (evidence.n as f64, (evidence.n - evidence.good) as f64);
                let allowed = 1.0 - evidence.target.get();
                let ratio = libm::log(((bad + 0.5) / (n + 1.0) / allowed).max(1e-6));
                // The point's verdict is the one that counts, to the last request.
                let ratio = match promise.screen {
                    Verdict::Broken => ratio.max(1e-9),
                    _ => ratio.min(-1e-9),
                };
                Some((ratio, (promise.kind, promise.tier)))
            }
            Measured::Missing(_) => None,
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Where a least-squares line through points crosses zero, no further than a stride beyond
/// them; where the points do not rise, their middle.
fn root(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sxy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let slope = sxy / sxx;
    if !slope.is_finite() {
        return None;
    }
    let reach = 0.1;
    // A line is no authority far from its points.
    Some(if slope > 1.0 {
        mx + (-my / slope).clamp(-reach, reach)
    } else {
        mx - reach * my.signum()
    })
}
