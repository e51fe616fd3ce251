//! Requests whose true attainment is known in closed form: independent ones, and those of an
//! M/M/c queue whose TTFT is the wait; and the verdict of the judge on them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tokencap_shared::definitions::judge::{Dependence, Evidence, Gaps, Verdict, judge_step};
use tokencap_shared::definitions::promise::{
    Fields, ItlRule, PromiseKind, PromiseSheet, Target, Tier, VerdictMode,
};
use tokencap_shared::definitions::record::{Outcome, Request};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::stats::share::{at_least, at_most};
use tokencap_shared::units::{Moment, Nanos, Rate, Ratio, Share};
use tokencap_testkit::random::Random;

/// The probability that an arrival has to wait, by Erlang's formula C, with `a` = λ/μ.
#[must_use]
pub fn erlang_c(servers: u32, a: f64) -> f64 {
    let b = (1..=servers).fold(1.0, |b, k| a * b / (f64::from(k) + a * b));
    b / (1.0 - a / f64::from(servers) * (1.0 - b))
}

/// An M/M/c queue with mean service of one second.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// Servers.
    pub servers: u32,
    /// Utilisation.
    pub rho: f64,
}

impl Queue {
    fn rate(self) -> f64 {
        self.rho * f64::from(self.servers)
    }

    /// The wait that a share `tail` of arrivals exceeds: C·e^(−(c−a)t) = tail.
    #[must_use]
    pub fn limit(self, tail: f64) -> f64 {
        let a = self.rate();
        (erlang_c(self.servers, a) / tail).ln() / (f64::from(self.servers) - a)
    }

    /// The share of waits up to a limit.
    #[must_use]
    pub fn attainment(self, limit: f64) -> f64 {
        let a = self.rate();
        1.0 - erlang_c(self.servers, a) * (-(f64::from(self.servers) - a) * limit).exp()
    }

    /// Arrivals, waits and services of `n` requests, by the recursion of Kiefer and Wolfowitz,
    /// from a stationary start.
    #[must_use]
    pub fn run(self, n: usize, random: &mut Random) -> Vec<[f64; 3]> {
        let servers = self.servers as usize;
        let mut free: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
        // Positive floats sort like their bits.
        let key = |time: f64| Reverse(time.to_bits());
        let present = self.number_present(random);
        for server in 0..servers {
            free.push(key(if server < present { random.exponential() } else { 0.0 }));
        }
        let mut serve = |at: f64, service: f64| {
            let Reverse(first) = free.pop().expect("a server");
            let start = f64::from_bits(first).max(at);
            free.push(key(start + service));
            start - at
        };
        for _ in servers..present {
            serve(0.0, random.exponential());
        }
        let mut time = 0.0;
        (0..n)
            .map(|_| {
                time += random.exponential() / self.rate();
                let service = random.exponential();
                [time, serve(time, service), service]
            })
            .collect()
    }

    /// How many an arrival finds, by the stationary law of a birth-and-death process.
    fn number_present(self, random: &mut Random) -> usize {
        let a = self.rate();
        let step = |k: u32| a / f64::from(k.min(self.servers));
        let weights: Vec<f64> = (1..4000)
            .scan(1.0, |weight, k| {
                *weight *= step(k);
                Some(*weight)
            })
            .collect();
        let mut left = random.unit() * (1.0 + weights.iter().sum::<f64>()) - 1.0;
        let mut number = 0;
        for weight in weights {
            if left <= 0.0 {
                break;
            }
            left -= weight;
            number += 1;
        }
        number
    }
}

/// What bounds for independent requests would say of waits with a limit and a target of 99 %.
#[must_use]
pub fn as_if_independent(requests: &[[f64; 3]], limit: f64) -> Verdict {
    by_bounds(requests, limit, 1.0)
}

/// What the usual estimator would say: variance inflation by twenty batches of equal time, of
/// the violations or of the slowest tenth, whichever is greater.
#[must_use]
pub fn by_twenty_batches(requests: &[[f64; 3]], limit: f64) -> Verdict {
    let mut waits: Vec<f64> = requests.iter().map(|request| request[1]).collect();
    waits.sort_by(f64::total_cmp);
    let tenth = waits[waits.len() * 9 / 10];
    by_bounds(requests, limit, inflation(requests, limit).max(inflation(requests, tenth)))
}

