//! A thousand tampered bundles: none shows as signed, each says why.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::fixture::*;
use super::*;
use crate::bundle::judged::of_bundle;
use crate::bundle::{Bundle, BundleError, Seal, open, with_signoff, write};
use crate::definitions::capacity::Capacity;
use crate::definitions::promise::Role;
use crate::units::Nanos;

/// The same dice everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        ((self.0 >> 33) % end as u64) as usize
    }
}

/// Members in order, as some other archiver sees them.
type Members = Vec<(String, Vec<u8>)>;

fn members(bytes: &[u8]) -> Members {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let entries = (0..archive.len()).map(|index| {
        let mut file = archive.by_index(index).unwrap();
        let mut contents = Vec::new();
        file.read_to_end(&mut contents).unwrap();
        (file.name().unwrap().into_owned(), contents)
    });
    entries.collect()
}

fn zipped(members: &Members, options: SimpleFileOptions) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in members {
        zip.start_file(name, options).unwrap();
        zip.write_all(contents).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn digest(contents: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(contents))
}

fn envelopes(bytes: &[u8]) -> BTreeMap<String, String> {
    open(bytes).unwrap().0.signoffs
}

fn with_envelopes(bytes: &[u8], envelopes: &BTreeMap<String, String>) -> Vec<u8> {
    envelopes
        .iter()
        .fold(bytes.to_vec(), |bytes, (name, text)| with_signoff(&bytes, name, text).unwrap())
}

/// A signed bundle, another one by the same signers, and their parts.
struct Scene {
    signed: Vec<u8>,
    other: Vec<u8>,
    envelopes: BTreeMap<String, String>,
}

impl Scene {
    /// One tampered file, and what was done.
    fn tamper(&self, how: usize, dice: &mut Dice) -> (&'static str, Vec<u8>) {
        match how {
            0 => {
                let mut bytes = self.signed.clone();
                let at = dice.below(bytes.len());
                bytes[at] ^= 1 << dice.below(8);
                ("a flipped bit", bytes)
            }
            1 => ("a swapped member", self.swapped(dice)),
            2 => ("replaced signatures", self.replaced(dice)),
            3 => ("replayed envelopes", self.replayed(dice)),
            4 => ("renamed keys or files", self.renamed(dice)),
            5 => ("a changed manifest", self.changed_manifest(dice)),
            6 => ("changed rows", self.changed_rows(dice)),
            7 => ("a re-zipped archive", self.rezipped(dice)),
            8 => ("a changed payload", self.changed_payload(dice)),
            9 => ("a price sheet put in", self.priced(dice)),
            _ => ("cut or extended", self.resized(dice)),
        }
    }

    fn swapped(&self, dice: &mut Dice) -> Vec<u8> {
        let mut mine = members(&self.signed);
        let theirs = members(&self.other);
        let raw = ["requests.parquet", "gaps.hlog"][dice.below(2)];
        let find = |members: &Members, name: &str| {
            members.iter().position(|(member, _)| member == name).unwrap()
        };
        let contents = theirs[find(&theirs, raw)].1.clone();
        if dice.below(2) == 0 {
            // With the manifest put right.
            let at = find(&mine, "manifest.json");
            let mut manifest: serde_json::Value = serde_json::from_slice(&mine[at].1).unwrap();
            manifest["members"][raw] = digest(&contents).into();
            mine[at].1 = serde_json::to_vec_pretty(&manifest).unwrap();
        }
        let at = find(&mine, raw);
        mine[at].1 = contents;
        zipped(&mine, stored())
    }

    /// Signed by somebody else, under the right names.
    fn replaced(&self, dice: &mut Dice) -> Vec<u8> {
        let forger = 20 + dice.below(50) as u8;
        let bytes = if dice.below(2) == 0 {
            sign(&self.signed, forger, Role::MeasuredBy)
        } else {
            let bytes = sign(&file(1), forger, Role::MeasuredBy);
            sign(&bytes, forger + 1, Role::ApprovedBy)
        };
        if dice.below(2) == 0 {
            return bytes;
        }
        // And with the trusted key's id on it.
        let mut envelopes = envelopes(&bytes);
        for (file, seed) in [("measured-by.dsse.json", 1), ("approved-by.dsse.json", 2)] {
            let mut json: serde_json::Value = serde_json::from_str(&envelopes[file]).unwrap();
            json["signatures"][0]["keyid"] = PublicKey::of(&key(seed)).to_string().into();
            envelopes.insert(file.to_owned(), in_written_order(&json));
        }
        with_envelopes(&bytes, &envelopes)
    }

