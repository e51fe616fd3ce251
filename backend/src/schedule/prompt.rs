//! Prompt texts: random common words, as many as make the asked number of tokens.

use std::sync::Arc;

use crate::rng::Random;

/// Words in a salt: 60 bits, of all the words.
pub const SALT_WORDS: u32 = 6;
/// Fewer words than these would make texts that resemble each other.
const FEWEST: u32 = 256;

/// The words of which prompts are made: a power of two of them, so that bits choose one.
#[derive(Clone, Debug)]
pub struct Words {
    list: Arc<[&'static str]>,
    bits: u32,
}

impl Default for Words {
    /// All of them: 2¹⁰.
    fn default() -> Self {
        Self::first(include_str!("words.txt").split_whitespace().collect())
    }
}

impl Words {
    /// Those that are wanted; `None` if they are too few.
    #[must_use]
    pub fn of(is_wanted: impl Fn(&str) -> bool) -> Option<Self> {
        let all = include_str!("words.txt").split_whitespace();
        let list: Vec<_> = all.filter(|word| is_wanted(word)).collect();
        (list.len() >= FEWEST as usize).then(|| Self::first(list))
    }

    /// As many of a list's first words as are a power of two.
    fn first(mut list: Vec<&'static str>) -> Self {
        let bits = list.len().max(1).ilog2();
        list.truncate(1 << bits);
        Self { list: list.into(), bits }
    }

    /// The words.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.list.iter().copied()
    }

    /// Appends so many random words, with a space between any two and before the first, unless that
    /// begins a text: after a quote, or where there is nothing yet. A space at either end of a text
    /// would be one token more in many models. No word needs an escape in JSON.
    pub fn append(&self, out: &mut Vec<u8>, random: &mut Random, count: u32) {
        out.reserve(count as usize * 7);
        let mut begins = matches!(out.last(), None | Some(b' ' | b'"'));
        let (mut bits, mut left) = (0, 0);
        for _ in 0..count {
            if left < self.bits {
                (bits, left) = (random.bits(), 64);
            }
            let index = bits & ((1 << self.bits) - 1);
            if !begins {
                out.push(b' ');
            }
            begins = false;
            out.extend_from_slice(self.list[index as usize].as_bytes());
            bits >>= self.bits;
            left -= self.bits;
        }
    }
}

/// How many tokens a prompt of so many words has, as the server counts them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruler {
    /// Tokens of a prompt beside its words: the chat template.
    pub fixed: f64,
    /// Tokens a word.
    pub per_word: f64,
}

impl Default for Ruler {
    fn default() -> Self {
        Self { fixed: 0.0, per_word: 1.0 }
    }
}

impl Ruler {
    /// The ruler through two measurements (words, tokens); `None` if they do not make sense.
    #[must_use]
    pub fn through(short: (u32, u32), long: (u32, u32)) -> Option<Self> {
        let words = f64::from(long.0) - f64::from(short.0);
        let per_word = (f64::from(long.1) - f64::from(short.1)) / words;
        let fixed = f64::from(short.1) - per_word * f64::from(short.0);
        // Words differ in length, so that without a template `fixed` lies about 0, on either side.
        ((0.2..20.0).contains(&per_word) && fixed > -0.25 * f64::from(short.1))
            .then_some(Self { fixed: fixed.max(0.0), per_word })
    }

    /// Words that make so many tokens, template not counted.
    #[must_use]
    pub fn words(&self, tokens: u32) -> u32 {
        (f64::from(tokens) / self.per_word).round() as u32
    }

    /// Words of a whole prompt of so many tokens, template counted; at least one.
    #[must_use]
    pub fn words_of_prompt(&self, tokens: u32) -> u32 {
        ((f64::from(tokens) - self.fixed) / self.per_word).round().max(1.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    #[test]
    fn the_words_are_a_power_of_two_of_different_plain_words() {
        let words = Words::default();
        let set: std::collections::BTreeSet<_> = words.iter().collect();
        assert_eq!((set.len(), words.bits), (1024, 10));
        assert!(words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn a_text_has_as_many_words_as_asked_and_uses_all_of_them() {
        let some = Words::of(|word| !word.contains('e')).unwrap();
        for (words, number) in [(Words::default(), 1024), (some, 256)] {
            let mut out = Vec::new();
            words.append(&mut out, &mut Random::new(1, Purpose::Text, 0), 20_000);
            let text = String::from_utf8(out).unwrap();
            assert_eq!(text.split_whitespace().count(), 20_000);
            let used: std::collections::BTreeSet<_> = text.split_whitespace().collect();
            assert_eq!(used.len(), number);
            assert!(words.iter().all(|word| used.contains(word)));
        }
    }

    #[test]
    fn there_is_a_space_between_words_and_none_where_a_text_begins_or_ends() {
        let words = Words::default();
        let mut random = Random::new(1, Purpose::Text, 0);
        for before in ["", "shared ", r#""content":""#] {
            let mut out = before.as_bytes().to_vec();
            for count in [0, 3, 2] {
                words.append(&mut out, &mut random, count);
            }
            let text = String::from_utf8(out).unwrap();
            let added = text.strip_prefix(before).unwrap();
            assert_eq!(added.split(' ').filter(|word| !word.is_empty()).count(), 5, "{text}");
            assert_eq!(added.matches(' ').count(), 4, "{text}");
            assert_eq!(added, added.trim(), "{text}");
        }
    }

    #[test]
    fn too_few_words_are_none() {
        assert!(Words::of(|word| word.starts_with('z')).is_none());
    }

    #[test]
    fn a_ruler_goes_through_its_two_measurements() {
        let ruler = Ruler::through((64, 111), (1024, 1551)).unwrap();
        assert_eq!(ruler, Ruler { fixed: 15.0, per_word: 1.5 });
        assert_eq!(ruler.words_of_prompt(1551), 1024);
        assert_eq!(ruler.words(150), 100);
        assert_eq!(ruler.words_of_prompt(3), 1);
        assert_eq!(Ruler::through((64, 92), (1024, 92)), None);
    }
}
