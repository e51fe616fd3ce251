//! Clusters drawn at random, each with a workload and a promise sheet that it keeps at a low
//! rate and breaks at a high one.

use tokencap_shared::definitions::judge::{PromiseVerdict, Quantity, StepJudgement};
use tokencap_shared::definitions::measured::Measured;
use tokencap_shared::definitions::promise::{PromiseKind, PromiseSheet};
use tokencap_shared::definitions::workload::{
    Arrivals, CacheState, Class, Length, Shape, Think, Workload,
};
use tokencap_shared::units::{Nanos, Rate};

use super::lab::{Lab, Run};
use tokencap::rng::{Purpose, Random};
use tokencap::sim::Config;
use tokencap::sim::config::{Batch, Iteration, Kv, Output, Router};

/// A cluster to be measured, and what is promised of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Number of the draw.
    pub number: u64,
    /// What it is meant to show.
    pub flavour: Flavour,
    /// The cluster.
    pub config: Config,
    /// What is asked of it.
    pub workload: Workload,
    /// What is promised.
    pub promise: PromiseSheet,
    /// Completed requests per second in overload.
    pub saturation: Rate,
}

/// What breaks a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flavour {
    /// Enough KV: compute is the limit.
    Compute,
    /// KV for a part of the sequences that may run: preemption sets in at a cliff.
    Preemption,
    /// Sessions whose prefixes fit into the cache.
    Sessions,
    /// Sessions that push each other's prefixes out of the cache as they become more.
    Thrash,
}

/// Draws of one case.
struct Draw(Random);

impl Draw {
    fn log(&mut self, min: f64, max: f64) -> f64 {
        min * libm::pow(max / min, self.0.unit())
    }

    fn between(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * self.0.unit()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.below(of.len() as u32) as usize]
    }
}

impl Case {
    /// The case of a number. Not every draw makes one: `None` where a latency that is to be
    /// promised does not occur.
    #[must_use]
    pub fn draw(number: u64) -> Option<Self> {
        let mut draw = Draw(Random::new(0xCA5E, Purpose::Shape, number));
        let flavour = match draw.0.below(10) {
            0..=3 => Flavour::Compute,
            4..=6 => Flavour::Preemption,
            7 | 8 => Flavour::Sessions,
            _ => Flavour::Thrash,
        };
        let workload = match flavour {
            Flavour::Compute | Flavour::Preemption => mix(&mut draw),
            Flavour::Sessions | Flavour::Thrash => sessions(&mut draw),
        };
        let config = cluster(&mut draw, flavour, &workload);
        let lab = Lab { config: &config, workload: &workload, promise: &loose(&workload) };
        let saturation = lab.saturation()?;
        let low = Rate::new(saturation.get() * 0.1).ok()?;
        let quiet = lab.judge(&Run::of_requests(low, 3000, 0xFACE, lab.residence()?)).ok()?;
        let promise = promise(&mut draw, &workload, &quiet)?;
        Some(Self { number, flavour, config, workload, promise, saturation })
    }
}

const TIERS: [(u32, u32); 3] = [(32, 1024), (1025, 4096), (4097, 16384)];

fn mix(draw: &mut Draw) -> Workload {
    let first = draw.0.below(2) as usize;
    let count = 1 + draw.0.below(3 - first as u32) as usize;
    let classes = (first..first + count)
        .map(|index| {
            let (min, max) = TIERS[index];
            let mean = f64::from(min) + f64::from(max - min) * draw.between(0.2, 0.6);
            let shared = draw.one(&[0.0, 0.0, 0.5, 0.9]);
            let osl = draw.log(30.0, 300.0);
            Class {
                weight: if index == first { 1.0 } else { draw.log(0.08, 0.6) },
                isl: Length::LogNormal { mean, cv: draw.between(0.2, 0.6), min, max },
                osl: Length::LogNormal {
                    mean: osl,
                    cv: draw.between(0.2, 0.9),
                    min: 2,
                    max: (osl * 4.0) as u32,
                },
                shared_prefix: (f64::from(min) * shared) as u32,
            }
        })
        .collect();
    named(Shape::Mix { classes })
}

