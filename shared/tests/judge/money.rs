//! Cost, value and margin, and the comparisons that are refused.

use proptest::prelude::*;
use tokencap_shared::bundle::Bundle;
use tokencap_shared::bundle::judged::of_bundle;
use tokencap_shared::definitions::compare::{
    Candidate, Refused, Told, Unlike, in_money, in_tokens,
};
use tokencap_shared::definitions::judge::Sold;
use tokencap_shared::definitions::measured::{Measured, Missing};
use tokencap_shared::definitions::money::{
    CostPerMTok, Economics, GpuHour, Price, PriceSheet, cost_per_mtok, daily_value_at_cost,
    gpu_cost_daily, value_at_price,
};
use tokencap_shared::definitions::record::Request;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::units::{Nanos, Seconds, TokenRate, TokensPerDay};

use crate::build::*;

pub(crate) fn prices() -> PriceSheet {
    PriceSheet {
        name: "p".to_owned(),
        currency: "USD".to_owned(),
        date: "2026-11-29".to_owned(),
        gpu_hour: Some(Price::new(4.0, "contract").expect("a price")),
        output: Some(Price::new(4.0, "list").expect("a price")),
        input_uncached: Some(Price::new(1.0, "list").expect("a price")),
        input_cached: Some(Price::new(0.2, "list").expect("a price")),
    }
}

proptest! {
    /// Goodput cancels out: whatever it is, value at cost is what the GPUs cost.
    #[test]
    fn daily_value_at_cost_is_the_gpus_daily_cost(
        price in 0.01_f64..100.0, gpus in 1_u32..10_000, goodput in 0.001_f64..1e9,
    ) {
        let price = Price::<GpuHour>::new(price, "").expect("a price");
        let goodput = TokenRate::new(goodput).expect("a rate");
        let daily = TokensPerDay::new(goodput.get() * 86_400.0).expect("finite");
        let value = daily_value_at_cost(daily, cost_per_mtok(&price, gpus, goodput));
        let (value, cost) = (value.value().map(|m| m.get()), gpu_cost_daily(&price, gpus));
        let cost = cost.value().expect("finite").get();
        prop_assert!((value.expect("finite") / cost - 1.0).abs() < 1e-12);
    }
}

#[test]
fn without_goodput_the_cost_is_infinite_and_never_zero() {
    let price = Price::<GpuHour>::new(4.0, "").expect("a price");
    let nothing = TokenRate::new(0.0).expect("a rate");
    let cost = cost_per_mtok(&price, 8, nothing);
    assert_eq!(cost, CostPerMTok::Infinite);
    assert_eq!(cost.at_utilisation(share(0.5)), CostPerMTok::Infinite);
    let some = cost_per_mtok(&price, 8, TokenRate::new(100.0).expect("a rate"));
    assert_eq!(some.at_utilisation(share(0.0)), CostPerMTok::Infinite);
    let half = some.at_utilisation(share(0.5)).finite().expect("finite").get();
    assert!((half / some.finite().expect("finite").get() - 2.0).abs() < 1e-12);
}

#[test]
fn value_at_price_carries_output_and_both_inputs() {
    let sold = Sold {
        output: 1_000_000,
        input_uncached: Measured::Value(2_000_000),
        input_cached: Measured::Value(50_000_000),
    };
    let hour = Seconds::new(3600.0).expect("a time");
    let value = value_at_price(&sold, hour, &prices());
    let money = |amount: &Measured<_>| {
        amount.value().map(|m: &tokencap_shared::definitions::money::Money| m.get())
    };
    let near = |value: Option<f64>, expected: f64| {
        assert!((value.expect("priced") / expected - 1.0).abs() < 1e-12, "{value:?} {expected}");
    };
    near(money(&value.output), 96.0);
    near(money(&value.input_uncached), 48.0);
    near(money(&value.input_cached), 240.0);
    near(money(&value.total), 384.0);
    near(value.output_share.value().map(|share| share.get()), 0.25);
    near(money(&value.blended_per_mtok), 16.0);
    assert!(value.complete);

    // Only an output price: said, and no input taken for free.
    let only = PriceSheet { input_uncached: None, input_cached: None, ..prices() };
    let value = value_at_price(&sold, hour, &only);
    assert!(!value.complete);
    assert_eq!(value.input_cached, Measured::Missing(Missing::NotPriced));
    near(money(&value.total), 96.0);
    // Unknown caching is unknown, not uncached.
    let unknown = Measured::Missing(Missing::NotObserved);
    let blind = Sold { input_uncached: unknown.clone(), input_cached: unknown, ..sold };
    let value = value_at_price(&blind, hour, &prices());
    assert!(!value.complete && value.input_uncached.value().is_none());
}

