//! A prompt as the prefix cache sees it: a chain of block hashes, each of which names its block
//! *and everything before it*. Two prompts that agree in block `i` agree in all blocks up to `i`.

use std::sync::Arc;

/// The block hashes of a request's tokens, prompt and output together.
#[derive(Clone, Debug)]
pub enum Chain {
    /// Computed from real text.
    Hashed(Arc<[u64]>),
    /// Described instead of computed: blocks inside the shared prefix are the group's, the rest
    /// are the session's own. A later turn of the session extends the same chain.
    Described {
        /// What the shared prefix is.
        group: u64,
        /// Length of the shared prefix, in whole blocks.
        shared_blocks: u32,
        /// What the rest is.
        session: u64,
    },
}

impl Chain {
    /// A described chain. `shared` is in tokens: only whole blocks can be shared.
    #[must_use]
    pub const fn described(group: u64, shared: u32, session: u64, block_tokens: u32) -> Self {
        Self::Described { group, shared_blocks: shared / block_tokens, session }
    }

    /// Hash of block `i`, which names everything up to and including it.
    pub(super) fn block(&self, i: u32) -> u64 {
        match self {
            // Past its end nothing is ever asked; a distinct value would be wrong as well as any.
            Self::Hashed(blocks) => blocks.get(i as usize).copied().unwrap_or(0),
            Self::Described { group, shared_blocks, session } => {
                let shared = mix(*group);
                // What is a session's own names what it follows.
                let own = || mix(mix(shared ^ u64::from(*shared_blocks)) ^ *session);
                let owner = if i < *shared_blocks { shared } else { own() };
                mix(owner.wrapping_add(u64::from(i)))
            }
        }
    }
}

/// SplitMix64's finaliser: spreads every input bit over the whole word.
pub(super) const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Turns text into a chain, word by word: a token is a maximal run of non-whitespace characters.
/// A client that counts words has exact control of prompt lengths.
#[derive(Debug)]
pub struct Tokenizer {
    block_tokens: u32,
    state: u64,
    tokens: u32,
    blocks: Vec<u64>,
}

impl Tokenizer {
    /// An empty prompt.
    #[must_use]
    pub fn new(block_tokens: u32) -> Self {
        Self { block_tokens, state: 0, tokens: 0, blocks: Vec::new() }
    }

    /// Adds every word of a text.
    pub fn text(&mut self, text: &str) {
        for word in text.split_ascii_whitespace() {
            self.token(hash_bytes(word.as_bytes()));
        }
    }

    /// Adds one token by its identity.
    pub fn token(&mut self, identity: u64) {
        self.state = mix(self.state ^ identity);
        self.tokens += 1;
        if self.tokens.is_multiple_of(self.block_tokens) {
            self.blocks.push(self.state);
        }
    }

    /// Tokens so far.
    #[must_use]
    pub const fn tokens(&self) -> u32 {
        self.tokens
    }

    /// The chain.
    #[must_use]
    pub fn chain(self) -> Chain {
        Chain::Hashed(self.blocks.into())
    }
}

/// Hash of a word, eight bytes at a time.
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64;
    for part in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        state = mix(state ^ u64::from_le_bytes(word));
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<u64> {
        let mut tokenizer = Tokenizer::new(2);
        tokenizer.text(text);
        let Chain::Hashed(blocks) = tokenizer.chain() else { unreachable!("it was hashed") };
        blocks.to_vec()
    }

    #[test]
    fn words_are_tokens_and_blocks_name_their_whole_past() {
        let mut tokenizer = Tokenizer::new(4);
        tokenizer.text("  one two\nthree\t four five ");
        assert_eq!(tokenizer.tokens(), 5);
        let (a, b) = (blocks("a b c d e f"), blocks("a b x d e f"));
        assert_eq!(a.len(), 3);
        assert_eq!(a[0], b[0]);
        assert_ne!(a[1], b[1]);
        assert_ne!(a[2], b[2], "block 2 has the same words, but another past");
    }

    #[test]
    fn described_chains_share_the_prefix_and_nothing_else() {
        let chain = |session| Chain::described(7, 100, session, 16);
        let (a, b) = (chain(1), chain(2));
        assert!((0..6).all(|i| a.block(i) == b.block(i)));
        assert!((6..50).all(|i| a.block(i) != b.block(i)));
    }
}
