//! A browser, a server, and what is seen on the screen.

mod driver;
mod host;
mod log;

use std::fmt::Debug;
use std::path::Path;
use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder, Locator};
use futures_util::FutureExt as _;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokencap::web;

use driver::Driver;
pub use host::{serve, serve_trusting, serve_until_told, static_host};

/// How long a page may take for what it shows: generous, because the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tests of one process take turns: several browsers at once on two cores only wait for each other.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A browser with one empty tab and no history.
pub struct Browser {
    client: Client,
}

/// Runs a test in a fresh browser. Says that it skips where there is none; continuous integration
/// must have one. When the test fails, leaves a picture of the screen.
pub async fn in_browser(name: &str, test: impl AsyncFnOnce(&Browser)) {
    let skip = |missing: &str, way_out: &str| {
        assert!(std::env::var_os("CI").is_none(), "{missing}: {way_out}");
        println!("skipped: {missing}; {way_out}");
    };
    if web::files().len() == 1 {
        return skip("this binary was built without the web app", "unset TOKENCAP_SKIP_WEB");
    }
    let _turn = TURN.lock().await;
    let Some(driver) = Driver::start() else {
        return skip("no chromium and chromedriver", "run scripts/setup browser");
    };
    let browser = Browser::start(&driver).await;
    let ended = std::panic::AssertUnwindSafe(test(&browser)).catch_unwind().await;
    if let Err(panic) = ended {
        let picture = browser.screenshot(&format!("failed-{name}")).await;
        eprintln!("the screen as the test failed: {}", picture.display());
        eprintln!("the browser's log: {:#?}", browser.log().await);
        let _ = browser.client.close().await;
        std::panic::resume_unwind(panic);
    }
    browser.client.close().await.unwrap();
}

impl Browser {
    async fn start(driver: &Driver) -> Self {
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--force-device-scale-factor=1",
            "--window-size=1280,900",
        ];
        let profile = format!("--user-data-dir={}", driver.profile().display());
        let arguments: Vec<&str> = arguments.into_iter().chain([profile.as_str()]).collect();
        let capabilities = json!({
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let Value::Object(capabilities) = capabilities else { unreachable!("an object") };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&driver.url())
            .await
            .unwrap();
        Self { client }
    }

    /// The WebDriver client, for what has no shorthand here.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Opens an address and waits until the app runs or the failure banner stands there.
    pub async fn open(&self, url: &str) {
        self.client.goto(url).await.unwrap();
        let settled = "return document.getElementById('loading').hidden";
        self.until("the page has started", async || self.run(settled, vec![]).await == json!(true))
            .await;
    }

    /// What a script returns; it may `await`, and its arguments are in `arguments`.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        let script = format!("return (async function () {{ {script} }}).apply(null, arguments)");
        self.client.execute(&script, arguments).await.unwrap()
    }

    /// The text that the one element of this CSS selector shows; waits for it to be there.
    pub async fn text(&self, css: &str) -> String {
        let element = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await;
        element.unwrap_or_else(|error| panic!("{css}: {error}")).text().await.unwrap()
    }

    /// Clicks the one element of this CSS selector.
    pub async fn click(&self, css: &str) {
        let element = self.client.find(Locator::Css(css)).await;
        element.unwrap_or_else(|error| panic!("{css}: {error}")).click().await.unwrap();
    }

    /// Whether an element of this CSS selector is to be seen.
    pub async fn shows(&self, css: &str) -> bool {
        match self.client.find(Locator::Css(css)).await {
            Ok(element) => element.is_displayed().await.unwrap(),
            Err(error) if error.is_no_such_element() => false,
            Err(error) => panic!("{css}: {error}"),
        }
    }

    /// Waits until `holds`; panics with `what` when that takes too long.
    pub async fn until(&self, what: &str, holds: impl AsyncFn() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds().await {
            assert!(Instant::now() < deadline, "waited too long until {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Chooses a file in a file input.
    pub async fn choose_file(&self, css: &str, path: &Path) {
        let input = self.client.find(Locator::Css(css)).await.unwrap();
        input.send_keys(path.to_str().unwrap()).await.unwrap();
    }

    /// All that stands in an element, seen or scrolled away; empty without the element.
    pub async fn content(&self, css: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.textContent ?? ''";
        self.run(script, vec![json!(css)]).await.as_str().unwrap().to_owned()
    }

    /// Fails where the page is too wide: for what it shows only to those who scroll sideways.
    pub async fn assert_fits(&self) {
        let wide = "const page = document.documentElement;
            return [...document.querySelectorAll('main *')]
                .filter(element => !element.closest('.scrolls'))
                .filter(element => element.getBoundingClientRect().right > page.clientWidth + 1)
                .map(element => element.outerHTML.slice(0, 100))";
        assert_eq!(self.run(wide, vec![]).await, json!([]));
    }

    /// Saves a picture of the screen among the build's outputs and says where.
    pub async fn screenshot(&self, name: &str) -> std::path::PathBuf {
        let program = std::env::current_exe().unwrap();
        let folder = program.parent().and_then(Path::parent).unwrap().join("screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name).with_extension("png");
        std::fs::write(&path, self.client.screenshot().await.unwrap()).unwrap();
        path
    }

    /// Warnings and errors of the console, of the network and of the page's security policy,
    /// since this was last called.
    pub async fn log(&self) -> Vec<String> {
        log::read(&self.client).await
    }

    /// Fails if the browser has complained of anything.
    pub async fn assert_no_complaints(&self) {
        assert_eq!(self.log().await, Vec::<String>::new());
    }
}

impl Debug for Browser {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Browser")
    }
}
