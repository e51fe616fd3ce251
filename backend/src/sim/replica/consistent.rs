//! What must hold between iterations, whatever happened.

use super::{Phase, Replica};

impl Replica {
    /// Panics where something does not hold.
    pub(in crate::sim) fn assert_consistent(&self) {
        let used: u32 = self
            .running
            .iter()
            .map(|&slot| {
                let sequence = &self.sequences[slot as usize];
                let tokens = match sequence.phase {
                    // The block for the token in the making is taken already.
                    Phase::Decoding(context, since) => {
                        context + (self.iteration - since) as u32 + 1
                    }
                    _ => {
                        let chunk = self.chunks.iter().find(|chunk| chunk.0 == slot);
                        sequence.computed + chunk.map_or(0, |chunk| chunk.1)
                    }
                };
                tokens.div_ceil(self.block) - sequence.path.blocks
            })
            .sum();
        assert_eq!(used, self.private, "private blocks");
        assert!(self.private + self.cache.blocks() <= self.capacity, "capacity");
        assert!(self.running.len() <= self.max_sequences);
        let tokens =
            self.decoding.len() as u32 + self.chunks.iter().map(|chunk| chunk.1).sum::<u32>();
        assert!(tokens <= self.max_tokens, "token budget");
        assert_eq!(self.running.len(), self.prefilling.len() + self.decoding.len());
        if self.running.is_empty() {
            assert_eq!((self.private, self.cache.used(), self.context), (0, 0, 0));
        }
    }
}
