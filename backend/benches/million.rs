//! A bundle of a million requests: how large it is, and how long it takes to write it, and to
//! open, verify and judge it, on one core: `cargo bench -p tokencap --bench million`.

use std::time::{Duration, Instant};

use ed25519_dalek::SigningKey;
use tokencap_shared::bundle::judged::of_bundle;
use tokencap_shared::bundle::{open, with_signoff, write};
use tokencap_shared::definitions::promise::Role;
use tokencap_shared::signoff::{PublicKey, Signer, Trust, TrustedKey, UtcTime, verify};
use tokencap_testkit::bundles::soak;

const ROWS: u32 = 1_000_000;
const REPEATS: usize = 5;

fn main() {
    let bundle = soak(ROWS);
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
