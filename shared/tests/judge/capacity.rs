//! λ_slo_max as the first crossing, and the figures at it.

use proptest::prelude::*;
use tokencap_shared::bundle::judged::of_bundle;
use tokencap_shared::definitions::capacity::{Basis, Standing, Tested, first_crossing, of_steps};
use tokencap_shared::definitions::judge::{StepJudgement, Verdict};
use tokencap_shared::definitions::measured::{Measured, Missing};
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::definitions::telemetry::Metric;
use tokencap_shared::units::Nanos;

use crate::build::*;

fn tested(rungs: &[(f64, Verdict)]) -> Vec<Tested> {
    let of =
        |&(lambda, verdict): &(f64, Verdict)| Tested { rate: rate(lambda), valid: true, verdict };
    rungs.iter().map(of).collect()
}

#[test]
fn the_answer_is_the_first_crossing_whatever_passes_above() {
    use Verdict::{Broken, Held, Insufficient};
    let crossing = |rungs: &[(f64, Verdict)]| {
        first_crossing(&tested(rungs))
            .map(|c| (rungs[c.held].0, c.first_broken.map(|at| rungs[at].0), c.non_monotone))
    };
    assert_eq!(crossing(&[(1.0, Held), (2.0, Held), (3.0, Broken)]), Some((2.0, Some(3.0), false)));
    assert_eq!(crossing(&[(3.0, Broken), (4.0, Held), (2.0, Held)]), Some((2.0, Some(3.0), true)));
    assert_eq!(crossing(&[(1.0, Held), (2.0, Insufficient)]), Some((1.0, None, false)));
    assert_eq!(crossing(&[(1.0, Insufficient), (2.0, Held)]), Some((2.0, None, false)));
    assert_eq!(crossing(&[(1.0, Broken), (2.0, Held)]), None);
    assert_eq!(crossing(&[(1.0, Held), (1.0, Broken)]), None);
    assert_eq!(crossing(&[]), None);
    let mut invalid = tested(&[(1.0, Held), (2.0, Broken), (3.0, Held)]);
    invalid[1].valid = false;
    assert_eq!(first_crossing(&invalid).map(|c| c.held), Some(2));
}

proptest! {
    #[test]
    fn the_crossing_lies_below_everything_broken(
        rungs in prop::collection::vec((1_u32..20, 0_u8..4, any::<bool>()), 0..12),
    ) {
        let verdicts = [Verdict::Held, Verdict::Broken, Verdict::Insufficient, Verdict::NotObserved];
        let tested: Vec<Tested> = rungs
            .iter()
            .map(|&(lambda, verdict, valid)| Tested {
                rate: rate(lambda.into()),
                valid,
                verdict: verdicts[verdict as usize],
            })
            .collect();
        // By the text: the highest valid held rate such that no valid rate at or below it is broken.
        let broken_up_to = |limit: f64| tested.iter().any(|t| {
            t.valid && t.verdict == Verdict::Broken && t.rate.get() <= limit
        });
        let best = tested
            .iter()
            .filter(|t| t.valid && t.verdict == Verdict::Held && !broken_up_to(t.rate.get()))
            .map(|t| t.rate.get())
            .fold(None, |best: Option<f64>, rate| Some(best.map_or(rate, |best| best.max(rate))));
        let found = first_crossing(&tested);
        prop_assert_eq!(found.map(|c| tested[c.held].rate.get()), best);
    }
}

/// A judged step at a rate: all quick, or one in ten slow.
fn judged(id: u32, kind: StepKind, per_second: u64, slow: bool) -> StepJudgement {
    let mut step = step(id, kind, 100);
    step.asked = rate(per_second as f64);
    let mut requests = quick(&mut step, per_second * 100);
    if slow {
        for request in requests.iter_mut().step_by(9) {
            request.first_token = Some(request.sent + Nanos::from_secs(4));
            request.last_token = Some(request.sent + Nanos::from_secs(5));
            request.end = request.sent + Nanos::from_secs(5);
        }
    }
    judge(&step, &requests, &[])
}

#[test]
fn probes_screen_and_confirmations_sign() {
    use StepKind::{Confirm, Probe};
    let probes = vec![
        judged(0, Probe, 10, false),
        judged(1, Probe, 40, true),
        judged(2, Probe, 20, false),
        judged(3, Probe, 30, false),
    ];
    let lambda = of_steps(probes.clone(), &sheet(), 4).lambda;
    let lambda = lambda.value().expect("screened");
    assert_eq!((lambda.step, lambda.basis), (3, Basis::Screen));
    assert_eq!(lambda.first_broken, Some(rate(40.0)));

    let mut confirmed = probes.clone();
    confirmed.push(judged(4, Confirm, 28, false));
    let capacity = of_steps(confirmed, &sheet(), 4);
    let lambda = capacity.lambda.value().expect("confirmed");
    assert_eq!((lambda.step, lambda.basis, lambda.non_monotone), (4, Basis::Confidence, false));
    assert_eq!(lambda.first_broken, Some(rate(40.0)));
    assert_eq!(capacity.at.value().expect("held").standing, Standing::Reference);

    // A confirmation above a rate that a probe broke confirms nothing.
    let mut above = vec![judged(1, Probe, 20, true)];
    above.push(judged(4, Confirm, 28, false));
    assert_eq!(of_steps(above, &sheet(), 4).lambda, Measured::Missing(Missing::NothingHeld));
}

#[test]
fn of_repeated_probes_the_majority_speaks() {
    use StepKind::Probe;
    let repeats = |slow: [bool; 3]| {
        let mut steps: Vec<_> = (0..3).map(|i| judged(i, Probe, 20, slow[i as usize])).collect();
        steps.push(judged(3, Probe, 30, false));
        let lambda = of_steps(steps, &sheet(), 1).lambda;
        lambda.value().map(|lambda| lambda.rate.get())
    };
    assert_eq!(repeats([true, false, false]), Some(30.0));
    assert_eq!(repeats([true, true, false]), None);
}

#[test]
fn the_figures_at_lambda_follow_from_its_step() {
    let mut step = step(7, StepKind::Confirm, 100);
    let requests = quick(&mut step, 2000);
    let telemetry =
        (0..=120).map(|s| sample(f64::from(s), Metric::PowerWatts, "gpu=0", 400.0)).collect();
    let capacity = of_bundle(&bundle(vec![step], requests, telemetry));
    let at = capacity.at.value().expect("held");
    // 2,000 answers of 10 tokens; the last one is sent 50 ms before the end and takes 191 ms.
    let wall = capacity.steps[0].wall.value().expect("members").get();
    assert!((wall - 100.141).abs() < 1e-5, "{wall}");
    let close = |value: f64, expected: f64| (value / expected - 1.0).abs() < 1e-12;
    assert!(close(at.goodput.get(), 20_000.0 / wall));
    assert!(close(at.goodput_per_gpu.value().expect("four").get(), 5_000.0 / wall));
    assert!(close(at.daily.get(), 20_000.0 / wall * 86_400.0));
    assert!(close(at.mean_osl.value().expect("known").get(), 10.0));
    assert!(close(at.steps_per_day.value().expect("known").get(), 2_000.0 / wall * 86_400.0));
    assert!(close(at.input_daily.get(), 5_500_000.0 / wall * 86_400.0));
    let reused = at.input_reused_daily.value().expect("known").get();
    let computed = at.input_computed_daily.value().expect("known").get();
    assert!(close(reused + computed, at.input_daily.get()));
    assert!(close(at.goodput_per_watt.value().expect("seen").get(), 50.0 / wall));
    assert_eq!(at.worst_attainment, Measured::Value(share(1.0)));
}
