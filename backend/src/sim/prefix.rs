//! The prefix cache of one replica: a tree of runs of blocks.
//!
//! Because a block's hash names its whole past, a run is compared with a prompt by its last
//! block alone, and the point where they part is found by bisection: the cost of a look-up does
//! not grow with the prompt's length. What is cached and in no use is evicted from the back of
//! the least recently used run, which is what a block-wise LRU does when a request frees its
//! blocks last to first.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::chain::Chain;

/// Index of a run in the tree.
pub(super) type RunId = u32;
const NONE: RunId = u32::MAX;

/// Consecutive blocks `[from, to)` of a chain.
#[derive(Debug)]
struct Run {
    chain: Chain,
    from: u32,
    to: u32,
    parent: RunId,
    /// Running requests whose path passes through here.
    users: u32,
    /// Neighbours in the list of unused runs, least recently used first.
    older: RunId,
    newer: RunId,
}

/// A request's place in the tree: it uses every block from the root to here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Path {
    run: RunId,
    /// Blocks from the root.
    pub(super) blocks: u32,
}

impl Path {
    /// Nothing cached.
    pub(super) const ROOT: Self = Self { run: NONE, blocks: 0 };
}

/// The hashes are mixed already.
#[derive(Debug, Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct PrefixCache {
    runs: Vec<Run>,
    free: Vec<RunId>,
    /// First block of every run.
    starts: HashMap<u64, RunId, BuildHasherDefault<Identity>>,
    oldest: RunId,
    newest: RunId,
    blocks: u32,
    used: u32,
}

impl PrefixCache {
    pub(super) fn new() -> Self {
        Self {
            runs: Vec::new(),
            free: Vec::new(),
            starts: HashMap::default(),
            oldest: NONE,
            newest: NONE,
            blocks: 0,
            used: 0,
        }
    }

    /// Blocks held, used or not.
    pub(super) const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Blocks that running requests use: not evictable.
    pub(super) const fn used(&self) -> u32 {
        self.used
    }

    /// How many leading blocks of a chain, at most `most`, are held. Changes nothing.
    pub(super) fn lookup(&self, chain: &Chain, most: u32) -> u32 {
        let mut at = 0;
        while at < most {
            let Some(&id) = self.starts.get(&chain.block(at)) else { break };
            let run = &self.runs[id as usize];
            let matched = run.matches(chain, most);
            at += matched;
            if at < run.to {
                break;
            }
        }
        at
    }

    /// Takes the longest held prefix of a chain, at most `most` blocks, into use.
    pub(super) fn acquire(&mut self, chain: &Chain, most: u32) -> Path {
        let path = self.descend(Path::ROOT, chain, most);
        let mut id = path.run;
        while id != NONE {
            let run = &mut self.runs[id as usize];
            run.users += 1;
            let (parent, first) = (run.parent, run.users == 1);
            if first {
                self.used += self.runs[id as usize].len();
                self.unlink(id);
            }
            id = parent;
        }
        path
    }

    /// Follows a chain down from a path as far as it is held, splitting the last run where the
    /// chain leaves it.
    fn descend(&mut self, mut path: Path, chain: &Chain, most: u32) -> Path {
        while path.blocks < most {
            let Some(&id) = self.starts.get(&chain.block(path.blocks)) else { break };
            let run = &self.runs[id as usize];
            let (matched, len) = (run.matches(chain, most), run.len());
            let into = if matched < len { self.split(id, matched) } else { id };
            path = Path { run: into, blocks: path.blocks + matched };
            if matched < len {
                break;
            }
        }
        path
    }

