//! The engine as a whole: properties that hold whatever the workload.

use proptest::prelude::*;

use super::config::{Config, Router};
use super::emissions::Emissions;
use super::replica::Replica;
use super::{Chain, Cluster, Done, Fault, Job, Key, Observer, Refusal};

/// Counts tokens one by one, the slow way that the engine avoids.
#[derive(Default)]
struct Tally {
    times: std::collections::BTreeMap<Key, Vec<u64>>,
    done: std::collections::BTreeMap<Key, (u64, Done)>,
}

impl Observer for Tally {
    fn token(&mut self, time: u64, key: Key) {
        self.times.entry(key).or_default().push(time);
    }
    fn tokens(&mut self, time: u64, keys: &[Key]) {
        for &key in keys {
            self.token(time, key);
        }
    }
    fn done(&mut self, time: u64, key: Key, done: &Done, emissions: Emissions<'_>) {
        let mut times = Vec::new();
        emissions.write(&mut times);
        assert_eq!(self.times[&key], times, "the log of iterations tells each token's instant");
        assert_eq!(emissions.first(), times.first().copied());
        assert_eq!(*times.last().unwrap(), time);
        assert!(self.done.insert(key, (time, *done)).is_none(), "one end");
    }
}

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::from_toml(
        "name = 't'\n[iteration]\nbase_ms = 5\nprefill_us_per_token = 50\n\
         decode_us_per_sequence = 100\ncontext_ns_per_token = 20\n\
         [batch]\nmax_sequences = 8\nmax_tokens = 64\n[kv]\nblocks = 40\nblock_tokens = 4\n",
    )
    .unwrap();
    change(&mut config);
    config.check().unwrap();
    config
}

proptest! {
    /// Whatever arrives, is given up, shares prefixes or runs out of KV: every request ends once
    /// with all its tokens, the books balance after each iteration, and nothing is left behind.
    #[test]
    fn every_request_ends_once_and_the_books_balance(
        jobs in prop::collection::vec((0_u64..30, 0_u64..3, 0_u32..30, 1_u32..60, 1_u32..60, 0_u8..12), 1..60),
        prefix_cache: bool,
        max_chunk in prop::option::of(1_u32..20),
    ) {
        let config = config(|config| {
            config.kv.prefix_cache = prefix_cache;
            config.batch.max_chunk = max_chunk;
        });
        let mut replica = Replica::new(&config);
        let mut tally = Tally::default();
        let mut slots = Vec::new();
        let mut now = 0;
        for (key, &(gap, group, shared, isl, osl, give_up)) in jobs.iter().enumerate() {
            now += gap * 1_000_000;
            while replica.next().is_some_and(|end| end <= now) {
                replica.complete(&mut tally);
                replica.assert_consistent();
            }
            let key = key as u64;
            let chain = Chain::described(group, shared.min(isl), key / 3, 4);
            let slot = replica.submit(now, Job { key, chain, isl, osl }).unwrap();
            slots.push((slot, key));
            if give_up == 0 {
                let (slot, key) = slots[slots.len() / 2];
                replica.abort(slot, key);
            }
        }
        while replica.next().is_some() {
            replica.complete(&mut tally);
            replica.assert_consistent();
        }
        prop_assert_eq!(replica.load(), 0);
        let ended = tally.done.len() as u64;
        prop_assert_eq!(ended, replica.stats.finished);
        prop_assert!(ended + replica.stats.aborted >= jobs.len() as u64);
        for (key, (_, done)) in &tally.done {
            let (_, _, _, isl, osl, _) = jobs[*key as usize];
            prop_assert_eq!(done.tokens, osl);
            prop_assert_eq!(tally.times[key].len() as u32, osl);
            prop_assert!(done.cached < isl);
            prop_assert!(done.scheduled >= done.arrived);
        }
    }
}

fn times_of(config: &Config, jobs: &[(u64, Job)]) -> Tally {
    let (mut cluster, mut tally) = (Cluster::new(config), Tally::default());
    for (at, job) in jobs {
        cluster.advance(*at, &mut tally);
        cluster.submit(*at, job.clone()).unwrap();
    }
    cluster.advance(u64::MAX - 1, &mut tally);
    tally
}

fn job(key: Key, session: u64, isl: u32, osl: u32) -> Job {
    Job { key, chain: Chain::described(0, 0, session, 4), isl, osl }
}

#[test]
fn an_iteration_takes_the_sum_of_its_terms() {
    // 20 prompt tokens: 5 ms + 20·50 µs. Then one sequence with a context of 20, 21 tokens.
    let tally = times_of(&config(|_| ()), &[(0, job(0, 0, 20, 3))]);
    assert_eq!(tally.times[&0], [6_000_000, 11_100_400, 16_200_820]);
}

#[test]
fn long_prompts_are_computed_in_chunks_beside_decoding() {
    // A budget of 64 tokens: beside the decoding sequence 63 a chunk, so 100 take two iterations.
    let tally = times_of(&config(|_| ()), &[(0, job(0, 0, 8, 30)), (1, job(1, 1, 100, 2))]);
    let first = tally.times[&1][0];
    let own: Vec<_> = tally.times[&0].iter().filter(|&&time| time <= first).collect();
    assert_eq!(own.len(), 3, "its first token, and one beside each of the two chunks");
}

