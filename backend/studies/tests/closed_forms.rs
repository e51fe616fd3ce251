//! The engine against queues whose answers are known in closed form.
//!
//! An engine that decodes at most `c` sequences, prompts costing nothing, is a queue with `c`
//! servers in discrete time: a service of `k` tokens takes `k` iterations. The values are those
//! of textbook formulas, evaluated independently of this program.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use tokencap::rng::{Purpose, Random};
use tokencap::sim::{Chain, Cluster, Config, Done, Emissions, Job, Key, Observer};

/// A queue: `c` servers, services in tokens, iterations of `base + decode·b`.
struct Queue {
    servers: u32,
    base_ms: f64,
    decode_us: f64,
    limit: Option<u32>,
    /// Arrivals per second.
    rate: f64,
    service: fn(&mut Random) -> u32,
}

/// What is seen of a run.
#[derive(Default)]
struct Seen {
    waits: Vec<f64>,
    sojourns: Vec<(u32, f64)>,
    /// One for each refused, zero for each accepted.
    refused: Vec<f64>,
    /// Time integral of the number in system, in seconds.
    area: f64,
    in_system: u64,
    changed: u64,
    /// Time with n in the system, for small n.
    time_at: [f64; 8],
    end: u64,
}

impl Seen {
    fn change(&mut self, now: u64, by: i64) {
        let span = (now - self.changed) as f64 / 1e9;
        self.area += self.in_system as f64 * span;
        if let Some(time) = self.time_at.get_mut(self.in_system as usize) {
            *time += span;
        }
        self.changed = now;
        self.in_system = self.in_system.strict_add_signed(by);
    }

    /// One for each wait above a time, else zero.
    fn above(&self, seconds: f64) -> impl Iterator<Item = f64> {
        self.waits.iter().map(move |&wait| f64::from(u8::from(wait > seconds)))
    }
}

impl Observer for Seen {
    fn done(&mut self, time: u64, _: Key, done: &Done, _: Emissions<'_>) {
        self.change(time, -1);
        self.waits.push((done.scheduled - done.arrived) as f64 / 1e9);
        self.sojourns.push((done.tokens, (time - done.arrived) as f64 / 1e9));
        self.end = time;
    }
}

fn run(queue: &Queue, arrivals: u64, seed: u64) -> Seen {
    let limit = queue.limit.map_or(String::new(), |limit| format!("queue_limit = {limit}"));
    let config = Config::from_toml(&format!(
        "name = 'queue'\n[iteration]\nbase_ms = {}\ndecode_us_per_sequence = {}\n\
         [batch]\nmax_sequences = {}\nmax_tokens = 1000000\n{limit}\n\
         [kv]\nblocks = 100000000\nprefix_cache = false\n",
        queue.base_ms, queue.decode_us, queue.servers
    ))
    .unwrap();
    let mut cluster = Cluster::new(&config);
    let mut random = Random::new(seed, Purpose::Arrivals, 0);
    let (mut seen, mut now) = (Seen::default(), 0.0);
    for key in 0..arrivals {
        now += random.exponential() / queue.rate * 1e9;
        let at = now as u64;
        cluster.advance(at, &mut seen);
        let osl = (queue.service)(&mut random);
        let job = Job { key, chain: Chain::described(0, 0, key, 16), isl: 1, osl };
        match cluster.submit(at, job) {
            Ok(_) => {
                seen.refused.push(0.0);
                seen.change(at, 1);
            }
            Err(_) => seen.refused.push(1.0),
        }
    }
    cluster.advance(u64::MAX - 1, &mut seen);
    // Conservation, and Little's law on the same sample path.
    assert_eq!(seen.in_system, 0);
    assert_eq!(seen.waits.len(), seen.refused.iter().filter(|&&refused| refused == 0.0).count());
    let residence: f64 = seen.sojourns.iter().map(|sojourn| sojourn.1).sum();
    assert!((seen.area / residence - 1.0).abs() < 1e-6, "{} {residence}", seen.area);
    seen
}

/// Geometric with the given mean.
fn geometric(random: &mut Random, mean: f64) -> u32 {
    (libm::log(random.unit()) / libm::log(1.0 - 1.0 / mean)).floor() as u32 + 1
}

