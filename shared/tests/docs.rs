//! The documents name only what there is: files, functions in them, make targets.
#![expect(
    clippy::disallowed_methods,
    reason = "a test reads the documents; the crate reads nothing"
)]

use std::path::{Path, PathBuf};

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// The documents: those beside the README, and those in their folder.
fn documents() -> Vec<(String, String)> {
    let in_folder = |folder: &str| {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder of documents");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        let names = names.filter(|name| name.ends_with(".md"));
        names.map(|name| format!("{folder}{name}")).collect::<Vec<_>>()
    };
    let found = [in_folder("./"), in_folder("docs/"), vec!["assets/schema/README.md".to_owned()]];
    found.concat().into_iter().map(|path| (path.clone(), text(&path))).collect()
}

/// What stands between two backticks on one line.
fn spans(document: &str) -> impl Iterator<Item = &str> {
    document.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Whether a file's text defines a name: an item, a field, a variant.
fn defines(source: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    source.match_indices(name).any(|(at, _)| {
        let (before, after) = (&source[..at], &source[at + name.len()..]);
        let whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        let introduced = ["fn ", "struct ", "enum ", "trait ", "type ", "const ", "pub "];
        whole && introduced.iter().any(|word| before.ends_with(word))
    })
}

#[test]
fn every_path_and_every_function_that_a_document_names_exists() {
    let folders = ["backend/", "shared/", "frontend/", "assets/", "docs/", "fuzz/", "scripts/"];
    let (mut paths, mut names) = (0, 0);
    for (document, contents) in documents() {
        for span in spans(&contents).filter(|span| folders.iter().any(|at| span.starts_with(at))) {
            let word = span.split_whitespace().next().unwrap_or_default();
            let (path, name) =
                word.split_once("::").map_or((word, None), |(path, name)| (path, Some(name)));
            assert!(root().join(path).exists(), "{document}: there is no {path}");
            paths += 1;
            if let Some(name) = name {
                assert!(defines(&text(path), name), "{document}: {path} defines no {name}");
                names += 1;
            }
        }
        for target in contents.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next())
        {
            let here = Path::new(&document).parent().expect("a file lies in a folder");
            let foreign = target.contains("://") || target.is_empty();
            assert!(foreign || root().join(here).join(target).exists(), "{document}: {target}");
        }
    }
    assert!(paths > 50 && names > 50, "{paths} paths, {names} names: the search finds too little");
    assert!(!defines("fn sent_at() {}", "sent") && defines("    pub sent: Moment,", "sent"));
}

#[test]
fn every_make_target_that_a_document_names_exists() {
    let makefile = text("Makefile");
    let mut found = 0;
    for (document, contents) in documents() {
        let code = contents.split("```").skip(1).step_by(2).flat_map(str::lines);
        for call in spans(&contents).chain(code.map(str::trim)) {
            let Some(target) = call.strip_prefix("make ").and_then(|rest| rest.split(' ').next())
            else {
                continue;
            };
            let rule = format!("{target}:");
            assert!(makefile.lines().any(|line| line.starts_with(&rule)), "{document}: {call}");
            found += 1;
        }
    }
    assert!(found > 5, "{found}: the search finds too little");
}

#[test]
fn the_toolchain_is_the_lowest_that_is_promised() {
    let value = |path: &str, key: &str| {
        let key = format!("{key} = \"");
        let found = text(path).lines().find_map(|line| Some(line.strip_prefix(&key)?.to_owned()));
        found.and_then(|rest| rest.strip_suffix('"').map(str::to_owned)).expect("it is declared")
    };
    let (used, promised) =
        (value("rust-toolchain.toml", "channel"), value("Cargo.toml", "rust-version"));
    assert_eq!(used, format!("{promised}.0"));
}
