//! A small bundle that may be signed, its signers, and whom they are trusted by.

use ed25519_dalek::SigningKey;

use super::{PublicKey, Recomputed, Signer, Trust, TrustedKey, UtcTime, Verification, verify};
use crate::bundle::judged::of_bundle;
use crate::bundle::{Bundle, FORMAT_VERSION, Manifest, open, with_signoff, write};
use crate::definitions::capacity::Capacity;
use crate::definitions::promise::Role;
use crate::definitions::record::{GapHistogram, GapSummary, Outcome, Request};
use crate::units::{Moment, Nanos};

/// Requests of the one step: enough for every promise of the sheet.
const REQUESTS: u64 = 900;

/// A signer's key. Anybody can make it: it is for tests.
pub fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

/// An instant.
pub fn time(text: &str) -> UtcTime {
    text.parse().expect("a time")
}

/// When readers verify.
pub fn now() -> UtcTime {
    time("2026-12-01")
}

/// `measurer` (key 1), `approver` (key 2) and `reviewer` (key 3).
pub fn trust() -> Trust {
    let trusted = |seed, name: &str, role| TrustedKey {
        name: name.to_owned(),
        key: PublicKey::of(&key(seed)),
        roles: vec![role],
        valid_from: None,
        valid_until: None,
        revoked: None,
    };
    Trust {
        keys: vec![
            trusted(1, "measurer", Role::MeasuredBy),
            trusted(2, "approver", Role::ApprovedBy),
            trusted(3, "reviewer", Role::ReviewedBy),
        ],
        ..Trust::default()
    }
}

/// A run of one confirmation step, in which every request complies. Runs differ in their gaps.
pub fn bundle(run: u8) -> Bundle {
    let sheet = serde_json::json!({
        "name": "small", "itl_ms": 100, "queue_ms": 300, "success": 0.99, "attainment": 0.99,
        "itl_rule": {"rule": "gap_share", "q": 0.99, "stall_ms": 1000}, "watched": ["queue_p99"],
        "tiers": [{"name": "all", "isl_min": 1, "isl_max": 1000, "ttft_ms": 500, "tpot_ms": 50}],
    });
    let second = 1_000_000_000_u64;
    let json = serde_json::json!({
        "format": FORMAT_VERSION, "definitions": crate::DEFINITIONS_VERSION, "tool": crate::TOOL,
        "run": format!("{run:032x}"), "started": "2026-11-29T10:00:00Z",
        "deployment": {
            "model": "toy-7b", "revision": "r", "engine": "e", "gpu": "H200-141GB", "gpus_serving": 8,
            "gpus_provisioned": 8, "simulated": true,
        },
        "promise": sheet,
        "workload": {"name": "w", "shape": {"kind": "mix", "classes": [
            {"weight": 1.0, "isl": {"dist": "uniform", "min": 100, "max": 199},
             "osl": {"dist": "fixed", "tokens": 3}}]}},
        "steps": [{
            "id": 0, "kind": "confirm", "asked": 1.0, "seed": 1, "start": 0, "w0": 0,
            "w1": REQUESTS * second, "end": (REQUESTS + 9) * second, "scheduled": REQUESTS,
            "generator": {"dropped": 0},
        }],
        "environment": {"host": "h"}, "warnings": [{"kind": "counted_here"}], "members": {},
    });
    let manifest: Manifest = serde_json::from_value(json).expect("a valid manifest");
    let gap = Nanos::from_millis(20 + u64::from(run));
    let request = |index: u64| {
        let sent = Moment(index * second);
        // No two alike, so that no change of a row is without consequence; slow ones are spread
        // over the run, since neighbours would count as one observation.
        let first = sent + Nanos(100_000_000 + index * 467 % REQUESTS * 1_000);
        let last = first + gap + gap;
        Request {
            step: 0,
            session: index as u32,
            turn: 0,
            intended: sent,
            sent,
            first_token: Some(first),
            last_token: Some(last),
            end: last + Nanos(1),
            isl: Some(100 + index as u32 % 100),
            osl: Some(3),
            cached: Some(50),
            queue: None,
            events: 3,
            gaps: GapSummary::of(&mut [gap, gap]),
            outcome: Outcome::Completed,
            status: Some(200),
            error: None,
        }
    };
    let mut gaps = GapHistogram::new(3).expect("3 digits are accepted");
    gaps.record_n(gap.0, REQUESTS * 2).expect("it grows");
    Bundle {
        manifest,
        requests: (0..REQUESTS).map(request).collect(),
        errors: Vec::new(),
        gaps: [((0, 0), gaps)].into(),
        telemetry: Vec::new(),
        signoffs: std::collections::BTreeMap::new(),
    }
}

/// The bundle's file, unsigned.
pub fn file(run: u8) -> Vec<u8> {
    write(&bundle(run)).expect("consistent")
}

/// What a reader computes before looking at any signature.
pub fn opened(bytes: &[u8]) -> (Bundle, crate::bundle::Seal, Capacity) {
    let (bundle, seal) = open(bytes).expect("a bundle");
    let capacity = of_bundle(&bundle);
    (bundle, seal, capacity)
}

/// The file with one more sign-off.
pub fn sign(bytes: &[u8], seed: u8, role: Role) -> Vec<u8> {
    sign_until(bytes, seed, role, None)
}

/// The same, until an instant, if until one.
pub fn sign_until(bytes: &[u8], seed: u8, role: Role, until: Option<UtcTime>) -> Vec<u8> {
    let (bundle, seal, capacity) = opened(bytes);
    let key = key(seed);
    let signer = Signer { key: &key, name: "whoever", now: time("2026-11-30") };
    let signed = signer.sign_off(&bundle.manifest, &seal, &capacity, role, until);
    let signed = signed.expect("it may be signed");
    with_signoff(bytes, signed.file, &signed.text).expect("room for it")
}

/// A completely signed file.
pub fn signed(run: u8) -> Vec<u8> {
    sign(&sign(&file(run), 1, Role::MeasuredBy), 2, Role::ApprovedBy)
}

/// What a reader makes of a file's signatures.
pub fn verified(bytes: &[u8], trust: &Trust) -> Verification {
    let (bundle, seal, capacity) = opened(bytes);
    let found = verify(&bundle, &seal, &capacity, trust, &now());
    // Whoever is only told what was recomputed finds the same.
    let told = serde_json::to_string(&Recomputed::of(&bundle, &seal, &capacity)).expect("JSON");
    let heard: Recomputed = serde_json::from_str(&told).expect("what was told");
    assert_eq!(heard.verify(trust, &now()), found);
    found
}
