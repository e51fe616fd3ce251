//! Puts the compiled app, the page, its boot script and its style together.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{BuildError, WebApp, WebFile, app::fingerprinted, compile::Compiled, inputs};

/// What the page may do: no inline script or style, nothing from other hosts. The page says so
/// itself, so that it holds on a static host too. `wasm-unsafe-eval` compiles the app and allows no
/// JavaScript `eval`.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' \
    'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src \
    'self'; worker-src 'self'; base-uri 'self'; form-action 'none'";

/// All files of the app.
///
/// Every address in the page is relative, so that the app works under any path of any host.
///
/// # Errors
/// Where a template or style sheet cannot be read, or names something unknown.
pub fn assemble(
    workspace: &Path,
    app: Compiled,
    workbench: Compiled,
    build_id: String,
) -> Result<WebApp, BuildError> {
    let mut files = Vec::new();
    let mut add = |stem: &str, extension: &str, bytes: Vec<u8>| {
        let path = fingerprinted(stem, extension, &bytes);
        files.push(WebFile::new(path.clone(), bytes)?);
        Ok::<_, BuildError>(path)
    };
    let worker = workspace.join("frontend/worker.js");
    let workbench_names = BTreeMap::from([
        ("workbench", add("workbench", "js", script(&workbench.js).into())?),
        ("wasm", add("workbench", "wasm", workbench.wasm)?),
    ]);
    let worker = fill(&script(&read(&worker)?), &workbench_names, &worker)?;
    let names = BTreeMap::from([
        ("app", add("app", "js", script(&app.js).into())?),
        ("boot", add("boot", "js", script(&read(&workspace.join("frontend/boot.js"))?).into())?),
        ("build_id", build_id.clone()),
        ("csp", CONTENT_SECURITY_POLICY.to_owned()),
        ("icon", add("icon", "svg", read(&workspace.join("assets/icon.svg"))?.into())?),
        ("style", add("style", "css", style(&workspace.join("assets/css"))?.into())?),
        ("wasm", add("app", "wasm", app.wasm)?),
        ("worker", add("worker", "js", worker.into())?),
    ]);
    for (path, js) in app.snippets.into_iter().chain(workbench.snippets) {
        files.push(WebFile::new(path, js)?);
    }
    let template = workspace.join("frontend/index.html");
    let page = fill(&read(&template)?, &names, &template)?;
    files.push(WebFile::new("index.html", page)?);
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(WebApp { build_id, files })
}

/// What stands in the place of the app in a binary that was built without it.
///
/// # Errors
/// Never: its one file is of a known kind.
pub fn placeholder() -> Result<WebApp, BuildError> {
    const PAGE: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
        <title>tokencap</title>\n<h1>This tokencap was built without its web app</h1>\n\
        <p>Build it without TOKENCAP_SKIP_WEB, or use the command line: \
        <code>tokencap report FILE.tokencap</code>.</p>\n";
    Ok(WebApp {
        build_id: "without-web-app".to_owned(),
        files: vec![WebFile::new("index.html", PAGE)?],
    })
}

/// The style sheets of a folder, in the order of their names, as one.
fn style(folder: &Path) -> Result<String, BuildError> {
    let mut files = Vec::new();
    inputs::collect(folder, &mut files)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "css"));
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

/// A script without its indentation and its comments, each of which has lines of its own: they are
/// for those who change it.
fn script(source: &str) -> String {
    let comment = |line: &str| ["//", "/*", "*"].iter().any(|start| line.starts_with(start));
    let code = source.lines().map(str::trim_start).filter(|line| !comment(line));
    code.map(|line| format!("{line}\n")).collect()
}

/// Replaces every `{{name}}`.
fn fill(template: &str, names: &BTreeMap<&str, String>, path: &Path) -> Result<String, BuildError> {
    let mut pieces = template.split("{{");
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        let value = names.get(name).ok_or_else(|| BuildError::Placeholder {
            path: PathBuf::from(path),
            name: name.to_owned(),
        })?;
        page += value;
        page += rest;
    }
    Ok(page)
}

fn read(path: &Path) -> Result<String, BuildError> {
    fs::read_to_string(path).map_err(BuildError::file("read", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(css: &str) -> WebApp {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("frontend/boot.js", "boot\n  // why\n/**\n * what\n */\n  go\n"),
            ("frontend/worker.js", "import './{{workbench}}'"),
            ("frontend/index.html", "<link href={{style}}><script src={{boot}} data-app={{app}}>"),
            ("assets/icon.svg", "<svg/>"),
            ("assets/css/10-b.css", "b{}\n"),
            ("assets/css/00-a.css", css),
            ("assets/css/notes.md", "not a style"),
        ] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let compiled = |js: &str| Compiled {
            wasm: b"\0asm".to_vec(),
            js: js.to_owned(),
            snippets: BTreeMap::from([(format!("snippets/{js}/inline0.js"), "1".to_owned())]),
        };
        assemble(root.path(), compiled("a"), compiled("w"), "id".to_owned()).unwrap()
    }

    fn file<'a>(app: &'a WebApp, stem: &str) -> &'a WebFile {
        app.files.iter().find(|file| file.path.starts_with(stem)).unwrap()
    }

    #[test]
    fn the_page_refers_to_every_file_by_its_fingerprinted_relative_name() {
        let app = app("a{}\n");
        let page = String::from_utf8(file(&app, "index").bytes.clone()).unwrap();
        let js = app.files.iter().find(|file| file.bytes == b"a\n").unwrap();
        let (style, boot) = (&file(&app, "style").path, &file(&app, "boot").path);
        assert_eq!(page, format!("<link href={style}><script src={boot} data-app={}>", js.path));
        assert!(js.is_fingerprinted());
    }

    #[test]
    fn the_worker_imports_the_workbench_by_its_fingerprinted_name() {
        let app = app("");
        let workbench = app.files.iter().find(|file| file.bytes == b"w\n").unwrap();
        let worker = String::from_utf8(file(&app, "worker").bytes.clone()).unwrap();
        assert_eq!(worker, format!("import './{}'\n", workbench.path));
    }

    #[test]
    fn comments_and_indentation_of_scripts_are_left_out() {
        assert_eq!(file(&app(""), "boot").bytes, b"boot\ngo\n");
    }

    #[test]
    fn style_sheets_are_joined_in_the_order_of_their_names() {
        assert_eq!(file(&app("a{}\n"), "style").bytes, b"a{}\nb{}\n");
    }

    #[test]
    fn only_what_changed_gets_another_name() {
        let (one, other) = (app("a{}"), app("a{x:y}"));
        assert_ne!(file(&one, "style").path, file(&other, "style").path);
        assert_eq!(file(&one, "boot").path, file(&other, "boot").path);
    }

    #[test]
    fn what_generated_code_imports_keeps_its_path() {
        assert_eq!(file(&app(""), "snippets").path, "snippets/a/inline0.js");
        assert_eq!(file(&app(""), "snippets/w").path, "snippets/w/inline0.js");
    }

    #[test]
    fn an_unknown_placeholder_is_named() {
        let error = fill("a {{b}} c", &BTreeMap::new(), Path::new("p.html")).unwrap_err();
        assert_eq!(error.to_string(), "p.html has the unknown placeholder {{b}}");
    }
}
