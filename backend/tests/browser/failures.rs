//! When the app cannot start or dies, the page says so.

use tokencap::web::{self, WebFile};

use tokencap_testkit::browser::{Browser, in_browser, static_host};

/// The files as they are, but for those whose path ends so.
fn without(ending: &'static str) -> impl Fn(&'static WebFile) -> Option<Vec<u8>> + Clone {
    move |file| (!file.path.ends_with(ending)).then(|| file.bytes.to_vec())
}

async fn assert_banner(browser: &Browser) {
    browser.until("the banner shows", async || browser.shows("#failure").await).await;
    let banner = browser.text("#failure").await;
    assert!(banner.contains("页面出错，请重新加载"), "{banner}");
    assert!(banner.contains("Something went wrong, reload"), "{banner}");
    assert!(!browser.shows("#loading").await);
}

#[tokio::test]
async fn a_lost_module_shows_the_banner() {
    for ending in [".wasm", "app.js"] {
        // The app's JavaScript is the only script with that stem.
        let ending = if ending == "app.js" { app_script() } else { ending };
        in_browser("lost", async |browser| {
            browser.open(&static_host(without(ending)).await).await;
            assert_banner(browser).await;
        })
        .await;
    }
}

fn app_script() -> &'static str {
    let mut scripts = web::files().iter().map(|file| file.path);
    scripts.find(|path| path.starts_with("app-") && path.ends_with(".js")).unwrap_or("app.js")
}

#[tokio::test]
async fn a_lost_style_sheet_shows_the_banner() {
    in_browser("style", async |browser| {
        browser.open(&static_host(without(".css")).await).await;
        assert_banner(browser).await;
    })
    .await;
}

#[tokio::test]
async fn a_panic_shows_the_banner_with_its_message() {
    in_browser("panic", async |browser| {
        // The app panics when the page has no place for it.
        let host = static_host(|file| {
            let page = String::from_utf8_lossy(file.bytes);
            Some(match file.path {
                web::INDEX => page.replace("<div id=\"app\">", "<div>").into_bytes(),
                _ => file.bytes.to_vec(),
            })
        });
        browser.open(&host.await).await;
        assert_banner(browser).await;
        let detail = browser.text("#failure-detail").await;
        assert!(detail.contains("no element with id \"app\""), "{detail}");
    })
    .await;
}

#[tokio::test]
async fn a_trap_after_the_start_shows_the_banner_and_reload_recovers() {
    in_browser("later", async |browser| {
        browser.open(&static_host(|file| Some(file.bytes.to_vec())).await).await;
        assert!(!browser.shows("#failure").await);
        let trap = "
            const path = document.querySelector('script[data-app]').dataset.app;
            const app = await import(new URL(path, document.baseURI));
            const wasm = await app.default();
            // No memory can be had at every third byte.
            setTimeout(() => wasm.__wbindgen_malloc(1, 3));
        ";
        browser.run(trap, vec![]).await;
        assert_banner(browser).await;
        let reload = fantoccini::Locator::Css("#reload");
        browser.client().find(reload).await.unwrap().click().await.unwrap();
        browser.until("it starts again", async || !browser.shows("#failure").await).await;
        assert!(browser.text(".wordmark").await.contains("tokencap"));
    })
    .await;
}
