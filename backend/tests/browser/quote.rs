//! A quote made by hand, in both languages: what the page offers is what the definitions give, a
//! need outside of what was measured is refused with its reason, and a link brings all of it back.

use fantoccini::Locator;
use serde_json::json;
use tokencap_shared::bundle::judged;
use tokencap_shared::definitions::quote::{Demand, Need, Sizing, quote};
use tokencap_shared::present::words::Lang;
use tokencap_shared::units::{Ratio, Share};
use tokencap_shared::{bundle, fixture};

use tokencap_testkit::browser::{Browser, in_browser, serve};

/// Types an answer in place of the one that stands there.
async fn answer(browser: &Browser, key: &str, value: &str) {
    let css = format!("#need-{key}");
    let field = browser.client().find(Locator::Css(&css)).await.unwrap();
    field.clear().await.unwrap();
    field.send_keys(value).await.unwrap();
}

/// GPUs of the need that the test types, for the toy's cluster.
fn gpus() -> u32 {
    let bundle = fixture::bundle();
    let count = |value: u32| Ratio::new(f64::from(value)).unwrap();
    let need = Need {
        sizing: Sizing {
            demand: Demand::TasksPerDay { tasks: count(900 * 30), peak_to_mean: count(3) },
            steps_per_task: 12,
            growth: Ratio::new(0.25).unwrap(),
            utilisation_ceiling: Share::new(0.7).unwrap(),
            spare_units: 2,
        },
        mean_isl: count(500),
        max_isl: 1000,
        mean_osl: count(50),
        hit_rate: Share::new(0.9).unwrap(),
        valid_until: "2027-01-31".to_owned(),
    };
    let prices = toml::from_str(include_str!("../../../assets/prices/reference-2026-11.toml"));
    let capacity = judged::of_bundle(&bundle);
    quote(&need, &capacity, bundle.manifest.declared(), &prices.unwrap()).unwrap().sized.gpus
}

const ANSWERS: [(&str, &str); 11] = [
    ("people", "900"),
    ("tasks", "30"),
    ("steps", "12"),
    ("hours", "8"),
    ("isl", "500"),
    ("isl_max", "1000"),
    ("osl", "50"),
    ("hit", "90"),
    ("growth", "25"),
    ("ceiling", "70"),
    ("spare", "2"),
];

#[tokio::test]
async fn a_need_is_quoted_refused_and_shared_by_its_link() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.tokencap");
    std::fs::write(&path, bundle::write(&fixture::bundle()).unwrap()).unwrap();
    in_browser("quote", async |browser| {
        let page = serve(vec![path]).await;
        browser.open(&format!("{page}#/quote")).await;
        browser.text("[data-testid=offer]").await;
        browser.click("#price-sheet option[value='0']").await;
        for (key, value) in ANSWERS {
            answer(browser, key, value).await;
        }
        let figure = "[data-testid=offer] .headline dd";
        let wanted = gpus().to_string();
        browser.until("the GPUs of the need", async || browser.text(figure).await == wanted).await;
        browser.screenshot("quote-en").await;

        let hash = browser.run("return location.hash", vec![]).await;
        let hash = hash.as_str().unwrap().to_owned();
        for (key, value) in ANSWERS {
            assert!(hash.contains(&format!("{key}={value}")), "{hash}");
        }
        browser.client().goto("about:blank").await.unwrap();
        browser.open(&format!("{page}{hash}")).await;
        browser.until("the link's GPUs", async || browser.text(figure).await == wanted).await;

        // Longer prompts than any tier promises, and a slider on the way there.
        let slide = "const slider = document.querySelector('#need-isl_max ~ input[type=range]');
            slider.value = 1000;
            slider.dispatchEvent(new Event('input', { bubbles: true }))";
        browser.run(slide, vec![]).await;
        for (lang, words) in
            [(Lang::En, "1,000,000 tokens"), (Lang::Zh, "1,000,000 tokens 超出承诺")]
        {
            browser.click(&format!("[data-testid=lang-{}]", lang.tag())).await;
            let reasons = browser.text("[data-testid=refusals]").await;
            assert!(reasons.contains(words), "{reasons}");
            browser.screenshot(&format!("quote-refused-{}", lang.tag())).await;
        }
        answer(browser, "people", "-3").await;
        let invalid = "return document.getElementById('need-people').getAttribute('aria-invalid')";
        browser
            .until("a figure that cannot be is marked", async || {
                browser.run(invalid, vec![]).await == json!("true")
            })
            .await;
        browser.assert_no_complaints().await;
    })
    .await;
}
