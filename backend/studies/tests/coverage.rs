//! How often the judge is wrong, measured on models whose truth is known. A small version;
//! `make coverage` runs the large one.

use tokencap_shared::definitions::judge::Verdict;
use tokencap_shared::stats::share::{at_least, at_most};
use tokencap_shared::units::{Ratio, Share};
use tokencap_studies::coverage::model::{
    Queue, as_if_independent, by_twenty_batches, erlang_c, verdict,
};
use tokencap_testkit::random::Random;

/// Five per cent, and three standard errors of an estimate from so many runs.
fn five_per_cent_and_error(runs: u32) -> f64 {
    0.05 + 3.0 * (0.05 * 0.95 / f64::from(runs)).sqrt()
}

#[test]
fn bounds_of_independent_indicators_miss_in_at_most_five_per_cent() {
    const RUNS: u32 = 10_000;
    let confidence = Share::new(0.95).expect("a share");
    let mut random = Random::new(1);
    for (n, p) in [(300, 0.99), (1000, 0.99), (3000, 0.99), (6000, 0.9995), (50, 0.5)] {
        let (mut above, mut below) = (0, 0);
        for _ in 0..RUNS {
            let good = (0..n).filter(|_| random.unit() < p).count() as f64;
            let bad = Ratio::new(f64::from(n) - good).expect("n");
            let good = Ratio::new(good).expect("n");
            above += u32::from(at_least(good, bad, confidence).get() > p);
            below += u32::from(at_most(good, bad, confidence).get() < p);
        }
        let most = five_per_cent_and_error(RUNS);
        for missed in [above, below] {
            assert!(f64::from(missed) / f64::from(RUNS) <= most, "n {n} p {p}: {missed}");
        }
    }
}

#[test]
fn the_model_waits_as_erlang_says() {
    assert!((erlang_c(16, 12.8) - 0.304_883_912_930_016_9).abs() < 1e-12);
    assert!((Queue { servers: 16, rho: 0.8 }.limit(0.01) - 1.067_920_624_317_973_5).abs() < 1e-9);
    let queue = Queue { servers: 16, rho: 0.8 };
    let mut random = Random::new(3);
    let waits: Vec<f64> =
        (0..50).flat_map(|_| queue.run(10_000, &mut random)).map(|w| w[1]).collect();
    let waited = waits.iter().filter(|&&wait| wait > 0.0).count() as f64 / waits.len() as f64;
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    assert!((waited - 0.3049).abs() < 0.01, "{waited}");
    assert!((mean - 0.0953).abs() < 0.008, "{mean}");
}

#[test]
fn at_the_boundary_of_a_queue_a_proof_is_rare() {
    const RUNS: u32 = 150;
    let queue = Queue { servers: 16, rho: 0.8 };
    let limit = queue.limit(0.01);
    let mut random = Random::new(5);
    let mut held = [0; 3];
    for _ in 0..RUNS {
        let requests = queue.run(20_000, &mut random);
        let verdicts = [
            as_if_independent(&requests, limit),
            by_twenty_batches(&requests, limit),
            verdict(&requests, limit).0,
        ];
        for (count, verdict) in held.iter_mut().zip(verdicts) {
            *count += u32::from(verdict == Verdict::Held);
        }
    }
    let [independent, batches, judge] = held.map(|count| f64::from(count) / f64::from(RUNS));
    assert!(independent > 0.4, "{held:?}");
    assert!(judge <= batches && judge <= five_per_cent_and_error(RUNS), "{held:?}");
}

#[test]
fn well_below_the_boundary_a_long_run_proves_it() {
    let limit = Queue { servers: 16, rho: 0.8 }.limit(0.01);
    let easier = Queue { servers: 16, rho: 0.68 };
    assert!(easier.attainment(limit) > 0.9995);
    let mut random = Random::new(9);
    let held = (0..20)
        .filter(|_| verdict(&easier.run(36_000, &mut random), limit).0 == Verdict::Held)
        .count();
    assert!(held >= 18, "{held} of 20");
}
