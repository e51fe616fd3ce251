//! Writes the Rust code by which a binary holds the app.

use std::{fmt::Write as _, fs, num::NonZeroU64, path::Path};

use zopfli::{Format, Options};

use crate::{BuildError, WebApp, folder, pages::CONTENT_SECURITY_POLICY};

/// The generated source, relative to the output folder.
pub const SOURCE: &str = "web_app.rs";

/// Writes the app's files below `out` and, beside them, [`SOURCE`]: an array of `WebFile`, which
/// the including module defines, and constants that go with it.
///
/// # Errors
/// Where a file cannot be written.
pub fn embed(app: &WebApp, out: &Path) -> Result<(), BuildError> {
    let plain = out.join("web");
    folder::write(app, &plain)?;
    let mut source = format!(
        "/// Digest of everything that the web app was built from.\n\
         pub const BUILD_ID: &str = {:?};\n\
         /// What the page may do, for the header of that name: what the page says itself, and\n\
         /// that no other page may frame it, which only a server can say.\n\
         pub const CONTENT_SECURITY_POLICY: &str = \
         \"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'\";\n\
         /// Name of the manifest where the app is a folder.\n\
         pub const MANIFEST_NAME: &str = {:?};\n\
         const MANIFEST: &str = {:?};\n\
         static FILES: &[WebFile] = &[\n",
        app.build_id,
        folder::MANIFEST,
        folder::manifest(app),
    );
    for file in &app.files {
        let digest = file.sha256();
        let zipped = gzip(&file.bytes).map_err(BuildError::file("compress", &file.path))?;
        // What hardly shrinks is sent as it is.
        let gzip = if zipped.len() * 10 < file.bytes.len() * 9 {
            let path = out.join(format!("{digest}.gz"));
            fs::write(&path, zipped).map_err(BuildError::file("write", &path))?;
            format!("Some(include_bytes!({path:?}))")
        } else {
            "None".to_owned()
        };
        let _ = writeln!(
            source,
            "    WebFile {{ path: {:?}, content_type: {:?}, bytes: include_bytes!({:?}), \
             gzip: {gzip}, fingerprinted: {} }},",
            file.path,
            file.content_type,
            plain.join(&file.path),
            file.is_fingerprinted(),
        );
    }
    source += "];\n";
    let path = out.join(SOURCE);
    fs::write(&path, source).map_err(BuildError::file("write", &path))
}

/// Compresses as small as gzip can be, for it is done once and sent often; without a time or a
/// name, so that the same bytes give the same file.
pub(crate) fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    const ITERATIONS: NonZeroU64 = NonZeroU64::new(5).unwrap();
    let options = Options { iteration_count: ITERATIONS, ..Options::default() };
    let mut zipped = Vec::new();
    zopfli::compress(options, Format::Gzip, bytes, &mut zipped)?;
    Ok(zipped)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;
    use crate::WebFile;

    #[test]
    fn compression_is_reproducible_and_undone_by_decompression() {
        let bytes = b"tokens ".repeat(1000);
        let zipped = gzip(&bytes).unwrap();
        assert_eq!(zipped, gzip(&bytes).unwrap());
        let mut back = Vec::new();
        GzDecoder::new(&zipped[..]).read_to_end(&mut back).unwrap();
        assert_eq!(back, bytes);
    }

    #[test]
    fn only_files_that_shrink_are_embedded_compressed_too() {
        let root = tempfile::tempdir().unwrap();
        let files = vec![
            WebFile::new("a.css", "a{}".repeat(100)).unwrap(),
            WebFile::new("index.html", "<p>").unwrap(),
        ];
        embed(&WebApp { build_id: "id".to_owned(), files }, root.path()).unwrap();
        let source = fs::read_to_string(root.path().join(SOURCE)).unwrap();
        let line = |path: &str| source.lines().find(|line| line.contains(path)).unwrap();
        assert!(line("\"a.css\"").contains(".gz\"))"));
        assert!(line("\"index.html\"").contains("gzip: None"));
    }
}
