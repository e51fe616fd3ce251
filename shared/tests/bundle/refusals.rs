use std::io::{Cursor, Read, Write};

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use tokencap_shared::bundle::{Bundle, BundleError, FORMAT_VERSION, read, write};
use tokencap_shared::definitions::record::{GapSummary, Request};
use tokencap_shared::units::{Moment, Nanos};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::support::small;

/// Members in their order, to be changed and packed again.
type Members = Vec<(String, Vec<u8>)>;

fn members(bundle: &Bundle) -> Members {
    let bytes = write(bundle).expect("consistent");
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a zip archive");
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).expect("an entry");
            let name = file.name().expect("UTF-8").into_owned();
            let mut contents = Vec::new();
            file.read_to_end(&mut contents).expect("readable");
            (name, contents)
        })
        .collect()
}

fn packed(members: &Members) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, contents) in members {
        zip.start_file(name, stored).expect("a new name");
        zip.write_all(contents).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

/// Replaces a member and says so in the manifest, as a forger would.
fn forged(member: &str, contents: Vec<u8>) -> Vec<u8> {
    let mut members = members(&small());
    let digest = base16ct::lower::encode_string(&Sha256::digest(&contents));
    for (name, bytes) in &mut members {
        if name == member {
            bytes.clone_from(&contents);
        } else if name == "manifest.json" {
            let mut manifest: serde_json::Value =
                serde_json::from_slice(bytes).expect("valid JSON");
            manifest["members"][member] = digest.clone().into();
            *bytes = manifest.to_string().into_bytes();
        }
    }
    packed(&members)
}

fn with_manifest(change: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
    let mut members = members(&small());
    let mut manifest = serde_json::from_slice(&members[0].1).expect("valid JSON");
    change(&mut manifest);
    members[0].1 = manifest.to_string().into_bytes();
    packed(&members)
}

fn refused(bytes: &[u8]) -> BundleError {
    read(bytes).expect_err("it must be refused")
}

#[test]
fn foreign_files_are_told_from_damaged_ones() {
    let text = |bytes: &[u8]| refused(bytes).to_string();
    let foreign = "this is not a tokencap bundle (no zip archive): choose a file made by \
        `tokencap sweep`";
    assert_eq!(text(b""), foreign);
    assert_eq!(text(b"{\"a\": 1}"), foreign);
    let other: Members = vec![("word/document.xml".to_owned(), b"<a/>".to_vec())];
    assert!(matches!(refused(&packed(&other)), BundleError::ForeignArchive));
    let bytes = write(&small()).expect("consistent");
    for length in [2, 4, 30, 100, bytes.len() / 2, bytes.len() - 30, bytes.len() - 1] {
        let error = refused(&bytes[..length]);
        assert!(matches!(error, BundleError::DamagedArchive { .. }), "{length}: {error}");
        assert!(error.to_string().contains("copy or download it again"), "{error}");
    }
}

#[test]
fn a_flipped_byte_anywhere_is_noticed_or_harmless() {
    let bundle = small();
    let bytes = write(&bundle).expect("consistent");
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        if let Ok(back) = read(&flipped) {
            // Only the archive's own wording (times, versions) may differ unnoticed.
            assert_eq!(back.requests, bundle.requests, "byte {at}");
            assert_eq!(back.gaps, bundle.gaps, "byte {at}");
            assert_eq!(back.telemetry, bundle.telemetry, "byte {at}");
            assert_eq!(back.manifest.steps, bundle.manifest.steps, "byte {at}");
        }
    }
}

#[test]
fn names_that_no_bundle_holds_are_refused() {
    for name in [
        "extra.txt",
        "../requests.parquet",
        "/etc/passwd",
        "signoff/../manifest.json",
        "signoff\\a.dsse.json",
        "signoff/a..b.dsse.json",
        "signoff/.dsse.json",
        "signoff/a/b.dsse.json",
        "signoff/",
        "inner.tokencap",
        "Manifest.json",
    ] {
        let mut members = members(&small());
        members.push((name.to_owned(), b"{}".to_vec()));
        let error = refused(&packed(&members));
        assert!(matches!(error, BundleError::UnknownMember { .. }), "{name}: {error}");
    }
    let mut members = members(&small());
    members.push(("x\u{1b}[31m".to_owned(), Vec::new()));
    assert!(!refused(&packed(&members)).to_string().contains('\u{1b}'), "no control characters");
}

