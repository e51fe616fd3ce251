//! No page has anything that axe-core counts as a barrier, in either language, light or dark.

use serde_json::{Value, json};
use tokencap_shared::present::words::Lang;
use tokencap_shared::{bundle, fixture};

use tokencap_testkit::browser::{Browser, in_browser, serve};

/// Where axe-core's script lies: `make test` installs it.
const VARIABLE: &str = "TOKENCAP_AXE";

async fn violations(browser: &Browser, axe: &str) -> Vec<String> {
    let script = format!(
        "{axe}; const found = await axe.run(document, {{ resultTypes: ['violations'] }});
        return found.violations.flatMap(({{ id, nodes }}) =>
            nodes.map(node => `${{id}}: ${{node.html.slice(0, 160)}} ${{node.failureSummary}}`));"
    );
    let found: Value = browser.run(&script, vec![]).await;
    serde_json::from_value(found).unwrap()
}

#[tokio::test]
async fn no_page_has_a_barrier_that_axe_finds() {
    let Some(path) = std::env::var_os(VARIABLE) else {
        assert!(std::env::var_os("CI").is_none(), "{VARIABLE} is not set: run `make test`");
        println!("skipped: {VARIABLE} is not set; `make test` sets it");
        return;
    };
    let axe = std::fs::read_to_string(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let toy = folder.path().join("toy.tokencap");
    std::fs::write(&toy, bundle::write(&fixture::bundle()).unwrap()).unwrap();
    in_browser("accessibility", async |browser| {
        browser.open(&serve(vec![toy]).await).await;
        browser.text("[data-testid=summary-row]").await;
        browser.click("#price-sheet option[value='0']").await;
        let pages = [
            ("report", "[data-testid=details]"),
            ("quote", "[data-testid=offers]"),
            ("runs", "[data-testid=step]"),
            ("definitions", "[data-testid=glossary]"),
        ];
        for (page, landmark) in pages {
            browser.click(&format!("[data-testid=nav-{page}]")).await;
            for (lang, theme) in [(Lang::En, "light"), (Lang::Zh, "dark")] {
                browser.click(&format!("[data-testid=lang-{}]", lang.tag())).await;
                browser.click(&format!("#theme option[value='{theme}']")).await;
                browser.text(landmark).await;
                let found = violations(browser, &axe).await;
                assert_eq!(found, Vec::<String>::new(), "{page} {} {theme}", lang.tag());
            }
        }
        let script = "return document.documentElement.lang";
        assert_eq!(browser.run(script, vec![]).await, json!(Lang::Zh.tag()));
    })
    .await;
}
