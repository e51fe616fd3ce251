//! Capacity and money once more, written down plainly from what a bundle was made of; and
//! every plausible misreading of them, each shown to give another number.

use tokencap_shared::bundle::Bundle;
use tokencap_shared::bundle::judged::of_bundle;
use tokencap_shared::definitions::capacity::{Capacity, tasks_per_day};
use tokencap_shared::definitions::measured::Measured;
use tokencap_shared::definitions::money::{CostPerMTok, Economics};
use tokencap_shared::definitions::record::Request;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::units::Nanos;

use crate::build::*;
use crate::money::prices;

/// A step of 100 s: so many requests, of which some are slow, and some fail half way.
#[derive(Clone, Copy)]
struct Rung {
    n: u64,
    slow: u64,
    failed: u64,
    valid: bool,
}

const fn rung(n: u64, slow: u64, failed: u64, valid: bool) -> Rung {
    Rung { n, slow, failed, valid }
}

/// Held at 10 and 20 requests a second, broken at 30, held again at 40, broken at 50; an invalid
/// step at 25 would pass. Goodput is highest at 50, where the promise is broken.
const RUNGS: [Rung; 6] = [
    rung(1000, 0, 0, true),
    rung(2000, 8, 6, true),
    rung(3000, 300, 0, true),
    rung(2400, 1, 0, true),
    rung(5000, 1000, 0, true),
    rung(2500, 0, 0, false),
];

/// Rates asked for, which differ from what was offered.
const ASKED: [f64; 6] = [9.0, 19.0, 29.0, 39.0, 49.0, 24.0];

const TOKENS: u64 = 10;
const PARTIAL: u64 = 4;
const CACHED: u64 = 100;
const STEPS_A_TASK: u32 = 36;
const SERVING: f64 = 4.0;
const PROVISIONED: f64 = 5.0;
/// Of the price sheet: a GPU-hour, and a million tokens of output, uncached and cached input.
const PRICES: [f64; 4] = [4.0, 4.0, 1.0, 0.2];

fn made() -> Bundle {
    let (mut steps, mut requests) = (Vec::new(), Vec::new());
    for (id, rung) in (0_u32..).zip(RUNGS) {
        // The 40 requests a second are offered in a shorter window.
        let seconds = if rung.n == 2400 { 60 } else { 100 };
        let mut step = step(id, StepKind::Probe, seconds);
        step.asked = rate(ASKED[id as usize]);
        let mut of_step = quick(&mut step, rung.n);
        if !rung.valid {
            step.generator.dropped = 1;
        }
        for (i, request) in (0_u64..).zip(&mut of_step) {
            *request = made_request(*request, i, rung);
        }
        steps.push(step);
        requests.extend(of_step);
    }
    bundle(steps, requests, vec![])
}

fn made_request(request: Request, i: u64, rung: Rung) -> Request {
    if i < rung.slow {
        let by = Nanos::from_secs(3);
        Request {
            first_token: request.first_token.map(|time| time + by),
            last_token: request.last_token.map(|time| time + by),
            end: request.end + by,
            ..request
        }
    } else if i < rung.slow + rung.failed {
        Request { outcome: FAILED, osl: Some(PARTIAL as u32), ..request }
    } else {
        request
    }
}

