//! What the web app is made from: watched by the build script, and digested to a build's id.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{BuildError, app::hex_digest};

/// Files and folders, relative to the workspace, that the web app depends on.
pub const INPUTS: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "assets",
    "frontend/Cargo.toml",
    "frontend/boot.js",
    "frontend/build.rs",
    "frontend/builder/Cargo.toml",
    "frontend/builder/src",
    "frontend/index.html",
    "frontend/src",
    "frontend/worker.js",
    "frontend/workbench/Cargo.toml",
    "frontend/workbench/src",
    "shared/Cargo.toml",
    "shared/src",
];

/// The build's id: the same for the same sources and the same compiler, on every machine.
///
/// # Errors
/// Where an input cannot be read.
pub fn digest(workspace: &Path, compiler: &str) -> Result<String, BuildError> {
    let mut files = Vec::new();
    for input in INPUTS {
        collect(&workspace.join(input), &mut files)?;
    }
    files.sort();
    let mut text = format!("{compiler}\n");
    for file in files {
        let contents = fs::read(&file).map_err(BuildError::file("read", &file))?;
        let name = file.strip_prefix(workspace).unwrap_or(&file);
        text += &format!("{} {}\n", hex_digest(&contents), name.display());
    }
    Ok(hex_digest(text.as_bytes())[..16].to_owned())
}

/// Every file at or below `path`.
pub(crate) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), BuildError> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(BuildError::file("list", path))? {
        collect(&entry.map_err(BuildError::file("list", path))?.path(), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for input in INPUTS {
            let path = root.path().join(input);
            let file =
                if Path::new(input).extension().is_some() { path } else { path.join("a.rs") };
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "one").unwrap();
        }
        root
    }

    #[test]
    fn the_id_is_the_same_in_another_folder() {
        let (one, other) = (workspace(), workspace());
        assert_eq!(digest(one.path(), "v").unwrap(), digest(other.path(), "v").unwrap());
    }

    #[test]
    fn the_id_changes_with_every_input_its_name_and_the_compiler() {
        let root = workspace();
        let first = digest(root.path(), "v").unwrap();
        assert_ne!(first, digest(root.path(), "w").unwrap());
        let mut files = Vec::new();
        collect(root.path(), &mut files).unwrap();
        assert_eq!(files.len(), INPUTS.len());
        for file in files {
            fs::write(&file, "two").unwrap();
            assert_ne!(first, digest(root.path(), "v").unwrap(), "{}", file.display());
            fs::write(&file, "one").unwrap();
        }
        assert_eq!(first, digest(root.path(), "v").unwrap());
        fs::rename(root.path().join("frontend/src/a.rs"), root.path().join("frontend/src/b.rs"))
            .unwrap();
        assert_ne!(first, digest(root.path(), "v").unwrap());
    }

    #[test]
    fn a_missing_input_is_an_error_that_names_it() {
        let root = workspace();
        fs::remove_file(root.path().join("frontend/boot.js")).unwrap();
        let error = digest(root.path(), "v").unwrap_err().to_string();
        assert!(error.contains("boot.js"), "{error}");
    }
}