    /// Cuts a run after its first `head` blocks; returns the head. The tail keeps the id, by
    /// which running requests know their place.
    fn split(&mut self, tail: RunId, head: u32) -> RunId {
        let run = &self.runs[tail as usize];
        let (chain, from, parent, users) = (run.chain.clone(), run.from, run.parent, run.users);
        let middle = from + head;
        let unused = users == 0;
        let first =
            self.add(Run { chain, from, to: middle, parent, users, older: NONE, newer: NONE });
        let start = {
            let run = &mut self.runs[tail as usize];
            run.from = middle;
            run.parent = first;
            run.chain.block(middle)
        };
        self.starts.insert(start, tail);
        if unused {
            // The head goes right behind its tail: it was as recently used.
            self.link_after(tail, first);
        }
        first
    }

    /// Stores blocks `[path.blocks, to)` of a chain below a path that the caller uses, and moves
    /// the path there. Returns the new path and how many of the blocks were held already.
    pub(super) fn extend(&mut self, path: Path, chain: &Chain, to: u32) -> (Path, u32) {
        if path.blocks >= to {
            return (path, 0);
        }
        let found = self.descend(path, chain, to);
        let held = found.blocks - path.blocks;
        if held > 0 {
            let mut id = found.run;
            while id != path.run {
                let run = &mut self.runs[id as usize];
                run.users += 1;
                let (parent, first) = (run.parent, run.users == 1);
                if first {
                    self.used += self.runs[id as usize].len();
                    self.unlink(id);
                }
                id = parent;
            }
        }
        if found.blocks == to {
            return (found, held);
        }
        let new = to - found.blocks;
        self.blocks += new;
        self.used += new;
        // A run that only this request uses, and that ends here, simply grows. Whether it has
        // children cannot matter: a child would have been a continuation that was not followed,
        // so growing would put two runs below one end; a new run is right in that case.
        let run = self.add(Run {
            chain: chain.clone(),
            from: found.blocks,
            to,
            parent: found.run,
            users: 1,
            older: NONE,
            newer: NONE,
        });
        (Path { run, blocks: to }, held)
    }

    /// Ends the use of a path. What nobody uses any more becomes evictable, deepest first.
    pub(super) fn release(&mut self, path: Path) {
        let mut id = path.run;
        while id != NONE {
            let run = &mut self.runs[id as usize];
            run.users -= 1;
            let (parent, last) = (run.parent, run.users == 0);
            if last {
                self.used -= self.runs[id as usize].len();
                self.link_after(self.newest, id);
            }
            id = parent;
        }
    }

    /// Evicts up to `count` unused blocks, least recently used first; returns how many.
    pub(super) fn evict(&mut self, count: u32) -> u32 {
        let mut left = count;
        while left > 0 && self.oldest != NONE {
            let id = self.oldest;
            let run = &mut self.runs[id as usize];
            let taken = run.len().min(left);
            run.to -= taken;
            left -= taken;
            if run.len() == 0 {
                let start = run.chain.block(run.from);
                // A run without blocks keeps no text alive.
                run.chain = Chain::described(0, 0, 0, 1);
                self.starts.remove(&start);
                self.unlink(id);
                self.free.push(id);
            }
        }
        self.blocks -= count - left;
        count - left
    }

    fn add(&mut self, run: Run) -> RunId {
        let start = run.chain.block(run.from);
        let id = if let Some(id) = self.free.pop() {
            self.runs[id as usize] = run;
            id
        } else {
            self.runs.push(run);
            (self.runs.len() - 1) as RunId
        };
        self.starts.insert(start, id);
        id
    }

    fn unlink(&mut self, id: RunId) {
        let (older, newer) = {
            let run = &mut self.runs[id as usize];
            let links = (run.older, run.newer);
            (run.older, run.newer) = (NONE, NONE);
            links
        };
        match older {
            NONE => {
                if self.oldest == id {
                    self.oldest = newer;
                }
            }
            _ => self.runs[older as usize].newer = newer,
        }
        match newer {
            NONE => {
                if self.newest == id {
                    self.newest = older;
                }
            }
            _ => self.runs[newer as usize].older = older,
        }
    }

