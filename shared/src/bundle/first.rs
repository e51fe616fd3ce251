//! What format 1 wrote otherwise: notes as sentences, what decides among the free facts of the
//! environment, labels in one text. Turned into what they are now when a bundle is read; nothing
//! writes them any more, and nothing here ever changes.

use super::Manifest;
use crate::definitions::note::Note;
use crate::definitions::origin::{Calendar, Origin, Shard, Skew};
use crate::definitions::promise::PromiseKind;
use crate::definitions::telemetry::Labels;

/// The sentences of format 1, with a gap for each figure and name.
type Form = (&'static str, fn(&[&str]) -> Option<Note>);

const FORMS: [Form; 21] = [
    ("interrupted by the user", |_| Some(Note::Interrupted)),
    ("the run was interrupted with {} of its steps done, and resumed", |parts| {
        Some(Note::Resumed { steps: number(parts, 0)? })
    }),
    (
        "step {} seems to have settled only {} s after its window began (MSER-5 on TTFT and on \
         requests in flight): a longer warmup_s makes sure",
        |parts| Some(Note::SettledLate { step: number(parts, 0)?, seconds: figure(parts, 1)? }),
    ),
    (
        "the search ended without a confirmation that held: λ_slo_max is near {} req/s, unsigned; \
         allow more time",
        |parts| Some(Note::Unconfirmed { rate: figure(parts, 0)? }),
    ),
    (
        "the search ended because steps were INVALID again and again: change what the report \
         names, then search again",
        |_| Some(Note::AllInvalid),
    ),
    (
        "the search ended because nothing observes {}, which is promised: name the server's metric \
         page in [[observe]], or put the promise on the sheet's watched list",
        |parts| {
            let name = parts.first()?;
            let promise = PromiseKind::ALL.into_iter().find(|kind| kind.name() == *name)?;
            Some(Note::Blind { promise })
        },
    ),
    (
        "the server refuses min_tokens and ignore_eos: answers end when the model ends them, and \
         output lengths are not those of the workload",
        |_| Some(Note::LengthsRefused),
    ),
    (
        "the server lets requests wait while other connections are idle, as servers with a thread \
         a connection do: each request opens a connection of its own, and TTFT contains that",
        |_| Some(Note::NoIdle),
    ),
    (
        "the server sends no usage: prompt tokens are unknown, one token a word is assumed, and \
         steps will be INVALID for unknown token counts",
        |_| Some(Note::NoUsage),
    ),
    (
        "the server does not send all token counts: what it leaves out is counted by the tokenizer \
         given, the prompt without its chat template",
        |_| Some(Note::CountedHere),
    ),
    ("the server's usage has no completion_tokens: steps will be INVALID", |_| {
        Some(Note::NoOutputCount)
    }),
    (
        "the server's usage does not say how many prompt tokens were cached: reuse per request is \
         not observed",
        |_| Some(Note::NoCachedCount),
    ),
    (
        "the server's prompt token counts do not grow with the prompt as they should: one token a \
         word is assumed",
        |_| Some(Note::OddCounts),
    ),
    ("source `{}` could not be scraped: {}", |parts| {
        Some(Note::NotScraped { source: text(parts, 0)?, why: text(parts, 1)? })
    }),
    ("source `{}` has no metric that is known here: what it could have said is not observed", {
        |parts| Some(Note::NothingKnown { source: text(parts, 0)? })
    }),
    ("source `{}`: {} of {} scrapes failed, the last one because: {}", |parts| {
        Some(Note::ScrapesFailed {
            source: text(parts, 0)?,
            failed: number(parts, 1)?,
            scrapes: number(parts, 2)?,
            why: text(parts, 3)?,
        })
    }),
    ("source `{}`: counters fell back, so a server was restarted meanwhile", |parts| {
        Some(Note::Restarted { source: text(parts, 0)? })
    }),
    (
        "measured by {} processes, whose clocks put the starts of steps at most {} ms apart",
        |parts| Some(Note::Together { processes: number(parts, 0)?, apart_ms: figure(parts, 1)? }),
    ),
    (
        "by the target's clock, the processes' clocks differ by at most {} s; that they differ by \
         less is up to the machines' synchronisation",
        |parts| Some(Note::ClocksAgree { seconds: figure(parts, 0)? }),
    ),
    (
        "the target tells no date, by which the processes' clocks could have been compared: that \
         they agree is up to the machines' synchronisation",
        |_| Some(Note::ClocksUnknown),
    ),
    ("Imported: nobody knows how late the client was that made these records.", |_| {
        Some(Note::Imported)
    }),
];

fn text(parts: &[&str], index: usize) -> Option<String> {
    parts.get(index).map(|part| (*part).to_owned())
}

fn number<T: std::str::FromStr>(parts: &[&str], index: usize) -> Option<T> {
    parts.get(index)?.parse().ok()
}

/// A figure that JSON can hold.
fn figure(parts: &[&str], index: usize) -> Option<f64> {
    number(parts, index).filter(|figure: &f64| figure.is_finite())
}

/// The note that a sentence stands for; one of no known form stays a sentence.
fn note(sentence: &str) -> Note {
    let known = FORMS.iter().find_map(|(form, note)| note(&parts(form, sentence)?));
    known.unwrap_or_else(|| Note::sentence(sentence))
}

/// What stands in the gaps of a sentence of this form; `None` for any other sentence.
fn parts<'s>(form: &str, sentence: &'s str) -> Option<Vec<&'s str>> {
    let Some((form, end)) = form.rsplit_once("{}") else {
        return (sentence == form).then(Vec::new);
    };
    let mut texts = form.split("{}");
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