fn by_bounds(requests: &[[f64; 3]], limit: f64, inflation: f64) -> Verdict {
    let good = requests.iter().filter(|request| request[1] <= limit).count() as f64;
    let effective = |count: f64| Ratio::new(count / inflation).expect("finite");
    let (good, bad) = (effective(good), effective(requests.len() as f64 - good));
    let confidence = Share::new(0.95).expect("a share");
    if at_least(good, bad, confidence).get() >= 0.99 {
        Verdict::Held
    } else if at_most(good, bad, confidence).get() < 0.99 {
        Verdict::Broken
    } else {
        Verdict::Insufficient
    }
}

/// Variance of the share of waits above a limit, over that of independent ones.
fn inflation(requests: &[[f64; 3]], limit: f64) -> f64 {
    const BATCHES: usize = 20;
    let length = requests.last().map_or(1.0, |last| last[0]) * (1.0 + 1e-12);
    let mut batches = [[0.0; 2]; BATCHES];
    for &[at, wait, _] in requests {
        let [n, bad] = &mut batches[(at / length * BATCHES as f64) as usize];
        *n += 1.0;
        *bad += if wait > limit { 1.0 } else { 0.0 };
    }
    let all = requests.len() as f64;
    let share = batches.iter().map(|[_, bad]| bad).sum::<f64>() / all;
    if share == 0.0 {
        return 1.0;
    }
    let squares: f64 = batches.iter().map(|[n, bad]| (bad - share * n).powi(2)).sum();
    let variance = BATCHES as f64 / (BATCHES as f64 - 1.0) * squares / (all * all);
    (variance / (share * (1.0 - share) / all)).max(1.0)
}

/// The judge's verdict on the attainment of requests that arrive, wait and are served so
/// (seconds), with a limit on the wait and a target of 99 %; and the variance inflation.
#[must_use]
pub fn verdict(requests: &[[f64; 3]], limit: f64) -> (Verdict, f64) {
    let nanos = |seconds: f64| (seconds * 1e9) as u64;
    let end = requests.last().map_or(0.0, |last| last[0]);
    let step = Step {
        id: 0,
        kind: StepKind::Probe,
        asked: Rate::new(1.0).expect("a rate"),
        seed: 0,
        start: Moment(0),
        w0: Moment(0),
        w1: Moment(nanos(end) + 1),
        end: Moment(nanos(end) + 1),
        scheduled: requests.len() as u64,
        generator: GeneratorEvidence::default(),
        stopped: None,
        abandoned: None,
    };
    let records: Vec<Request> = requests
        .iter()
        .map(|&[at, wait, service]| Request {
            step: 0,
            session: 0,
            turn: 0,
            intended: Moment(nanos(at)),
            sent: Moment(nanos(at)),
            first_token: Some(Moment(nanos(at) + nanos(wait))),
            last_token: Some(Moment(nanos(at) + nanos(wait))),
            end: Moment(nanos(at) + nanos(wait + service)),
            isl: Some(1),
            osl: Some(1),
            cached: None,
            queue: None,
            events: 1,
            gaps: None,
            outcome: Outcome::Completed,
            status: None,
            error: None,
        })
        .collect();
    let evidence = Evidence { step: &step, requests: &records, gaps: Gaps::None, telemetry: &[] };
    let judged = judge_step(evidence, &sheet(nanos(limit)), &workload(), Dependence::Estimated);
    let attainment = &judged.promises[0];
    assert_eq!(attainment.kind, PromiseKind::Attainment);
    let vif = attainment.evidence.value().map_or(1.0, |evidence| evidence.vif.get());
    (attainment.verdict, vif)
}

fn sheet(ttft: u64) -> PromiseSheet {
    PromiseSheet::try_from(Fields {
        name: "model".to_owned(),
        note: String::new(),
        itl: Nanos(1),
        itl_rule: ItlRule::WorstGap,
        queue: Nanos(1),
        success: Target::P99,
        attainment: Target::P99,
        confidence: Share::new(0.95).expect("a share"),
        mode: VerdictMode::Confidence,
        watched: Vec::new(),
        sign_off: Vec::new(),
        tiers: vec![Tier {
            name: "all".to_owned(),
            isl_min: 1,
            isl_max: 1,
            ttft: Nanos(ttft),
            tpot: Nanos(1),
        }],
    })
    .expect("a sheet")
}

fn workload() -> Workload {
    Workload::mix("model", Vec::new())
}
