//! The bundles that a server shows: files, and folders that are listed anew on every request.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use sha2::{Digest, Sha256};
use tokencap_shared::bundle::live::Live;

use crate::campaign::live_file;
use crate::store;

/// How bundle files end.
const EXTENSION: &str = "tokencap";

/// The first bytes of every zip archive.
const ZIP_MAGIC: [u8; 4] = *b"PK\x03\x04";

/// Files and folders to show bundles from.
#[derive(Debug)]
pub struct Library {
    sources: Vec<PathBuf>,
    /// Digests by path, as long as length and time of change stay the same.
    known: Mutex<HashMap<PathBuf, Known>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Known {
    size: u64,
    changed: Changed,
    id: String,
}

/// One bundle of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// SHA-256 of the file, in hex: its identity, whatever it is called.
    pub id: String,
    /// The file's name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Where it lies; never told to a browser.
    #[serde(skip)]
    pub path: PathBuf,
}

/// Why a bundle cannot be shown.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum LibraryError {
    /// Not there, or not readable.
    #[error("cannot read {path}: check the path and its permissions")]
    Unreadable { path: PathBuf, source: io::Error },
    /// Some other kind of file.
    #[error("{path} is not a tokencap bundle: give files that `tokencap sweep` wrote")]
    NotABundle { path: PathBuf },
}

impl Library {
    /// A library of these files and folders.
    ///
    /// # Errors
    /// If one of them cannot be read, or a file is no bundle.
    pub fn open(sources: Vec<PathBuf>) -> Result<Self, LibraryError> {
        for path in &sources {
            let unreadable = |source| LibraryError::Unreadable { path: path.clone(), source };
            let metadata = fs::metadata(path).map_err(unreadable)?;
            if metadata.is_dir() {
                fs::read_dir(path).map_err(unreadable)?;
            } else if !metadata.is_file() || !is_zip(path).map_err(unreadable)? {
                return Err(LibraryError::NotABundle { path: path.clone() });
            }
        }
        Ok(Self { sources, known: Mutex::default() })
    }

    /// Every bundle there is now, files first as they were given, then folders by name. A file
    /// that vanished, or is still being written, is left out. Reads new files to know their
    /// digest, so call it where blocking is allowed.
    #[must_use]
    pub fn list(&self) -> Vec<Listed> {
        let mut listed: Vec<Listed> = Vec::new();
        for path in self.sources.iter().flat_map(|source| files_of(source)) {
            if let Ok(bundle) = self.look_at(&path)
                && listed.iter().all(|other| other.id != bundle.id)
            {
                listed.push(bundle);
            }
        }
        listed
    }

    /// The campaigns that are running into these files and folders.
    #[must_use]
    pub fn live(&self) -> Vec<Live> {
        let bundles = self.sources.iter().flat_map(|source| files_of(source));
        bundles.filter_map(|bundle| live_file::read(&live_file::path_beside(&bundle))).collect()
    }

    /// The bundle of this identity, if its file still holds it.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Listed> {
        self.list().into_iter().find(|bundle| bundle.id == id)
    }

    fn look_at(&self, path: &Path) -> io::Result<Listed> {
        let metadata = fs::metadata(path)?;
        let (size, changed) = (metadata.len(), changed(&metadata));
        let known = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(path).cloned()
        };
        let id = match known {
            Some(known) if known.size == size && known.changed == changed => known.id,
            _ => {
                let id = digest(path)?;
                let known = Known { size, changed, id: id.clone() };
                self.known
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(path.to_owned(), known);
                id
            }
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Listed { id, name, size, path: path.to_owned() })
    }
}

