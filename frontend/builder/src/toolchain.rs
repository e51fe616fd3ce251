//! Finds a compiler that can compile for the browser.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::BuildError;

/// The platform that browsers run.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Names the compiler to use; no other is tried then.
pub const RUSTC_VARIABLE: &str = "TOKENCAP_WASM_RUSTC";

/// Where Debian has its compiler, whose standard library `scripts/setup wasm` builds.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// Programs that compile for the browser.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The cargo that called, or the one on the path.
    pub cargo: OsString,
    /// A compiler that has the target's standard library.
    pub rustc: OsString,
    /// The linker, where the compiler brings none.
    pub linker: Option<PathBuf>,
    /// What the compiler says of its version; a part of what the app depends on.
    pub version: String,
}

impl Toolchain {
    /// The compiler that [`RUSTC_VARIABLE`] names, or else the first of the calling cargo's and
    /// Debian's that can compile for [`TARGET`]. `scratch` is where it may write.
    ///
    /// # Errors
    /// [`BuildError::NoCompiler`] with what each of them said.
    pub fn find(scratch: &Path) -> Result<Self, BuildError> {
        fs::create_dir_all(scratch).map_err(BuildError::file("create", scratch))?;
        let candidates = match env::var_os(RUSTC_VARIABLE).filter(|name| !name.is_empty()) {
            Some(named) => vec![named],
            None => {
                vec![env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()), DEBIAN_RUSTC.into()]
            }
        };
        let mut tried = Vec::new();
        for rustc in candidates {
            match probe(&rustc, scratch) {
                Ok(()) => return Self::with_compiler(rustc),
                Err(reason) => tried.push(format!("{} ({reason})", rustc.display())),
            }
        }
        Err(BuildError::NoCompiler { tried: tried.join(", ") })
    }

    fn with_compiler(rustc: OsString) -> Result<Self, BuildError> {
        let version = output(&rustc, &["-vV"])?;
        let sysroot = output(&rustc, &["--print", "sysroot"])?;
        Ok(Self {
            cargo: env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
            linker: linker(Path::new(sysroot.trim()), &version),
            rustc,
            version,
        })
    }
}

/// Compiles an empty crate: finds a missing standard library, and one of another version, alike.
fn probe(rustc: &OsString, scratch: &Path) -> Result<(), String> {
    let compiled = clean(Command::new(rustc))
        .args(["--target", TARGET, "--crate-type=lib", "--crate-name=probe", "--emit=metadata"])
        .arg("--out-dir")
        .arg(scratch)
        .arg("-")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if compiled.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&compiled.stderr);
    Err(stderr.lines().next().unwrap_or("it gave no reason").trim().to_owned())
}

/// The linker to name: none where the compiler has its own beside its libraries, as rustup's do;
/// else the linker of the compiler's LLVM version, or any.
fn linker(sysroot: &Path, version: &str) -> Option<PathBuf> {
    let value = |key: &str| version.lines().find_map(|line| line.strip_prefix(key));
    let host = value("host: ")?;
    if sysroot.join("lib/rustlib").join(host).join("bin/rust-lld").exists() {
        return None;
    }
    let llvm = value("LLVM version: ").and_then(|llvm| llvm.split('.').next());
    let names = llvm
        .map(|major| format!("wasm-ld-{major}"))
        .into_iter()
        .chain(["rust-lld".to_owned(), "wasm-ld".to_owned()]);
    let path = env::var_os("PATH")?;
    names
        .flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(&name)))
        .find(|candidate| candidate.exists())
}

fn output(program: &OsString, arguments: &[&str]) -> Result<String, BuildError> {
    let output = clean(Command::new(program))
        .args(arguments)
        .output()
        .map_err(|source| BuildError::Run { program: program.into(), source })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Takes out of a command's environment what the calling cargo, clippy or a developer's settings
/// for native code put there: flags, wrappers, profiles and target folders are not the web app's.
#[must_use]
pub fn clean(mut command: Command) -> Command {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if is_the_callers(&text) {
            command.env_remove(&name);
        }
    }
    command
}

fn is_the_callers(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "RUSTC",
        "RUSTDOC",
        "CARGO_INCREMENTAL",
        "CARGO_CRATE_NAME",
        "CARGO_PRIMARY_PACKAGE",
        "OUT_DIR",
        "TARGET",
        "HOST",
        "PROFILE",
        "OPT_LEVEL",
        "DEBUG",
        "NUM_JOBS",
        "LLVM_PROFILE_FILE",
    ];
    // Not all of CARGO_*: where packages come from and how the network is reached stay.
    const PREFIXES: &[&str] = &[
        "RUSTC_",
        "CLIPPY_",
        "CARGO_ENCODED_",
        "CARGO_TARGET_",
        "CARGO_BUILD_",
        "CARGO_PROFILE_",
        "CARGO_CFG_",
        "CARGO_FEATURE_",
        "CARGO_MANIFEST_",
        "CARGO_PKG_",
        "CARGO_LLVM_COV",
    ];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_native_build_sets_does_not_reach_the_web_build() {
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS",
            "CARGO_PROFILE_RELEASE_STRIP",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
            "CLIPPY_ARGS",
            "RUSTC",
        ] {
            assert!(is_the_callers(name), "{name}");
        }
    }

    #[test]
    fn where_packages_come_from_stays_known() {
        for name in [
            "PATH",
            "HOME",
            "CARGO",
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "CARGO_HTTP_PROXY",
            "CARGO_REGISTRIES_INTERNAL_TOKEN",
            "CARGO_MAKEFLAGS",
        ] {
            assert!(!is_the_callers(name), "{name}");
        }
    }

    #[test]
    fn a_compiler_that_is_not_there_is_named_with_the_reason() {
        let scratch = tempfile::tempdir().unwrap();
        let reason = probe(&"/nowhere/rustc".into(), scratch.path()).unwrap_err();
        assert!(reason.contains("No such file"), "{reason}");
    }
}
