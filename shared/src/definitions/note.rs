//! What the measuring side leaves for a run's readers: a kind with its figures and names, and beside
//! it, where it is written down, the English sentence for anyone who opens the manifest.

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::promise::PromiseKind;

/// The field of a note that holds its sentence.
const SAYS: &str = "says";

/// What a reader of a run should know.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(remote = "Self", tag = "kind", rename_all = "snake_case")]
pub enum Note {
    /// Somebody interrupted the step.
    Interrupted,
    /// The run went on after an interruption, with so many of its steps done before.
    Resumed {
        /// Steps that were done.
        steps: usize,
    },
    /// A step that was not steady yet when its window began.
    SettledLate {
        /// The step.
        step: u32,
        /// When it was, after the beginning of the window.
        seconds: f64,
    },
    /// A search that ended without a confirmation that held.
    Unconfirmed {
        /// Where λ_slo_max is thought to be, in requests/s.
        rate: f64,
    },
    /// A search that ended because its measuring spoiled step after step.
    AllInvalid,
    /// A search for a promise that nothing observes.
    Blind {
        /// The promise.
        promise: PromiseKind,
    },
    /// The server does not let the length of an answer be fixed.
    LengthsRefused,
    /// The server serves a connection by a thread, so that idle ones keep others waiting.
    NoIdle,
    /// The server counts no tokens.
    NoUsage,
    /// The server counts no tokens, or not all, and the tokenizer given does.
    CountedHere,
    /// The server counts no output tokens.
    NoOutputCount,
    /// The server does not tell cached tokens.
    NoCachedCount,
    /// The server's counts of prompt tokens make no sense.
    OddCounts,
    /// A metric page that could never be read.
    NotScraped {
        /// The page's name in the plan.
        source: String,
        /// Why not.
        why: String,
    },
    /// A metric page of an engine that is not known.
    NothingKnown {
        /// The page's name in the plan.
        source: String,
    },
    /// A metric page that could not always be read.
    ScrapesFailed {
        /// The page's name in the plan.
        source: String,
        /// How often it could not be read.
        failed: u64,
        /// Of how many times.
        scrapes: u64,
        /// Why not, the last time.
        why: String,
    },
    /// A server whose counters fell back: it was started again.
    Restarted {
        /// The name of its metric page in the plan.
        source: String,
    },
    /// Several processes measured together.
    Together {
        /// How many.
        processes: u32,
        /// How far apart their clocks put the start of a step, at most, in milliseconds.
        apart_ms: f64,
    },
    /// How far the clocks of several processes agree, by the target's.
    ClocksAgree {
        /// Their difference, at most.
        seconds: f64,
    },
    /// Nothing tells how far the clocks of several processes agree.
    ClocksUnknown,
    /// The records are another tool's.
    Imported,
    /// A kind that this version does not know, with its fields: its sentence is all that can be
    /// shown.
    #[serde(skip)]
    Unknown(Map<String, Value>),
}

impl Note {
    /// A sentence without a kind, as a reader of format 1 finds them.
    #[must_use]
    pub fn sentence(text: &str) -> Self {
        Self::Unknown(Map::from_iter([(SAYS.to_owned(), Value::from(text))]))
    }

    /// The note of these fields, where its kind is known here and lacks none. By hand: what serde
    /// derives for two dozen kinds is 30 kB of the page's 1.3 MB of code.
    fn of(fields: &Map<String, Value>) -> Option<Self> {
        let text = |name| Some(fields.get(name)?.as_str()?.to_owned());
        let count = |name| fields.get(name)?.as_u64();
        let small = |name| u32::try_from(count(name)?).ok();
        let figure = |name| fields.get(name)?.as_f64();
        Some(match fields.get("kind")?.as_str()? {
            "interrupted" => Self::Interrupted,
            "resumed" => Self::Resumed { steps: usize::try_from(count("steps")?).ok()? },
            "settled_late" => {
                Self::SettledLate { step: small("step")?, seconds: figure("seconds")? }
            }
            "unconfirmed" => Self::Unconfirmed { rate: figure("rate")? },
            "all_invalid" => Self::AllInvalid,
            "blind" => Self::Blind { promise: PromiseKind::of_tag(&text("promise")?)? },
            "lengths_refused" => Self::LengthsRefused,
            "no_idle" => Self::NoIdle,
            "no_usage" => Self::NoUsage,
            "counted_here" => Self::CountedHere,
            "no_output_count" => Self::NoOutputCount,
            "no_cached_count" => Self::NoCachedCount,
            "odd_counts" => Self::OddCounts,
            "not_scraped" => Self::NotScraped { source: text("source")?, why: text("why")? },
            "nothing_known" => Self::NothingKnown { source: text("source")? },
            "scrapes_failed" => Self::ScrapesFailed {
                source: text("source")?,
                failed: count("failed")?,
                scrapes: count("scrapes")?,
                why: text("why")?,
            },
            "restarted" => Self::Restarted { source: text("source")? },
            "together" => {
                Self::Together { processes: small("processes")?, apart_ms: figure("apart_ms")? }
            }
            "clocks_agree" => Self::ClocksAgree { seconds: figure("seconds")? },
            "clocks_unknown" => Self::ClocksUnknown,
            "imported" => Self::Imported,
            _ => return None,
        })
    }