#[test]
fn the_money_of_a_bundle_follows_from_its_capacity() {
    let mut probe = step(0, StepKind::Probe, 100);
    let mut requests = quick(&mut probe, 1000);
    let mut confirm = step(1, StepKind::Confirm, 100);
    requests.extend(quick(&mut confirm, 2000));
    let bundle = bundle(vec![probe, confirm], requests, vec![]);
    let capacity = of_bundle(&bundle);
    let money = Economics::of(&capacity, &bundle.manifest.deployment, &prices());
    // Five provisioned GPUs at 4 an hour, although four serve.
    assert_eq!(money.gpu_cost_daily.value().map(|m| m.get()), Some(480.0));
    assert_eq!(money.identity_holds, Measured::Value(true));
    assert_eq!(money.cost_curve.len(), 2);
    assert!(money.cost_curve[0].rate < money.cost_curve[1].rate);
    let value = money.value_at_price_daily.value().expect("priced").total.clone();
    let margin = money.margin_daily.value().expect("priced").get();
    let expected = value.value().expect("priced").get() - 480.0;
    assert!((margin - expected).abs() < 1e-9);
    assert_eq!(money.utilisation_curve.len(), 10);
    let none = PriceSheet { gpu_hour: None, ..prices() };
    let money = Economics::of(&capacity, &bundle.manifest.deployment, &none);
    assert_eq!(money.cost, Measured::Missing(Missing::NotPriced));
    assert_eq!(money.margin_daily, Measured::Missing(Missing::NotPriced));
}

#[test]
fn one_model_compares_in_tokens_and_two_in_money() {
    let mut step = step(0, StepKind::Confirm, 100);
    let requests = quick(&mut step, 2000);
    let one = bundle(vec![step], requests, vec![]);
    let mut other = one.clone();
    other.manifest.deployment.gpus_serving = 2;
    let (a, b) = (of_bundle(&one), of_bundle(&other));
    let left = Candidate { declared: one.manifest.declared(), capacity: &a };
    let right = Candidate { declared: other.manifest.declared(), capacity: &b };
    let tokens = in_tokens(left, right).expect("one model");
    let ratio = tokens.ratio.value().expect("both");
    assert!((ratio.at.get() - 2.0).abs() < 1e-12);
    // No rate was broken, so nothing bounds either from above.
    assert_eq!((ratio.low.get(), ratio.high), (0.0, None));
    assert_eq!(tokens.right_is, Measured::Value(Told::NotTold));
    assert_eq!(tokens.unlike, []);
    let money =
        |capacity, sheet: &PriceSheet| Economics::of(capacity, &one.manifest.deployment, sheet);
    let (a_money, b_money) = (money(&a, &prices()), money(&b, &prices()));
    let refused = in_money((left, &a_money), (right, &b_money));
    assert_eq!(refused, Err(Refused::SameModel { model: "m r1".to_owned() }));

    let mut stranger = other.clone();
    stranger.manifest.deployment.revision = "r2".to_owned();
    stranger.manifest.promise = sheet_with(|fields| fields.tiers[0].ttft.0 += 1);
    let right = Candidate { declared: stranger.manifest.declared(), capacity: &b };
    assert!(matches!(in_tokens(left, right), Err(Refused::DifferentModels { .. })));
    let compared = in_money((left, &a_money), (right, &b_money)).expect("two models");
    assert_eq!(compared.unlike, [Unlike::Promise]);
    let euros = PriceSheet { currency: "EUR".to_owned(), ..prices() };
    let refused = in_money((left, &a_money), (right, &money(&b, &euros)));
    assert!(matches!(refused, Err(Refused::DifferentCurrencies { .. })));
}

/// A bundle with a confirmation run held at 20 requests a second and a broken probe above it.
fn bracketed(broken_rate: u64) -> Bundle {
    let mut held = step(0, StepKind::Confirm, 100);
    let mut requests = quick(&mut held, 2000);
    let mut broken = step(1, StepKind::Probe, 100);
    broken.asked = rate(2.0);
    requests.extend(quick(&mut broken, 100 * broken_rate).into_iter().map(|request| Request {
        first_token: Some(request.sent + Nanos::from_secs(4)),
        last_token: Some(request.sent + Nanos::from_secs(5)),
        end: request.sent + Nanos::from_secs(5),
        ..request
    }));
    bundle(vec![held, broken], requests, vec![])
}

