//! Builds the web app and hands it to the binary, which embeds it.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use tokencap_builder::{WebApp, embed, folder, inputs, pages};

/// `1` leaves the web app out of debug builds; a release build must say `release`.
const SKIP: &str = "TOKENCAP_SKIP_WEB";
/// A folder with the web app, built before.
const PREBUILT: &str = "TOKENCAP_WEB_DIST";

fn main() {
    if let Err(error) = build() {
        // A person reads this: the causes, and no backtrace.
        for line in format!("{error:#}").lines() {
            println!("cargo::error={line}");
        }
    }
}

fn build() -> anyhow::Result<()> {
    for variable in [SKIP, PREBUILT, tokencap_builder::toolchain::RUSTC_VARIABLE] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    embed::embed(&web_app(&out)?, &out)?;
    Ok(())
}

fn web_app(out: &Path) -> anyhow::Result<WebApp> {
    if let Some(skip) = env::var_os(SKIP).filter(|value| !value.is_empty() && value != "0") {
        if env::var("PROFILE")? == "release" && skip != "release" {
            bail!(
                "a release without its web app is seldom meant: unset {SKIP}, or say \
                 {SKIP}=release"
            );
        }
        println!("cargo::warning=built without the web app, because {SKIP} is set");
        return Ok(pages::placeholder()?);
    }
    if let Some(prebuilt) = env::var_os(PREBUILT).filter(|value| !value.is_empty()) {
        let prebuilt = PathBuf::from(prebuilt);
        println!("cargo::rerun-if-changed={}", prebuilt.display());
        return Ok(folder::read(&prebuilt)?);
    }
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let workspace = manifest.parent().context("the package is not inside its workspace")?;
    for input in inputs::INPUTS {
        println!("cargo::rerun-if-changed={}", workspace.join(input).display());
    }
    // OUT_DIR is TARGET/PROFILE/build/PACKAGE/out: every profile shares one web app.
    let target = out.ancestors().nth(4).context("OUT_DIR is not inside a target folder")?;
    Ok(tokencap_builder::build(workspace, &target.join("web"))?)
}
