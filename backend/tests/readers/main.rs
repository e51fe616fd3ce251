//! Programs that nobody here wrote read what tokencap writes: DuckDB, pandas, a JSON Schema
//! validator, zip readers.
//!
//! Needs a Python with the packages of `scripts/readers.txt`, named by its absolute path in
//! `TOKENCAP_READERS_PYTHON`; without it the tests say that they were skipped.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tokencap::export::xlsx;
use tokencap_shared::definitions::measured::Measured;
use tokencap_shared::definitions::money::PriceSheet;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::origin::{Calendar, Origin, Skew};
use tokencap_shared::definitions::record::Outcome;
use tokencap_shared::definitions::telemetry::Labels;
use tokencap_shared::present::document::cell::Value as CellValue;
use tokencap_shared::present::document::document;
use tokencap_shared::present::report::{Entry, Report, SignOff};
use tokencap_shared::present::words::EN;
use tokencap_shared::{bundle, fixture};

/// The Python with the readers; `None`, said, where there is none.
fn python() -> Option<PathBuf> {
    let python = std::env::var_os("TOKENCAP_READERS_PYTHON").map(PathBuf::from);
    if python.is_none() {
        println!("skipped: TOKENCAP_READERS_PYTHON names no Python; `make test-readers` does");
    }
    python
}

