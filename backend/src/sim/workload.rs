//! The arrivals of a workload as jobs of the simulated cluster: each with the chain of its
//! prompt's blocks.

use tokencap_shared::definitions::workload::{CacheState, Workload};
use tokencap_shared::units::Rate;

use super::chain::{Chain, mix};
use crate::schedule::described::{Arrival, Described};
use crate::schedule::draw::WorkloadError;

/// The jobs of one step.
#[derive(Debug)]
pub(super) struct Source<'a> {
    described: Described<'a>,
    cache: CacheState,
    block_tokens: u32,
    seed: u64,
    salt: u64,
}

impl<'a> Source<'a> {
    /// The jobs of a workload at a rate of requests; steps of different salts share nothing
    /// but what the workload declares as shared.
    pub(super) fn new(
        workload: &'a Workload,
        block_tokens: u32,
        rate: Rate,
        seed: u64,
        salt: u64,
    ) -> Result<Self, WorkloadError> {
        let described = Described::new(workload, rate, seed)?;
        Ok(Self { described, cache: workload.cache, block_tokens, seed, salt })
    }

    /// When the next request arrives, in nanoseconds since the step's start; `None`: never.
    pub(super) fn peek(&self) -> Option<u64> {
        self.described.peek()
    }

    /// The next request, and the chain of its prompt.
    pub(super) fn take(&mut self) -> Option<(Arrival, Chain)> {
        let arrival = self.described.take()?;
        Some((arrival, self.chain(arrival)))
    }

    /// A request got its answer.
    pub(super) fn answered(&mut self, at: u64, session: u32) {
        self.described.answered(at, session);
    }

    fn chain(&self, Arrival { session, class, shared_prefix, .. }: Arrival) -> Chain {
        let own = match self.cache {
            // Nobody salts: the same text again in every step of the same seed.
            CacheState::Warm => mix(self.seed),
            CacheState::Salted | CacheState::Cold => mix(!self.salt),
        };
        let own = mix(own ^ u64::from(session));
        let shared = if self.cache == CacheState::Cold { 0 } else { shared_prefix };
        Chain::described(class as u64, shared, own, self.block_tokens)
    }
}
