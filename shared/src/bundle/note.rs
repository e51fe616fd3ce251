//! What the measuring side leaves for the readers of a bundle: whole English sentences, for anyone
//! who opens its manifest. Each has a known form, so that a report can say it in another language.

use std::fmt::Display;

/// Where a figure or a name stands in a form.
const GAP: &str = "{}";

/// The form of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note(&'static str);

impl Note {
    /// A step's reader stopped it.
    pub const BY_USER: Self = Self("interrupted by the user");
    /// A run went on after an interruption; steps before it.
    pub const RESUMED: Self =
        Self("the run was interrupted with {} of its steps done, and resumed");
    /// A step that was not steady yet when its window began; step, seconds.
    pub const SETTLED_LATE: Self = Self(
        "step {} seems to have settled only {} s after its window began (MSER-5 on TTFT and on \
         requests in flight): a longer warmup_s makes sure",
    );
    /// A search without a confirmation; the rate.
    pub const UNCONFIRMED: Self = Self(
        "the search ended without a confirmation that held: λ_slo_max is near {} req/s, unsigned; \
         allow more time",
    );
    /// A search that its measuring spoiled.
    pub const ALL_INVALID: Self = Self(
        "the search ended because steps were INVALID again and again: change what the report \
         names, then search again",
    );
    /// A search for a promise that nothing observes; the promise.
    pub const BLIND: Self = Self(
        "the search ended because nothing observes {}, which is promised: name the server's metric \
         page in [[observe]], or put the promise on the sheet's watched list",
    );
    /// The server has its own idea of an answer's length.
    pub const LENGTHS_REFUSED: Self = Self(
        "the server refuses min_tokens and ignore_eos: answers end when the model ends them, and \
         output lengths are not those of the workload",
    );
    /// The server has a thread a connection.
    pub const NO_IDLE: Self = Self(
        "the server lets requests wait while other connections are idle, as servers with a thread \
         a connection do: each request opens a connection of its own, and TTFT contains that",
    );
    /// The server counts no tokens.
    pub const NO_USAGE: Self = Self(
        "the server sends no usage: prompt tokens are unknown, one token a word is assumed, and \
         steps will be INVALID for unknown token counts",
    );
    /// The server counts no tokens, or not all, and a tokenizer does.
    pub const COUNTED_HERE: Self = Self(
        "the server does not send all token counts: what it leaves out is counted by the tokenizer \
         given, the prompt without its chat template",
    );
    /// The server counts no output tokens.
    pub const NO_OUTPUT_COUNT: Self =
        Self("the server's usage has no completion_tokens: steps will be INVALID");
    /// The server does not tell cached tokens.
    pub const NO_CACHED_COUNT: Self = Self(
        "the server's usage does not say how many prompt tokens were cached: reuse per request is \
         not observed",
    );
    /// The server's counts of prompt tokens make no sense.
    pub const ODD_COUNTS: Self = Self(
        "the server's prompt token counts do not grow with the prompt as they should: one token a \
         word is assumed",
    );
    /// A metric page that was never read; source, reason.
    pub const NOT_SCRAPED: Self = Self("source `{}` could not be scraped: {}");
    /// A metric page of an engine nobody here knows; source.
    pub const NOTHING_KNOWN: Self = Self(
        "source `{}` has no metric that is known here: what it could have said is not observed",
    );
    /// A metric page that was not always read; source, how often not, of how many times, reason.
    pub const SCRAPES_FAILED: Self =
        Self("source `{}`: {} of {} scrapes failed, the last one because: {}");
    /// A server that was started again; source.
    pub const RESTARTED: Self =
        Self("source `{}`: counters fell back, so a server was restarted meanwhile");
    /// Several processes measured; how many, milliseconds.
    pub const TOGETHER: Self =
        Self("measured by {} processes, whose clocks put the starts of steps at most {} ms apart");
    /// How far their clocks agree; seconds.
    pub const CLOCKS_AGREE: Self = Self(
        "by the target's clock, the processes' clocks differ by at most {} s; that they differ by \
         less is up to the machines' synchronisation",
    );
    /// Nothing tells how far their clocks agree.
    pub const CLOCKS_UNKNOWN: Self = Self(
        "the target tells no date, by which the processes' clocks could have been compared: that \
         they agree is up to the machines' synchronisation",
    );
    /// Another tool's records.
    pub const IMPORTED: Self =
        Self("Imported: nobody knows how late the client was that made these records.");

    /// Every form.
    pub const ALL: [Self; 21] = [
        Self::BY_USER,
        Self::RESUMED,
        Self::SETTLED_LATE,
        Self::UNCONFIRMED,
        Self::ALL_INVALID,
        Self::BLIND,
        Self::LENGTHS_REFUSED,
        Self::NO_IDLE,
        Self::NO_USAGE,
        Self::COUNTED_HERE,
        Self::NO_OUTPUT_COUNT,
        Self::NO_CACHED_COUNT,
        Self::ODD_COUNTS,
        Self::NOT_SCRAPED,
        Self::NOTHING_KNOWN,
        Self::SCRAPES_FAILED,
        Self::RESTARTED,
        Self::TOGETHER,
        Self::CLOCKS_AGREE,
        Self::CLOCKS_UNKNOWN,
        Self::IMPORTED,
    ];

    /// The sentence with these figures and names.
    #[must_use]
    pub fn with(self, parts: &[&dyn Display]) -> String {
        debug_assert_eq!(self.0.matches(GAP).count(), parts.len(), "{}", self.0);
        fill(self.0, parts)
    }

    /// The figures and names of a sentence of this form; `None` for any other sentence.
    #[must_use]
    pub fn parts(self, sentence: &str) -> Option<Vec<&str>> {
        let Some((form, end)) = self.0.rsplit_once(GAP) else {
            return (sentence == self.0).then(Vec::new);
        };
        let mut texts = form.split(GAP);
        let mut rest = sentence.strip_prefix(texts.next()?)?.strip_suffix(end)?;
        let mut parts = Vec::new();
        for text in texts {
            let (part, after) = rest.split_once(text)?;
            parts.push(part);
            rest = after;
        }
        parts.push(rest);
        Some(parts)
    }
}

/// A form with its gaps filled, in their order.
pub(crate) fn fill(form: &str, parts: impl IntoIterator<Item = impl Display>) -> String {
    let mut texts = form.split(GAP);
    let mut said = texts.next().unwrap_or_default().to_owned();
    for (part, text) in parts.into_iter().zip(texts) {
        said.push_str(&part.to_string());
        said.push_str(text);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_gives_back_what_stands_in_it_and_is_of_one_form_only() {
        for note in Note::ALL {
            let parts: Vec<String> =
                (0..note.0.matches(GAP).count()).map(|at| format!("p {at}: 1.5")).collect();
            let shown: Vec<&dyn Display> = parts.iter().map(|part| part as &dyn Display).collect();
            let sentence = note.with(&shown);
            for other in Note::ALL {
                let found = other.parts(&sentence);
                let same = found.map(|found| found.iter().map(ToString::to_string).collect());
                assert_eq!(same, (other == note).then(|| parts.clone()), "{sentence}");
            }
            assert_eq!(note.parts(&format!("{sentence} or so")).is_some(), note.0.ends_with(GAP));
        }
    }
}
