//! What the next iteration does: decoding first, then prompts already begun, then the queue; and
//! who gives way where KV blocks are short.

use super::{Phase, Replica, Running, Slot, boundary};
use crate::sim::prefix::Path;

impl Replica {
    /// Sends the last admitted sequence back to the head of the queue: its KV will be computed
    /// anew. `planned`: the decoding sequences have their blocks for the iteration being planned.
    fn preempt(&mut self, planned: bool) {
        let Some(&slot) = self.running.last() else { return };
        if planned && self.begins_block(slot) {
            self.private -= 1;
        }
        self.leave(slot);
        let sequence = &mut self.sequences[slot as usize];
        sequence.phase = Phase::Waiting;
        sequence.preemptions += 1;
        self.waiting.push_front(slot);
        self.stats.preemptions += 1;
    }

    /// Whether a decoding sequence needs a new block in the iteration being planned.
    fn begins_block(&self, slot: Slot) -> bool {
        match self.sequences[slot as usize].phase {
            Phase::Decoding(context, since) => {
                let block = u64::from(self.block);
                boundary(since, context, block) as u64 == self.iteration % block
            }
            _ => false,
        }
    }

    /// Blocks that could be had now: free ones, and cached ones that nobody uses.
    const fn available(&self) -> u32 {
        self.capacity - self.private - self.cache.used()
    }

    /// Takes blocks that are known to be available.
    fn take(&mut self, blocks: u32) {
        let free = self.capacity - self.private - self.cache.blocks();
        if free < blocks {
            self.cache.evict(blocks - free);
        }
        self.private += blocks;
    }

    /// Plans the next iteration: decoding first, then prompts already begun, then the queue.
    pub(super) fn begin(&mut self, now: u64) {
        let preempted = self.stats.preemptions;
        self.plan_decoding();
        let mut prefill = self.plan_begun_prompts();
        // After a preemption nothing new is admitted, except into an empty engine.
        if self.stats.preemptions == preempted || self.running.is_empty() {
            prefill = self.plan_queue(now, prefill);
        }
        if self.running.is_empty() {
            self.stats.idle_since(now);
            return;
        }
        self.stats.busy_since(now);
        let past = |&(slot, _): &(Slot, u32)| u64::from(self.sequences[slot as usize].computed);
        let read = self.context + self.chunks.iter().map(past).sum::<u64>();
        let cost = &self.cost;
        let prompts = f64::from(prefill) * cost.prefill;
        let time = cost.base
            + prompts
            + self.decoding.len() as f64 * cost.decode
            + read as f64 * cost.context;
        let slow = 1.0 + cost.slowdown_per_ns * now as f64;
        let end = now + ((time * slow) as u64).max(1);
        self.current = Some(Running { end, start: now, prefill_share: prompts / time.max(1.0) });
    }

    /// Takes the blocks that the decoding sequences need, preempting the last admitted sequences
    /// while there are not enough.
    fn plan_decoding(&mut self) {
        let at = (self.iteration % u64::from(self.block)) as usize;
        while self.boundaries[at] > self.available() {
            self.preempt(false);
        }
        self.take(self.boundaries[at]);
    }

    /// Gives prompts already begun their next chunks; returns the tokens given.
    fn plan_begun_prompts(&mut self) -> u32 {
        let (mut next, mut given) = (0, 0);
        while let Some(&slot) = self.prefilling.get(next) {
            let left = self.max_tokens - self.decoding.len() as u32 - given;
            if left == 0 {
                break;
            }
            let sequence = &self.sequences[slot as usize];
            let (past, missing) = (sequence.computed, sequence.target() - sequence.computed);
            let chunk = missing.min(left).min(self.max_chunk);
            let need = (past + chunk).div_ceil(self.block) - past.div_ceil(self.block);
            if need > self.available() {
                // The last admitted sequence gives way; it comes after all that have a chunk.
                self.preempt(true);
                continue;
            }
            self.take(need);
            self.chunks.push((slot, chunk));
            given += chunk;
            next += 1;
        }
        given
    }

    /// Admits from the queue what fits beside the prompt tokens already given; returns their new
    /// sum.
    fn plan_queue(&mut self, now: u64, mut given: u32) -> u32 {
        while self.running.len() < self.max_sequences
            && let Some(&slot) = self.waiting.front()
        {
            let left = self.max_tokens - self.decoding.len() as u32 - given;
            if left == 0 {
                break;
            }
            let Some(chunk) = self.admit(now, slot, left) else { break };
            given += chunk;
        }
        given
    }

    /// Admits the head of the queue with a first chunk of at most `budget` tokens, if its blocks
    /// can be had.
    fn admit(&mut self, now: u64, slot: Slot, budget: u32) -> Option<u32> {
        let sequence = &self.sequences[slot as usize];
        let target = sequence.target();
        // At least one token is computed: it brings the output.
        let path = if self.caching {
            self.cache.acquire(&sequence.job.chain, (target - 1) / self.block)
        } else {
            Path::ROOT
        };
        let cached = path.blocks * self.block;
        let chunk = (target - cached).min(budget).min(self.max_chunk);
        let need = (cached + chunk).div_ceil(self.block) - path.blocks;
        if need > self.available() {
            self.cache.release(path);
            return None;
        }
        self.take(need);
        self.waiting.pop_front();
        let sequence = &mut self.sequences[slot as usize];
        sequence.phase = Phase::Prefilling;
        sequence.path = path;
        sequence.computed = cached;
        if sequence.scheduled.is_none() {
            sequence.scheduled = Some(now);
            sequence.cached = cached;
            self.stats.prefix_queries += u64::from(sequence.job.isl);
            self.stats.prefix_hits += u64::from(cached);
        }
        self.running.push(slot);
        self.prefilling.push(slot);
        self.chunks.push((slot, chunk));
        Some(chunk)
    }
}
