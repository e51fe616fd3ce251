//! The web app's files, as the binary holds them.

/// A file of the web app.
#[derive(Clone, Copy, Debug)]
pub(super) struct WebFile {
    /// MIME type.
    pub(super) content_type: &'static str,
    /// Its contents.
    pub(super) bytes: &'static [u8],
    /// Its contents, gzipped; `None` where that saves nothing.
    pub(super) gzip: Option<&'static [u8]>,
    /// Whether its name changes with its contents, so that it may be kept for ever.
    pub(super) immutable: bool,
}

const NOT_EMBEDDED: &str = "<!doctype html><html lang=\"en\"><title>tokencap</title>\
    <p>This binary was built without the web app (TOKENCAP_SKIP_WEB). Build it again without that \
    variable; bundles can be read with <code>tokencap report</code> meanwhile.";

/// The file of this path, without the leading slash.
pub(super) fn find(path: &str) -> Option<WebFile> {
    (path == "index.html").then_some(WebFile {
        content_type: "text/html; charset=utf-8",
        bytes: NOT_EMBEDDED.as_bytes(),
        gzip: None,
        immutable: false,
    })
}

/// Identity of the web app's build, by which an open page notices a newer server.
pub(super) const BUILD: &str = "none";
