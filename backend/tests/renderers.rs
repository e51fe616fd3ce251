//! One document, seven ways to see it: terminal, Markdown, CSV, Excel, JSON, page and print. Each
//! carries the same sections in the same order, and each number of the document: rounded as the
//! document says where people read it, unrounded where programs do.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::collections::BTreeSet;
use std::io::Read;

use serde_json::{Value as Json, json};
use tokencap::{export, text};
use tokencap_shared::bundle::Bundle;
use tokencap_shared::definitions::money::PriceSheet;
use tokencap_shared::definitions::record::Outcome;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::fixture;
use tokencap_shared::present::document::cell::{Cell, Number, Value};
use tokencap_shared::present::document::{Document, Part, Section, SectionId, document};
use tokencap_shared::present::render::{csv, html, markdown};
use tokencap_shared::present::report::{Entry, Report, SignOff};
use tokencap_shared::present::words::{EN, Words, ZH};

/// The toy run as agents' tasks of two steps, some of them cancelled, with a soak.
fn rich() -> Bundle {
    let mut bundle = fixture::bundle();
    bundle.manifest.workload = serde_json::from_value(json!({
        "name": "tasks", "shape": {"kind": "sessions", "shared_prefix": 100, "steps": 2,
            "new_tokens": {"dist": "uniform", "min": 100, "max": 2000},
            "output_tokens": {"dist": "uniform", "min": 50, "max": 150},
            "think": {"mean_ns": 1_000_000_000, "cv": 0.0}}
    }))
    .unwrap();
    for (at, request) in (0..).zip(&mut bundle.requests) {
        (request.session, request.turn) = (at / 2, at % 2);
        if at % 97 == 0 && request.outcome == Outcome::Completed {
            request.outcome = Outcome::Cancelled;
        }
    }
    let longest = bundle.manifest.steps.last_mut().unwrap();
    longest.kind = StepKind::Soak;
    bundle
}

/// Two bundles, priced.
fn report() -> Report {
    let prices: PriceSheet = serde_json::from_value(json!({
        "name": "p", "currency": "USD", "date": "2026-11-29",
        "gpu_hour": {"price": 3.9875, "source": "s"}, "output": {"price": 4.0, "source": "s"},
        "input_uncached": {"price": 0.95, "source": "s"},
        "input_cached": {"price": 0.19, "source": "s"},
    }))
    .unwrap();
    let mut other = fixture::bundle();
    other.manifest.run = "f".repeat(32);
    other.manifest.deployment.model = "another".to_owned();
    let entry = |name: &str, bundle: &Bundle| {
        Entry::judged(name.to_owned(), bundle, None, SignOff::Unsigned)
    };
    let entries = vec![entry("rich.tokencap", &rich()), entry("other.tokencap", &other)];
    Report::new(entries, Some(prices))
}

/// Every section in order.
fn sections(document: &Document) -> impl Iterator<Item = &Section> {
    document.sections.iter().chain(document.parts.iter().flat_map(|part| &part.sections))
}

/// The cells of a section in order.
fn cells(section: &Section) -> Vec<&Cell> {
    let table = section.table().into_iter();
    let rows = table.flat_map(|table| &table.rows).flat_map(|row| &row.cells);
    rows.chain(section.facts().iter().map(|fact| &fact.cell)).collect()
}

/// The numbers of a cell.
fn numbers(cell: &Cell) -> Vec<Number> {
    match cell.value {
        Value::Number(number) => vec![number],
        Value::Range(low, high) => vec![low, high],
        _ => Vec::new(),
    }
}

/// What people read of a document: each section's title, then the texts of its numbers and gaps.
fn read_by_people(document: &Document) -> Vec<String> {
    let words = document.language.words();
    let mut texts = Vec::new();
    for section in sections(document) {
        texts.push(section.title.clone());
        let shown = cells(section).into_iter();
        let shown = shown.filter(|cell| cell.is_missing() || !numbers(cell).is_empty());
        texts.extend(shown.map(|cell| cell.text(words.lang)));
    }
    texts
}

/// The finite numbers of a document, in order.
fn read_by_programs(document: &Document) -> Vec<f64> {
    let cells = sections(document).flat_map(cells);
    cells.flat_map(numbers).filter_map(|number| number.amount.finite()).collect()
}

