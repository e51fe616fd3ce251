//! Why the web app could not be built, and what to do about it.

use std::{io, path::PathBuf};

/// Why the web app could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No compiler on this machine can compile for the browser.
    #[error(
        "no Rust compiler here can compile the web app. Run `rustup target add \
         wasm32-unknown-unknown`, or on Debian `scripts/setup wasm`; or set TOKENCAP_WASM_RUSTC to \
         a rustc that has this target, TOKENCAP_WEB_DIST to a folder with the built app, or \
         TOKENCAP_SKIP_WEB=1 to build without the web app. Tried: {tried}"
    )]
    NoCompiler {
        /// The compilers tried, each with the first line of what it said.
        tried: String,
    },
    /// A program could not be started.
    #[error("cannot run {program}")]
    Run {
        /// The program.
        program: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The web app does not compile.
    #[error("the web app does not compile:\n{stderr}")]
    Compile {
        /// What cargo said.
        stderr: String,
    },
    /// The binding generator failed; its own error type is not ours to name.
    #[error("wasm-bindgen cannot bind the web app: {message}")]
    Bind {
        /// What it said, causes included.
        message: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The page template names something that the builder does not know.
    #[error("{} has the unknown placeholder {{{{{name}}}}}", path.display())]
    Placeholder {
        /// The template.
        path: PathBuf,
        /// The name between the braces.
        name: String,
    },
    /// A file of the app has a name whose media type the builder does not know.
    #[error("the web app's file {path} has no known media type; add it to the builder's list")]
    MediaType {
        /// The file's path inside the app.
        path: String,
    },
    /// A folder is not a built web app, or was changed since it was written.
    #[error("{} is not a built web app: {reason}. Write one with `tokencap web --out DIR`", path.display())]
    NotAnApp {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl BuildError {
    /// For `map_err` on an operation on the file at `path`.
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