    fn replayed(&self, dice: &mut Dice) -> Vec<u8> {
        let theirs = envelopes(&self.other);
        let mut mine = self.envelopes.clone();
        let names: Vec<String> = theirs.keys().cloned().collect();
        let name = names[dice.below(names.len())].clone();
        mine.insert(name.clone(), theirs[&name].clone());
        if dice.below(2) == 0 {
            mine.clone_from(&theirs);
        }
        with_envelopes(&file(1), &mine)
    }

    fn renamed(&self, dice: &mut Dice) -> Vec<u8> {
        let [measured, approved] =
            ["measured-by.dsse.json", "approved-by.dsse.json"].map(str::to_owned);
        let mut mine = self.envelopes.clone();
        match dice.below(3) {
            0 => {
                let (one, two) = (mine[&measured].clone(), mine[&approved].clone());
                mine.insert(measured, two);
                mine.insert(approved, one);
            }
            1 => {
                let file = [measured, approved][dice.below(2)].clone();
                let mut json: serde_json::Value = serde_json::from_str(&mine[&file]).unwrap();
                let seed = 1 + dice.below(60) as u8;
                let known = PublicKey::of(&key(seed)).to_string();
                let old = json["signatures"][0]["keyid"].clone();
                let new = if old == known { PublicKey::of(&key(77)).to_string() } else { known };
                json["signatures"][0]["keyid"] = new.into();
                mine.insert(file, in_written_order(&json));
            }
            _ => {
                let text = mine.remove(&measured).unwrap();
                mine.insert(format!("m{}.dsse.json", dice.below(1000)), text);
            }
        }
        with_envelopes(&file(1), &mine)
    }

    /// One leaf of the manifest (promise sheet, deployment, workload, steps…) changed, the file
    /// otherwise as tokencap would have written it.
    fn changed_manifest(&self, dice: &mut Dice) -> Vec<u8> {
        loop {
            let mut bundle = bundle(1);
            let mut json = serde_json::to_value(&bundle.manifest).unwrap();
            let before = json.clone();
            change_a_leaf(&mut json, dice);
            // The digests are put right by writing; a change that no manifest allows is none.
            let Ok(manifest) = serde_json::from_value(json) else { continue };
            bundle.manifest = manifest;
            let same = serde_json::to_value(&bundle.manifest).unwrap() == before;
            let Ok(bytes) = write(&bundle) else { continue };
            if !same && bytes != file(1) {
                return with_envelopes(&bytes, &self.envelopes);
            }
        }
    }

    fn changed_rows(&self, dice: &mut Dice) -> Vec<u8> {
        let mut bundle = bundle(1);
        let at = dice.below(bundle.requests.len());
        let row = &mut bundle.requests[at];
        match dice.below(5) {
            0 => row.osl = row.osl.map(|osl| osl + 1 + dice.below(9) as u32),
            1 => row.first_token = row.first_token.map(|first| first - Nanos(1)),
            2 => row.cached = None,
            3 => row.end = row.end + Nanos(1 + dice.below(1000) as u64),
            _ => {
                bundle.requests.remove(at);
            }
        }
        with_envelopes(&write(&bundle).unwrap(), &self.envelopes)
    }

    fn rezipped(&self, dice: &mut Dice) -> Vec<u8> {
        let mut members = members(&self.signed);
        let method = [CompressionMethod::Stored, CompressionMethod::Deflated][dice.below(2)];
        if dice.below(3) == 0 {
            let at = dice.below(members.len());
            let entry = members.remove(at);
            members.insert(dice.below(members.len() + 1), entry);
        }
        let time = zip::DateTime::from_date_and_time(2026, 11, 1 + dice.below(28) as u8, 10, 0, 0);
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(time.unwrap());
        zipped(&members, options)
    }

    fn changed_payload(&self, dice: &mut Dice) -> Vec<u8> {
        let mut mine = self.envelopes.clone();
        let names: Vec<String> = mine.keys().cloned().collect();
        let name = names[dice.below(names.len())].clone();
        let envelope = Envelope::from_text(&mine[&name]).unwrap();
        let mut json: serde_json::Value = serde_json::from_slice(&envelope.payload).unwrap();
        change_a_leaf(&mut json, dice);
        let changed = Envelope { payload: serde_json::to_vec(&json).unwrap(), ..envelope };
        mine.insert(name, changed.to_text());
        with_envelopes(&file(1), &mine)
    }

    /// Money is derived, so a bundle has no place for prices: not as a member, not in the manifest.
    fn priced(&self, dice: &mut Dice) -> Vec<u8> {
        let mut mine = members(&self.signed);
        let prices = serde_json::json!({"currency": "USD", "output": 1 + dice.below(99)});
        if dice.below(2) == 0 {
            mine.push(("prices.json".to_owned(), prices.to_string().into_bytes()));
        } else {
            let at = mine.iter().position(|(name, _)| name == "manifest.json").unwrap();
            let mut manifest: serde_json::Value = serde_json::from_slice(&mine[at].1).unwrap();
            manifest["prices"] = prices;
            mine[at].1 = serde_json::to_vec_pretty(&manifest).unwrap();
        }
        zipped(&mine, stored())
    }