#[test]
fn a_difference_is_told_only_where_the_intervals_are_apart() {
    let of = |broken_rate: u64, gpus: u32| {
        let mut bundle = bracketed(broken_rate);
        bundle.manifest.deployment.gpus_serving = gpus;
        (of_bundle(&bundle), bundle)
    };
    let compared = |broken_rate: u64, left: u32, right: u32| {
        let ((a, left), (b, right)) = (of(broken_rate, left), of(broken_rate, right));
        let left = Candidate { declared: left.manifest.declared(), capacity: &a };
        let right = Candidate { declared: right.manifest.declared(), capacity: &b };
        in_tokens(left, right).expect("one model")
    };
    let same = compared(21, 100, 100);
    let left = same.left.value().expect("held");
    let (low, high) =
        (left.low.get() / left.at.get(), left.high.expect("broken").get() / left.at.get());
    // Equal answers at equal distances: the sampling error is next to none, the bracket is all.
    assert!((0.98..=1.0).contains(&low) && (high - 1.05).abs() < 1e-3, "{low} {high}");
    assert_eq!(same.right_is, Measured::Value(Told::AboutTheSame));
    let told = |broken, left, right| *compared(broken, left, right).right_is.value().expect("held");
    assert_eq!(told(21, 100, 102), Told::AboutTheSame);
    assert_eq!((told(21, 100, 90), told(21, 90, 100)), (Told::Better, Told::Worse));
    // Between 20 and 26 requests a second much can hide.
    assert_eq!((told(26, 100, 110), told(26, 100, 100)), (Told::NotTold, Told::NotTold));
}

#[test]
fn a_screen_reaches_down_to_the_next_rate_tested() {
    let mut screened = bracketed(21);
    screened.manifest.steps[0].kind = StepKind::Probe;
    let capacity = of_bundle(&screened);
    let side = Candidate { declared: screened.manifest.declared(), capacity: &capacity };
    let alone = in_tokens(side, side).expect("one model");
    assert_eq!(alone.left.value().expect("held").low.get(), 0.0);
    assert_eq!(alone.right_is, Measured::Value(Told::NotTold));
}

#[test]
fn money_moves_with_goodput_and_the_gpus_cost_does_not() {
    let (one, mut other) = (bracketed(21), bracketed(21));
    other.manifest.deployment.revision = "r2".to_owned();
    let (a, b) = (of_bundle(&one), of_bundle(&other));
    let money = |capacity, bundle: &Bundle, prices: &PriceSheet| {
        Economics::of(capacity, &bundle.manifest.deployment, prices)
    };
    let left = Candidate { declared: one.manifest.declared(), capacity: &a };
    let right = Candidate { declared: other.manifest.declared(), capacity: &b };
    // At 275 prompt tokens a token of output, it is the input that is sold.
    let input = Some(Price::new(2.0, "list").expect("a price"));
    let dear = PriceSheet { input_uncached: input, ..prices() };
    let compare = |prices_right: &PriceSheet| {
        let (a, b) = (money(&a, &one, &prices()), money(&b, &other, prices_right));
        in_money((left, &a), (right, &b)).expect("two models")
    };
    let same = compare(&prices());
    let (value, margin) = (&same.left.value_per_gpu_day, &same.left.margin_per_gpu_day);
    let (value, margin) = (value.value().expect("priced"), margin.value().expect("priced"));
    // Five GPUs at 4 an hour: 96 a GPU and day, at either end of the interval.
    for (value, margin) in [(value.at, margin.at), (value.low, margin.low)] {
        assert!((value.get() - margin.get() - 96.0).abs() < 1e-9);
    }
    assert!((value.high.expect("broken").get() / value.at.get() - 1.05).abs() < 1e-3);
    assert_ne!(same.right_is, Measured::Value(Told::Better));
    assert_eq!(compare(&dear).right_is, Measured::Value(Told::Better));
    // Without a selling price there is nothing to compare by.
    let unsold = PriceSheet { output: None, input_uncached: None, input_cached: None, ..prices() };
    assert_eq!(compare(&unsold).right_is, Measured::Missing(Missing::NotPriced));
}