/// A manifest of format 1 as one of today.
pub(super) fn upgrade(manifest: &mut Manifest) {
    let stopped = manifest.steps.iter_mut().filter_map(|step| step.stopped.as_mut());
    for written in manifest.warnings.iter_mut().chain(stopped) {
        *written = note(&written.says());
    }
    let environment = &mut manifest.environment;
    if let Some(tools) = environment.remove("imported_from") {
        manifest.origin =
            Origin::Imported { tools: tools.split(", ").map(str::to_owned).collect() };
    } else if let Some(processes) = environment.get("shards").and_then(|count| count.parse().ok()) {
        manifest.origin = Origin::Merged { processes };
        environment.remove("shards");
    } else if let Some(shard) = environment.get("shard").and_then(|part| part.parse().ok()) {
        let shard: Shard = shard;
        manifest.origin = Origin::Shard(shard);
        environment.remove("shard");
    }
    let zero = environment.get("clock.zero_unix_ns").and_then(|zero| zero.parse().ok());
    if let Some(zero_unix_ns) = zero {
        let skew = environment.get("clock.ahead_of_target_ms").and_then(|bounds| skew(bounds));
        manifest.calendar = Some(Calendar { zero_unix_ns, ahead_of_target_ms: skew });
        environment.remove("clock.zero_unix_ns");
        environment.remove("clock.ahead_of_target_ms");
    }
}

/// A difference as `LEAST..MOST`.
fn skew(bounds: &str) -> Option<Skew> {
    let (least, most) = bounds.split_once("..")?;
    Skew::new(least.parse().ok()?, most.parse().ok()?)
}

