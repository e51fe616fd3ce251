//! Bundles as the version that introduced their format wrote them, never to be written again: they
//! open for ever, with what was in them.
//!
//! A new version of the format adds its own two files, once:
//! `cargo test -p tokencap-shared --lib samples_of_this_format -- --ignored`.

use std::collections::BTreeMap;

use super::{Bundle, FORMAT_VERSION, open, write};
use crate::bundle::judged::of_bundle;
use crate::definitions::note::Note;
use crate::definitions::origin::{Calendar, Origin, Skew};
use crate::definitions::promise::PromiseKind;
use crate::definitions::record::Outcome;
use crate::definitions::telemetry::Labels;

/// A bundle with everything in it, and a small one that is signed, for each version of the format.
pub(crate) const OLD: [(&[u8], &[u8]); FORMAT_VERSION as usize] = [
    (include_bytes!("old/format-1.tokencap"), include_bytes!("old/format-1-signed.tokencap")),
    (include_bytes!("old/format-2.tokencap"), include_bytes!("old/format-2-signed.tokencap")),
];

/// Scrapes in the first of each version's two, counted by other programs.
const SAMPLES: [usize; FORMAT_VERSION as usize] = [688, 1_392];

/// A note of every kind.
fn notes() -> Vec<Note> {
    let (source, why) = ("engine".to_owned(), "no answer, twice".to_owned());
    vec![
        Note::Resumed { steps: 1 },
        Note::SettledLate { step: 3, seconds: 12.25 },
        Note::Unconfirmed { rate: 2.5 },
        Note::AllInvalid,
        Note::Blind { promise: PromiseKind::QueueP99 },
        Note::LengthsRefused,
        Note::NoIdle,
        Note::NoUsage,
        Note::CountedHere,
        Note::NoOutputCount,
        Note::NoCachedCount,
        Note::OddCounts,
        Note::NotScraped { source: source.clone(), why: why.clone() },
        Note::NothingKnown { source: source.clone() },
        Note::ScrapesFailed { source: source.clone(), failed: 2, scrapes: 9, why },
        Note::Restarted { source },
        Note::Together { processes: 2, apart_ms: 0.5 },
        Note::ClocksAgree { seconds: 1.5 },
        Note::ClocksUnknown,
        Note::Imported,
        Note::sentence("a sentence of no kind"),
    ]
}

fn labels() -> Labels {
    Labels::new(vec![("model".into(), "a,le=b".into()), ("engine".into(), "0".into())])
}

/// Two steps of the toy run, with everything else that a manifest and a table may hold.
fn sample() -> Bundle {
    let mut bundle = crate::fixture::bundle();
    let kept = |step: u32| step == 0 || step == 3;
    let kept_time = |bundle: &Bundle, sample: &crate::definitions::telemetry::Sample| {
        let mut steps = bundle.manifest.steps.iter();
        steps.any(|step| step.start <= sample.time && sample.time <= step.end)
    };
    bundle.manifest.steps.retain(|step| kept(step.id));
    bundle.requests.retain(|request| kept(request.step));
    bundle.gaps.retain(|(step, _), _| kept(*step));
    let samples = std::mem::take(&mut bundle.telemetry);
    bundle.telemetry = samples.into_iter().filter(|sample| kept_time(&bundle, sample)).collect();
    for sample in bundle.telemetry.iter_mut().step_by(2) {
        sample.labels = labels();
    }
    let manifest = &mut bundle.manifest;
    manifest.origin = Origin::Merged { processes: 2 };
    let ahead_of_target_ms = Skew::new(-900, 100);
    manifest.calendar =
        Some(Calendar { zero_unix_ns: 1_795_968_000_000_000_000, ahead_of_target_ms });
    manifest.environment.insert("client.os".into(), "linux".into());
    manifest.warnings = notes();
    bundle
}

/// Writes the samples of the present format, where there are none yet.
#[test]
#[ignore = "writes into the sources"]
fn samples_of_this_format() {
    put("", &write(&sample()).expect("consistent"));
}

/// Puts a sample where the tests find it.
pub(crate) fn put(kind: &str, bytes: &[u8]) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bundle/old");
    let path = format!("{folder}/format-{FORMAT_VERSION}{kind}.tokencap");
    let mut made = std::fs::File::create_new(&path).expect("samples are written once");
    std::io::Write::write_all(&mut made, bytes).expect("room on the disk");
}

#[test]
fn bundles_of_every_format_version_open_with_everything_in_them() {
    for (version, (bytes, _)) in (1..).zip(OLD) {
        let (bundle, seal) = open(bytes).expect("an old bundle");
        assert_eq!(bundle.manifest.format, version);
        assert!(seal.canonical);
        // Counted in the files by other programs.
        let outcomes = bundle.requests.iter().fold(BTreeMap::new(), |mut counts, request| {
            *counts.entry(request.outcome == Outcome::Completed).or_insert(0) += 1;
            counts
        });
        assert_eq!(outcomes, BTreeMap::from([(true, 2_069), (false, 278)]));
        let tokens: u64 = bundle.requests.iter().filter_map(|r| r.osl).map(u64::from).sum();
        assert_eq!(bundle.errors, ["server overloaded"]);
        assert_eq!(tokens, 206_516);
        assert_eq!(bundle.telemetry.len(), SAMPLES[version as usize - 1]);
        let gaps: u64 = bundle.gaps.values().map(|gaps| gaps.len()).sum();
        assert_eq!(gaps, 178_454);
        assert!(of_bundle(&bundle).lambda.value().is_some());
    }
}

#[test]
fn what_format_2_says_by_type_is_read_as_it_was_written() {
    let (bundle, _) = open(OLD[1].0).expect("an old bundle");
    let (manifest, sample) = (&bundle.manifest, sample());
    assert_eq!(manifest.warnings, notes());
    assert_eq!(manifest.origin, sample.manifest.origin);
    assert_eq!(manifest.calendar, sample.manifest.calendar);
    assert_eq!(bundle.telemetry, sample.telemetry);
    assert!(bundle.telemetry.iter().any(|sample| sample.labels == labels()));
}

#[test]
fn an_old_bundle_that_is_written_anew_is_one_of_the_present_format() {
    for (bytes, _) in OLD {
        let (old, _) = open(bytes).expect("an old bundle");
        let (new, _) = open(&write(&old).expect("consistent")).expect("a new bundle");
        assert_eq!(new.manifest.format, FORMAT_VERSION);
        assert_eq!((new.requests, new.telemetry), (old.requests, old.telemetry));
        assert_eq!(new.manifest.warnings, old.manifest.warnings);
    }
}