/// When a file's contents or its standing last changed, as the system notes it, which copies and
/// `touch` cannot put back as they can the time of modification.
#[cfg(unix)]
type Changed = (u64, i64, i64);
#[cfg(unix)]
fn changed(metadata: &Metadata) -> Changed {
    use std::os::unix::fs::MetadataExt;
    (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
type Changed = Option<std::time::SystemTime>;
#[cfg(not(unix))]
fn changed(metadata: &Metadata) -> Changed {
    metadata.modified().ok()
}

/// The file itself, or a folder's bundles by name.
fn files_of(source: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(source) else {
        return vec![source.to_owned()];
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
        .filter(|path| could_be_a_bundle(path) && is_zip(path).unwrap_or(false))
        .collect();
    files.sort();
    files
}

/// Whether it is a regular file that is no larger than a bundle can be: what is not is never
/// opened, since a pipe would wait for its writer, and an endless file be hashed for ever.
fn could_be_a_bundle(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= store::MOST_BYTES)
}

fn is_zip(path: &Path) -> io::Result<bool> {
    let mut head = [0; ZIP_MAGIC.len()];
    match File::open(path)?.read_exact(&mut head) {
        Ok(()) => Ok(head == ZIP_MAGIC),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    Ok(base16ct::lower::encode_string(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zip(path: &Path, contents: &str) {
        fs::write(path, [&ZIP_MAGIC[..], contents.as_bytes()].concat()).unwrap();
    }

    #[test]
    fn a_folder_is_listed_anew_and_only_its_bundles_are() {
        let folder = tempfile::tempdir().unwrap();
        zip(&folder.path().join("b.tokencap"), "b");
        zip(&folder.path().join("other.zip"), "x");
        fs::write(folder.path().join("unfinished.tokencap"), "").unwrap();
        let library = Library::open(vec![folder.path().to_owned()]).unwrap();
        let names = |library: &Library| -> Vec<String> {
            library.list().into_iter().map(|bundle| bundle.name).collect()
        };
        assert_eq!(names(&library), ["b.tokencap"]);
        zip(&folder.path().join("a.tokencap"), "a");
        assert_eq!(names(&library), ["a.tokencap", "b.tokencap"]);
        fs::remove_file(folder.path().join("b.tokencap")).unwrap();
        assert_eq!(names(&library), ["a.tokencap"]);
    }

    #[test]
    fn identity_follows_contents_not_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.tokencap");
        zip(&path, "one");
        let library = Library::open(vec![path.clone()]).unwrap();
        let first = library.list()[0].id.clone();
        assert_eq!(first.len(), 64);
        assert!(library.find(&first).is_some());
        zip(&path, "two two");
        assert_ne!(library.list()[0].id, first);
        assert!(library.find(&first).is_none(), "the old contents are gone");
        zip(&folder.path().join("copy.tokencap"), "two two");
        let library = Library::open(vec![path, folder.path().to_owned()]).unwrap();
        assert_eq!(library.list().len(), 1, "a copy is the same bundle");
    }

    #[test]
    fn missing_and_foreign_files_are_refused_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("notes.txt");
        fs::write(&text, "hello world").unwrap();
        assert!(matches!(Library::open(vec![text]), Err(LibraryError::NotABundle { .. })));
        let missing = folder.path().join("missing.tokencap");
        assert!(matches!(Library::open(vec![missing]), Err(LibraryError::Unreadable { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_a_bundle_is_never_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        zip(&at("ok.tokencap"), "fine");
        let made = std::process::Command::new("mkfifo").arg(at("pipe.tokencap")).status().unwrap();
        assert!(made.success());
        std::os::unix::fs::symlink("/dev/zero", at("zero.tokencap")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("ok.tokencap.live")).unwrap();
        zip(&at("huge.tokencap"), "sparse");
        let huge = File::options().write(true).open(at("huge.tokencap")).unwrap();
        huge.set_len(store::MOST_BYTES + 1).unwrap();
        let library = Library::open(vec![folder.path().to_owned()]).unwrap();
        let names: Vec<String> = library.list().into_iter().map(|bundle| bundle.name).collect();
        assert_eq!(names, ["ok.tokencap"]);
        assert_eq!(library.live(), []);
        for path in [at("pipe.tokencap"), at("zero.tokencap")] {
            let opened = Library::open(vec![path]);
            assert!(matches!(opened, Err(LibraryError::NotABundle { .. })));
        }
    }

    #[cfg(unix)]
    #[test]
    fn other_bytes_of_the_same_length_and_time_are_another_bundle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.tokencap");
        zip(&path, "one");
        let library = Library::open(vec![path.clone()]).unwrap();
        let first = library.list()[0].id.clone();
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        zip(&path, "two");
        File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), modified);
        assert_ne!(library.list()[0].id, first);
    }
}
