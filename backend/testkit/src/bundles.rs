//! Bundles to open, to judge and to look at.

use std::collections::BTreeMap;

use tokencap_shared::bundle::{Bundle, Manifest};
use tokencap_shared::definitions::record::{
    FailureKind, GapHistogram, GapSummary, Outcome, Request,
};
use tokencap_shared::units::{Moment, Nanos};

use crate::random::Random;

/// As many requests as asked for, as a long soak of 500 requests/s leaves them: Poisson arrivals,
/// spread times and lengths, one failure in two thousand.
#[must_use]
pub fn soak(rows: u32) -> Bundle {
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
        "workload": {"name": "w", "shape": {"kind": "mix", "classes": [
            {"weight": 1.0, "isl": {"dist": "fixed", "tokens": 1000},
             "osl": {"dist": "fixed", "tokens": 100}}]}},
        "steps": [{
            "id": 0, "kind": "soak", "asked": 500.0, "seed": 1, "start": 0, "w0": 0,
            "w1": 2_010_000_000_000_u64, "end": 3_000_000_000_000_u64,
            "scheduled": rows, "generator": {"dropped": 0}
        }],
        "members": {}
    });
    let manifest: Manifest = serde_json::from_value(json).unwrap();
    let mut random = Random::new(1);
    let mut clock = 0.0;
    let requests: Vec<Request> =
        (0..rows).map(|session| request(session, &mut clock, &mut random)).collect();
    let mut gaps = GapHistogram::new(3).unwrap();
    for request in &requests {
        if let Some(summary) = request.gaps {
            gaps.record_n(summary.p95.0, u64::from(request.gap_count())).unwrap();
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

fn request(session: u32, clock: &mut f64, random: &mut Random) -> Request {
    *clock += random.exponential() * 2e6;
    let intended = Moment(*clock as u64);
    let sent = intended + Nanos((random.unit() * 50_000.0) as u64);
    let isl = 1 + (random.unit() * 4000.0) as u32;
    if session % 2000 == 1999 {
        return Request {
            step: 0,
            session,
            turn: 0,
            intended,
            sent,
            first_token: None,
            last_token: None,
            end: sent + Nanos((random.unit() * 1e9) as u64),
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
    let osl = 2 + (random.unit() * 500.0) as u32;
    let first = sent + Nanos((2e8 * (1.0 + random.unit())) as u64);
    let mean = 2e7 * (1.0 + 0.2 * random.unit());
    let last = first + Nanos((mean * f64::from(osl - 1)) as u64);
    let p95 = mean * (1.0 - 0.1 * random.unit());
    let nanos = |value: f64| Nanos(value as u64);
    Request {
        step: 0,
        session,
        turn: 0,
        intended,
        sent,
        first_token: Some(first),
        last_token: Some(last),
        end: last + Nanos((random.unit() * 400_000.0) as u64),
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
