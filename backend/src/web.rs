//! The web app, embedded in the binary.

/// A file of the web app, ready to be sent.
#[derive(Debug)]
pub struct WebFile {
    /// Its path relative to the page.
    pub path: &'static str,
    /// Its media type, for the `Content-Type` header.
    pub content_type: &'static str,
    /// Its contents.
    pub bytes: &'static [u8],
    /// Its contents compressed with gzip, where that makes it smaller.
    pub gzip: Option<&'static [u8]>,
    /// Whether its name changes with its contents: a browser may then keep it for good.
    pub fingerprinted: bool,
}

impl WebFile {
    /// Whether it is loaded only when it is first asked for.
    #[must_use]
    pub fn is_on_demand(&self) -> bool {
        ["workbench-", "worker-"].iter().any(|stem| self.path.starts_with(stem))
    }
}

include!(concat!(env!("OUT_DIR"), "/web_app.rs"));

/// The page that loads all else.
pub const INDEX: &str = "index.html";

/// Every file of the web app, in the order of their paths.
#[must_use]
pub fn files() -> &'static [WebFile] {
    FILES
}

/// The file at this path, relative to the page and without a leading slash.
#[must_use]
pub fn file(path: &str) -> Option<&'static WebFile> {
    FILES.iter().find(|file| file.path == path)
}

/// The list of the files with their digests, as JSON; it goes with them into a folder.
#[must_use]
pub fn manifest() -> &'static str {
    MANIFEST
}
