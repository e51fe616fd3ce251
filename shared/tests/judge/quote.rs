//! Quotes inside the measured envelope, and refusals outside it.

use tokencap_shared::bundle::Bundle;
use tokencap_shared::bundle::judged::of_bundle;
use tokencap_shared::definitions::measured::Missing;
use tokencap_shared::definitions::quote::{
    Demand, Mark, Need, Quote, QuoteError, Refusal, Sizing, frechet, quote,
};
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::units::Ratio;

use crate::build::*;
use crate::money::prices;

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).expect("a ratio")
}

/// 20 requests a second of mean ISL 2750, OSL 10, on 5 GPUs, confirmed.
fn measured() -> Bundle {
    let mut step = step(0, StepKind::Confirm, 100);
    let requests = quick(&mut step, 2000);
    bundle(vec![step], requests, vec![])
}

fn need() -> Need {
    Need {
        sizing: Sizing {
            demand: Demand::TasksPerDay { tasks: ratio(86_400.0), peak_to_mean: ratio(2.0) },
            steps_per_task: 18,
            growth: ratio(0.0),
            utilisation_ceiling: share(0.9),
            spare_units: 1,
        },
        mean_isl: ratio(2000.0),
        max_isl: 9000,
        mean_osl: ratio(10.0),
        hit_rate: share(200.0 / 5500.0),
        valid_until: "2027-01-31".to_owned(),
    }
}

fn quoted(change: impl FnOnce(&mut Need)) -> Result<Quote, Vec<Refusal>> {
    let bundle = measured();
    let mut need = need();
    change(&mut need);
    quote(&need, &of_bundle(&bundle), bundle.manifest.declared(), &prices())
}

#[test]
fn a_need_inside_the_envelope_is_quoted_with_all_it_rests_on() {
    let quote = quoted(|_| {}).expect("inside");
    // 18 steps a second on the mean, 36 at the peak; 20 a unit, 18 at the ceiling; one spare.
    assert_eq!((quote.sized.units, quote.sized.units_total, quote.sized.gpus), (2, 3, 15));
    let close =
        |value: f64, expected: f64| assert!((value / expected - 1.0).abs() < 1e-9, "{value}");
    close(quote.cost_daily.value().expect("priced").get(), 1440.0);
    close(quote.cost_per_task.value().expect("priced").get(), 1440.0 / 86_400.0);
    close(quote.sized.mean_utilisation.get(), 0.3);
    let steps = 18.0 * 86_400.0;
    let hits = 200.0 / 5500.0;
    let price = steps * (10.0 * 4.0 + 2000.0 * (1.0 - hits) + 2000.0 * hits * 0.2) / 1e6;
    close(quote.price_daily.value().expect("priced").get(), price);
    close(quote.margin_daily.value().expect("priced").get(), price - 1440.0);
    let full = quote.cost_per_mtok.value().expect("priced").finite().expect("finite").get();
    let used = quote.cost_per_mtok_utilised.value().expect("priced").finite().expect("finite");
    close(used.get(), full / 0.3);
    assert_eq!(quote.chain_if_independent.value().expect("known").get(), 1.0);
    assert_eq!(quote.marks, [Mark::ReferenceOnly, Mark::UnitsAddUp, Mark::ChainByIndependence]);
    let gpus: Vec<u32> = quote.sensitivities.iter().map(|s| s.gpus).collect();
    assert_eq!(gpus, [20, 20, 20, 15]);
}

#[test]
fn outside_the_envelope_it_is_refused_with_every_reason() {
    let refused = |change: fn(&mut Need)| quoted(change).expect_err("outside");
    assert_eq!(
        refused(|need| need.max_isl = 10_001),
        [Refusal::IslOutside { needed: 10_001, promised: 10_000 }]
    );
    assert!(matches!(
        refused(|need| need.mean_isl = ratio(2900.0))[..],
        [Refusal::IslAboveMeasured { .. }]
    ));
    assert!(matches!(
        refused(|need| need.mean_osl = ratio(11.0))[..],
        [Refusal::OslAboveMeasured { .. }]
    ));
    assert!(matches!(
        refused(|need| need.hit_rate = share(0.0))[..],
        [Refusal::HitRateBelowMeasured { .. }]
    ));
    assert!(matches!(
        refused(|need| need.valid_until = "soon".to_owned())[..],
        [Refusal::NoDate { .. }]
    ));
    let many = refused(|need| {
        need.max_isl = 20_000;
        need.mean_osl = ratio(300.0);
    });
    assert_eq!(many.len(), 2);
}

#[test]
fn nothing_held_is_nothing_to_quote() {
    let mut bundle = measured();
    for request in &mut bundle.requests {
        *request = failure(0, request.sent.0);
    }
    let refused = quote(&need(), &of_bundle(&bundle), bundle.manifest.declared(), &prices());
    assert_eq!(refused, Err(vec![Refusal::NoCapacity { reason: Missing::NothingHeld }]));
}

#[test]
fn a_need_that_makes_no_sense_is_refused_by_its_field() {
    let lambda = rate(2.0);
    let sizing = need().sizing;
    let size = |change: fn(&mut Sizing)| {
        let mut sizing = sizing;
        change(&mut sizing);
        sizing.size(lambda, 8)
    };
    let field = |field| Err(QuoteError::Need { field });
    assert_eq!(size(|s| s.steps_per_task = 0), field("steps_per_task"));
    assert_eq!(size(|s| s.utilisation_ceiling = share(0.0)), field("utilisation_ceiling"));
    let demand =
        |tasks, peak| Demand::TasksPerDay { tasks: ratio(tasks), peak_to_mean: ratio(peak) };
    let with = |demand| Sizing { demand, ..sizing }.size(lambda, 8);
    assert_eq!(with(demand(0.0, 1.0)), field("demand"));
    assert_eq!(with(demand(1.0, 0.5)), field("peak_to_mean"));
    assert_eq!(with(demand(1e300, 1e10)), Err(QuoteError::TooLarge));
    assert_eq!(sizing.size(lambda, 0), field("gpus_per_unit"));
    // A peak that fills whole units exactly asks for no further one.
    let peak = Demand::PeakSteps { rate: rate(6.3), peak_to_mean: ratio(1.0) };
    let sizing = Sizing { demand: peak, utilisation_ceiling: share(0.7), ..sizing };
    assert_eq!(sizing.size(rate(3.0), 8).map(|sized| sized.units), Ok(3));
}

#[test]
fn dependent_steps_are_bounded_by_frechet() {
    let (low, high) = frechet(share(0.99), 50);
    assert!((low.get() - 0.5).abs() < 1e-12 && high.get() == 0.99);
    assert_eq!(frechet(share(0.9), 50).0.get(), 0.0);
}
