//! Any bytes as another tool's result: refused or read, judged where there are records, and what
//! becomes a bundle is a good one.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tokencap_shared::bundle;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::import::{File, import, judge, to_bundle};

static SHEET: LazyLock<PromiseSheet> = LazyLock::new(|| {
    serde_json::from_value(serde_json::json!({
        "name": "f", "itl_ms": 40, "queue_ms": 300, "success": 0.99, "attainment": 0.99,
        "itl_rule": {"rule": "gap_share", "q": 0.99, "stall_ms": 400},
        "tiers": [{"name": "all", "isl_min": 1, "isl_max": 99999, "ttft_ms": 200, "tpot_ms": 50}],
    }))
    .expect("valid")
});

fuzz_target!(|bytes: &[u8]| {
    let files = [File { name: "x.json", bytes }];
    let found = import(&files);
    for run in &found.runs {
        let _ = judge(run, &SHEET);
    }
    if let Some(made) = to_bundle(&found.runs, &SHEET, &files) {
        let written = bundle::write(&made).expect("an import makes a good bundle");
        bundle::read(&written).expect("a written bundle is read");
    }
});
