//! The gaps between the events of one answer, kept in little memory: every gap is needed until
//! the answer has ended, of thousands of answers at once.

use tokencap_shared::definitions::record::GapSummary;
use tokencap_shared::units::Nanos;

/// Gaps in the order in which they came: four bytes each where they are shorter than two seconds.
/// Events that came in together have no time between them, and a whole run of such gaps takes
/// four bytes.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    /// A short gap in nanoseconds; or [`RUN`] and a number of gaps of zero; or [`LONG`] and the
    /// upper half of a long gap, whose lower half follows.
    words: Vec<u32>,
    /// Gaps of zero behind those.
    zeros: u32,
}

const RUN: u32 = 0b10 << 30;
const LONG: u32 = 0b11 << 30;
/// The bits of a word that say how many, or how long.
const AMOUNT: u32 = !LONG;

impl Gaps {
    /// Adds the gap that came next.
    ///
    /// A gap of more than 146 years counts as so many.
    #[inline]
    pub fn push(&mut self, gap: Nanos) {
        if gap.0 == 0 && self.zeros < AMOUNT {
            self.zeros += 1;
        } else {
            self.push_after_run(gap.0);
        }
    }

    fn push_after_run(&mut self, gap: u64) {
        if self.zeros > 0 {
            self.words.push(RUN | self.zeros);
            self.zeros = 0;
        }
        let upper = u32::try_from(gap >> 32).unwrap_or(u32::MAX).min(AMOUNT);
        let lower = gap as u32;
        if upper > 0 || lower >= RUN {
            self.words.push(LONG | upper);
        }
        self.words.push(lower);
    }

    /// Each gap, and how often it came in a row.
    #[inline]
    pub fn runs(&self) -> impl Iterator<Item = (Nanos, usize)> {
        let mut words = self.words.iter();
        let stored = std::iter::from_fn(move || {
            let word = *words.next()?;
            let amount = word & AMOUNT;
            Some(match word & LONG {
                RUN => (Nanos(0), amount as usize),
                LONG => {
                    let lower = *words.next()?;
                    (Nanos(u64::from(amount) << 32 | u64::from(lower)), 1)
                }
                _ => (Nanos(word.into()), 1),
            })
        });
        let last = (self.zeros > 0).then_some((Nanos(0), self.zeros as usize));
        stored.chain(last)
    }

    /// Their greatest and their percentiles. `sorted` is room to work in.
    pub fn summary(&self, sorted: &mut Vec<Nanos>) -> Option<GapSummary> {
        sorted.clear();
        for (gap, times) in self.runs() {
            sorted.resize(sorted.len() + times, gap);
        }
        GapSummary::of(sorted)
    }

    /// Each gap.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Nanos> {
        self.runs().flat_map(|(gap, times)| std::iter::repeat_n(gap, times))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn gap() -> impl Strategy<Value = u64> {
        prop_oneof![
            3 => Just(0),
            3 => 1..100_000_000_u64,
            1 => (1_u64 << 30) - 2..(1 << 30) + 2,
            1 => (1_u64 << 31) - 2..(1 << 31) + 2,
            1 => (1_u64 << 32) - 2..(1 << 32) + 2,
            1 => 0..1_u64 << 62,
        ]
    }

    proptest! {
        #[test]
        fn what_comes_out_is_what_went_in(pushed in prop::collection::vec(gap(), 0..40)) {
            let mut gaps = Gaps::default();
            for &gap in &pushed {
                gaps.push(Nanos(gap));
            }
            prop_assert_eq!(gaps.iter().map(|gap| gap.0).collect::<Vec<_>>(), pushed);
        }
    }

    #[test]
    fn gaps_of_zero_in_a_row_are_one_run() {
        let mut gaps = Gaps::default();
        for gap in [0, 0, 7, 0, 0, 0] {
            gaps.push(Nanos(gap));
        }
        let runs: Vec<_> = gaps.runs().collect();
        assert_eq!(runs, [(Nanos(0), 2), (Nanos(7), 1), (Nanos(0), 3)]);
        assert_eq!(gaps.words.len(), 2);
    }

    #[test]
    fn a_full_run_and_an_endless_gap_are_kept() {
        let mut gaps = Gaps { words: Vec::new(), zeros: AMOUNT };
        gaps.push(Nanos(0));
        gaps.push(Nanos(u64::MAX));
        let runs: Vec<_> = gaps.runs().collect();
        assert_eq!(runs[0], (Nanos(0), AMOUNT as usize));
        assert_eq!(runs[1], (Nanos(0), 1));
        assert!(runs[2].0 >= Nanos(1 << 61), "{runs:?}");
    }
}
