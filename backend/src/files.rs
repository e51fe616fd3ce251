//! Files that a person names, read within bounds: a device or a pipe could be endless, or wait for
//! a writer for ever.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a file that a person writes by hand (a plan, a sheet, a key): far more than any needs.
pub(crate) const MOST_OF_A_SHEET: u64 = 16 << 20;

/// Reads a regular file (a link to one counts) of at most `most` bytes.
///
/// # Errors
/// If it cannot be read, is a folder, device or pipe, or is longer: a sentence that says so.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Asked before opening: to open a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        let what = "it is a folder, a device or a pipe: give a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    bounded(File::open(path)?, most)
}

/// [`read`], as text.
///
/// # Errors
/// As [`read`], and if it is not UTF-8.
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    text(read(path, most)?)
}

/// Reads a secret: from a regular file, or from a pipe, by which password managers hand them over.
///
/// # Errors
/// If it cannot be read, is longer than any secret, or is not UTF-8.
pub(crate) fn read_secret(path: &Path) -> io::Result<String> {
    const MOST: u64 = 64 << 10;
    text(bounded(File::open(path)?, MOST)?)
}

/// What a source holds, which may not be longer: not more than a byte beyond the bound is read.
fn bounded(source: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let what = format!("it is longer than the {most} bytes that such a file may have");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_text(&path, 5).unwrap(), "12345");
        assert_eq!(read(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(folder.path(), 5).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text(&path, 5).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused_at_once_and_an_endless_secret_too() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let zero = Path::new("/dev/zero");
        for path in [&pipe, zero] {
            assert_eq!(read(path, 5).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        assert_eq!(read_secret(zero).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        let writing = {
            let pipe = pipe.clone();
            std::thread::spawn(move || std::fs::write(pipe, "from a pipe").unwrap())
        };
        assert_eq!(read_secret(&pipe).unwrap(), "from a pipe");
        writing.join().unwrap();
    }
}