    /// Puts a run behind another in the list of unused ones; behind `NONE`: into an empty list.
    fn link_after(&mut self, older: RunId, id: RunId) {
        let newer = if older == NONE { self.oldest } else { self.runs[older as usize].newer };
        let run = &mut self.runs[id as usize];
        (run.older, run.newer) = (older, newer);
        match older {
            NONE => self.oldest = id,
            _ => self.runs[older as usize].newer = id,
        }
        match newer {
            NONE => self.newest = id,
            _ => self.runs[newer as usize].older = id,
        }
    }
}

impl Run {
    const fn len(&self) -> u32 {
        self.to - self.from
    }

    /// How many leading blocks of this run a chain has too, given that it has the first.
    fn matches(&self, chain: &Chain, most: u32) -> u32 {
        let end = self.to.min(most);
        let same = |i: u32| self.chain.block(i) == chain.block(i);
        if same(end - 1) {
            return end - self.from;
        }
        let (mut good, mut bad) = (self.from, end - 1);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            if same(middle) { good = middle } else { bad = middle }
        }
        bad - self.from
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, VecDeque};

    use proptest::prelude::*;

    use super::*;

    /// The plain thing: a set of block hashes, a use count each, and a queue of unused ones.
    #[derive(Default)]
    struct Plain {
        held: BTreeSet<u64>,
        users: std::collections::BTreeMap<u64, u32>,
        unused: VecDeque<u64>,
    }

    impl Plain {
        fn acquire(&mut self, chain: &Chain, from: u32, to: u32) -> u32 {
            let mut at = from;
            while at < to && self.held.contains(&chain.block(at)) {
                let hash = chain.block(at);
                *self.users.entry(hash).or_default() += 1;
                self.unused.retain(|&other| other != hash);
                at += 1;
            }
            at
        }
        fn insert(&mut self, chain: &Chain, from: u32, to: u32) {
            for i in from..to {
                self.held.insert(chain.block(i));
                self.users.insert(chain.block(i), 1);
            }
        }
        fn release(&mut self, chain: &Chain, to: u32) {
            for i in (0..to).rev() {
                let users = self.users.get_mut(&chain.block(i)).unwrap();
                *users -= 1;
                if *users == 0 {
                    self.unused.push_back(chain.block(i));
                }
            }
        }
        fn evict(&mut self, count: u32) -> u32 {
            let taken = (count as usize).min(self.unused.len());
            for hash in self.unused.drain(..taken) {
                self.held.remove(&hash);
            }
            taken as u32
        }
    }

    proptest! {
        /// The tree of runs and a block-wise LRU hold the same blocks after any history.
        #[test]
        fn runs_behave_like_a_blockwise_lru(
            history in prop::collection::vec((0_u64..4, 0_u32..6, 0_u64..5, 1_u32..30, 0_u32..12), 1..60)
        ) {
            let mut tree = PrefixCache::new();
            let mut plain = Plain::default();
            let mut running: VecDeque<(Chain, Path)> = VecDeque::new();
            for (group, shared, session, len, evict) in history {
                let chain = Chain::Described {
                    group, shared_blocks: shared, session,
                };
                let path = tree.acquire(&chain, len);
                prop_assert_eq!(path.blocks, plain.acquire(&chain, 0, len));
                prop_assert_eq!(tree.lookup(&chain, len), path.blocks);
                let (end, held) = tree.extend(path, &chain, len);
                let found = plain.acquire(&chain, path.blocks, len);
                prop_assert_eq!(held, found - path.blocks);
                plain.insert(&chain, found, len);
                prop_assert_eq!(end.blocks, len);
                running.push_back((chain, end));
                if running.len() > 3 {
                    let (chain, path) = running.pop_front().unwrap();
                    tree.release(path);
                    plain.release(&chain, path.blocks);
                }
                prop_assert_eq!(tree.evict(evict), plain.evict(evict));
                prop_assert_eq!(tree.blocks() as usize, plain.held.len());
                prop_assert_eq!(tree.blocks() - tree.used(), plain.unused.len() as u32);
            }
        }
    }
}
