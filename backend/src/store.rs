//! Bundles as files: written whole or not at all, and read with an error that says what to do.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use tokencap_shared::bundle::{self, Bundle, BundleError};

/// Largest file that is read: a bundle's contents and the archive around them.
pub const MOST_BYTES: u64 = (1 << 30) + (1 << 20);

/// Why a bundle's file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum StoreError {
    /// No file.
    #[error("there is no file {path}: check the path")]
    Missing { path: PathBuf },
    /// Something that cannot hold a bundle.
    #[error("{path} is a folder or a device, not a file: give the path of one bundle")]
    NotAFile { path: PathBuf },
    /// Larger than a bundle can be.
    #[error(
        "{path} is {size} bytes long, more than a bundle can be: choose a file made by `tokencap sweep`"
    )]
    TooLarge {
        path: PathBuf,
        /// Bytes.
        size: u64,
    },
    /// Not readable.
    #[error("cannot read {path}: check its permissions and the disk")]
    Unreadable { path: PathBuf, source: io::Error },
    /// No bundle, or a damaged one.
    #[error("cannot use {path}")]
    Bundle { path: PathBuf, source: BundleError },
    /// No room.
    #[error(
        "the disk of {path} is full: free {needed} bytes there or choose another place; nothing was written"
    )]
    DiskFull {
        path: PathBuf,
        /// Bytes.
        needed: usize,
    },
    /// The folder to write to is not there.
    #[error("there is no folder {folder} to write to: make it, or choose another place")]
    NoFolder { folder: PathBuf },
    /// Not writable.
    #[error(
        "cannot write {path}: check the folder's permissions; a file that was there is unchanged"
    )]
    Unwritable { path: PathBuf, source: io::Error },
}

/// Reads a bundle's file.
///
/// # Errors
/// If there is no such file, or it is no bundle that can be used.
pub fn load(path: &Path) -> Result<Bundle, StoreError> {
    let bytes = load_bytes(path)?;
    bundle::read(&bytes).map_err(|source| StoreError::Bundle { path: path.to_owned(), source })
}

/// Reads a file that is no larger than a bundle can be.
///
/// # Errors
/// If there is no such file, it is none, or it is too large.
pub fn load_bytes(path: &Path) -> Result<Vec<u8>, StoreError> {
    let unreadable = |source: io::Error| {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => StoreError::Missing { path },
            ErrorKind::IsADirectory => StoreError::NotAFile { path },
            _ => StoreError::Unreadable { path, source },
        }
    };
    // Asked before opening: to open a pipe would wait for its writer.
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(StoreError::NotAFile { path: path.to_owned() });
    }
    let too_large = |size| StoreError::TooLarge { path: path.to_owned(), size };
    if metadata.len() > MOST_BYTES {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// The file beside another that bears its name and something more.
#[must_use]
pub fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(more);
    name.into()
}

/// Writes a file so that under its name there is, whatever happens, either what was there
/// before or all of the new bytes: beside it, to the disk, then renamed.
///
/// # Errors
/// If the folder is missing or closed, or the disk is full.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let name = path.file_name().ok_or_else(|| StoreError::NotAFile { path: path.to_owned() })?;
    if path.is_dir() {
        return Err(StoreError::NotAFile { path: path.to_owned() });
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(StoreError::NoFolder { folder: folder.to_owned() });
    }
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", std::process::id()));
    let beside = folder.join(hidden);
    let written = write_through(&beside, bytes)
        .and_then(|()| fs::rename(&beside, path))
        .and_then(|()| File::open(folder)?.sync_all());
    if written.is_ok() {
        tracing::info!(path = %path.display(), bytes = bytes.len(), "a file is written");
    }
    written.map_err(|source| {
        // Whatever went wrong above is what the person needs to know, not this.
        drop(fs::remove_file(&beside));
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                StoreError::DiskFull { path, needed: bytes.len() }
            }
            _ => StoreError::Unwritable { path, source },
        }
    })
}

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).create(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder for the test")
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = folder();
        let path = folder.path().join("run.tokencap");
        save(&path, b"first").expect("writable");
        save(&path, b"second").expect("writable");
        assert_eq!(load_bytes(&path).expect("readable"), b"second");
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1);
    }

    #[test]
    fn errors_name_the_path_and_say_what_to_do() {
        let folder = folder();
        let here = folder.path();
        let text = |error: StoreError| error.to_string().replace(&*here.to_string_lossy(), "DIR");
        assert_eq!(
            text(load(&here.join("none.tokencap")).expect_err("missing")),
            "there is no file DIR/none.tokencap: check the path"
        );
        assert_eq!(
            text(load(here).expect_err("a folder")),
            "DIR is a folder or a device, not a file: give the path of one bundle"
        );
        assert_eq!(
            text(save(&here.join("no/run.tokencap"), b"").expect_err("no folder")),
            "there is no folder DIR/no to write to: make it, or choose another place"
        );
        assert!(matches!(save(here, b""), Err(StoreError::NotAFile { .. })));
        assert!(matches!(save(Path::new("/"), b""), Err(StoreError::NotAFile { .. })));
        let foreign = here.join("foreign.tokencap");
        for (bytes, why) in [(&b"hello"[..], "no zip archive"), (b"PK\x03\x04", "incomplete")] {
            save(&foreign, bytes).expect("writable");
            let error = load(&foreign).expect_err("no bundle");
            assert!(text(load(&foreign).expect_err("no bundle")).starts_with("cannot use DIR/"));
            let chain = format!("{:#}", anyhow::Error::from(error));
            assert!(chain.contains(why), "{chain}");
        }
    }

    #[test]
    fn a_full_disk_is_said_and_leaves_the_old_file() {
        // Linux has a device that is always full; where it is missing, there is nothing to ask.
        let full = Path::new("/dev/full");
        if !full.exists() {
            println!("skipped: no /dev/full here");
            return;
        }
        let error = write_through(full, b"x").expect_err("it is full");
        assert_eq!(error.kind(), ErrorKind::StorageFull);
    }
}
