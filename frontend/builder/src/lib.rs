//! Builds the web app: compiles it to WASM, binds it to JavaScript, gives its files names that
//! change with their contents, and writes Rust code that embeds them in the server's binary.
//!
//! It is a library for a build script, so that plain `cargo run` builds everything: the binding
//! generator comes from the same lock file as the app that it binds, and no tool need be installed.

pub mod app;
pub mod compile;
pub mod embed;
pub mod error;
pub mod folder;
pub mod inputs;
pub mod pages;
pub mod toolchain;

use std::path::Path;

pub use app::{WebApp, WebFile};
pub use error::BuildError;

/// The app, and what it loads when first asked.
const PACKAGES: [&str; 2] = ["tokencap-frontend", "tokencap-workbench"];

/// Builds the app of the workspace at `workspace`, or takes it from `scratch`, where an earlier
/// call with the same sources and compiler left it.
///
/// `scratch` is the builder's own: it compiles in there, because the target folder of the cargo
/// that called it is locked.
///
/// # Errors
/// Where no compiler can compile for the browser, the sources do not compile, or a file cannot be
/// read or written.
pub fn build(workspace: &Path, scratch: &Path) -> Result<WebApp, BuildError> {
    let toolchain = toolchain::Toolchain::find(scratch)?;
    let build_id = inputs::digest(workspace, &toolchain.version)?;
    let kept = scratch.join("app");
    if let Ok(app) = folder::read(&kept)
        && app.build_id == build_id
    {
        return Ok(app);
    }
    let [app, workbench] = compile::compile(workspace, scratch, &toolchain, PACKAGES)?;
    let app = pages::assemble(workspace, app, workbench, build_id)?;
    folder::write(&app, &kept)?;
    Ok(app)
}
