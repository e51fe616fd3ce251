//! Hostile files: refused with one clear sentence, within a second and 200 MB.
//!
//! Each is given to the binary in a process of its own, whose peak of memory the kernel tells.
//! Times are printed, not asserted: machines differ.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod make;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4 as _;

/// Bytes that the process may ever have in memory.
const MEMORY: u64 = 200 << 20;

/// What became of a file: the sentence, and the peak of memory.
fn refused(path: &Path, command: &str) -> (String, u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tokencap"))
        .arg(command)
        .arg(path)
        .env("HOME", path.parent().unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let ended = child.wait4().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{command} {}: {said}", path.display());
    (said, ended.rusage.maxrss)
}

#[test]
fn every_hostile_file_is_refused_with_one_sentence_and_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (index, (name, bytes)) in make::all().into_iter().enumerate() {
        let path = folder.path().join(format!("{index}.tokencap"));
        std::fs::write(&path, &bytes).unwrap();
        files.push((name, path, bytes.len()));
    }
    // A child's peak starts at that of the process that started it: this one's begins anew, now
    // that the files' bytes are gone from its memory.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    for (name, path, size) in files {
        for command in ["verify", "report", "import"] {
            let began = Instant::now();
            let (said, peak) = refused(&path, command);
            let took = began.elapsed();
            let sentence = said.lines().last().unwrap_or_default();
            println!("{name} ({size} bytes), {command}: {took:.0?}, {} MB: {sentence}", peak >> 20);
            assert!(said.lines().count() <= 2, "{name}: {said}");
            assert!(sentence.starts_with("error: "), "{name}: {said}");
            assert!(!sentence.contains("panicked"), "{name}: {said}");
            assert!(peak < MEMORY, "{name}, {command}: {} MB", peak >> 20);
        }
    }
}