#[test]
fn missing_and_doubled_members_are_refused() {
    for missing in ["requests.parquet", "gaps.hlog", "telemetry.parquet"] {
        let mut members = members(&small());
        members.retain(|(name, _)| name != missing);
        let error = refused(&packed(&members));
        assert!(matches!(error, BundleError::MissingMember { .. }), "{missing}: {error}");
    }
    // The writer refuses doubles, so one name is changed into another of its length.
    let mut members = members(&small());
    members.push(("gaps_hlog".to_owned(), b"x".to_vec()));
    let mut bytes = packed(&members);
    while let Some(at) = bytes.windows(9).position(|window| window == b"gaps_hlog") {
        bytes[at..at + 9].copy_from_slice(b"gaps.hlog");
    }
    assert!(matches!(refused(&bytes), BundleError::DuplicateMember));
}

#[test]
fn links_folders_and_too_many_entries_are_refused() {
    let options = SimpleFileOptions::default();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("manifest.json", "/etc/passwd", options).expect("memory");
    let bytes = zip.finish().expect("memory").into_inner();
    assert!(matches!(refused(&bytes), BundleError::Refused { .. }), "{}", refused(&bytes));

    let mut members = members(&small());
    for number in 0..64 {
        members.push((format!("signoff/{number}.dsse.json"), b"{}".to_vec()));
    }
    assert!(matches!(refused(&packed(&members)), BundleError::TooManyEntries { found: 68, .. }));
}

#[test]
fn a_member_packed_too_tightly_is_refused_before_it_is_unpacked() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    zip.start_file("manifest.json", deflated).expect("a new name");
    zip.write_all(&vec![b' '; 8 << 20]).expect("memory");
    let bytes = zip.finish().expect("memory").into_inner();
    assert!(bytes.len() < 100_000);
    assert!(matches!(refused(&bytes), BundleError::Refused { .. }), "{}", refused(&bytes));
}

#[test]
fn a_declared_size_beyond_the_cap_is_refused() {
    let mut members = members(&small());
    members.push(("signoff/a.dsse.json".to_owned(), vec![b' '; (1 << 20) + 1]));
    assert!(matches!(refused(&packed(&members)), BundleError::TooLarge { .. }));
}

#[test]
fn changed_members_are_named() {
    for member in ["requests.parquet", "gaps.hlog", "telemetry.parquet"] {
        let mut members = members(&small());
        for (name, contents) in &mut members {
            if name == member {
                contents.push(b'\n');
            }
        }
        let error = refused(&packed(&members));
        assert!(error.to_string().contains(member), "{error}");
        assert!(matches!(error, BundleError::Digest { .. }), "{error}");
    }
}

#[test]
fn later_versions_are_refused_even_if_their_manifest_is_another() {
    let bytes = with_manifest(|manifest| {
        *manifest =
            serde_json::json!({"format": FORMAT_VERSION + 1, "definitions": 1, "new": true});
    });
    assert_eq!(
        refused(&bytes).to_string(),
        "this bundle has format 3, and this tokencap knows up to 2: update tokencap"
    );
    let bytes = with_manifest(|manifest| manifest["definitions"] = 2.into());
    assert!(matches!(refused(&bytes), BundleError::Newer { what: "definitions", .. }));
}

#[test]
fn contradictory_manifests_are_refused() {
    let unknown = with_manifest(|manifest| manifest["surprise"] = 1.into());
    assert!(matches!(refused(&unknown), BundleError::Manifest(_)));
    let member = with_manifest(|manifest| manifest["members"]["more.parquet"] = "00".into());
    assert!(matches!(refused(&member), BundleError::Inconsistent { .. }));
    let doubled = with_manifest(|manifest| {
        let step = manifest["steps"][0].clone();
        manifest["steps"].as_array_mut().expect("steps").push(step);
    });
    assert!(matches!(refused(&doubled), BundleError::Inconsistent { .. }));
    let length = with_manifest(|manifest| {
        manifest["workload"]["shape"]["classes"][0]["osl"]["min"] = 10.into();
    });
    assert!(matches!(refused(&length), BundleError::Inconsistent { .. }));
    let nothing = with_manifest(|manifest| {
        manifest["workload"]["shape"]["classes"] = serde_json::json!([]);
    });
    assert!(matches!(refused(&nothing), BundleError::Inconsistent { .. }));
    let part = with_manifest(|manifest| manifest["origin"]["index"] = 2.into());
    assert!(matches!(refused(&part), BundleError::Manifest(_)));
    let window = with_manifest(|manifest| manifest["steps"][0]["w0"] = u64::MAX.into());
    assert!(matches!(refused(&window), BundleError::Inconsistent { .. }));
}

#[test]
fn tables_that_are_none_or_have_other_columns_are_refused() {
    for member in ["requests.parquet", "telemetry.parquet"] {
        for contents in [&b""[..], b"PAR1", b"PAR1PAR1", &[b'x'; 4096]] {
            let error = refused(&forged(member, contents.to_vec()));
            assert!(matches!(error, BundleError::Table { .. }), "{error}");
        }
    }
    let telemetry = members(&small()).pop().expect("the last member").1;
    let error = refused(&forged("requests.parquet", telemetry));
    assert!(matches!(error, BundleError::Schema { member: "requests.parquet" }), "{error}");
}

