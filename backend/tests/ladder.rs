//! The rooms of the crate stand on floors, and a door opens downwards only. The floors are those
//! that the head of `lib.rs` tells.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Rooms by their floor, the ground floor being 0: the list in the head of `lib.rs`, from the
/// top.
fn floors(lib: &str) -> BTreeMap<String, usize> {
    let head: Vec<_> = lib.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let head = head.join("\n");
    let items: Vec<&str> = head.split("\n - ").skip(1).collect();
    let mut floors = BTreeMap::new();
    for (floor, item) in items.iter().rev().enumerate() {
        for room in item.split('`').skip(1).step_by(2) {
            assert_eq!(floors.insert(room.to_owned(), floor), None, "`{room}` stands twice");
        }
    }
    floors
}

/// Every source file below a folder, with the room that it belongs to.
fn files(folder: &Path, room: Option<&str>, found: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            files(&path, Some(room.unwrap_or(&name)), found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((room.unwrap_or(&name).to_owned(), path));
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The name that a text begins with.
fn name_at(text: &str) -> String {
    text.trim_start().chars().take_while(|&c| is_name(c)).collect()
}

/// The names that the items of a group begin with, up to the brace that closes it.
fn heads(group: &str) -> Vec<String> {
    let mut heads = vec![name_at(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.push(name_at(&group[at + 1..])),
            _ => {}
        }
    }
    // A comma may stand behind the last one.
    heads.retain(|name| !name.is_empty());
    heads
}

/// The rooms that a file's code names. Its module of tests, which is its end, may know any room.
fn named(text: &str) -> BTreeSet<String> {
    let code: String = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    let mut rooms = BTreeSet::new();
    for (at, path) in code.match_indices("crate::") {
        // Another crate's name may end so.
        if code[..at].ends_with(is_name) {
            continue;
        }
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(group) => rooms.extend(heads(group)),
            None => _ = rooms.insert(name_at(rest)),
        }
    }
    rooms
}

/// The arrows of a crate that do not go down; fails where a room stands on no floor, or a floor
/// names a room that is not there.
fn upwards(src: &Path) -> Vec<String> {
    let floors = floors(&std::fs::read_to_string(src.join("lib.rs")).unwrap());
    let mut all = Vec::new();
    files(src, None, &mut all);
    let floor = |room: &str| {
        *floors.get(room).unwrap_or_else(|| panic!("`{room}` stands on no floor of lib.rs"))
    };
    let (mut upwards, mut seen) = (Vec::new(), BTreeSet::new());
    for (room, path) in all {
        // The crate itself, its program, and tests in files of their own.
        if ["lib", "main"].contains(&room.as_str()) || path.ends_with("tests.rs") {
            continue;
        }
        for to in named(&std::fs::read_to_string(&path).unwrap()) {
            if to != room && floor(&to) >= floor(&room) {
                upwards.push(format!("{}: {room} -> {to}", path.display()));
            }
        }
        seen.insert(room);
    }
    assert_eq!(seen, floors.into_keys().collect(), "the rooms, and those that have a floor");
    upwards
}

#[test]
fn every_door_opens_downwards() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(upwards(&src), Vec::<String>::new());
}

#[test]
fn an_arrow_is_seen_wherever_it_is_written() {
    let text = "use crate::net::io::Io;\n/// See crate::cli.\nfn f() { crate::rng::x() }\n\
                use crate::{\n    sim::{http, Chain},\n    store,\n};\n\
                use other_crate::plan;\n#[cfg(test)]\nmod tests { use crate::serve; }\n";
    assert_eq!(named(text), ["net", "rng", "sim", "store"].map(str::to_owned).into());
}