/// What a script prints as JSON.
fn told(python: &Path, script: &str, arguments: &[&Path]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers").join(script);
    let output = Command::new(python).arg(script).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn duckdb_pandas_and_a_schema_validator_read_a_bundle() {
    let Some(python) = python() else { return };
    let mut toy = fixture::bundle();
    toy.manifest.warnings = vec![Note::Resumed { steps: 3 }, Note::sentence("of no kind")];
    toy.manifest.steps[0].stopped = Some(Note::Interrupted);
    toy.manifest.origin = Origin::Merged { processes: 2 };
    toy.manifest.calendar =
        Some(Calendar { zero_unix_ns: i64::MAX, ahead_of_target_ms: Skew::new(-9, 9) });
    for sample in &mut toy.telemetry {
        sample.labels = Labels::one("model", "a,b=\"c\"");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.tokencap");
    std::fs::write(&path, bundle::write(&toy).unwrap()).unwrap();
    let schema =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/schema/manifest-2.schema.json");
    let seen = told(&python, "read.py", &[&path, &schema]);

    let requests = &toy.requests;
    let tokens: u64 = requests.iter().filter_map(|request| request.osl).map(u64::from).sum();
    let failed = requests.iter().filter(|r| matches!(r.outcome, Outcome::Failed(_))).count();
    let silent = requests.iter().filter(|r| r.first_token.is_none()).count();
    let slowest = requests.iter().filter_map(|r| r.ttft()).map(|ttft| ttft.0).max();
    assert_eq!(seen["manifest_errors"], json!([]));
    assert_eq!(
        seen["members"],
        json!(["manifest.json", "requests.parquet", "gaps.hlog", "telemetry.parquet"])
    );
    assert_eq!(seen["pandas"]["rows"], requests.len());
    assert_eq!(seen["pandas"]["osl"], tokens);
    assert_eq!(seen["pandas"]["failed"], failed);
    assert!(failed > 0, "the toy server refuses some");
    assert_eq!(seen["pandas"]["without_first_token"], silent);
    assert_eq!(seen["samples"]["rows"], toy.telemetry.len());
    assert_eq!(seen["samples"]["metrics"], json!(["kv_use", "power_watts", "running", "waiting"]));
    assert_eq!(seen["samples"]["models"], json!(["a,b=\"c\""]));
    assert_eq!(seen["duckdb"]["models"], json!(["a,b=\"c\""]));
    assert_eq!(seen["duckdb"]["rows"], requests.len());
    assert_eq!(seen["duckdb"]["osl"], tokens);
    assert_eq!(seen["duckdb"]["ttft_max_ns"], json!(slowest));
    assert_eq!(seen["duckdb"]["wrong_means"], 0);
    assert_eq!(
        seen["duckdb"]["columns"],
        json!({
            "step": "UINTEGER", "session": "UINTEGER", "turn": "UINTEGER",
            "intended_ns": "BIGINT", "sent_ns": "BIGINT", "first_token_ns": "BIGINT",
            "last_token_ns": "BIGINT", "end_ns": "BIGINT", "isl": "UINTEGER", "osl": "UINTEGER",
            "cached": "UINTEGER", "queue_ns": "BIGINT", "events": "UINTEGER",
            "gap_max_ns": "BIGINT", "gap_p99_ns": "BIGINT", "gap_p95_ns": "BIGINT",
            "gap_mean_ns": "BIGINT", "outcome": "VARCHAR", "status": "USMALLINT",
            "error": "VARCHAR",
        })
    );
}

/// What the second reader says of a bundle must be what the judge says.
fn second_reader_agrees(seen: &Value, toy: &bundle::Bundle) {
    let capacity = bundle::judged::of_bundle(toy);
    assert_eq!(seen["steps"].as_array().unwrap().len(), capacity.steps.len());
    for (told, step) in seen["steps"].as_array().unwrap().iter().zip(&capacity.steps) {
        assert_eq!(told["step"], step.step);
        assert_eq!(told["members"], step.counts.members);
        assert_eq!(told["valid"], step.counts.valid);
        for (told, tier) in told["tiers"].as_array().unwrap().iter().zip(&step.tiers) {
            let gaps = tier.itl.value().unwrap();
            assert_eq!(told["valid"], tier.valid);
            assert_eq!(told["compliant"], tier.compliant);
            assert_eq!(told["ttft_p99_ns"], json!(tier.ttft.p99.map(|time| time.0)));
            assert_eq!(told["gaps"], gaps.n);
            assert_eq!(told["itl_p99_ns"], json!(gaps.p99.map(|time| time.0)));
        }
        let near = |found: &Value, wanted: f64| {
            (found.as_f64().unwrap() - wanted).abs() <= 1e-9 * wanted.abs()
        };
        assert!(near(&told["wall_s"], step.wall.value().unwrap().get()), "{told}");
        assert!(near(&told["goodput"], step.flow.goodput.value().unwrap().get()), "{told}");
    }
}

#[test]
fn a_second_reader_that_knows_only_the_documents_computes_the_same() {
    let Some(python) = python() else { return };
    let toy = fixture::bundle();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.tokencap");
    std::fs::write(&path, bundle::write(&toy).unwrap()).unwrap();
    let seen = told(&python, "second.py", &[&path]);
    second_reader_agrees(&seen, &toy);
    assert_eq!(seen["sign_offs"], json!({}));
    // Both sorts of outcome, and tiers with gaps: else little would have been compared.
    let first = &seen["steps"][0];
    assert!(first["tiers"][0]["gaps"].as_u64() > Some(1000), "{first}");
    let steps = seen["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["tiers"][0]["compliant"] != step["tiers"][0]["valid"]));

    let signed = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/src/bundle/old/format-1-signed.tokencap");
    let seen = told(&python, "second.py", &[&signed]);
    second_reader_agrees(&seen, &bundle::read(&std::fs::read(&signed).unwrap()).unwrap());
    for role in ["measured-by", "approved-by"] {
        let found = &seen["sign_offs"][format!("signoff/{role}.dsse.json")];
        let says = &found["says"]["sign_off"];
        assert_eq!(found["intact"], true);
        assert_eq!(found["forged"], false);
        assert_eq!(found["same_members"], true);
        assert_eq!(says["role"], role);
        let (signed, computed) = (&says["numbers"]["goodput"], &seen["steps"][0]["goodput"]);
        let (signed, computed) = (signed.as_f64().unwrap(), computed.as_f64().unwrap());
        assert!((signed - computed).abs() <= 1e-9 * signed, "{signed} {computed}");
    }
}

#[test]
fn a_workbook_has_the_report_s_numbers_and_its_formulas_compute_them() {
    let Some(python) = python() else { return };
    let prices: PriceSheet = serde_json::from_value(json!({
        "name": "p", "currency": "USD", "date": "2026-11-29",
        "gpu_hour": {"price": 3.99, "source": "s"}, "output": {"price": 4.0, "source": "s"},
        "input_uncached": {"price": 0.95, "source": "s"},
        "input_cached": {"price": 0.19, "source": "s"},
    }))
    .unwrap();
    let entry = Entry::judged("toy".to_owned(), &fixture::bundle(), None, SignOff::Unsigned);
    let report = Report::new(vec![entry], Some(prices));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.xlsx");
    std::fs::write(&path, xlsx(&report, &document(&report, &EN)).unwrap()).unwrap();
    let seen = told(&python, "workbook.py", &[&path]);

    // Every number of the document stands in the sheets, unrounded.
    let row = &report.rows[0];
    let written: Vec<f64> = (0..2)
        .flat_map(|sheet: usize| seen["sheets"][sheet].as_array().unwrap())
        .flat_map(|row| row.as_array().unwrap())
        .filter_map(Value::as_f64)
        .collect();
    let made = document(&report, &EN);
    let mut numbers = 0;
    for section in made.sections.iter().chain(&made.parts[0].sections) {
        let table = section.table().map(|table| table.unrolled(&EN));
        let cells = table.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
        for cell in cells.chain(section.facts().iter().map(|fact| &fact.cell)) {
            let CellValue::Number(number) = &cell.value else { continue };
            let Some(wanted) = number.amount.finite() else { continue };
            numbers += 1;
            // A workbook keeps seventeen digits.
            let same = |value: &f64| (value - wanted).abs() <= 1e-14 * wanted.abs();
            assert!(written.iter().any(same), "{}", cell.exact());
        }
    }
    assert!(numbers > 100, "{numbers} numbers");

    let Measured::Value(money) = &row.economics else { panic!("it is priced") };
    let figure = |id: &str, how: &str| seen["money"][format!("{id}_1")][how].as_f64().unwrap();
    let at = row.capacity.at.value().unwrap();
    for (id, expected, at_twice) in [
        ("daily", at.daily.get(), 1.0),
        ("cost", money.cost.value().unwrap().finite().unwrap().get(), 2.0),
        ("gpu_cost", money.gpu_cost_daily.value().unwrap().get(), 2.0),
    ] {
        let near = |found: f64, wanted: f64| (found - wanted).abs() <= 1e-9 * wanted.abs();
        assert!(near(figure(id, "kept"), expected), "{id}: {seen}");
        assert!(near(figure(id, "computed"), expected), "{id}");
        assert!(near(figure(id, "at_twice_the_gpu_price"), at_twice * expected), "{id}");
    }
    let margin = money.margin_daily.value().unwrap().get();
    assert!((figure("margin", "computed") - margin).abs() <= 1e-6 * margin.abs());
}
