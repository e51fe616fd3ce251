//! A built web app: files with what a server must know of each.

use sha2::{Digest, Sha256};

use crate::BuildError;

/// A web app, ready to be served from any path of any server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebApp {
    /// Digest of everything that the app was built from; 16 hexadecimal digits.
    pub build_id: String,
    /// The files, by path.
    pub files: Vec<WebFile>,
}

/// A file of the web app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebFile {
    /// Its path relative to the page, with forward slashes.
    pub path: String,
    /// Its media type, as in the `Content-Type` header.
    pub content_type: &'static str,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl WebFile {
    /// A file whose media type follows from its name.
    ///
    /// # Errors
    /// [`BuildError::MediaType`] for a name that is not on the list.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<Self, BuildError> {
        let (path, bytes) = (path.into(), bytes.into());
        let content_type = match path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("json") => "application/json",
            Some("wasm") => "application/wasm",
            Some("svg") => "image/svg+xml",
            _ => return Err(BuildError::MediaType { path }),
        };
        Ok(Self { path, content_type, bytes })
    }

    /// SHA-256 of the contents, hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> String {
        hex_digest(&self.bytes)
    }

    /// Whether the name changes whenever the contents do, so that a browser may keep the file
    /// for good.
    #[must_use]
    pub fn is_fingerprinted(&self) -> bool {
        self.path.contains(&self.sha256()[..FINGERPRINT_DIGITS])
    }
}

const FINGERPRINT_DIGITS: usize = 16;

/// `stem-DIGEST.extension`, with the digest of `bytes`.
#[must_use]
pub fn fingerprinted(stem: &str, extension: &str, bytes: &[u8]) -> String {
    format!("{stem}-{}.{extension}", &hex_digest(bytes)[..FINGERPRINT_DIGITS])
}

/// SHA-256, hexadecimal.
#[must_use]
pub fn hex_digest(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_standards() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            hex_digest(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_fingerprinted_name_is_known_as_such_and_a_plain_one_is_not() {
        let name = fingerprinted("app", "js", b"1");
        assert!(WebFile::new(name.clone(), *b"1").unwrap().is_fingerprinted());
        assert!(!WebFile::new(name, *b"2").unwrap().is_fingerprinted());
        assert!(!WebFile::new("index.html", *b"1").unwrap().is_fingerprinted());
    }

    #[test]
    fn a_file_of_an_unknown_kind_is_refused() {
        assert!(matches!(WebFile::new("a.exe", ""), Err(BuildError::MediaType { .. })));
        assert!(matches!(WebFile::new("html", ""), Err(BuildError::MediaType { .. })));
    }
}
