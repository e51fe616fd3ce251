//! How many tokens a word is, by a model's own `tokenizer.json`.
//!
//! Prompts are made of plain lower-case words with a space between them, which every tokenizer
//! cuts apart at the spaces. So no whole tokenizer is needed to make prompts of an exact length:
//! only words are used that are one token each, which the vocabulary and its merges tell.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use super::prompt::Words;

/// Why a tokenizer cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path} cannot be used as a tokenizer: {what}; without --tokenizer the length of prompts is \
     calibrated on the server's own counts"
)]
pub struct TokenizerError {
    path: String,
    what: String,
}

/// A model's vocabulary, and how words are put together from it.
#[derive(Debug)]
pub struct Tokenizer {
    model: Model,
    /// How the space before a word is written in the vocabulary.
    space: char,
}

#[derive(Debug)]
enum Model {
    /// Pairs are merged, the lowest rank first. `whole`: a word of the vocabulary needs no merges.
    Pairs { vocabulary: HashMap<String, u32>, ranks: HashMap<(String, String), usize>, whole: bool },
    /// The pieces of the greatest sum of scores.
    Scores(HashMap<String, f64>),
}

#[derive(Deserialize)]
struct File {
    model: FileModel,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum FileModel {
    #[serde(rename = "BPE")]
    Bpe {
        vocab: HashMap<String, u32>,
        merges: Vec<Merge>,
        #[serde(default)]
        ignore_merges: bool,
    },
    Unigram {
        vocab: Vec<(String, f64)>,
    },
    #[serde(other)]
    Other,
}

/// Older files have a text of two parts, newer ones a pair.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Text(String),
    Pair(String, String),
}

/// How the space before a word is written: by byte-level vocabularies, and by SentencePiece's.
const SPACES: [char; 2] = ['Ġ', '▁'];

impl Tokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// If it cannot be read, or is of a kind that language models seldom have.
    pub fn read(path: &Path) -> Result<Self, TokenizerError> {
        let error = |what: String| TokenizerError { path: path.display().to_string(), what };
        let text = std::fs::read_to_string(path).map_err(|why| error(why.to_string()))?;
        Self::parse(&text).map_err(error)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text)
            .map_err(|why| format!("it is no tokenizer.json of a known form ({why})"))?;
        let model = match file.model {
            FileModel::Bpe { vocab, merges, ignore_merges } => {
                let mut ranks = HashMap::with_capacity(merges.len());
                for (rank, merge) in merges.into_iter().enumerate() {
                    let pair = match merge {
                        Merge::Pair(left, right) => (left, right),
                        Merge::Text(text) => text
                            .split_once(' ')
                            .map(|(left, right)| (left.to_owned(), right.to_owned()))
                            .ok_or_else(|| format!("`{text}` is no merge of two parts"))?,
                    };
                    ranks.entry(pair).or_insert(rank);
                }
                Model::Pairs { vocabulary: vocab, ranks, whole: ignore_merges }
            }
            FileModel::Unigram { vocab } => Model::Scores(vocab.into_iter().collect()),
            FileModel::Other => return Err("only BPE and Unigram models are understood".into()),
        };
        let count = |space: &char| match &model {
            Model::Pairs { vocabulary, .. } => {
                vocabulary.keys().filter(|token| token.starts_with(*space)).count()
            }
            Model::Scores(scores) => {
                scores.keys().filter(|token| token.starts_with(*space)).count()
            }
        };
        let space = SPACES.into_iter().max_by_key(count).unwrap_or(SPACES[0]);
        Ok(Self { model, space })
    }

    /// Tokens of a plain word with a space before it.
    #[must_use]
    pub fn tokens(&self, word: &str) -> usize {
        let word = format!("{}{word}", self.space);
        match &self.model {
            Model::Pairs { vocabulary, whole: true, .. } if vocabulary.contains_key(&word) => 1,
            Model::Pairs { ranks, .. } => merged(&word, ranks),
            Model::Scores(scores) => best(&word, scores),
        }
    }

    /// The words for prompts: those that are one token each.
    ///
    /// # Errors
    /// If the model knows too few of them.
    pub fn words(&self, path: &Path) -> Result<Words, TokenizerError> {
        Words::of(|word| self.tokens(word) == 1).ok_or_else(|| TokenizerError {
            path: path.display().to_string(),
            what: "too few common English words are one token in it".into(),
        })
    }
}