fn sessions(draw: &mut Draw) -> Workload {
    named(Shape::Sessions {
        shared_prefix: draw.log(200.0, 4000.0) as u32,
        steps: 4 + draw.0.below(9),
        new_tokens: Length::Uniform { min: 64, max: draw.log(200.0, 1600.0) as u32 },
        output_tokens: Length::LogNormal { mean: draw.log(40.0, 200.0), cv: 0.4, min: 8, max: 500 },
        think: Think { mean_ns: Nanos::from_millis(draw.log(500.0, 4000.0) as u64), cv: 0.5 },
    })
}

fn named(shape: Shape) -> Workload {
    Workload {
        name: "drawn".to_owned(),
        note: String::new(),
        arrivals: Arrivals::Poisson,
        pattern: Vec::new(),
        shape,
        cache: CacheState::Salted,
        hit_rate: None,
    }
}

/// Mean and greatest context of a request.
fn context(workload: &Workload) -> (f64, u32) {
    let mean_of = |length: Length| match length {
        Length::Fixed { tokens } => f64::from(tokens),
        Length::Uniform { min, max } => f64::from(min + max) / 2.0,
        Length::LogNormal { mean, .. } => mean,
    };
    let most_of = |length: Length| match length {
        Length::Fixed { tokens } => tokens,
        Length::Uniform { max, .. } | Length::LogNormal { max, .. } => max,
    };
    match &workload.shape {
        // Never drawn.
        Shape::Trace { .. } => (1.0, 1),
        Shape::Mix { classes } => {
            let weight: f64 = classes.iter().map(|class| class.weight).sum();
            let mean = |class: &Class| class.weight * (mean_of(class.isl) + mean_of(class.osl));
            let most = |class: &Class| most_of(class.isl) + most_of(class.osl);
            let mean = classes.iter().map(mean).sum::<f64>() / weight;
            (mean, classes.iter().map(most).max().unwrap_or(1))
        }
        Shape::Sessions { shared_prefix, steps, new_tokens, output_tokens, .. } => {
            let step = mean_of(*new_tokens) + mean_of(*output_tokens);
            let mean = f64::from(*shared_prefix) + step * f64::from(steps + 1) / 2.0;
            (mean, shared_prefix + steps * (most_of(*new_tokens) + most_of(*output_tokens)))
        }
    }
}

fn cluster(draw: &mut Draw, flavour: Flavour, workload: &Workload) -> Config {
    let max_sequences = draw.one(&[8, 16, 32, 64, 128]);
    let max_tokens = draw.one(&[512, 1024, 2048, 4096]);
    let (mean, most) = context(workload);
    let all = f64::from(max_sequences) * mean;
    let tokens = match flavour {
        Flavour::Compute => all * draw.log(1.5, 4.0),
        Flavour::Preemption => all * draw.log(0.15, 0.6),
        Flavour::Sessions => all * draw.log(6.0, 15.0),
        Flavour::Thrash => all * draw.log(0.7, 2.5),
    };
    let block_tokens = draw.one(&[16, 32]);
    let blocks = ((tokens.max(f64::from(most) * 1.2) / f64::from(block_tokens)) as u32).max(8);
    let sessions = matches!(flavour, Flavour::Sessions | Flavour::Thrash);
    Config {
        name: "drawn".to_owned(),
        note: String::new(),
        model: "simulated".to_owned(),
        seed: 0,
        replicas: draw.one(&[1, 1, 2, 3, 4, 6, 8, 12, 16]),
        gpus_per_replica: 1,
        router: if sessions { Router::PrefixAffinity } else { Router::LeastLoaded },
        iteration: Iteration {
            base_ms: draw.log(4.0, 25.0),
            prefill_us_per_token: draw.log(8.0, 80.0),
            decode_us_per_sequence: draw.log(20.0, 250.0),
            context_ns_per_token: draw.log(1.0, 40.0),
            slowdown_per_hour: 0.0,
        },
        batch: Batch { max_sequences, max_tokens, max_chunk: None, queue_limit: None },
        kv: Kv {
            blocks,
            block_tokens,
            prefix_cache: sessions || draw.0.below(3) > 0,
            max_context: None,
        },
        output: Output::default(),
        power: tokencap::sim::config::Power::default(),
        faults: tokencap::sim::config::Faults::default(),
        metrics: tokencap::sim::config::Metrics::default(),
    }
}