/// Fails unless the texts stand in this order, none of them inside a longer number.
fn assert_in_order(shown: &str, texts: &[String]) {
    let digit = |beside: Option<char>| beside.is_some_and(|c| c.is_ascii_digit());
    let mut from = 0;
    for (nth, text) in texts.iter().enumerate() {
        let whole = |(at, _): &(usize, &str)| {
            let before = shown[..from + at].chars().next_back();
            let after = shown[from + at + text.len()..].chars().next();
            let is_number = text.ends_with(|c: char| c.is_ascii_digit());
            !is_number
                || !(digit(after)
                    || digit(before) && text.starts_with(|c: char| c.is_ascii_digit()))
        };
        let found = shown[from..].match_indices(text.as_str()).find(whole);
        let (at, _) = found.unwrap_or_else(|| {
            panic!(
                "{text:?} (the {nth}th, after {:?}) is not there",
                &texts[nth.saturating_sub(3)..nth]
            )
        });
        from += at + text.len();
    }
}

fn in_both_languages(check: impl Fn(&Report, &Document, &Words)) {
    let report = report();
    for words in [&EN, &ZH] {
        let made = document(&report, words);
        check(&report, &made, words);
    }
}

#[test]
fn the_bundle_is_rich() {
    in_both_languages(|_, made, words| {
        let there: BTreeSet<SectionId> = sections(made).map(|section| section.id).collect();
        assert_eq!(there, SectionId::ALL.into_iter().collect(), "every section is there");
        for Part { sections, .. } in &made.parts {
            assert!(sections.is_sorted_by_key(|section| section.id), "in one order");
        }
        let all: Vec<&Cell> = sections(made).flat_map(cells).collect();
        assert!(all.iter().any(|cell| matches!(cell.value, Value::Range(..))));
        assert!(all.iter().any(|cell| cell.is_missing()));
        assert!(all.iter().any(|cell| cell.text(words.lang) == "∞"));
        let window = made.parts[0].section(SectionId::Window).unwrap();
        assert!(window.facts().iter().any(|fact| fact.id.name == "chain"));
        assert!(read_by_programs(made).len() > 300);
    });
}

#[test]
fn the_terminal_shows_all_of_it() {
    in_both_languages(|_, made, _| {
        assert_in_order(&text::report(made, None), &read_by_people(made))
    });
}

#[test]
fn markdown_shows_all_of_it() {
    in_both_languages(|_, made, _| {
        assert_in_order(&markdown::markdown(made).replace('\\', ""), &read_by_people(made));
    });
}

/// All sections as the page draws them, which is also what it prints.
fn page(made: &Document, words: &Words) -> String {
    sections(made).map(|section| html::section(section, words).into_string()).collect()
}

