//! What the glossary names is what runs: each of its functions is called, through the functions
//! that call it, by what judges a bundle, prices it or makes a record of a request's gaps.
//!
//! Read from the source: a function of the glossary that nothing there calls is a second
//! definition, which could differ from the first without any number changing.
#![expect(clippy::disallowed_methods, reason = "a test reads the source; the crate reads nothing")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tokencap_shared::present::glossary::TERMS;

/// Where judging begins: a bundle's capacity, its money, and the gaps of a request.
const ROOTS: [&str; 3] = ["judged::of_bundle", "value::Economics::of", "record::GapSummary::of"];

/// Functions of the judging path by `file::function` or `file::Type::function`, each with the code
/// of its body.
fn functions() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeMap::new();
    let mut folders = vec![root.join("definitions"), root.join("stats")];
    let mut files = vec![root.join("units.rs"), root.join("bundle/judged.rs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    for file in files {
        found.extend(functions_of(&file));
    }
    found
}

fn functions_of(file: &PathBuf) -> Vec<(String, String)> {
    let text = fs::read_to_string(file).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let stem = file.file_stem().expect("a name").to_string_lossy();
    let stem = if stem == "mod" {
        file.parent().and_then(Path::file_name).expect("a room").to_string_lossy()
    } else {
        stem
    };
    let (mut found, mut owner) = (Vec::<(String, String)>::new(), String::new());
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        if let Some(head) = line.strip_prefix("impl") {
            let head = head.split(" {").next().unwrap_or_default();
            let head = head.rsplit(" for ").next().unwrap_or_default();
            let name = head.trim_start_matches(|c| c != ' ').trim();
            owner = name.split('<').next().unwrap_or_default().to_owned();
        } else if line.starts_with('}') {
            owner.clear();
        }
        // A function within a function belongs to its body.
        let indent = line.len() - line.trim_start().len();
        let declares = indent == if owner.is_empty() { 0 } else { 4 };
        if let (true, Some((_, after))) = (declares, line.split_once("fn ")) {
            let name = after.split(['(', '<']).next().unwrap_or_default();
            let full = if owner.is_empty() {
                format!("{stem}::{name}")
            } else {
                format!("{stem}::{owner}::{name}")
            };
            found.push((full, String::new()));
        } else if let Some((_, body)) = found.last_mut() {
            body.push_str(line);
            body.push('\n');
        }
    }
    found
}

/// Whether a body calls a function: a method by its name behind a dot, its type or `Self`; a
/// function of a module by its name.
fn calls(body: &str, function: &str) -> bool {
    let parts: Vec<&str> = function.split("::").collect();
    let name = parts[parts.len() - 1];
    let mentions = |text: &str| {
        body.match_indices(text).any(|(at, _)| {
            let behind = body[at + text.len()..].chars().next();
            let before = body[..at].chars().next_back();
            let part_of_a_name = |c: char| c.is_alphanumeric() || c == '_';
            (text.ends_with('(') || !behind.is_some_and(part_of_a_name))
                && (text.starts_with('.') || !before.is_some_and(part_of_a_name))
        })
    };
    match parts[..] {
        [_, owner, _] => {
            mentions(&format!(".{name}("))
                || mentions(&format!("{owner}::{name}"))
                || mentions(&format!("Self::{name}"))
        }
        _ => mentions(name),
    }
}

/// Every function that what judges comes to.
fn reached(functions: &BTreeMap<String, String>) -> BTreeSet<&str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = Vec::new();
    for root in ROOTS {
        let known = functions.keys().find(|function| *function == root);
        next.push(known.unwrap_or_else(|| panic!("{root} is not where it was")));
    }
    while let Some(at) = next.pop() {
        if reached.insert(at) {
            let body = &functions[at];
            let called = functions.keys().filter(|function| calls(body, function));
            next.extend(called.map(String::as_str));
        }
    }
    reached
}

#[test]
fn every_function_of_the_glossary_is_called_by_what_judges() {
    let functions = functions();
    let reached = reached(&functions);
    let body = |function: &&str| functions[*function].as_str();
    let code: String = reached.iter().map(body).collect();
    let (mut idle, mut known) = (Vec::new(), 0);
    for term in TERMS {
        let parts: Vec<&str> = term.path.split("::").collect();
        let name = parts[parts.len() - 1];
        let of_type = parts[parts.len() - 2].starts_with(|c: char| c.is_ascii_uppercase());
        let ends = if of_type { parts[parts.len() - 2..].join("::") } else { name.to_owned() };
        let is_it = |function: &str| function.ends_with(&format!("::{ends}"));
        let declared = functions.keys().any(|function| is_it(function));
        known += usize::from(declared);
        let runs = match declared {
            true => reached.iter().any(|function| is_it(function)),
            // A type or a field: it is made there.
            false => code.contains(name),
        };
        if !runs {
            idle.push(term.path);
        }
    }
    assert!(idle.is_empty(), "nothing that judges calls {idle:?}");
    assert!(known > 20, "only {known} functions of the glossary were found");
}

#[test]
fn what_nothing_calls_is_found() {
    let mut functions = functions();
    functions.insert("window::wall_time".to_owned(), String::new());
    assert!(!reached(&functions).contains("window::wall_time"));
    assert!(reached(&functions).contains("window::WallTime::seconds"));
    // Without those that call it, a definition is idle.
    assert!(reached(&functions).contains("chain::chain_probability"));
    for body in functions.values_mut() {
        *body = body.replace("chain_probability(", "");
    }
    assert!(!reached(&functions).contains("chain::chain_probability"));
}
