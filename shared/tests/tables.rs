//! Bounds, sample sizes and ranks against tables kept beside the checkout, or in the folder
//! named by `TOKENCAP_GOLDEN`.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the test reads files and says what it skips; the library does neither"
)]

use std::path::PathBuf;

use serde_json::Value;
use tokencap_shared::stats::rank::{nearest_rank, p99_bounds};
use tokencap_shared::stats::share::{at_least, at_most, needed, wilson};
use tokencap_shared::units::{Ratio, Share};

fn tables() -> Option<Value> {
    let folder = std::env::var_os("TOKENCAP_GOLDEN").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden"),
        PathBuf::from,
    );
    let path = folder.join("tables/tables.json");
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).expect("JSON")),
        Err(error) => {
            eprintln!("skipping the tables of {}: {error}", path.display());
            None
        }
    }
}

fn share(value: f64) -> Share {
    Share::new(value).expect("a share")
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

#[test]
fn sample_sizes_are_the_tables() {
    let Some(tables) = tables() else { return };
    let mut seen = 0;
    for (name, sizes) in tables.as_object().expect("an object") {
        let Some(rest) = name.strip_prefix("min_n_by_bad_") else { continue };
        let (target, confidence) = rest.split_once("_c").expect("target and confidence");
        let target = share(target.parse().expect("a target"));
        let confidence = share(confidence.parse::<f64>().expect("per cent") / 100.0);
        for (bad, n) in sizes.as_object().expect("sizes") {
            assert_eq!(needed(number(bad), target, confidence), n.as_u64(), "{name} {bad}");
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn bounds_are_the_tables() {
    let Some(tables) = tables() else { return };
    let close = |value: f64, expected: &Value| {
        let expected = expected.as_f64().expect("a number");
        assert!((value / expected - 1.0).abs() < 1e-9, "{value} {expected}");
    };
    for (name, row) in tables["bound_examples"].as_object().expect("rows") {
        let (good, n) = name.split_once('/').expect("good/n");
        let (good, n) = (number(good), number(n));
        let counts = (Ratio::count(good), Ratio::count(n - good));
        close(at_least(counts.0, counts.1, share(0.95)).get(), &row["cp_lower"]);
        close(at_most(counts.0, counts.1, share(0.95)).get(), &row["cp_upper"]);
        let (low, high) = wilson(good, n, share(0.95)).expect("n > 0");
        close(low.get(), &row["wilson_lower"]);
        close(high.get(), &row["wilson_upper"]);
    }
}

#[test]
fn ranks_are_the_tables() {
    let Some(tables) = tables() else { return };
    for (n, row) in tables["p99_order_stat_ranks"].as_object().expect("rows") {
        let n = number(n);
        assert_eq!(Some(nearest_rank(n, 99)), row["nearest_rank"].as_u64(), "{n}");
        let (low, high) = p99_bounds(n, share(0.95));
        assert_eq!((low, high), (row["lower_rank"].as_u64(), row["upper_rank"].as_u64()), "{n}");
    }
}

#[test]
fn what_may_be_bad_and_still_sign_is_the_tables() {
    let Some(tables) = tables() else { return };
    for target in [0.99, 0.9995] {
        for (n, row) in tables[format!("allowed_broken_{target}")].as_object().expect("rows") {
            let n = number(n);
            let bounds = |bad: u64| {
                let (good, bad) = (Ratio::count(n - bad), Ratio::count(bad));
                (at_least(good, bad, share(0.95)).get(), at_most(good, bad, share(0.95)).get())
            };
            let signs = row[0].as_i64().expect("a count");
            if let Ok(most) = u64::try_from(signs) {
                assert!(bounds(most).0 >= target, "{n}");
            }
            assert!(bounds((signs + 1) as u64).0 < target, "{n}");
            let breaks = row[1].as_u64().expect("a count");
            assert!(bounds(breaks).1 < target && bounds(breaks - 1).1 >= target, "{n}");
        }
    }
}