macro_rules! mutants {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A plausible misreading.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Mutant { $($(#[$doc])* $name,)* }
        const MUTANTS: &[Mutant] = &[$(Mutant::$name,)*];
    };
}

mutants! {
    /// The highest passing rate, whatever breaks below it.
    HighestPass,
    /// The rate of highest goodput.
    HighestGoodput,
    /// Invalid steps count.
    InvalidCounts,
    /// The rate asked for.
    AskedRate,
    /// The highest broken rate is the bracket's end.
    LastBroken,
    /// Raw throughput is sold.
    RawIsSold,
    /// Everything completed is sold.
    CompletedIsSold,
    /// Per GPU, spares included.
    PerProvisionedGpu,
    /// Serving GPUs only are paid for.
    ServingGpusPaid,
    /// Cost over all tokens: failed and slow work is free.
    CostOverRaw,
    /// Utilisation makes a token cheaper.
    UtilisationMultiplies,
    /// Input is free.
    InputIsFree,
    /// Cached input at the price of uncached.
    CachedAtFullPrice,
    /// Input in all at the price of uncached, and cached on top.
    CachedPaidTwice,
    /// Input of every request is paid for, compliant or not.
    InputOfAll,
    /// A day is a day of the window.
    RateOverTheWindow,
    /// Margin is value at price − value at cost of serving GPUs.
    MarginOverServing,
    /// A task is a step.
    TaskIsAStep,
    /// Steps a day at tokens of valid requests, partial ones included.
    StepsByPartialOutput,
}

/// The numbers in the order of [`NAMES`].
type Numbers = [f64; 13];

const NAMES: [&str; 13] = [
    "λ_slo_max",
    "first broken",
    "goodput",
    "raw",
    "goodput per GPU",
    "daily capacity",
    "steps a day",
    "tasks a day",
    "cost",
    "cost at 50 %",
    "value at cost",
    "value at price",
    "margin",
];

fn plain(mutant: Option<Mutant>) -> Numbers {
    let is = |m| mutant == Some(m);
    let bundle = made();
    let seconds = |at: usize| {
        let step = &bundle.manifest.steps[at];
        (step.w1.0 - step.w0.0) as f64 / 1e9
    };
    let offered = |at: usize| match is(Mutant::AskedRate) {
        true => ASKED[at],
        false => RUNGS[at].n as f64 / seconds(at),
    };
    let counts = |at: &usize| RUNGS[*at].valid || is(Mutant::InvalidCounts);
    // Either tier has half of the requests, so either misses its 99 % or neither does.
    let passes = |at: &usize| (RUNGS[*at].slow + RUNGS[*at].failed) * 100 <= RUNGS[*at].n;
    let tested: Vec<usize> = (0..RUNGS.len()).filter(counts).collect();
    let by_rate = |a: &usize, b: &usize| offered(*a).total_cmp(&offered(*b));
    let broken = tested.iter().copied().filter(|at| !passes(at));
    let first_broken = match is(Mutant::LastBroken) {
        true => broken.max_by(by_rate),
        false => broken.min_by(by_rate),
    }
    .expect("30 a second are broken");
    let compliant = |at: usize| RUNGS[at].n - RUNGS[at].slow - RUNGS[at].failed;
    let held = match mutant {
        Some(Mutant::HighestPass) => tested.iter().copied().filter(passes).max_by(by_rate),
        Some(Mutant::HighestGoodput) => tested.iter().copied().max_by_key(|at| compliant(*at)),
        _ => {
            let below = |at: &usize| offered(*at) < offered(first_broken);
            tested.iter().copied().filter(passes).filter(below).max_by(by_rate)
        }
    }
    .expect("10 a second are held");

    let id = held as u32;
    let of_step = || bundle.requests.iter().filter(move |r| r.step == id);
    let first = of_step().map(|r| r.sent.0).min().expect("requests");
    let last = of_step().map(|r| r.end.0).max().expect("requests");
    let wall = (last - first) as f64 / 1e9;
    let time = if is(Mutant::RateOverTheWindow) { seconds(held) } else { wall };
    let Rung { n, failed, .. } = RUNGS[held];
    let completed = n - failed;
    let raw_tokens = completed * TOKENS + failed * PARTIAL;
    let raw = raw_tokens as f64 / time;
    let goodput = match mutant {
        Some(Mutant::RawIsSold) => raw,
        Some(Mutant::CompletedIsSold) => (completed * TOKENS) as f64 / time,
        _ => (compliant(held) * TOKENS) as f64 / time,
    };
    let gpus = if is(Mutant::PerProvisionedGpu) { PROVISIONED } else { SERVING };
    let per_gpu = goodput / gpus;
    let daily = per_gpu * SERVING * 86_400.0;
    let mean_osl = match is(Mutant::StepsByPartialOutput) {
        true => raw_tokens as f64 / n as f64,
        false => TOKENS as f64,
    };
    let steps_a_day = daily / mean_osl;
    let tasks = steps_a_day / if is(Mutant::TaskIsAStep) { 1.0 } else { f64::from(STEPS_A_TASK) };

    let paid = if is(Mutant::ServingGpusPaid) { SERVING } else { PROVISIONED };
    let [gpu_hour, output, uncached, cached] = PRICES;
    let charged = if is(Mutant::CostOverRaw) { raw } else { goodput };
    let cost = gpu_hour * paid / 3600.0 / charged * 1e6;
    let half = if is(Mutant::UtilisationMultiplies) { cost * 0.5 } else { cost / 0.5 };
    let at_cost = daily * cost / 1e6;

    let sold: Vec<u64> = of_step()
        .enumerate()
        .filter(|(i, _)| {
            *i as u64 >= RUNGS[held].slow + RUNGS[held].failed || is(Mutant::InputOfAll)
        })
        .map(|(_, request)| u64::from(request.isl.expect("known")))
        .collect();
    let input: u64 = sold.iter().sum();
    let reused = sold.len() as u64 * CACHED;
    let price_of_input = match mutant {
        Some(Mutant::InputIsFree) => 0.0,
        Some(Mutant::CachedAtFullPrice) => input as f64 * uncached,
        Some(Mutant::CachedPaidTwice) => input as f64 * uncached + reused as f64 * cached,
        _ => (input - reused) as f64 * uncached + reused as f64 * cached,
    };
    let value = goodput * 86_400.0 * output / 1e6 + price_of_input / time * 86_400.0 / 1e6;
    let day = if is(Mutant::MarginOverServing) { SERVING } else { paid };
    let margin = value - 24.0 * day * gpu_hour;
    let rates = [offered(held), offered(first_broken)];
    [
        rates[0],
        rates[1],
        goodput,
        raw,
        per_gpu,
        daily,
        steps_a_day,
        tasks,
        cost,
        half,
        at_cost,
        value,
        margin,
    ]
}

fn computed() -> Numbers {
    fn of<T: Copy + Into<f64>>(value: &Measured<T>) -> f64 {
        (*value.value().expect("measured")).into()
    }
    let bundle = made();
    let capacity: Capacity = of_bundle(&bundle);
    let money = Economics::of(&capacity, &bundle.manifest.deployment, &prices());
    let lambda = capacity.lambda.value().expect("held");
    assert!(lambda.non_monotone);
    let at = capacity.at.value().expect("held");
    let steps = *at.steps_per_day.value().expect("tokens");
    let finite = |cost: CostPerMTok| cost.finite().expect("goodput").get();
    let half = money.utilisation_curve.iter().find(|(u, _)| u.get() == 0.5).expect("50 %").1;
    let value = money.value_at_price_daily.value().expect("priced");
    [
        lambda.rate.get(),
        lambda.first_broken.expect("30 a second").get(),
        at.goodput.get(),
        at.raw.get(),
        of(&at.goodput_per_gpu),
        at.daily.get(),
        steps.get(),
        of(&tasks_per_day(steps, STEPS_A_TASK)),
        finite(*money.cost.value().expect("priced")),
        finite(half),
        of(&money.value_at_cost_daily),
        of(&value.total),
        of(&money.margin_daily),
    ]
}

/// The names of the numbers that differ, but for rounding.
fn differing(a: &Numbers, b: &Numbers) -> Vec<&'static str> {
    let differ = |i: &usize| (a[*i] - b[*i]).abs() > 1e-9 * a[*i].abs();
    (0..NAMES.len()).filter(differ).map(|i| NAMES[i]).collect()
}

#[test]
fn capacity_and_money_are_what_the_plain_reading_gives() {
    let (plain, computed) = (plain(None), computed());
    assert_eq!(differing(&plain, &computed), [""; 0], "{plain:?} {computed:?}");
}

#[test]
fn every_misreading_of_capacity_or_money_gives_another_number() {
    let computed = computed();
    for &mutant in MUTANTS {
        assert!(!differing(&computed, &plain(Some(mutant))).is_empty(), "{mutant:?} survives");
    }
}