#[test]
fn the_page_shows_all_of_it() {
    in_both_languages(|_, made, words| {
        let page = page(made, words);
        let text = page.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        // A table's region is named by its caption before the caption itself.
        assert_in_order(&text, &read_by_people(made));
        let order: Vec<&str> = page
            .split("data-section=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert_eq!(order, sections(made).map(|section| section.id.name()).collect::<Vec<_>>());
    });
}

#[test]
fn print_hides_nothing_of_it() {
    let style = include_str!("../../assets/css/90-print.css");
    let rules = style.split('}').filter(|rule| rule.contains("display: none"));
    let hidden: Vec<&str> = rules
        .filter_map(|rule| rule.split('{').nth_back(1))
        .flat_map(|selectors| selectors.split(','))
        .map(str::trim)
        .collect();
    assert!(hidden.contains(&".no-print"), "{hidden:?}");
    in_both_languages(|_, made, words| {
        let page = page(made, words);
        let attributes = |name: &str| -> BTreeSet<String> {
            let start = format!(" {name}=\"");
            let values = page.split(&start).skip(1);
            let values = values.filter_map(|rest| rest.split('"').next());
            values.flat_map(str::split_whitespace).map(str::to_owned).collect()
        };
        let (classes, ids) = (attributes("class"), attributes("id"));
        assert!(classes.contains("data") && ids.contains("promises"));
        for selector in &hidden {
            let shown = match selector.split_once(['.', '#', ':']) {
                Some(("", name)) if selector.starts_with('.') => {
                    // A field of the page's forms is hidden only with what it holds.
                    classes.contains(name.split(':').next().unwrap())
                }
                Some(("", name)) => ids.contains(name),
                Some((tag, _)) => page.contains(&format!("<{tag}")),
                None => page.contains(&format!("<{selector}")),
            };
            assert!(!shown, "print hides {selector}");
        }
    });
}

#[test]
fn json_holds_it_unrounded_beside_what_it_is_made_of() {
    in_both_languages(|report, made, _| {
        let json = serde_json::to_value(export::Json { report, document: made }).unwrap();
        assert_eq!(json["rows"][0]["name"], "rich.tokencap");
        let parts = json["document"]["parts"].as_array().unwrap().iter();
        let own = json["document"]["sections"].as_array().unwrap().iter();
        let found: Vec<&Json> =
            own.chain(parts.flat_map(|part| part["sections"].as_array().unwrap())).collect();
        let ids: Vec<&str> = found.iter().map(|section| section["id"].as_str().unwrap()).collect();
        assert_eq!(ids, sections(made).map(|section| section.id.name()).collect::<Vec<_>>());
        let mut amounts = Vec::new();
        for section in found {
            let rows = section["body"]["table"]["rows"].as_array().into_iter().flatten();
            let rows = rows.flat_map(|row| row["cells"].as_array().unwrap());
            let facts = section["body"]["facts"].as_array().into_iter().flatten();
            for cell in rows.chain(facts.map(|fact| &fact["cell"])) {
                let numbers = match cell["kind"].as_str().unwrap() {
                    "number" => vec![&cell["value"]],
                    "range" => cell["value"].as_array().unwrap().iter().collect(),
                    kind => {
                        let reason = cell["value"]["reason"].is_string();
                        assert!(kind != "missing" || reason, "{cell}");
                        continue;
                    }
                };
                assert!(cell["unit"].is_string(), "{cell}");
                amounts.extend(numbers.iter().filter_map(|number| number["amount"].as_f64()));
            }
        }
        assert_eq!(amounts, read_by_programs(made));
    });
}

#[test]
fn csv_holds_it_unrounded() {
    in_both_languages(|_, made, _| {
        let written = csv::document(made);
        let lines: Vec<Vec<String>> = written.lines().skip(1).map(fields).collect();
        assert!(lines.iter().all(|fields| fields.len() == 8));
        let mut order: Vec<(&str, &str)> =
            lines.iter().map(|fields| (&*fields[0], &*fields[1])).collect();
        order.dedup();
        let order: Vec<&str> = order.into_iter().map(|(_, section)| section).collect();
        assert_eq!(order, sections(made).map(|section| section.id.name()).collect::<Vec<_>>());
        // Every number in order: texts that look like one stand between them.
        let mut written = lines.iter().map(|fields| fields[5].as_str());
        for cell in sections(made).flat_map(cells) {
            for number in numbers(cell) {
                let sign = number.limit.map_or("", |limit| limit.sign());
                let wanted = format!("{sign}{}", number.amount.exact());
                assert!(written.any(|value| value == wanted), "{wanted} is not there");
            }
        }
    });
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                fields.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(letter),
        }
    }
    fields
}

#[test]
fn a_workbook_holds_it_unrounded() {
    in_both_languages(|report, made, _| {
        let bytes = export::xlsx(report, made).unwrap();
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let mut member = |name: &str| {
            let mut text = String::new();
            zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        let texts = member("xl/sharedStrings.xml");
        let texts: Vec<&str> = texts
            .split("<t")
            .filter_map(|rest| rest.split_once('>')?.1.split_once("</t>"))
            .map(|(text, _)| text)
            .collect();
        // The report, then two bundles with a sheet of money behind each.
        let sheets = [1, 2, 4].map(|nth| member(&format!("xl/worksheets/sheet{nth}.xml")));
        let (mut amounts, mut said) = (Vec::new(), Vec::new());
        for cell in sheets.iter().flat_map(|sheet| sheet.split("<c ").skip(1)) {
            let (head, rest) = cell.split_once('>').unwrap();
            let Some((_, value)) = rest.split_once("<v>") else { continue };
            let value = value.split("</v>").next().unwrap();
            match head.contains("t=\"s\"") {
                true => said.push(texts[value.parse::<usize>().unwrap()]),
                false => amounts.push(value.parse::<f64>().unwrap()),
            }
        }
        // A workbook keeps sixteen digits.
        let wanted = read_by_programs(made);
        let near = |(one, other): (&f64, &f64)| (one - other).abs() <= 1e-14 * other.abs();
        assert_eq!(amounts.len(), wanted.len());
        assert!(amounts.iter().zip(&wanted).all(near), "{amounts:?}\n{wanted:?}");
        let mut said = said.into_iter();
        for section in sections(made) {
            let title = section.title.replace('&', "&amp;").replace('<', "&lt;");
            assert!(said.any(|text| text == title), "{title} is not there");
        }
    });
}