/// The mean of a sequence lies in a range, within four standard errors by 25 batches; and those
/// are small enough for the test to mean something.
fn assert_mean(
    values: impl Iterator<Item = f64>,
    expected: std::ops::RangeInclusive<f64>,
    what: &str,
) {
    let values: Vec<f64> = values.collect();
    let batches: Vec<f64> = values
        .chunks_exact(values.len() / 25)
        .map(|batch| batch.iter().sum::<f64>() / batch.len() as f64)
        .collect();
    let n = batches.len() as f64;
    let mean = batches.iter().sum::<f64>() / n;
    let variance = batches.iter().map(|batch| (batch - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    let (lo, hi) = (expected.start(), expected.end());
    assert!(error < 0.12 * hi, "{what}: {mean} ± {error} is too rough for {expected:?}");
    assert!(
        lo - 4.0 * error <= mean && mean <= hi + 4.0 * error,
        "{what}: {mean} ± {error}, expected {expected:?}"
    );
}

fn exactly(value: f64) -> std::ops::RangeInclusive<f64> {
    value..=value
}

#[test]
fn one_server_with_equal_services_is_m_d_1() {
    // A service is one iteration of one second: the waits are those of the queue, exactly.
    let queue = |rate| Queue {
        servers: 1,
        base_ms: 1000.0,
        decode_us: 0.0,
        limit: None,
        rate,
        service: |_| 1,
    };
    let seen = run(&queue(0.5), 200_000, 1);
    assert_mean(seen.waits.iter().copied(), exactly(0.5), "mean wait at 0.5");
    assert_mean(seen.above(3.336_255_957), exactly(0.01), "beyond P99 at 0.5");
    let seen = run(&queue(0.8), 400_000, 2);
    assert_mean(seen.waits.iter().copied(), exactly(2.0), "mean wait at 0.8");
    assert_mean(seen.above(10.355_886_79), exactly(0.01), "beyond P99 at 0.8");
}

#[test]
fn one_server_follows_pollaczek_and_khinchine_for_every_service_law() {
    // Mean service 1 s. E W = ρ(1 + cs²)/(2(1 − ρ)).
    let mean = |squared_cv: f64| exactly(0.8 * (1.0 + squared_cv) / 0.4);
    let queue = |service| Queue {
        servers: 1,
        base_ms: 10.0,
        decode_us: 0.0,
        limit: None,
        rate: 0.8,
        service,
    };
    // Geometric with mean 100.
    let seen = run(&queue(|random| geometric(random, 100.0)), 40_000, 3);
    assert_mean(seen.waits.iter().copied(), mean(0.99), "geometric");
    let two = |random: &mut Random| if random.unit() < 0.5 { 10 } else { 190 };
    let seen = run(&queue(two), 40_000, 4);
    assert_mean(seen.waits.iter().copied(), mean(0.81), "two points");
    let heavy = |random: &mut Random| if random.unit() < 0.9 { 25 } else { 775 };
    let seen = run(&queue(heavy), 60_000, 5);
    assert_mean(seen.waits.iter().copied(), mean(5.0625), "heavy tail");
}

/// Sixteen servers, services of 200 iterations of 5 ms on average, ρ = 0.8.
fn sixteen(limit: Option<u32>) -> Queue {
    Queue {
        servers: 16,
        base_ms: 5.0,
        decode_us: 0.0,
        limit,
        rate: 12.8,
        service: |random| geometric(random, 200.0),
    }
}

#[test]
fn many_servers_follow_erlang_c() {
    // A request that finds a free place waits for the iteration in progress, so a wait lies
    // between the queue's and that plus one iteration.
    let seen = run(&sixteen(None), 150_000, 6);
    let tail = |t: f64| 0.304_883_912_9 * f64::exp(-(16.0 - 12.8) * t);
    for t in [0.1, 0.3, 0.6] {
        assert_mean(seen.above(t), tail(t)..=tail(t - 0.005), "P(W > t)");
    }
    let mean = 0.095_276_222_79;
    assert_mean(seen.waits.iter().copied(), mean..=mean + 0.005, "mean wait");
}

#[test]
fn a_full_queue_loses_what_the_closed_form_says() {
    // M/M/c/c+K: B·ρᴷ/(1 + B·ρ(1 − ρᴷ)/(1 − ρ)), where B is Erlang's loss; K = 4.
    let (erlang_b, rho, k) = (0.080_647_212_84, 0.8_f64, 4);
    let loss = erlang_b * rho.powi(k) / (1.0 + erlang_b * rho * (1.0 - rho.powi(k)) / (1.0 - rho));
    let seen = run(&sixteen(Some(4)), 100_000, 10);
    // A place in the queue is also taken until the next iteration: up to that much more is lost.
    assert_mean(seen.refused.iter().copied(), loss..=loss * 1.05, "loss");
}

#[test]
fn sharing_the_processor_stretches_every_size_alike() {
    // An iteration costs 10 ms a sequence: each gets 1/n of the machine. Mean size 100 tokens,
    // ρ = 0.8, and E[T | x] = x/(1 − ρ) whatever the law of sizes.
    let heavy = |random: &mut Random| if random.unit() < 0.9 { 25 } else { 775 };
    let queue = Queue {
        servers: 1000,
        base_ms: 0.0,
        decode_us: 10_000.0,
        limit: None,
        rate: 0.8,
        service: heavy,
    };
    let seen = run(&queue, 60_000, 7);
    for size in [25_u32, 775] {
        let times = seen.sojourns.iter().filter(|s| s.0 == size).map(|s| s.1);
        // An arrival waits for the iteration in progress: one token's time more, at most.
        let mean = f64::from(size) * 0.01 * 5.0;
        assert_mean(times, mean..=mean + 0.05, "E[T | x]");
    }
    // P(N = n) = (1 − ρ)ρⁿ.
    let all = seen.end as f64 / 1e9;
    for (n, share) in [0.2, 0.16, 0.128].into_iter().enumerate() {
        let seen = seen.time_at[n] / all;
        assert!((seen / share - 1.0).abs() < 0.1, "P(N = {n}): {seen}, expected {share}");
    }
}

#[test]
fn batching_follows_its_birth_and_death_process() {
    // ≤ 32 running, iterations of 10 ms + 0.5 ms·b, geometric output of mean 250 tokens. The
    // wait has an exponential tail with the rate by which the full engine outpaces arrivals.
    let queue = |rate| Queue {
        servers: 32,
        base_ms: 10.0,
        decode_us: 500.0,
        limit: None,
        rate,
        service: |random| geometric(random, 250.0),
    };
    for (rate, sojourn, seed) in [(4.0, 5.311_467_251, 8), (4.6, 7.515_997_81, 9)] {
        let seen = run(&queue(rate), 150_000, seed);
        let sojourns = seen.sojourns.iter().map(|sojourn| sojourn.1);
        assert_mean(sojourns, sojourn..=sojourn + 0.03, "mean sojourn");
        if rate > 4.5 {
            for t in [0.2, 1.0] {
                let tail = |t: f64| 0.478_211_218_3 * f64::exp(-(4.923_076_923 - rate) * t);
                assert_mean(seen.above(t), tail(t + 0.03)..=tail(t - 0.03), "P(W > t)");
            }
        }
    }
}
