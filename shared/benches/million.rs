//! A bundle of a million requests: how large it is, and how long it takes to write it, and to
//! open, verify and judge it, on one core: `cargo bench -p tokencap-shared --bench million`.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a bench measures time and prints it; the crate itself does neither"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ed25519_dalek::SigningKey;
use tokencap_shared::bundle::{Bundle, GapHistogram, Manifest, open, with_signoff, write};
use tokencap_shared::capacity::of_bundle;
use tokencap_shared::promise::Role;
use tokencap_shared::record::{FailureKind, GapSummary, Outcome, Request};
use tokencap_shared::signoff::{PublicKey, Signer, Trust, TrustedKey, UtcTime, verify};
use tokencap_shared::units::{Moment, Nanos};

const ROWS: u32 = 1_000_000;
const REPEATS: usize = 5;

fn main() {
    let bundle = bundle(ROWS);
    let (bytes, written) = timed(|| write(&bundle).expect("a consistent bundle"));
    let now: UtcTime = "2026-12-01".parse().expect("a day");
    let (bytes, trust) = signed(bytes, &now);
    println!(
        "{ROWS} requests: {:.1} MB ({:.1} bytes a request), written in {written:.2?}",
        bytes.len() as f64 / 1e6,
        bytes.len() as f64 / f64::from(ROWS),
    );
    let mut best = [Duration::MAX; 4];
    for _ in 0..REPEATS {
        let ((bundle, seal), opened) = timed(|| open(&bytes).expect("it was just written"));
        let (capacity, judged) = timed(|| of_bundle(&bundle));
        let (found, verified) = timed(|| verify(&bundle, &seal, &capacity, &trust, &now));
        assert!(found.state.is_signed(), "{:?}", found.state);
        let times = [opened, judged, verified, opened + judged + verified];
        for (best, time) in best.iter_mut().zip(times) {
            *best = time.min(*best);
        }
    }
    let [opened, judged, verified, all] = best;
    println!(
        "opened in {opened:.2?}, judged in {judged:.2?}, signatures verified in {verified:.2?}; \
         all together {all:.2?} (fastest of {REPEATS})"
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let done = work();
    (done, began.elapsed())
}

/// Signed by both roles, and whom the reader trusts.
fn signed(mut bytes: Vec<u8>, now: &UtcTime) -> (Vec<u8>, Trust) {
    let mut trust = Trust::default();
    for (seed, role) in [(1, Role::MeasuredBy), (2, Role::ApprovedBy)] {
        let key = SigningKey::from_bytes(&[seed; 32]);
        let (bundle, seal) = open(&bytes).expect("a bundle");
        let signer = Signer { key: &key, name: "bench", now: now.clone() };
        let signed = signer
            .sign_off(&bundle.manifest, &seal, &of_bundle(&bundle), role, None)
            .expect("its numbers may be signed");
        bytes = with_signoff(&bytes, signed.file, &signed.text).expect("room for it");
        trust.keys.push(TrustedKey {
            name: "bench".to_owned(),
            key: PublicKey::of(&key),
            roles: vec![role],
            valid_from: None,
            valid_until: None,
            revoked: None,
        });
    }
    (bytes, trust)
}

/// Requests as a long soak of 500 requests/s leaves them: Poisson arrivals, spread times and
/// lengths, one failure in two thousand.
fn bundle(rows: u32) -> Bundle {
    let json = serde_json::json!({
        "format": 1, "definitions": 1, "tool": "example", "run": "0", "started": "",
        "deployment": {
            "model": "m", "engine": "e", "gpu": "g", "gpus_serving": 1, "gpus_provisioned": 1
        },
        "promise": {
            "name": "p", "itl_ms": 100, "queue_ms": 300, "success": 0.999, "attainment": 0.99,
            "itl_rule": {"rule": "worst_gap"}, "watched": ["queue_p99"],
            "tiers": [{"name": "all", "isl_min": 1, "isl_max": 9000, "ttft_ms": 500, "tpot_ms": 40}]
        },
        "workload": {"name": "w", "shape": {"kind": "mix", "classes": []}},
        "steps": [{
            "id": 0, "kind": "soak", "asked": 500.0, "seed": 1, "start": 0, "w0": 0,
            "w1": 2_010_000_000_000_u64, "end": 3_000_000_000_000_u64,
            "scheduled": rows, "generator": {"dropped": 0}
        }],
        "members": {}
    });
    let manifest: Manifest = serde_json::from_value(json).expect("a valid manifest");
    let mut noise = Noise(1);
    let mut clock = 0.0;
    let requests: Vec<Request> =
        (0..rows).map(|session| request(session, &mut clock, &mut noise)).collect();
    let mut gaps = GapHistogram::new(3).expect("3 digits are accepted");
    for request in &requests {
        if let Some(summary) = request.gaps {
            gaps.record_n(summary.p95.0, u64::from(request.gap_count())).expect("it grows");
        }
    }
    Bundle {
        manifest,
        requests,
        errors: vec!["connection reset by peer".to_owned()],
        gaps: [((0, 0), gaps)].into(),
        telemetry: Vec::new(),
        signoffs: BTreeMap::new(),
    }
}

fn request(session: u32, clock: &mut f64, noise: &mut Noise) -> Request {
    *clock += -noise.share().ln() * 2e6;
    let intended = Moment(*clock as u64);
    let sent = intended + Nanos((noise.share() * 50_000.0) as u64);
    let isl = 1 + (noise.share() * 4000.0) as u32;
    if session % 2000 == 1999 {
        return Request {
            step: 0,
            session,
            turn: 0,
            intended,
            sent,
            first_token: None,
            last_token: None,
            end: sent + Nanos((noise.share() * 1e9) as u64),
            isl: Some(isl),
            osl: None,
            cached: None,
            queue: None,
            events: 0,
            gaps: None,
            outcome: Outcome::Failed(FailureKind::Disconnected),
            status: None,
            error: Some(0),
        };
    }
    let osl = 2 + (noise.share() * 500.0) as u32;
    let first = sent + Nanos((2e8 * (1.0 + noise.share())) as u64);
    let mean = 2e7 * (1.0 + 0.2 * noise.share());
    let last = first + Nanos((mean * f64::from(osl - 1)) as u64);
    let p95 = mean * (1.0 - 0.1 * noise.share());
    let nanos = |value: f64| Nanos(value as u64);
    Request {
        step: 0,
        session,
        turn: 0,
        intended,
        sent,
        first_token: Some(first),
        last_token: Some(last),
        end: last + Nanos((noise.share() * 400_000.0) as u64),
        isl: Some(isl),
        osl: Some(osl),
        cached: Some(isl / 16 * 16 / 2),
        queue: None,
        events: osl,
        gaps: Some(GapSummary {
            p95: nanos(p95),
            p99: nanos(p95 + 0.2 * (mean - p95)),
            max: nanos(mean),
        }),
        outcome: Outcome::Completed,
        status: Some(200),
        error: None,
    }
}

/// A small generator of numbers in (0, 1], for an example that needs no more.
struct Noise(u64);

impl Noise {
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }
}
