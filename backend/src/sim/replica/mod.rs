//! One replica: a continuous-batching engine, iteration by iteration.
//!
//! The work of an iteration does not grow with the number of decoding sequences: they advance
//! together, so what they need is kept in sums (their number, their context, how many reach a
//! new block in this iteration, who finishes in which). Only what changes hands, such as an
//! admission, a prompt chunk, an end, touches a single sequence.

#[cfg(test)]
mod consistent;
mod plan;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::chain::Chain;
use super::config::Config;
use super::emissions::{Emissions, IterationLog};
use super::prefix::{Path, PrefixCache};
use super::stats::ReplicaStats;

/// The name a caller gives a request.
pub type Key = u64;

/// A request, as an engine sees it.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its caller's name for it.
    pub key: Key,
    /// Its tokens as the prefix cache sees them.
    pub chain: Chain,
    /// Prompt tokens, at least 1.
    pub isl: u32,
    /// Output tokens it will generate, at least 1.
    pub osl: u32,
}

/// How the engine dealt with a request that it finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// When it was accepted, in nanoseconds.
    pub arrived: u64,
    /// When its computation started for the first time.
    pub scheduled: u64,
    /// Prompt tokens reused from the prefix cache at that time.
    pub cached: u32,
    /// Output tokens.
    pub tokens: u32,
    /// How often it was preempted.
    pub preemptions: u32,
}

/// Who is told what the engine does, as it happens.
pub trait Observer {
    /// A prompt was computed (again, after a preemption): the request has a token more.
    fn token(&mut self, time: u64, key: Key) {
        let _ = (time, key);
    }
    /// Every one of these decoding requests has a token more.
    fn tokens(&mut self, time: u64, keys: &[Key]) {
        let _ = (time, keys);
    }
    /// A request has all its tokens; the last one was told before.
    fn done(&mut self, time: u64, key: Key, done: &Done, emissions: Emissions<'_>);
}

/// Index of a sequence in a replica.
type Slot = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Free,
    Waiting,
    Prefilling,
    /// Since iteration `.1`, with a context of `.0` tokens then.
    Decoding(u32, u64),
}

#[derive(Debug)]
struct Sequence {
    job: Job,
    phase: Phase,
    /// Which occupant of its slot: an entry of the finishing heap may outlive it.
    generation: u32,
    arrived: u64,
    scheduled: Option<u64>,
    cached: u32,
    preemptions: u32,
    /// Tokens of prompt (and, after a preemption, of output) whose KV is computed.
    computed: u32,
    /// Output tokens so far.
    generated: u32,
    path: Path,
    /// Place among the decoding sequences.
    place: u32,
    /// Iterations `[first, last]` in which it got tokens: one span, more after preemptions.
    spans: Vec<(u64, u64)>,
    aborted: bool,
}

impl Sequence {
    /// Tokens whose KV must be there before the next output token.
    const fn target(&self) -> u32 {
        self.job.isl + self.generated
    }
}

/// Coefficients of the iteration time, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Cost {
    base: f64,
    prefill: f64,
    decode: f64,
    context: f64,
    slowdown_per_ns: f64,
}

/// An iteration in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    /// When it ends.
    pub(super) end: u64,
    start: u64,
    /// Share of its time that goes into prompts.
    prefill_share: f64,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Replica {
    cost: Cost,
    max_sequences: usize,
    max_tokens: u32,
    max_chunk: u32,
    queue_limit: usize,
    capacity: u32,
    block: u32,
    caching: bool,

    sequences: Vec<Sequence>,
    free: Vec<Slot>,
    waiting: VecDeque<Slot>,
    /// In order of admission: the last is preempted first.
    running: Vec<Slot>,
    prefilling: Vec<Slot>,
    decoding: Vec<Slot>,
    decoding_keys: Vec<Key>,
    /// Σ context of the decoding sequences.
    context: u64,
    /// Decoding sequences that reach a new block in iterations ≡ index (mod block).
    boundaries: Vec<u32>,
    finishing: BinaryHeap<Reverse<(u64, Slot, u32)>>,
    chunks: Vec<(Slot, u32)>,

    cache: PrefixCache,
    /// Blocks of running sequences that are not in the prefix cache.
    private: u32,

    /// Number of the iteration in progress, or of the next one: those before it have ended.
    iteration: u64,
    log: IterationLog,
    current: Option<Running>,
    pub(super) stats: ReplicaStats,
}