#[test]
fn what_was_computed_is_reused_until_evicted() {
    let repeat = |blocks| {
        let config = config(|config| config.kv.blocks = blocks);
        let jobs = [
            (0, job(0, 7, 41, 2)),
            (1_000_000_000, job(1, 8, 41, 2)),
            (2_000_000_000, job(2, 7, 41, 2)),
        ];
        times_of(&config, &jobs).done[&2].1.cached
    };
    // All full blocks of the prompt but the last token's.
    assert_eq!(repeat(40), 40);
    // Room for one of them only: the other request evicted it, tail first, but for what was free.
    assert_eq!(repeat(13), 8);
}

#[test]
fn a_session_reuses_its_own_output() {
    let jobs = [(0, job(0, 7, 20, 17)), (1_000_000_000, job(1, 7, 60, 2))];
    // 20 + 16 tokens have their KV: the last output token was never computed on.
    assert_eq!(times_of(&config(|_| ()), &jobs).done[&1].1.cached, 36);
}

#[test]
fn without_blocks_the_last_admitted_gives_way_and_still_ends() {
    let config = config(|config| config.kv.prefix_cache = false);
    // 40 blocks of 4: both prompts fit, both outputs do not.
    let tally = times_of(&config, &[(0, job(0, 0, 60, 60)), (0, job(1, 1, 60, 60))]);
    let preemptions = |key| tally.done[&key].1.preemptions;
    assert_eq!((preemptions(0), preemptions(1) > 0), (0, true));
    let gap = tally.times[&1].windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(gap > 50_000_000, "its stream shows a hole while it waits and is computed anew");
}

#[test]
fn a_full_queue_refuses_and_a_long_request_is_at_fault() {
    let config = config(|config| {
        config.batch.queue_limit = Some(1);
        config.batch.max_sequences = 1;
    });
    let mut cluster = Cluster::new(&config);
    assert!(cluster.submit(0, job(0, 0, 8, 8)).is_ok());
    assert!(cluster.submit(0, job(1, 1, 8, 8)).is_ok());
    assert_eq!(cluster.submit(0, job(2, 2, 8, 8)), Err(Refusal::QueueFull));
    assert_eq!(cluster.submit(0, job(3, 3, 100, 61)), Err(Refusal::TooLong));
}

#[test]
fn affinity_finds_the_replica_that_knows_the_prefix() {
    let hits = |router| {
        let config = config(|config| (config.replicas, config.router) = (4, router));
        let jobs: Vec<_> =
            (0..40).map(|key| (key * 300_000_000, job(key, key % 5, 25, 2))).collect();
        times_of(&config, &jobs).done.values().filter(|done| done.1.cached > 0).count()
    };
    assert_eq!(hits(Router::PrefixAffinity), 35, "all but each session's first");
    assert!(hits(Router::RoundRobin) < 30);
}

#[test]
fn faults_come_as_often_as_asked_and_only_once_a_request() {
    let config = config(|config| {
        config.batch.max_sequences = 64;
        config.faults.server_error = 0.1;
        config.faults.stream_error = 0.2;
        config.faults.disconnect = 0.25;
    });
    let mut cluster = Cluster::new(&config);
    let (mut errors, mut broken, mut cut) = (0, 0, 0);
    for key in 0..4000 {
        cluster.advance(key * 1_000_000_000, &mut Ignoring);
        match cluster.submit(key * 1_000_000_000, job(key, key, 8, 10)) {
            Err(Refusal::ServerError) => errors += 1,
            Ok((_, Some(Fault::StreamError { after }))) => {
                assert!((1..10).contains(&after));
                broken += 1;
            }
            Ok((_, Some(Fault::Disconnect { .. }))) => cut += 1,
            other => assert!(matches!(other, Ok((_, None))), "{other:?}"),
        }
    }
    // 400; 0.9·0.2 → 720; 0.9·0.8·0.25 → 720; four standard deviations.
    assert!(f64::abs(f64::from(errors) - 400.0) < 76.0, "{errors}");
    assert!(f64::abs(f64::from(broken) - 720.0) < 98.0, "{broken}");
    assert!(f64::abs(f64::from(cut) - 720.0) < 98.0, "{cut}");
}

struct Ignoring;

impl Observer for Ignoring {
    fn done(&mut self, _: u64, _: Key, _: &Done, _: Emissions<'_>) {}
}

#[test]
fn energy_is_power_over_time_idle_and_busy() {
    let config = config(|config| {
        config.power.idle_watts = 100.0;
        config.power.decode_watts = 300.0;
        config.power.prefill_watts = 700.0;
    });
    let (mut cluster, mut tally) = (Cluster::new(&config), Tally::default());
    cluster.submit(1_000_000_000, job(0, 0, 20, 3)).unwrap();
    cluster.advance(u64::MAX - 1, &mut tally);
    let busy_until = tally.done[&0].0;
    let (_, _, _, stats) = cluster.replicas().next().unwrap();
    // One idle second; a first iteration of 6 ms with 1 ms of prompt; decoding; then idle again.
    let expected = 100.0 * 1.0
        + 0.005 * 300.0
        + 0.001 * 700.0
        + (busy_until - 1_006_000_000) as f64 / 1e9 * 300.0
        + 100.0 * 0.5;
    let joules = stats.joules(busy_until + 500_000_000);
    assert!((joules - expected).abs() < 1e-6, "{joules} {expected}");
}
