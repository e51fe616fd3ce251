//! The page starts, wherever it is served.

use serde_json::json;
use tokencap::web;

use crate::support::{in_browser, serve, static_host};

#[tokio::test]
async fn the_served_page_starts_without_a_complaint() {
    in_browser("served", async |browser| {
        browser.open(&serve(vec![]).await).await;
        assert!(browser.text(".wordmark").await.contains("tokencap"));
        assert!(!browser.shows("#loading").await);
        assert!(!browser.shows("#failure").await);
        let language = browser.run("return document.documentElement.lang", vec![]).await;
        assert!(["en", "zh-CN"].map(|tag| json!(tag)).contains(&language), "{language}");
        browser.assert_no_complaints().await;
    })
    .await;
}

#[tokio::test]
async fn the_page_starts_from_any_folder_of_a_static_host() {
    in_browser("static", async |browser| {
        browser.open(&static_host(|file| Some(file.bytes.to_vec())).await).await;
        assert!(browser.text(".wordmark").await.contains("tokencap"));
        assert!(!browser.shows("#failure").await);
    })
    .await;
}

#[test]
fn the_whole_app_is_small_when_compressed() {
    /// Bytes of all files, each gzipped where that helps.
    const BUDGET: usize = 400_000;
    let total: usize = web::files().iter().map(|file| file.gzip.unwrap_or(file.bytes).len()).sum();
    println!("the web app: {total} bytes compressed, of {BUDGET} at most");
    assert!(total <= BUDGET, "{total} bytes compressed are more than {BUDGET}");
}
