//! The glossary: every term of the framework, and every example computed by the function that
//! it names.

use std::collections::BTreeSet;

use tokencap_shared::definitions::capacity::{
    Tested, daily_capacity, first_crossing, per_gpu, per_watt, steps_per_day, tasks_per_day,
};
use tokencap_shared::definitions::judge::{
    Input, Quantity, QueueHistogram, Sold, Verdict, chain_probability, complies,
};
use tokencap_shared::definitions::measured::Measured;
use tokencap_shared::definitions::money::{
    CostPerMTok, Output, Price, PriceSheet, cost_per_mtok, daily_value_at_cost, gpu_cost_daily,
    utilisation_curve, value_at_price,
};
use tokencap_shared::definitions::promise::Target;
use tokencap_shared::definitions::record::{ClientFaultKind, GapSummary, Outcome, Request};
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::definitions::telemetry::Metric;
use tokencap_shared::definitions::window::WallTime;
use tokencap_shared::present::glossary::TERMS;
use tokencap_shared::stats::rank::nearest_rank;
use tokencap_shared::stats::share::{at_least, needed};
use tokencap_shared::units::{
    Moment, Nanos, Ratio, Seconds, Share, TokenRate, TokensPerDay, Watts,
};

use crate::build::{FAILED, request, sample, share, sheet, step};

#[test]
fn every_term_of_the_framework_is_there_once_in_both_languages() {
    for term in [
        "单卡产能",
        "集群日上限",
        "日产值",
        "支撑业务量",
        "TTFT",
        "ITL",
        "TPOT",
        "排队时间",
        "合规",
        "达标率",
        "λ_slo_max",
        "wall_time",
        "原始吞吐",
        "三口径 input",
        "$/MTok under SLO",
        "C_eff",
        "Goodput/GPU",
        "日产能",
        "Goodput/Watt",
        "chain probability",
    ] {
        assert!(TERMS.iter().any(|entry| entry.zh.contains(term)), "{term}");
    }
    let zh: BTreeSet<_> = TERMS.iter().map(|term| term.zh).collect();
    let en: BTreeSet<_> = TERMS.iter().map(|term| term.en).collect();
    assert_eq!((zh.len(), en.len()), (TERMS.len(), TERMS.len()));
    for t in TERMS {
        let texts = [t.zh, t.en, t.formula, t.example, t.note_zh, t.note_en, t.path];
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", t.en);
    }
}