fn sheet(tiers: &str, itl_ms: f64, queue_ms: f64, success: f64) -> Option<PromiseSheet> {
    let stall = itl_ms * 10.0;
    serde_json::from_str(&format!(
        r#"{{"name":"drawn","itl_ms":{itl_ms},
            "itl_rule":{{"rule":"gap_share","q":0.99,"stall_ms":{stall}}},
            "queue_ms":{queue_ms},"success":{success},"attainment":0.99,"tiers":[{tiers}]}}"#
    ))
    .ok()
}

fn tier(name: usize, (min, max): (u32, u32), ttft_ms: f64, tpot_ms: f64) -> String {
    format!(
        r#"{{"name":"{name}","isl_min":{min},"isl_max":{max},"ttft_ms":{ttft_ms},"tpot_ms":{tpot_ms}}}"#
    )
}

/// Tiers of a workload.
fn tiers(workload: &Workload) -> Vec<(u32, u32)> {
    match &workload.shape {
        Shape::Mix { classes } => {
            let first = TIERS.iter().position(
                |tier| matches!(classes[0].isl, Length::LogNormal { min, .. } if min == tier.0),
            );
            let first = first.unwrap_or(0);
            TIERS[first..first + classes.len()].to_vec()
        }
        Shape::Sessions { .. } | Shape::Trace { .. } => {
            let (mean, most) = context(workload);
            vec![(1, mean as u32), (mean as u32 + 1, most + 1)]
        }
    }
}

/// A sheet that promises nothing worth the name, to look at latencies.
fn loose(workload: &Workload) -> PromiseSheet {
    let tiers: Vec<_> = tiers(workload)
        .into_iter()
        .enumerate()
        .map(|(name, range)| tier(name, range, 1e6, 1e6))
        .collect();
    sheet(&tiers.join(","), 1e5, 1e6, 0.9).unwrap_or_else(|| unreachable!("the text is a sheet"))
}

/// Limits some factor above what is seen at a tenth of saturation.
fn promise(draw: &mut Draw, workload: &Workload, quiet: &StepJudgement) -> Option<PromiseSheet> {
    let seen = |kind: PromiseKind, tier: usize| -> Option<f64> {
        let promise: &PromiseVerdict =
            quiet.promises.iter().find(|p| p.kind == kind && p.tier == Some(tier))?;
        match promise.measured {
            Measured::Value(Quantity::Time(Some(nanos))) => Some(nanos.0 as f64 / 1e6),
            _ => None,
        }
    };
    let tiers = tiers(workload);
    let (mut texts, mut itl, mut queue) = (Vec::new(), 1.0_f64, 50.0_f64);
    for (index, range) in tiers.into_iter().enumerate() {
        let ttft = seen(PromiseKind::TtftP99, index)? * draw.log(2.0, 8.0);
        let tpot = seen(PromiseKind::TpotP99, index)? * draw.log(1.5, 4.0);
        texts.push(tier(index, range, ttft, tpot));
        itl = itl.max(seen(PromiseKind::ItlP99, index)?);
        queue = queue.max(seen(PromiseKind::QueueP99, index)?);
    }
    let itl = itl * draw.log(1.5, 4.0);
    let queue = queue * draw.log(3.0, 15.0);
    let success = draw.one(&[0.99, 0.995, 0.999]);
    sheet(&texts.join(","), itl, queue, success)
}
