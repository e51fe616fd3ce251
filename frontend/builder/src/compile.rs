//! Compiles a library for the browser and binds it to JavaScript.

use std::{collections::BTreeMap, env, path::Path, process::Command};

use wasm_bindgen_cli_support::Bindgen;

use crate::{BuildError, toolchain};

const PROFILE: &str = "wasm-release";

/// A library as the binding generator leaves it.
#[derive(Debug)]
pub struct Compiled {
    /// The WASM module.
    pub wasm: Vec<u8>,
    /// The JavaScript module that loads it; its default export takes the WASM module's address.
    pub js: String,
    /// Further JavaScript modules, which `js` imports, by path relative to it.
    pub snippets: BTreeMap<String, String>,
}

/// Compiles the libraries `packages` of `workspace`, in `scratch`: together, so that what they share
/// is compiled once.
///
/// # Errors
/// Where one does not compile or cannot be bound.
pub fn compile<const N: usize>(
    workspace: &Path,
    scratch: &Path,
    toolchain: &toolchain::Toolchain,
    packages: [&str; N],
) -> Result<[Compiled; N], BuildError> {
    let mut cargo = toolchain::clean(Command::new(&toolchain.cargo));
    cargo
        .args(["build", "--lib", "--locked", "--profile", PROFILE, "--target", toolchain::TARGET])
        .args(packages.map(|package| ["--package", package]).as_flattened())
        .arg("--manifest-path")
        .arg(workspace.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(scratch)
        .current_dir(workspace)
        .env("RUSTC", &toolchain.rustc)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(workspace).join("\x1f"));
    if let Some(linker) = &toolchain.linker {
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    let built = cargo
        .output()
        .map_err(|source| BuildError::Run { program: (&toolchain.cargo).into(), source })?;
    if !built.status.success() {
        let stderr = String::from_utf8_lossy(&built.stderr).into_owned();
        return Err(BuildError::Compile { stderr });
    }
    let folder = scratch.join(toolchain::TARGET).join(PROFILE);
    let bound = packages
        .map(|package| bind(&folder.join(package.replace('-', "_")).with_extension("wasm")));
    let bound: Vec<Compiled> = bound.into_iter().collect::<Result<_, _>>()?;
    bound.try_into().map_err(|_| BuildError::Bind { message: "a module is missing".to_owned() })
}

/// Views of one type each instead of types as large as the page: the app is a third smaller.
const ERASE_VIEW_TYPES: &str = "--cfg=erase_components";

/// The source's place on this machine stands in panic messages; without it they are the same, and
/// so is the app, wherever it is built.
fn flags(workspace: &Path) -> Vec<String> {
    let mut flags = vec![
        ERASE_VIEW_TYPES.to_owned(),
        format!("--remap-path-prefix={}=tokencap", workspace.display()),
    ];
    let home = env::var_os("CARGO_HOME")
        .map(Into::into)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    if let Some(home) = home {
        flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
    }
    flags
}

fn bind(module: &Path) -> Result<Compiled, BuildError> {
    let mut output = Bindgen::new()
        .input_path(module)
        .typescript(false)
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .and_then(|bindgen| bindgen.generate_output())
        .map_err(|error| BuildError::Bind { message: format!("{error:#}") })?;
    let mut snippets = BTreeMap::new();
    for (folder, inline) in output.snippets() {
        for (number, js) in inline.iter().enumerate() {
            snippets.insert(format!("snippets/{folder}/inline{number}.js"), js.clone());
        }
    }
    for (path, js) in output.local_modules() {
        snippets.insert(format!("snippets/{path}"), js.clone());
    }
    let js = output.js().to_owned();
    let wasm = output.wasm_mut();
    forget_unused(wasm);
    Ok(Compiled { wasm: wasm.emit_wasm(), js, snippets })
}

/// Classes of streams that the framework's calls of server functions answer with. There are none of
/// these here, and whatever is exported stays otherwise.
const NEVER_MADE: &str = "intounderlying";

fn forget_unused(module: &mut walrus::Module) {
    let exports = module.exports.iter().filter(|export| export.name.contains(NEVER_MADE));
    let ids: Vec<_> = exports.map(walrus::Export::id).collect();
    for id in ids {
        module.exports.delete(id);
    }
    walrus::passes::gc::run(module);
}