/// Examples that were computed; the others are a hole.
struct Examples(BTreeSet<&'static str>);

impl Examples {
    /// The example of the term defined at `path` says what was computed.
    #[track_caller]
    fn say(&mut self, path: &str, computed: &str) {
        let path = format!("shared::{path}");
        let term = TERMS.iter().find(|term| term.path == path);
        let term = term.unwrap_or_else(|| panic!("no term is defined by {path}"));
        assert!(
            term.example.contains(computed),
            "{}: {computed} is not in {}",
            term.en,
            term.example
        );
        self.0.insert(term.path);
    }
}

#[test]
fn every_example_is_what_the_function_computes() {
    let mut examples = Examples(BTreeSet::new());
    of_requests(&mut examples);
    of_sets(&mut examples);
    of_capacity(&mut examples);
    of_money(&mut examples);
    for term in TERMS {
        assert!(examples.0.contains(term.path), "no test computes the example of {}", term.en);
    }
}

fn millis(ms: u64) -> Moment {
    Moment(ms * 1_000_000)
}

fn of_requests(examples: &mut Examples) {
    let r = Request {
        first_token: Some(millis(12_350)),
        last_token: Some(millis(16_190)),
        osl: Some(97),
        ..request(0, millis(12_000).0)
    };
    let ttft = r.ttft().expect("output");
    examples.say("definitions::record::Request::ttft", &format!("= {:.3} s", ttft.seconds().get()));
    let tpot = Nanos::rounded_up(r.tpot().expect("97 tokens"));
    examples.say("definitions::record::Request::tpot", &format!("= {} ms", tpot.0 as f64 / 1e6));
    assert_eq!(Request { osl: Some(1), ..r }.tpot(), None);
    assert_eq!(Request { osl: None, ..r }.tpot(), None);

    let outputs = [1_000_u64, 1_020, 1_070];
    let mut gaps: Vec<Nanos> =
        outputs.windows(2).map(|pair| millis(pair[1]).since(millis(pair[0]))).collect();
    let texts: Vec<String> = gaps.iter().map(|gap| format!("{} ms", gap.0 / 1_000_000)).collect();
    examples.say("definitions::record::GapSummary::of", &format!("→ {}", texts.join(", ")));
    assert_eq!(GapSummary::of(&mut gaps).expect("gaps").max, Nanos::from_millis(50));

    let step = step(0, StepKind::Probe, 10);
    let at = |seconds: f64, counts: [f64; 3]| {
        ["le=0.1", "le=0.3", "le=+Inf"]
            .into_iter()
            .zip(counts)
            .map(move |(bound, count)| sample(seconds, Metric::QueueBucket, bound, count))
    };
    let scrapes: Vec<_> = at(10.0, [0.0; 3]).chain(at(20.0, [940.0, 995.0, 1000.0])).collect();
    let Some(Quantity::Bracket { lo, hi: Some(hi) }) =
        QueueHistogram::over(&step, &scrapes).map(|histogram| histogram.p99())
    else {
        panic!("no bracket")
    };
    let bracket = format!("∈ ({} s, {} s]", lo.seconds().get(), hi.seconds().get());
    examples.say("definitions::judge::QueueHistogram::p99", &bracket);

    // 246 gaps, two or three of them over the limit, and the first token after 0.35 s of 0.5 s.
    let with_bad = |bad: usize| {
        let mut gaps: Vec<Nanos> =
            (0..246).map(|i| Nanos::from_millis(if i < bad { 101 } else { 20 })).collect();
        Request { events: 247, gaps: GapSummary::of(&mut gaps), isl: Some(500), ..r }
    };
    assert!(complies(&with_bad(2), &sheet()) && !complies(&with_bad(3), &sheet()));
    examples.say("definitions::judge::complies", "2 ≤ ⌊0.01 × 246⌋ → ✓; 3 > 2 → ✗");
}

fn of_sets(examples: &mut Examples) {
    examples.say("stats::rank::nearest_rank", &format!("n = 1,000 → {}", nearest_rank(1000, 99)));

    let fault = Outcome::ClientFault(ClientFaultKind::BadRequest);
    let outcomes = (0..1000).map(|i| match i {
        0..3 => Outcome::Cancelled,
        3 => fault,
        4..20 => FAILED,
        _ => Outcome::Completed,
    });
    let valid = outcomes.filter(|outcome| outcome.is_valid()).count();
    examples.say("definitions::record::Outcome::is_valid", &format!("= {valid}"));

    let percent = |share: Share| format!("= {:.2} %", share.get() * 100.0);
    examples.say("units::Share::of", &percent(Share::of(988, 996).expect("n > 0")));
    let target = Target::try_from(0.9995).expect("a target");
    assert!(target.reached_by(9995, 10_000) && !target.reached_by(9994, 10_000));
    examples.say(
        "definitions::promise::Target::reached_by",
        &percent(Share::of(9995, 10_000).expect("n > 0")),
    );

    let bound = |n| at_least(Ratio::count(n), Ratio::count(0), share(0.95)).get();
    assert!(bound(299) >= 0.99 && bound(298) < 0.99);
    examples.say("stats::share::at_least", "299 / 299 → ≥ 99.00 %; 298 / 298 → insufficient");
    let sizes = [0, 1].map(|bad| needed(bad, share(0.9995), share(0.95)).expect("provable"));
    assert_eq!(sizes, [5990, 9486]);
    examples.say("stats::share::needed", "99.95 %: 0 → 5,990; 1 → 9,486");
    examples
        .say("definitions::judge::ShareEvidence::vif", &format!("36,000 / 60 = {}", 36_000 / 60));

    let first = Request { end: millis(11_000), ..request(0, millis(10_000).0) };
    let last = Request { end: millis(1_840_000), ..request(0, millis(1_800_000).0) };
    let mut wall = WallTime::default();
    [&first, &last].into_iter().for_each(|request| wall.add(request));
    let wall = wall.seconds().expect("time passed").get();
    assert_eq!(wall, 1830.0);
    examples.say("definitions::window::WallTime::seconds", "= 1,830.0 s");
    assert_eq!((4_575_000.0 / wall, 4_392_000.0 / wall), (2500.0, 2400.0));
    examples.say("definitions::judge::Flow::raw", "4,575,000 / 1,830.0 s = 2,500 tok/s");
    examples.say("definitions::judge::Flow::goodput", "4,392,000 / 1,830.0 s = 2,400 tok/s");
    assert_eq!(chain_probability(share(0.99), 50).get(), 0.99_f64.powi(50));
    examples
        .say("definitions::judge::chain_probability", &percent(chain_probability(share(0.99), 50)));
}

fn of_capacity(examples: &mut Examples) {
    let tested =
        [(4.0, true), (6.0, true), (8.0, true), (10.0, false), (11.0, true)].map(|(rate, held)| {
            Tested {
                rate: crate::build::rate(rate),
                valid: true,
                verdict: if held { Verdict::Held } else { Verdict::Broken },
            }
        });
    let crossing = first_crossing(&tested).expect("held at 4");
    let (held, broken) =
        (tested[crossing.held].rate, tested[crossing.first_broken.expect("10")].rate);
    assert!(crossing.non_monotone);
    let (held, broken) = (held.get(), broken.get());
    examples.say("definitions::capacity::first_crossing", &format!("→ {held}, [{held}, {broken}]"));

    let goodput = TokenRate::new(2400.0).expect("a rate");
    let each = *per_gpu(goodput, 8).value().expect("8 GPUs");
    examples.say("definitions::capacity::per_gpu", &format!("= {} tok/s/GPU", each.get()));
    let daily = *daily_capacity(each, 8).value().expect("8 GPUs");
    examples
        .say("definitions::capacity::daily_capacity", &format!("= {} Mtok/day", daily.get() / 1e6));
    let steps = *steps_per_day(daily, Ratio::count(240)).value().expect("240 tokens");
    let tasks = *tasks_per_day(steps, 36).value().expect("36 steps");
    assert_eq!((steps.get(), tasks.get()), (864_000.0, 24_000.0));
    examples.say(
        "definitions::capacity::steps_per_day",
        "= 864,000 steps/day; / 36 = 24,000 tasks/day",
    );
    let watts = per_watt(goodput, Watts::new(4800.0).expect("a power"));
    examples.say(
        "definitions::capacity::per_watt",
        &format!("= {} tok/J", watts.value().expect("power").get()),
    );

    // A thousand requests of a thousand tokens, 960 of them cached.
    let mut step = step(0, StepKind::Probe, 1000);
    let mut requests = crate::build::quick(&mut step, 1000);
    for request in &mut requests {
        (request.isl, request.cached) = (Some(1000), Some(960));
    }
    let Input { total, reused, computed, hit_rate, .. } =
        crate::build::judge(&step, &requests, &[]).input;
    assert_eq!(
        (total, reused, computed),
        (1_000_000, Measured::Value(960_000), Measured::Value(40_000))
    );
    assert_eq!(hit_rate, Measured::Value(share(0.96)));
    examples.say("definitions::judge::Input", "1,000,000 = 960,000 + 40,000; 96.00 %");
}

fn of_money(examples: &mut Examples) {
    let hour = Price::new(3.456, "").expect("a price");
    let rate = |rate: f64| TokenRate::new(rate).expect("a rate");
    let amount = |cost: CostPerMTok| format!("{:.2}", cost.finite().expect("finite").get());
    let cost = cost_per_mtok(&hour, 10, rate(2400.0));
    examples.say("definitions::money::cost_per_mtok", &format!("= {}", amount(cost)));
    let half_rate = amount(cost_per_mtok(&hour, 10, rate(1200.0)));
    let curve = format!("1,200 tok/s → {half_rate}; 2,400 tok/s → {}", amount(cost));
    examples.say("definitions::money::cost_curve", &curve);
    let curve = utilisation_curve(cost);
    let (_, half) = *curve.iter().find(|(u, _)| u.get() == 0.5).expect("50 %");
    examples.say(
        "definitions::money::utilisation_curve",
        &format!("{} / 50 % = {}", amount(cost), amount(half)),
    );

    let daily = TokensPerDay::new(207.36e6).expect("tokens");
    let value = daily_value_at_cost(daily, cost).value().expect("finite").get();
    let gpus = gpu_cost_daily(&hour, 10).value().expect("priced").get();
    assert!((value / gpus - 1.0).abs() < 1e-12, "{value} {gpus}");
    let identity = format!("207.36 × {} = {value:.2} = 24 × 10 × 3.456", amount(cost));
    examples.say("definitions::money::daily_value_at_cost", &identity);

    let prices = PriceSheet {
        output: Some(Price::<Output>::new(4.0, "").expect("a price")),
        input_uncached: Some(Price::new(0.95, "").expect("a price")),
        input_cached: Some(Price::new(0.19, "").expect("a price")),
        ..crate::money::prices()
    };
    let sold = Sold {
        output: 200_000_000,
        input_uncached: Measured::Value(2_400_000_000),
        input_cached: Measured::Value(57_600_000_000),
    };
    let value = value_at_price(&sold, Seconds::new(86_400.0).expect("a day"), &prices);
    let total = value.total.value().expect("priced").get();
    assert!((total - 14_024.0).abs() < 1e-6, "{total}");
    examples.say("definitions::money::value_at_price", "= 14,024");
    assert!((total - gpus - 13_194.56).abs() < 1e-6);
    examples.say("definitions::money::Economics::margin_daily", "14,024.00 − 829.44 = 13,194.56");
}
