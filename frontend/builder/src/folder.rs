//! The app as a folder: what a static host serves, and what a packager hands to a later build.

use std::{fs, path::Path};

use serde::{Deserialize, Serialize};

use crate::{BuildError, WebApp, WebFile};

/// The member that lists the others.
pub const MANIFEST: &str = "build.json";

/// What the folder holds, with a digest of each file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Digest of everything that the app was built from.
    pub build_id: String,
    /// The files but this one.
    pub files: Vec<Entry>,
}

/// A file of the folder.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its path relative to the page, with forward slashes.
    pub path: String,
    /// SHA-256 of its contents, hexadecimal.
    pub sha256: String,
    /// Its size in bytes.
    pub size: usize,
}

/// The manifest of an app, as JSON.
#[must_use]
pub fn manifest(app: &WebApp) -> String {
    let entry = |file: &WebFile| Entry {
        path: file.path.clone(),
        sha256: file.sha256(),
        size: file.bytes.len(),
    };
    let manifest =
        Manifest { build_id: app.build_id.clone(), files: app.files.iter().map(entry).collect() };
    // Texts and numbers only: this always has a JSON form.
    serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n"
}

/// Writes an app as a folder, in the place of what the folder held.
///
/// # Errors
/// Where a file cannot be written.
pub fn write(app: &WebApp, folder: &Path) -> Result<(), BuildError> {
    // Written beside and renamed: another build may be reading it, and one may be cut off.
    let parent = folder.parent().unwrap_or(Path::new("."));
    let fresh = parent.join(format!(".fresh-{}", std::process::id()));
    let _ = fs::remove_dir_all(&fresh);
    for file in &app.files {
        put(&fresh.join(&file.path), &file.bytes)?;
    }
    put(&fresh.join(MANIFEST), manifest(app).as_bytes())?;
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(BuildError::file("replace", folder))?;
    }
    fs::rename(&fresh, folder).map_err(BuildError::file("write", folder))
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(BuildError::file("create", folder))?;
    }
    fs::write(path, bytes).map_err(BuildError::file("write", path))
}

/// Reads an app that [`write()`] left.
///
/// # Errors
/// [`BuildError::NotAnApp`] where the folder is something else or a file was changed since.
pub fn read(folder: &Path) -> Result<WebApp, BuildError> {
    let not_an_app = |reason: String| BuildError::NotAnApp { path: folder.to_owned(), reason };
    let contents = |path: &str| {
        fs::read(folder.join(path)).map_err(|error| not_an_app(format!("{path}: {error}")))
    };
    let manifest: Manifest = serde_json::from_slice(&contents(MANIFEST)?)
        .map_err(|error| not_an_app(format!("{MANIFEST}: {error}")))?;
    let mut files = Vec::new();
    for entry in manifest.files {
        let inside = Path::new(&entry.path)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside {
            return Err(not_an_app(format!("{} is not inside it", entry.path)));
        }
        let file = WebFile::new(entry.path.clone(), contents(&entry.path)?)?;
        if file.sha256() != entry.sha256 {
            return Err(not_an_app(format!("{} was changed", entry.path)));
        }
        files.push(file);
    }
    if !files.iter().any(|file| file.path == "index.html") {
        return Err(not_an_app("it has no index.html".to_owned()));
    }
    Ok(WebApp { build_id: manifest.build_id, files })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app() -> WebApp {
        let files = [("index.html", "<p>"), ("snippets/a/inline0.js", "1")]
            .map(|(path, text)| WebFile::new(path, text).unwrap());
        WebApp { build_id: "id".to_owned(), files: files.to_vec() }
    }

    fn reason(folder: &Path) -> String {
        match read(folder) {
            Err(BuildError::NotAnApp { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_written_is_read_back() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("app");
        write(&app(), &folder).unwrap();
        assert_eq!(read(&folder).unwrap(), app());
    }

    #[test]
    fn writing_again_leaves_nothing_of_the_earlier_app() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("app");
        write(&app(), &folder).unwrap();
        let mut smaller = app();
        smaller.files.pop();
        write(&smaller, &folder).unwrap();
        assert!(!folder.join("snippets").exists());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_changed_a_missing_and_an_outside_file_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("app");
        write(&app(), &folder).unwrap();
        fs::write(folder.join("index.html"), "<b>").unwrap();
        assert_eq!(reason(&folder), "index.html was changed");
        fs::remove_file(folder.join("index.html")).unwrap();
        assert!(reason(&folder).starts_with("index.html: No such file"));
        let outside = manifest(&app()).replace("index.html", "../index.html");
        fs::write(folder.join(MANIFEST), outside).unwrap();
        assert_eq!(reason(&folder), "../index.html is not inside it");
        fs::write(folder.join(MANIFEST), "{}").unwrap();
        assert!(reason(&folder).starts_with("build.json: missing field"));
        assert!(reason(root.path()).starts_with("build.json: No such file"));
    }
}
