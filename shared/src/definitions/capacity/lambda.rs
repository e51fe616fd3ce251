//! λ_slo_max: the first crossing of the promises, as a bracket.

use serde::Serialize;

use crate::definitions::judge::{StepJudgement, Verdict};
use crate::definitions::step::StepKind;
use crate::units::Rate;

/// λ_slo_max: the highest tested rate whose step is valid, where every signed promise is held,
/// and below which no tested rate is broken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LambdaSloMax {
    /// The step that holds it.
    pub step: u32,
    /// Rate offered in that step.
    pub rate: Rate,
    /// The lowest rate tested above it that was broken; `None`: no rate tested breaks.
    pub first_broken: Option<Rate>,
    /// A rate above a broken one passed: said, never used.
    pub non_monotone: bool,
    /// How the passes were judged.
    pub basis: Basis,
}

/// On what a λ_slo_max rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Every promise held with confidence, in a confirmation run.
    Confidence,
    /// Point estimates only: a screen.
    Screen,
}

/// One tested rate, reduced to what decides a crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    /// Rate offered.
    pub rate: Rate,
    /// Whether the step counts.
    pub valid: bool,
    /// Of a probe its screen, of a confirmation run its verdict.
    pub verdict: Verdict,
}

/// Where the tested rates cross from held to broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Index of the highest held rate below which nothing is broken.
    pub held: usize,
    /// Index of the lowest broken rate.
    pub first_broken: Option<usize>,
    /// A held rate lies above a broken one.
    pub non_monotone: bool,
}

/// The first crossing; `None` where no rate is held below every broken one. Invalid steps do
/// not exist for it; a rate of which too little is known neither holds nor breaks. A rate that
/// was both held and broken is broken.
#[must_use]
pub fn first_crossing(tested: &[Tested]) -> Option<Crossing> {
    let with =
        |verdict| tested.iter().enumerate().filter(move |(_, t)| t.valid && t.verdict == verdict);
    let by_rate =
        |a: &(usize, &Tested), b: &(usize, &Tested)| a.1.rate.get().total_cmp(&b.1.rate.get());
    let first_broken = with(Verdict::Broken).min_by(by_rate);
    let below = |t: &Tested| first_broken.is_none_or(|(_, broken)| t.rate < broken.rate);
    let held = with(Verdict::Held).filter(|(_, t)| below(t)).max_by(by_rate)?;
    Some(Crossing {
        held: held.0,
        first_broken: first_broken.map(|(at, _)| at),
        non_monotone: with(Verdict::Held).any(|(_, t)| !below(t)),
    })
}

/// λ_slo_max of judged steps.
///
/// Held with confidence is only what a confirmation run held; a probe's point estimate is too
/// weak to overrule it, so below a confirmed rate a probe is broken only where its own bounds
/// say so. Above it the point estimate is enough for the bracket's upper end. Without a
/// confirmation the answer is a screen: probes judged by their point estimates.
#[must_use]
pub fn lambda_slo_max(steps: &[StepJudgement]) -> Option<LambdaSloMax> {
    let verdicts = majority_of_repeats(steps);
    let screened: Vec<Tested> = steps
        .iter()
        .zip(&verdicts)
        .map(|(step, &verdict)| Tested {
            rate: step.offered,
            // A closed loop offers no rate.
            valid: step.validity.is_valid() && step.kind != StepKind::Closed,
            verdict,
        })
        .collect();
    let confirmed: Vec<Tested> = steps
        .iter()
        .zip(&screened)
        .map(|(step, tested)| Tested {
            valid: tested.valid
                && (step.kind != StepKind::Probe
                    || (tested.verdict == Verdict::Broken && step.verdict == Verdict::Broken)),
            ..*tested
        })
        .collect();
    let by_screen = first_crossing(&screened);
    let (held, basis) = match (first_crossing(&confirmed), &by_screen) {
        (Some(crossing), _) => (crossing.held, Basis::Confidence),
        (None, Some(crossing)) => (crossing.held, Basis::Screen),
        (None, None) => return None,
    };
    let rate = steps[held].offered;
    let broken = |tested: &&Tested| tested.valid && tested.verdict == Verdict::Broken;
    let first_broken = screened
        .iter()
        .filter(broken)
        .map(|tested| tested.rate)
        .filter(|&broken| broken > rate)
        .min_by(|a, b| a.get().total_cmp(&b.get()));
    // A pass above a broken rate, whether or not it is used.
    let least_broken = screened.iter().filter(broken).map(|tested| tested.rate.get());
    let least_broken = least_broken.fold(f64::INFINITY, f64::min);
    let passed = |tested: &Tested| tested.valid && tested.verdict == Verdict::Held;
    let non_monotone =
        screened.iter().any(|tested| passed(tested) && tested.rate.get() >= least_broken);
    Some(LambdaSloMax { step: steps[held].step, rate, first_broken, non_monotone, basis })
}

/// The verdict of each step: of a probe its screen, of a confirmation run its verdict. Where a
/// rate was probed three times or more, the majority of its valid probes speaks for each.
fn majority_of_repeats(steps: &[StepJudgement]) -> Vec<Verdict> {
    let probe = |step: &&StepJudgement| step.kind == StepKind::Probe && step.validity.is_valid();
    steps
        .iter()
        .map(|step| {
            if step.kind != StepKind::Probe {
                return step.verdict;
            }
            let repeats: Vec<_> =
                steps.iter().filter(probe).filter(|other| other.asked == step.asked).collect();
            let count = |verdict| repeats.iter().filter(|r| r.screen == verdict).count();
            if repeats.len() < 3 {
                step.screen
            } else if count(Verdict::Held) * 2 > repeats.len() {
                Verdict::Held
            } else if count(Verdict::Broken) * 2 >= repeats.len() {
                Verdict::Broken
            } else {
                Verdict::Insufficient
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::bundle::judged;
    use crate::definitions::step::StepKind;
    use crate::fixture;

    #[test]
    fn closed_loops_never_make_a_capacity() {
        let mut bundle = fixture::bundle();
        assert!(judged::of_bundle(&bundle).lambda.value().is_some());
        for step in &mut bundle.manifest.steps {
            step.kind = StepKind::Closed;
        }
        assert!(judged::of_bundle(&bundle).lambda.value().is_none());
    }
}