/// Labels as `key=value` joined by `,`: a comma in a value cannot be told from one between labels,
/// unless what follows it is no label.
pub(super) fn labels(text: &str) -> Option<Labels> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for piece in text.split(',').filter(|_| !text.is_empty()) {
        match (piece.split_once('='), pairs.last_mut()) {
            (Some((name, value)), _) => pairs.push((name.to_owned(), value.to_owned())),
            (None, Some((_, value))) => {
                value.push(',');
                value.push_str(piece);
            }
            (None, None) => pairs.push((piece.to_owned(), String::new())),
        }
    }
    Some(Labels::new(pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_becomes_the_note_that_says_it_and_any_other_stays_what_it_is() {
        for (form, _) in FORMS {
            let parts = match form {
                _ if form.contains("nothing observes") => ["Queue P99", "", "", ""],
                _ if form.contains("a confirmation") => ["2.500", "", "", ""],
                _ if form.contains("clocks differ") => ["1.5", "", "", ""],
                _ => ["1", "2", "3.5", "no answer"],
            };
            let parts = match form {
                _ if form.starts_with("measured by") => ["2", "0.3", "", ""],
                _ if form.contains("scrapes failed") => ["engine", "2", "3", "no: answer"],
                _ => parts,
            };
            let filled = |sentence: String, part: &str| sentence.replacen("{}", part, 1);
            let sentence = parts.into_iter().fold(form.to_owned(), filled);
            let note = note(&sentence);
            assert!(!matches!(note, Note::Unknown(_)), "{sentence}");
            assert_eq!(note.says(), sentence);
            let other = format!("so {sentence}");
            assert_eq!(super::note(&other), Note::sentence(&other));
        }
    }

    #[test]
    fn labels_are_parted_as_far_as_one_text_tells() {
        let of = |pairs: &[(&str, &str)]| {
            let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            Some(Labels::new(pairs.iter().map(pair).collect()))
        };
        assert_eq!(labels(""), of(&[]));
        assert_eq!(labels("engine=0,le=0.3"), of(&[("engine", "0"), ("le", "0.3")]));
        assert_eq!(labels("model=a,b,le=0.3"), of(&[("le", "0.3"), ("model", "a,b")]));
        assert_eq!(labels("reason=no page, no answer"), of(&[("reason", "no page, no answer")]));
    }

    #[test]
    fn what_decides_is_taken_out_of_the_environment_and_what_is_only_read_stays() {
        let upgraded = |environment: &[(&str, &str)]| {
            let mut manifest = crate::fixture::bundle().manifest;
            let owned = |(name, fact): &(&str, &str)| ((*name).to_owned(), (*fact).to_owned());
            manifest.environment = environment.iter().map(owned).collect();
            manifest.environment.insert("client.os".into(), "linux".into());
            manifest.warnings = vec![Note::sentence("interrupted by the user")];
            manifest.steps[0].stopped = Some(Note::sentence("interrupted by the user"));
            upgrade(&mut manifest);
            assert_eq!(manifest.warnings, [Note::Interrupted]);
            assert_eq!(manifest.steps[0].stopped, Some(Note::Interrupted));
            assert_eq!(manifest.environment.remove("client.os").as_deref(), Some("linux"));
            assert_eq!(manifest.environment, std::collections::BTreeMap::new());
            (manifest.origin, manifest.calendar)
        };
        let zero = ("clock.zero_unix_ns", "1795968000000000000");
        let calendar = |ahead_of_target_ms| {
            Some(Calendar { zero_unix_ns: 1_795_968_000_000_000_000, ahead_of_target_ms })
        };
        assert_eq!(upgraded(&[zero]), (Origin::Measured, calendar(None)));
        assert_eq!(
            upgraded(&[zero, ("shard", "1/2"), ("clock.ahead_of_target_ms", "-900..100")]),
            (Origin::Shard(Shard::new(1, 2).unwrap()), calendar(Skew::new(-900, 100)))
        );
        let merged = Origin::Merged { processes: 2 };
        assert_eq!(upgraded(&[zero, ("shards", "2")]), (merged, calendar(None)));
        let tools = vec!["AIPerf".to_owned(), "vLLM bench".to_owned()];
        let imported = Origin::Imported { tools };
        assert_eq!(upgraded(&[("imported_from", "AIPerf, vLLM bench")]), (imported, None));
    }
}