proptest! {
    // Whoever forges a table can forge its digest too: the table's own reader is all that stands
    // between its bytes and the page.
    #[test]
    fn no_table_makes_the_reader_panic_whatever_is_in_it(
        telemetry: bool,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let table = if telemetry { "telemetry.parquet" } else { "requests.parquet" };
        let mut contents =
            members(&small()).into_iter().find(|(name, _)| name == table).expect("a member").1;
        for (index, value) in changes {
            let at = index.index(contents.len());
            contents[at] = value;
        }
        if let Some(cut) = cut {
            contents.truncate(cut.index(contents.len()));
        }
        if let Ok(read) = read(&forged(table, contents)) {
            prop_assert!(write(&read).is_ok(), "what was read keeps the rules");
        }
    }
}

#[test]
fn interval_logs_that_cannot_be_are_refused() {
    let log = String::from_utf8(members(&small())[2].1.clone()).expect("a text");
    let line = log.lines().last().expect("one histogram");
    let with = |line: &str| forged("gaps.hlog", line.as_bytes().to_vec());
    assert!(read(&with(line)).is_ok(), "a log needs no header");
    for (bad, why) in [
        (line.replace("Tag=0.0", "Tag=9.0"), "no such step"),
        (line.replace("Tag=0.0", "Tag=0.2"), "no such tier"),
        (line.replace("Tag=0.0", "Tag=zero"), "`step.tier`"),
        (line.replace("Tag=0.0,", ""), "no line of an interval log"),
        (line.replace("HISTF", "HISTE"), "compressed V2"),
        (format!("{line}="), "base64"),
        (format!("{line}\n{line}"), "already"),
    ] {
        let error = refused(&with(&bad)).to_string();
        assert!(error.contains(why), "{bad}: {error}");
    }
}

#[test]
fn a_record_that_cannot_be_is_rejected_with_its_row_and_column() {
    type Change = fn(&mut Request);
    let changes: [(&str, Change); 16] = [
        ("step", |row| row.step = 1),
        ("sent_ns", |row| row.intended = row.sent + Nanos(1)),
        ("first_token_ns", |row| row.first_token = Some(row.sent - Nanos(1))),
        ("first_token_ns", |row| (row.first_token, row.last_token) = (None, None)),
        ("last_token_ns", |row| row.last_token = None),
        ("last_token_ns", |row| row.last_token = Some(row.sent)),
        ("end_ns", |row| row.end = row.sent + Nanos(1)),
        ("end_ns", |row| row.end = Moment(u64::MAX)),
        ("cached", |row| row.cached = Some(101)),
        ("queue_ns", |row| row.queue = Some(Nanos(u64::MAX))),
        ("events", |row| row.events = 0),
        ("gap_max_ns", |row| row.events = 1),
        ("gap_max_ns", |row| row.gaps = None),
        ("gap_max_ns", |row| {
            let long = Nanos::from_secs(9);
            row.gaps = Some(GapSummary { max: long, p99: long, p95: long });
        }),
        ("gap_p95_ns", |row| {
            if let Some(gaps) = &mut row.gaps {
                gaps.p95 = gaps.max + Nanos(1);
            }
        }),
        ("error", |row| row.error = Some(1)),
    ];
    for (expected, change) in changes {
        let mut bundle = small();
        change(&mut bundle.requests[1]);
        match write(&bundle).expect_err("it must be refused") {
            BundleError::Row { member: "requests.parquet", column, row, .. } => {
                assert_eq!(column, expected);
                assert!(row <= 2, "{expected}: row {row}");
            }
            error => panic!("{expected}: {error}"),
        }
    }
}

#[test]
fn a_record_from_another_tool_is_checked_as_well() {
    // The same table under a manifest in which its step does not exist.
    let bytes = with_manifest(|manifest| manifest["steps"][0]["id"] = 3.into());
    assert_eq!(
        refused(&bytes).to_string(),
        "requests.parquet, row 0 (counted from 0), column step: the manifest has no such step. \
         The record is rejected, and the bundle with it"
    );
}

#[test]
fn samples_are_finite_and_in_the_order_of_time() {
    let mut bundle = small();
    bundle.telemetry[0].value = f64::NAN;
    assert!(matches!(write(&bundle), Err(BundleError::Row { column: "value", .. })));
    let mut bundle = small();
    let earlier = bundle.telemetry[0].clone();
    bundle.telemetry.push(earlier);
    bundle.telemetry[1].time = Moment(0);
    assert!(matches!(write(&bundle), Err(BundleError::Row { column: "time_ns", row: 1, .. })));
}