    /// The English sentence.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::Interrupted => "interrupted by the user".to_owned(),
            Self::Resumed { steps } => {
                format!("the run was interrupted with {steps} of its steps done, and resumed")
            }
            Self::SettledLate { step, seconds } => format!(
                "step {step} seems to have settled only {seconds:.0} s after its window began \
                 (MSER-5 on TTFT and on requests in flight): a longer warmup_s makes sure"
            ),
            Self::Unconfirmed { rate } => format!(
                "the search ended without a confirmation that held: λ_slo_max is near {rate:.3} \
                 req/s, unsigned; allow more time"
            ),
            Self::AllInvalid => "the search ended because steps were INVALID again and again: \
                                 change what the report names, then search again"
                .to_owned(),
            Self::Blind { promise } => format!(
                "the search ended because nothing observes {}, which is promised: name the \
                 server's metric page in [[observe]], or put the promise on the sheet's watched \
                 list",
                promise.name()
            ),
            Self::LengthsRefused => "the server refuses min_tokens and ignore_eos: answers end \
                                     when the model ends them, and output lengths are not those \
                                     of the workload"
                .to_owned(),
            Self::NoIdle => "the server lets requests wait while other connections are idle, as \
                             servers with a thread a connection do: each request opens a \
                             connection of its own, and TTFT contains that"
                .to_owned(),
            Self::NoUsage => "the server sends no usage: prompt tokens are unknown, one token a \
                              word is assumed, and steps will be INVALID for unknown token counts"
                .to_owned(),
            Self::CountedHere => "the server does not send all token counts: what it leaves out \
                                  is counted by the tokenizer given, the prompt without its chat \
                                  template"
                .to_owned(),
            Self::NoOutputCount => {
                "the server's usage has no completion_tokens: steps will be INVALID".to_owned()
            }
            Self::NoCachedCount => "the server's usage does not say how many prompt tokens were \
                                    cached: reuse per request is not observed"
                .to_owned(),
            Self::OddCounts => "the server's prompt token counts do not grow with the prompt as \
                                they should: one token a word is assumed"
                .to_owned(),
            Self::NotScraped { source, why } => {
                format!("source `{source}` could not be scraped: {why}")
            }
            Self::NothingKnown { source } => format!(
                "source `{source}` has no metric that is known here: what it could have said is \
                 not observed"
            ),
            Self::ScrapesFailed { source, failed, scrapes, why } => format!(
                "source `{source}`: {failed} of {scrapes} scrapes failed, the last one because: \
                 {why}"
            ),
            Self::Restarted { source } => format!(
                "source `{source}`: counters fell back, so a server was restarted meanwhile"
            ),
            Self::Together { processes, apart_ms } => format!(
                "measured by {processes} processes, whose clocks put the starts of steps at most \
                 {apart_ms:.1} ms apart"
            ),
            Self::ClocksAgree { seconds } => format!(
                "by the target's clock, the processes' clocks differ by at most {seconds:.1} s; \
                 that they differ by less is up to the machines' synchronisation"
            ),
            Self::ClocksUnknown => "the target tells no date, by which the processes' clocks \
                                    could have been compared: that they agree is up to the \
                                    machines' synchronisation"
                .to_owned(),
            Self::Imported => {
                "Imported: nobody knows how late the client was that made these records.".to_owned()
            }
            Self::Unknown(fields) => {
                fields.get(SAYS).and_then(Value::as_str).unwrap_or_default().to_owned()
            }
        }
    }
}

/// The note by its fields, with its sentence beside them.
impl Serialize for Note {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Fields<'a>(&'a Note);
        impl Serialize for Fields<'_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                Note::serialize(self.0, to)
            }
        }
        #[derive(serde::Serialize)]
        struct Written<'a> {
            #[serde(flatten)]
            fields: Fields<'a>,
            says: String,
        }
        match self {
            Self::Unknown(fields) => fields.serialize(to),
            known => Written { fields: Fields(known), says: known.says() }.serialize(to),
        }
    }
}

/// A note by its fields; a sentence, as format 1 had them, becomes one of no kind.
impl<'de> Deserialize<'de> for Note {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct NoteVisitor;
        impl<'de> Visitor<'de> for NoteVisitor {
            type Value = Note;
            fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str("a note: an object with its `kind`, or a sentence")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Note, E> {
                Ok(Note::sentence(text))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Note, A::Error> {
                let fields = Map::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Note::of(&fields).unwrap_or(Note::Unknown(fields)))
            }
        }
        from.deserialize_any(NoteVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        let (source, why) = ("a page".to_owned(), "no answer".to_owned());
        let known = [
            Note::Interrupted,
            Note::Resumed { steps: 3 },
            Note::SettledLate { step: 2, seconds: 4.5 },
            Note::Unconfirmed { rate: 5.25 },
            Note::AllInvalid,
            Note::LengthsRefused,
            Note::NoIdle,
            Note::NoUsage,
            Note::CountedHere,
            Note::NoOutputCount,
            Note::NoCachedCount,
            Note::OddCounts,
            Note::NotScraped { source: source.clone(), why: why.clone() },
            Note::NothingKnown { source: source.clone() },
            Note::ScrapesFailed { source: source.clone(), failed: 1, scrapes: 9, why },
            Note::Restarted { source },
            Note::Together { processes: 2, apart_ms: 0.5 },
            Note::ClocksAgree { seconds: 1.5 },
            Note::ClocksUnknown,
            Note::Imported,
        ];
        let blind = PromiseKind::ALL.map(|promise| Note::Blind { promise });
        for note in known.into_iter().chain(blind) {
            let written = serde_json::to_string(&note).unwrap();
            assert_eq!(serde_json::from_str::<Note>(&written).unwrap(), note, "{written}");
        }
    }

    #[test]
    fn what_is_not_known_here_stays_as_it_is() {
        for text in [
            r#"{"kind":"newer","figure":1,"says":"a sentence"}"#,
            r#"{"kind":"resumed","says":"without its figure"}"#,
        ] {
            let note: Note = serde_json::from_str(text).unwrap();
            assert!(matches!(note, Note::Unknown(_)), "{note:?}");
            assert_eq!(serde_json::to_string(&note).unwrap().len(), text.len());
        }
    }
}
