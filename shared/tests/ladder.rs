//! The crate is a ladder: a module uses what stands below it, and nothing above.
//!
//! Read from the source, without its tests and comments: every path that begins with `crate` or
//! `super` is an arrow from one module to another.
#![expect(clippy::disallowed_methods, reason = "a test reads the source; the crate reads nothing")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the ground up.
const LADDER: [&str; 37] = [
    "units",
    "stats",
    "definitions::measured",
    "definitions::promise",
    "definitions::note",
    "definitions::origin",
    "definitions::record",
    "definitions::step",
    "definitions::telemetry",
    "definitions::workload",
    "definitions::deployment",
    "definitions::declared",
    "definitions::window",
    "definitions::judge",
    "definitions::capacity",
    "definitions::money",
    "definitions::quote",
    "definitions::compare",
    "bundle",
    "signoff",
    "import",
    "present::lang",
    "present::escape",
    "present::format",
    "present::attention",
    "present::words",
    "present::chart",
    "present::report",
    "present::document",
    "present::evidence",
    "present::import",
    "present::query",
    "present::render",
    "present::glossary",
    // Of tests and worked examples, behind features.
    "fixture",
    "golden",
    // Declares the others.
    "lib",
];

/// Where a path of modules stands; `None` where it stands nowhere.
fn place(path: &[String]) -> Option<usize> {
    let stands = |name: &str| LADDER.iter().position(|known| *known == name);
    let two = path.iter().take(2).map(String::as_str).collect::<Vec<_>>().join("::");
    stands(&two).or_else(|| stands(path.first()?))
}

#[test]
fn no_arrow_goes_up() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for source in sources() {
        let module = module_of(&source);
        // They name the modules of their rooms, and nothing else.
        if matches!(module.join("::").as_str(), "lib" | "definitions" | "present") {
            continue;
        }
        let name = module.join("::");
        let Some(own) = place(&module) else {
            wrong.push(format!("{name} stands nowhere on the ladder"));
            continue;
        };
        seen.insert(own);
        for arrow in arrows(&code(&source), &module) {
            let to = arrow.join("::");
            match place(&arrow) {
                None => wrong.push(format!("{name} uses {to}, which stands nowhere on the ladder")),
                Some(other) if other > own => {
                    wrong.push(format!("{name} uses {to}, which stands above it"));
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let empty: Vec<_> = (0..LADDER.len() - 1).filter(|at| !seen.contains(at)).collect();
    assert!(empty.is_empty(), "no module stands at {:?}", empty.iter().map(|&at| LADDER[at]));
}

/// Every source file but those that are tests.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let tests: BTreeSet<PathBuf> = found.iter().flat_map(|path| test_files(path)).collect();
    found.retain(|path| !tests.contains(path));
    found.sort();
    assert!(found.len() > 100, "the source is not where it was: {} files", found.len());
    found
}

/// The files that a file declares as tests.
fn test_files(path: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(path).expect("a source file");
    let parts = text.split("#[cfg(test)]\n").skip(1);
    let declared = parts.filter_map(|after| {
        let line = after.lines().next()?.strip_suffix(';')?;
        let (_, name) = line.split_once("mod ")?;
        Some(path.with_file_name(format!("{name}.rs")))
    });
    declared.collect()
}

/// `definitions::judge::pass` of `src/definitions/judge/pass.rs`; a room's `mod.rs` is the room.
fn module_of(path: &Path) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = path.strip_prefix(root).expect("inside").with_extension("");
    let mut parts: Vec<String> =
        inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|part| part == "mod") {
        parts.pop();
    }
    parts
}

/// A file's text without its tests, which stand at its end, and without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Every path from `crate` or `super` in a module's code, as it is called from the crate's root.
fn arrows(code: &str, module: &[String]) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            // A part of a longer path or name.
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
                continue;
            }
            let mut base = if start == "crate::" { Vec::new() } else { module.to_vec() };
            let mut rest = &code[at..];
            while let Some(after) = rest.strip_prefix("super::") {
                base.pop();
                rest = after;
            }
            follow(&base, rest.strip_prefix("crate::").unwrap_or(rest), &mut found);
        }
    }
    found
}

/// The paths that begin at `base` and go on as the code does: one, or several in braces.
fn follow(base: &[String], code: &str, found: &mut BTreeSet<Vec<String>>) {
    if let Some(group) = code.strip_prefix('{') {
        let (mut depth, mut start) = (0, 0);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    follow(base, group[start..at].trim(), found);
                    return;
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    follow(base, group[start..at].trim(), found);
                    start = at + 1;
                }
                _ => {}
            }
        }
    }
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len());
    let (name, rest) = code.split_at(end);
    let mut path = base.to_vec();
    // What is no module is an item of the module that was reached, or of the crate itself.
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && path.len() < 2 {
        path.push(name.to_owned());
        if let Some(rest) = rest.strip_prefix("::") {
            return follow(&path, rest, found);
        }
    }
    if !path.is_empty() {
        found.insert(path);
    }
}

#[test]
fn arrows_are_found_in_every_form() {
    let module = ["definitions", "judge", "pass"].map(str::to_owned);
    let code = "use crate::units::{Nanos, Share};\nuse crate::{\n    bundle::{self, Bundle},\n    \
                stats,\n};\nuse super::super::window;\nuse super::figures::Input;\n\
                let x = crate::present::format::hex(&[crate::TOOL]);";
    let found: Vec<String> =
        arrows(code, &module).into_iter().map(|arrow| arrow.join("::")).collect();
    let expected = [
        "bundle",
        "bundle::self",
        "definitions::judge",
        "definitions::window",
        "present::format",
        "stats",
        "units",
    ];
    assert_eq!(found, expected);
}