/// Tokens that are left when every pair that can be merged has been, the lowest rank first.
fn merged(word: &str, ranks: &HashMap<(String, String), usize>) -> usize {
    let mut parts: Vec<String> = word.chars().map(String::from).collect();
    loop {
        let rank = |at: usize| ranks.get(&(parts[at].clone(), parts[at + 1].clone())).copied();
        let lowest = (0..parts.len() - 1).filter_map(|at| Some((rank(at)?, at))).min();
        let Some((_, at)) = lowest else { return parts.len() };
        let right = parts.remove(at + 1);
        parts[at] += &right;
    }
}

/// Tokens of the best way to cut a word into pieces; a character that is no piece is one token.
fn best(word: &str, scores: &HashMap<String, f64>) -> usize {
    // Far below any score of a piece.
    const UNKNOWN: f64 = -1e3;
    let ends: Vec<usize> = word.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    let mut ways = vec![(0.0_f64, 0_usize)];
    for (to, &end) in ends.iter().enumerate() {
        let mut way = (f64::NEG_INFINITY, 0);
        for from in 0..=to {
            let start = if from == 0 { 0 } else { ends[from - 1] };
            let piece = &word[start..end];
            let single = (from == to).then_some(UNKNOWN);
            let Some(score) = scores.get(piece).copied().or(single) else { continue };
            let (sum, count) = ways[from];
            if sum + score > way.0 {
                way = (sum + score, count + 1);
            }
        }
        ways.push(way);
    }
    ways.last().map_or(0, |&(_, count)| count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_merged_by_rank_and_not_from_the_left() {
        // "an" before "ba": the first pair of "banan" is not the one that is merged first.
        let text = r#"{"version":"1.0","model":{"type":"BPE","vocab":{"Ġ":0,"a":1,"Ġa":2,"▁":3},
            "merges":["a n","b a","an an","Ġ b","Ġb anan"]}}"#;
        let tokenizer = Tokenizer::parse(text).unwrap();
        assert_eq!(tokenizer.tokens("banan"), 1);
        assert_eq!(tokenizer.tokens("ban"), 2);
        assert_eq!(tokenizer.tokens("nab"), 4);
    }

    #[test]
    fn merges_may_be_pairs_and_may_be_ignored_for_whole_words() {
        let text = |ignore: bool| {
            format!(
                r#"{{"model":{{"type":"BPE","ignore_merges":{ignore},"vocab":{{"Ġword":0}},
                "merges":[["w","o"]]}}}}"#
            )
        };
        assert_eq!(Tokenizer::parse(&text(false)).unwrap().tokens("word"), 4);
        assert_eq!(Tokenizer::parse(&text(true)).unwrap().tokens("word"), 1);
    }

    #[test]
    fn pieces_of_the_best_scores_are_chosen() {
        let text = r#"{"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0],["▁",-3.0],
            ["▁th",-2.0],["e",-2.0],["▁the",-5.0],["▁cat",-4.0],["▁c",-3.0],["at",-3.0]]}}"#;
        let tokenizer = Tokenizer::parse(text).unwrap();
        // −4 for two pieces is better than −5 for one; −4 for one is better than −6 for two.
        assert_eq!(tokenizer.tokens("the"), 2);
        assert_eq!(tokenizer.tokens("cat"), 1);
        assert_eq!(tokenizer.tokens("the!"), 3);
    }

    #[test]
    fn prompts_are_made_of_words_of_one_token() {
        // Knows the words that have no "e" as whole, and the others by their letters.
        let known = Words::of(|word| !word.contains('e')).unwrap();
        let list: Vec<String> = known.iter().map(|word| format!("\"Ġ{word}\":1")).collect();
        let text = format!(
            r#"{{"model":{{"type":"BPE","ignore_merges":true,"merges":[],"vocab":{{{}}}}}}}"#,
            list.join(",")
        );
        let words = Tokenizer::parse(&text).unwrap().words(Path::new("t")).unwrap();
        assert!(words.iter().eq(known.iter()));
        assert!(words.iter().all(|word| !word.contains('e')));
    }

    #[test]
    fn what_is_no_use_is_refused_with_what_to_do() {
        for text in [
            "{}",
            "not JSON",
            r#"{"model":{"type":"WordPiece","vocab":{"a":1}}}"#,
            r#"{"model":{"type":"BPE","vocab":{},"merges":["ab"]}}"#,
        ] {
            assert!(Tokenizer::parse(text).is_err(), "{text}");
        }
        let few = r#"{"model":{"type":"BPE","vocab":{"Ġa":0},"merges":[]}}"#;
        let error = Tokenizer::parse(few).unwrap().words(Path::new("t.json")).unwrap_err();
        let said = error.to_string();
        assert!(said.starts_with("t.json") && said.contains("without --tokenizer"), "{said}");
    }
}
