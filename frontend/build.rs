//! Turns the price sheets that come with the tool from TOML, which people write, into JSON, which the
//! page reads anyway.

use std::path::Path;
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("../assets/prices");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let mut sheets: Vec<toml::Value> = Vec::new();
    for path in paths {
        sheets.push(toml::from_str(&fs::read_to_string(path)?)?);
    }
    let out = env::var_os("OUT_DIR").ok_or("no OUT_DIR")?;
    fs::write(Path::new(&out).join("prices.json"), serde_json::to_vec(&sheets)?)?;
    Ok(())
}