impl Replica {
    pub(super) fn new(config: &Config) -> Self {
        let iteration = &config.iteration;
        Self {
            cost: Cost {
                base: iteration.base_ms * 1e6,
                prefill: iteration.prefill_us_per_token * 1e3,
                decode: iteration.decode_us_per_sequence * 1e3,
                context: iteration.context_ns_per_token,
                slowdown_per_ns: iteration.slowdown_per_hour / 3.6e12,
            },
            max_sequences: config.batch.max_sequences as usize,
            max_tokens: config.batch.max_tokens,
            max_chunk: config.batch.max_chunk.unwrap_or(u32::MAX),
            queue_limit: config.batch.queue_limit.map_or(usize::MAX, |limit| limit as usize),
            capacity: config.kv.blocks,
            block: config.kv.block_tokens,
            caching: config.kv.prefix_cache,
            sequences: Vec::new(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            running: Vec::new(),
            prefilling: Vec::new(),
            decoding: Vec::new(),
            decoding_keys: Vec::new(),
            context: 0,
            boundaries: vec![0; config.kv.block_tokens as usize],
            finishing: BinaryHeap::new(),
            chunks: Vec::new(),
            cache: PrefixCache::new(),
            private: 0,
            iteration: 0,
            log: IterationLog::default(),
            current: None,
            stats: ReplicaStats::new(config),
        }
    }

    /// Requests running and waiting.
    pub(super) fn load(&self) -> usize {
        self.running.len() + self.waiting.len()
    }

    pub(super) fn running(&self) -> usize {
        self.running.len()
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Share of KV blocks that running requests use.
    pub(super) fn kv_use(&self) -> f64 {
        f64::from(self.private + self.cache.used()) / f64::from(self.capacity)
    }

    /// Prompt tokens of a job that the prefix cache holds.
    pub(super) fn cached(&self, job: &Job) -> u32 {
        if self.caching {
            self.cache.lookup(&job.chain, (job.isl - 1) / self.block) * self.block
        } else {
            0
        }
    }

    /// When the iteration in progress ends; `None`: idle.
    pub(super) fn next(&self) -> Option<u64> {
        self.current.map(|current| current.end)
    }

    /// Accepts a request, or hands it back if the queue is full.
    pub(super) fn submit(&mut self, now: u64, job: Job) -> Result<Slot, Job> {
        if self.waiting.len() >= self.queue_limit {
            return Err(job);
        }
        let sequence = Sequence {
            job,
            phase: Phase::Waiting,
            generation: 0,
            arrived: now,
            scheduled: None,
            cached: 0,
            preemptions: 0,
            computed: 0,
            generated: 0,
            path: Path::ROOT,
            place: 0,
            spans: Vec::new(),
            aborted: false,
        };
        let slot = if let Some(slot) = self.free.pop() {
            let old = &mut self.sequences[slot as usize];
            let generation = old.generation.wrapping_add(1);
            *old = Sequence { generation, ..sequence };
            slot
        } else {
            self.sequences.push(sequence);
            (self.sequences.len() - 1) as Slot
        };
        self.waiting.push_back(slot);
        if self.current.is_none() {
            self.begin(now);
        }
        Ok(slot)
    }

    /// Gives a request up: nobody waits for its tokens any more. It leaves at the end of the
    /// iteration in progress, without a word to the observer.
    pub(super) fn abort(&mut self, slot: Slot, key: Key) {
        let sequence = &mut self.sequences[slot as usize];
        if sequence.phase == Phase::Free || sequence.job.key != key {
            return;
        }
        if sequence.phase == Phase::Waiting {
            self.waiting.retain(|&other| other != slot);
            self.release_slot(slot);
        } else {
            sequence.aborted = true;
        }
        self.stats.aborted += 1;
    }

    /// Ends the iteration in progress and begins the next one, if there is work.
    pub(super) fn complete(&mut self, observer: &mut impl Observer) {
        let Some(current) = self.current.take() else { return };
        let now = current.end;
        self.log.push(now);
        self.iteration += 1;
        self.stats.iteration(current.end - current.start, current.prefill_share);
        self.advance_decoding(now, observer);
        self.advance_prompts(now, observer);
        self.drop_aborted();
        if self.iteration.is_multiple_of(1 << 14) {
            self.trim_log();
        }
        self.begin(now);
    }

    fn advance_decoding(&mut self, now: u64, observer: &mut impl Observer) {
        let count = self.decoding.len() as u64;
        self.stats.output_tokens += count;
        self.context += count;
        if count > 0 {
            observer.tokens(now, &self.decoding_keys);
        }
        while let Some(&Reverse((iteration, slot, generation))) = self.finishing.peek() {
            if iteration >= self.iteration {
                break;
            }
            self.finishing.pop();
            let sequence = &self.sequences[slot as usize];
            let Phase::Decoding(..) = sequence.phase else { continue };
            if sequence.generation != generation || iteration != self.finish_iteration(slot) {
                continue;
            }
            self.stop_decoding(slot);
            self.finish(now, slot, observer);
        }
    }

    fn advance_prompts(&mut self, now: u64, observer: &mut impl Observer) {
        let chunks = std::mem::take(&mut self.chunks);
        for &(slot, chunk) in &chunks {
            self.sequences[slot as usize].computed += chunk;
            self.stats.prefill_tokens += u64::from(chunk);
            self.store_blocks(slot);
            let sequence = &mut self.sequences[slot as usize];
            if sequence.computed < sequence.target() {
                continue;
            }
            self.prefilling.retain(|&other| other != slot);
            sequence.generated += 1;
            sequence.spans.push((self.iteration - 1, self.iteration - 1));
            if sequence.generated == 1 {
                self.stats.prompt_tokens += u64::from(sequence.job.isl);
                self.stats.ttft.observe(now - sequence.arrived);
            }
            self.stats.output_tokens += 1;
            observer.token(now, sequence.job.key);
            if sequence.generated == sequence.job.osl {
                self.finish(now, slot, observer);
            } else {
                self.start_decoding(slot);
            }
        }
        self.chunks = chunks;
        self.chunks.clear();
    }

    /// The iteration that brings a decoding sequence its last token.
    fn finish_iteration(&self, slot: Slot) -> u64 {
        let sequence = &self.sequences[slot as usize];
        match sequence.phase {
            Phase::Decoding(_, since) => {
                since + u64::from(sequence.job.osl - sequence.generated) - 1
            }
            _ => u64::MAX,
        }
    }

    /// From the next iteration on, a sequence gets a token in each.
    fn start_decoding(&mut self, slot: Slot) {
        let since = self.iteration;
        let place = self.decoding.len() as u32;
        let block = u64::from(self.block);
        let sequence = &mut self.sequences[slot as usize];
        let context = sequence.computed;
        sequence.phase = Phase::Decoding(context, since);
        sequence.place = place;
        let (generation, key) = (sequence.generation, sequence.job.key);
        self.context += u64::from(context);
        self.boundaries[boundary(since, context, block)] += 1;
        self.decoding.push(slot);
        self.decoding_keys.push(key);
        let last = self.finish_iteration(slot);
        self.finishing.push(Reverse((last, slot, generation)));
    }

    /// Takes a sequence out of the sums; what it got until now becomes its own.
    fn stop_decoding(&mut self, slot: Slot) {
        let iteration = self.iteration;
        let sequence = &mut self.sequences[slot as usize];
        let Phase::Decoding(context, since) = sequence.phase else { return };
        let got = (iteration - since) as u32;
        sequence.generated += got;
        sequence.computed = context + got;
        if got > 0
            && let Some(span) = sequence.spans.last_mut()
        {
            span.1 = iteration - 1;
        }
        sequence.phase = Phase::Prefilling;
        let (place, computed) = (sequence.place as usize, sequence.computed);
        self.context -= u64::from(computed);
        self.boundaries[boundary(since, context, u64::from(self.block))] -= 1;
        self.decoding.swap_remove(place);
        self.decoding_keys.swap_remove(place);
        if let Some(&moved) = self.decoding.get(place) {
            self.sequences[moved as usize].place = place as u32;
        }
    }

    /// Blocks of a sequence's computed tokens.
    fn blocks_of(&self, slot: Slot) -> u32 {
        self.sequences[slot as usize].computed.div_ceil(self.block)
    }

    /// Moves a sequence's full blocks into the prefix cache.
    fn store_blocks(&mut self, slot: Slot) {
        if !self.caching {
            return;
        }
        let sequence = &mut self.sequences[slot as usize];
        let full = sequence.computed / self.block;
        let before = sequence.path.blocks;
        if full > before {
            let (path, _held) = self.cache.extend(sequence.path, &sequence.job.chain, full);
            sequence.path = path;
            self.private -= full - before;
        }
    }

    fn finish(&mut self, now: u64, slot: Slot, observer: &mut impl Observer) {
        self.store_blocks(slot);
        self.free_blocks(slot);
        self.running.retain(|&other| other != slot);
        let sequence = &self.sequences[slot as usize];
        let scheduled = sequence.scheduled.unwrap_or(sequence.arrived);
        let done = Done {
            arrived: sequence.arrived,
            scheduled,
            cached: sequence.cached,
            tokens: sequence.generated,
            preemptions: sequence.preemptions,
        };
        if !sequence.aborted {
            self.stats.finished += 1;
            self.stats.queue.observe(scheduled - done.arrived);
            self.stats.e2e.observe(now - done.arrived);
            let emissions = Emissions::new(&self.log, &sequence.spans);
            observer.done(now, sequence.job.key, &done, emissions);
        }
        self.release_slot(slot);
    }

    fn free_blocks(&mut self, slot: Slot) {
        let blocks = self.blocks_of(slot);
        let sequence = &mut self.sequences[slot as usize];
        self.private -= blocks - sequence.path.blocks;
        self.cache.release(sequence.path);
        sequence.path = Path::ROOT;
        sequence.computed = 0;
    }

    fn release_slot(&mut self, slot: Slot) {
        let sequence = &mut self.sequences[slot as usize];
        sequence.phase = Phase::Free;
        sequence.job.chain = Chain::described(0, 0, 0, 1);
        sequence.spans = Vec::new();
        self.free.push(slot);
    }

    fn drop_aborted(&mut self) {
        let mut at = 0;
        while let Some(&slot) = self.running.get(at) {
            if self.sequences[slot as usize].aborted {
                self.leave(slot);
                self.release_slot(slot);
            } else {
                at += 1;
            }
        }
    }

    /// Takes a sequence out of the running ones and frees its blocks.
    fn leave(&mut self, slot: Slot) {
        self.stop_decoding(slot);
        self.prefilling.retain(|&other| other != slot);
        self.running.retain(|&other| other != slot);
        self.free_blocks(slot);
    }

    /// Forgets the iterations before the first one that any request still needs.
    fn trim_log(&mut self) {
        let first = |slot: &Slot| self.sequences[*slot as usize].spans.first().map(|span| span.0);
        let needed = self.running.iter().chain(&self.waiting).filter_map(first).min();
        self.log.forget_before(needed.unwrap_or(self.iteration));
    }
}

/// Index of the iterations, modulo the block size, in which a sequence that decodes since an
/// iteration with a context begins a new block.
const fn boundary(since: u64, context: u32, block: u64) -> usize {
    ((since + block - context as u64 % block) % block) as usize
}