    fn resized(&self, dice: &mut Dice) -> Vec<u8> {
        let mut bytes = self.signed.clone();
        match dice.below(3) {
            0 => bytes.truncate(dice.below(bytes.len())),
            1 => bytes.extend((0..=dice.below(300)).map(|_| dice_byte(dice))),
            _ => {
                bytes.splice(0..0, (0..=dice.below(300)).map(|_| 7));
            }
        }
        bytes
    }
}

fn dice_byte(dice: &mut Dice) -> u8 {
    dice.below(256) as u8
}

fn stored() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Stored)
}

/// An envelope's JSON with its fields in the order in which they are written.
fn in_written_order(json: &serde_json::Value) -> String {
    let signature = &json["signatures"][0];
    format!(
        r#"{{"payloadType":{},"payload":{},"signatures":[{{"keyid":{},"sig":{}}}]}}"#,
        json["payloadType"], json["payload"], signature["keyid"], signature["sig"]
    )
}

/// Changes one number, text or truth value, wherever it stands.
fn change_a_leaf(json: &mut serde_json::Value, dice: &mut Dice) {
    match json {
        serde_json::Value::Object(map) if !map.is_empty() => {
            let at = dice.below(map.len());
            if let Some((_, value)) = map.iter_mut().nth(at) {
                change_a_leaf(value, dice);
            }
        }
        serde_json::Value::Array(values) if !values.is_empty() => {
            let at = dice.below(values.len());
            change_a_leaf(&mut values[at], dice);
        }
        serde_json::Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            *json = if number.fract() == 0.0 {
                (number as u64 + 1).into()
            } else {
                (number * 0.9).into()
            };
        }
        serde_json::Value::Bool(value) => *value = !*value,
        serde_json::Value::String(text) => text.push('x'),
        _ => *json = "x".into(),
    }
}

/// What a reader sees: the state, or why the file cannot even be opened.
fn seen(bytes: &[u8], known: &(Seal, Capacity)) -> Result<SignOff, BundleError> {
    let (bundle, seal): (Bundle, Seal) = open(bytes)?;
    // The same raw records give the same numbers; only others must be judged again.
    let capacity =
        if seal.digests == known.0.digests { known.1.clone() } else { of_bundle(&bundle) };
    Ok(verify(&bundle, &seal, &capacity, &trust(), &now()).state)
}

#[test]
fn none_of_a_thousand_tampered_bundles_shows_as_signed_and_each_shows_why() {
    let bytes = signed(1);
    let scene = Scene { envelopes: envelopes(&bytes), other: signed(2), signed: bytes };
    let (_, seal, capacity) = opened(&scene.signed);
    let known = (seal, capacity);
    assert!(seen(&scene.signed, &known).unwrap().is_signed());
    assert!(verified(&scene.other, &trust()).state.is_signed());

    let mut dice = Dice(5);
    let mut why: BTreeMap<(&str, String), u32> = BTreeMap::new();
    for index in 0..1_000 {
        let (what, tampered) = scene.tamper(index % 11, &mut dice);
        assert_ne!(tampered, scene.signed, "{what} changed nothing");
        let reason = match seen(&tampered, &known) {
            Ok(state) => {
                assert!(!state.is_signed(), "tampering {index}, {what}, shows as {state:?}");
                assert_ne!(state, SignOff::Unsigned, "tampering {index}, {what}: no reason");
                state.name().to_owned()
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                "refused".to_owned()
            }
        };
        *why.entry((what, reason)).or_default() += 1;
    }
    let reasons = |what: &str| -> Vec<&str> {
        why.keys().filter(|(done, _)| *done == what).map(|(_, reason)| reason.as_str()).collect()
    };
    assert_eq!(reasons("a re-zipped archive"), ["contents_changed"], "{why:?}");
    assert_eq!(reasons("changed rows"), ["contents_changed"], "{why:?}");
    assert_eq!(reasons("a changed manifest"), ["contents_changed"], "{why:?}");
    assert_eq!(reasons("replayed envelopes"), ["contents_changed"], "{why:?}");
    assert_eq!(reasons("a changed payload"), ["bad_signature"], "{why:?}");
    assert_eq!(reasons("a price sheet put in"), ["refused"], "{why:?}");
    assert_eq!(reasons("replaced signatures"), ["bad_signature", "unknown_key"], "{why:?}");
}
