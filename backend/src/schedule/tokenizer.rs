//! A model's own `tokenizer.json`: which words are one token each, so that prompts have an exact
//! length; and how long an answer is where its server does not say.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::files;
use crate::schedule::prompt::Words;

/// Why a tokenizer cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path} cannot be used as a tokenizer: {what}; without --tokenizer the server's own counts \
     are used alone"
)]
pub struct TokenizerError {
    pub(crate) path: String,
    pub(crate) what: String,
}

/// How models write the space before a word: byte-level ones, and SentencePiece's.
const SPACES: [char; 2] = ['Ġ', '▁'];

/// Bytes that a `tokenizer.json` may have; large vocabularies take some 30 MB.
const MOST_BYTES: u64 = 256 << 20;

/// A tokenizer.
#[derive(Debug)]
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    digest: String,
}

impl Tokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// If it cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Self, TokenizerError> {
        let error = |what: String| TokenizerError { path: path.display().to_string(), what };
        let bytes = files::read(path, MOST_BYTES).map_err(|why| error(why.to_string()))?;
        Self::parse(&bytes).map_err(|why| error(format!("it is no tokenizer.json ({why})")))
    }

    fn parse(bytes: &[u8]) -> Result<Self, tokenizers::Error> {
        let mut inner = tokenizers::Tokenizer::from_bytes(bytes)?;
        // How a model is fed with texts of many lengths is of no concern here.
        inner.with_padding(None);
        inner.with_truncation(None)?;
        Ok(Self { inner, digest: base16ct::lower::encode_string(&Sha256::digest(bytes)) })
    }

    /// SHA-256 of its file, in hex.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Tokens of a text, without those that open or close a turn; `None` for a text that it cannot
    /// put into tokens.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Option<u32> {
        u32::try_from(self.inner.encode_fast(text, false).ok()?.len()).ok()
    }

    /// The words for prompts: those that are one token each, with the space before it as where a
    /// text begins.
    ///
    /// # Errors
    /// If the model knows too few of them.
    pub fn words(&self, path: &Path) -> Result<Words, TokenizerError> {
        let before = self.tokens("a").unwrap_or(0) as usize;
        let single = |word: &str| {
            let Ok(encoding) = self.inner.encode(format!("a {word}"), false) else { return false };
            let whole = |token: &String| token.trim_start_matches(SPACES) == word;
            encoding.len() == before + 1
                && encoding.get_tokens().last().is_some_and(whole)
                && self.tokens(word) == Some(1)
        };
        Words::of(single).ok_or_else(|| TokenizerError {
            path: path.display().to_string(),
            what: "too few common English words are one token in it".into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::rng::{Purpose, Random};

    fn tokenizer(model: &Value, before: &Value) -> Tokenizer {
        let file = json!({ "model": model, "pre_tokenizer": before });
        Tokenizer::parse(file.to_string().as_bytes()).unwrap()
    }

    fn byte_level() -> Value {
        json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true,
            "use_regex": true})
    }

    fn numbered(tokens: impl IntoIterator<Item = String>) -> serde_json::Map<String, Value> {
        tokens.into_iter().zip(0..).map(|(token, id)| (token, json!(id))).collect()
    }

    #[test]
    fn a_text_is_counted_as_its_model_reads_it() {
        // As byte-level models do it: pairs are merged by rank, not from the left.
        let vocabulary = ["Ġ", "a", "b", "n", "an", "ba", "anan", "Ġb", "Ġbanan"];
        let vocabulary = numbered(vocabulary.map(str::to_owned));
        let merges = ["a n", "b a", "an an", "Ġ b", "Ġb anan"];
        let model = json!({"type": "BPE", "vocab": vocabulary, "merges": merges});
        let pairs = tokenizer(&model, &byte_level());
        assert_eq!(pairs.tokens(" banan"), Some(1));
        assert_eq!(pairs.tokens(" ban"), Some(2));
        assert_eq!(pairs.tokens("nab banan"), Some(4));
        // As SentencePiece does it: the best pieces, each with its score.
        let pieces = json!([
            ["<unk>", 0.0],
            ["▁", -3.0],
            ["▁th", -2.0],
            ["e", -2.0],
            ["▁the", -5.0],
            ["▁cat", -4.0],
            ["▁c", -3.0],
            ["at", -3.0]
        ]);
        let scores = tokenizer(
            &json!({"type": "Unigram", "unk_id": 0, "vocab": pieces}),
            &json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always",
                "split": true}),
        );
        assert_eq!(scores.tokens("the cat"), Some(3));
        assert_eq!(scores.tokens(""), Some(0));
    }

    #[test]
    fn prompts_are_made_of_words_of_one_token() {
        // Knows the words that have no "e" as whole, and the others by their letters; but some
        // only with a space before them.
        let known = Words::of(|word| !word.contains('e') && !word.starts_with('s')).unwrap();
        let letters = ('a'..='z').map(|letter| letter.to_string()).chain(["Ġ".to_owned()]);
        let words = Words::default();
        let whole = words.iter().filter(|word| !word.contains('e')).flat_map(|word| {
            let bare = (!word.starts_with('s')).then(|| word.to_owned());
            bare.into_iter().chain([format!("Ġ{word}")])
        });
        let vocabulary: BTreeSet<_> = letters.chain(whole).collect();
        let model = json!({"type": "BPE", "ignore_merges": true, "merges": [],
            "vocab": numbered(vocabulary)});
        let tokenizer = tokenizer(&model, &byte_level());
        let words = tokenizer.words(Path::new("t")).unwrap();
        assert!(words.iter().eq(known.iter()));
        // A text of them has as many tokens as words, whatever it is put together from.
        let (mut text, mut random) = (Vec::new(), Random::new(1, Purpose::Text, 0));
        for count in 1..=40 {
            words.append(&mut text, &mut random, count);
        }
        let text = String::from_utf8(text).unwrap();
        assert_eq!(tokenizer.tokens(&text), Some(820), "{text}");
        assert_eq!(tokenizer.tokens(&format!("{text} ")), Some(821));
    }

    #[test]
    fn what_is_no_use_is_refused_with_what_to_do() {
        for text in ["{}", "not JSON", r#"{"model":{"type":"BPE","vocab":{},"merges":["ab"]}}"#] {
            assert!(Tokenizer::parse(text.as_bytes()).is_err(), "{text}");
        }
        let few = r#"{"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}"#;
        let few = Tokenizer::parse(few.as_bytes()).unwrap();
        let said = few.words(Path::new("t.json")).unwrap_err().to_string();
        assert!(said.starts_with("t.json") && said.contains("without --tokenizer"), "{said}");
    }
}
