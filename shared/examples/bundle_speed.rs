//! How large a bundle of a million requests is, and how long it takes to write and to read:
//! `cargo run --release -p tokencap-shared --example bundle_speed [ROWS]`.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "an example measures time and prints it; the crate itself does neither"
)]

use std::collections::BTreeMap;
use std::time::Instant;

use tokencap_shared::bundle::{Bundle, Manifest, read, write};
use tokencap_shared::record::{FailureKind, GapSummary, Outcome, Request};
use tokencap_shared::units::{Moment, Nanos};

fn main() {
    let argument = std::env::args().nth(1);
    let rows = argument.map_or(1_000_000, |rows| rows.parse().expect("a number of rows"));
    let bundle = bundle(rows);
    let began = Instant::now();
    let bytes = write(&bundle).expect("a consistent bundle");
    let written = began.elapsed();
    let mut fastest = None;
    for _ in 0..5 {
        let began = Instant::now();
        let back = read(&bytes).expect("it was just written");
        let took = began.elapsed();
        assert_eq!(back.requests.len(), bundle.requests.len());
        fastest = Some(fastest.map_or(took, |fastest| took.min(fastest)));
    }
    println!(
        "{rows} rows: {} bytes, {:.1} bytes a row; written in {written:.2?}, read in {:.2?} \
         (fastest of 5)",
        bytes.len(),
        bytes.len() as f64 / f64::from(rows),
        fastest.unwrap_or_default(),
    );
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
            "name": "p", "itl_ms": 100, "queue_ms": 300, "success": 0.9995, "attainment": 0.99,
            "itl_rule": {"rule": "worst_gap"},
            "tiers": [{"name": "all", "isl_min": 1, "isl_max": 9000, "ttft_ms": 500, "tpot_ms": 40}]
        },
        "workload": {"name": "w", "shape": {"kind": "mix", "classes": []}},
        "steps": [{
            "id": 0, "kind": "soak", "asked": 500.0, "seed": 1, "start": 0, "w0": 0,
            "w1": 1_000_000_000_000_000_u64, "end": 1_000_000_000_000_000_u64,
            "scheduled": rows, "generator": {"dropped": 0}
        }],
        "members": {}
    });
    let manifest: Manifest = serde_json::from_value(json).expect("a valid manifest");
    let mut noise = Noise(1);
    let mut clock = 0.0;
    let requests = (0..rows).map(|session| request(session, &mut clock, &mut noise)).collect();
    Bundle {
        manifest,
        requests,
        errors: vec!["connection reset by peer".to_owned()],
        gaps: BTreeMap::new(),
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
