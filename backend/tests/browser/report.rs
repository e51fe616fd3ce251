//! The report on the screen holds the numbers that the measuring side computes, in both languages,
//! whether a server offers the bundle or the reader opens the file.

use std::path::{Path, PathBuf};

use serde_json::json;
use tokencap_shared::definitions::measured::Missing;
use tokencap_shared::definitions::money::PriceSheet;
use tokencap_shared::present::document::table::Id;
use tokencap_shared::present::document::{Body, Document, Figure, SectionId, document};
use tokencap_shared::present::render::{csv, markdown};
use tokencap_shared::present::report::{Entry, Report, SignOff};
use tokencap_shared::present::words::Lang;
use tokencap_shared::{bundle, fixture, present::format};

use tokencap_testkit::browser::{Browser, in_browser, serve, static_host};
use tokencap_testkit::bundles;

/// Keeps the next file that the page gives, with its name.
const CATCH: &str = "
    globalThis.saved = null;
    let file;
    URL.createObjectURL = (blob) => (file = blob, 'blob:none');
    HTMLAnchorElement.prototype.click = async function () {
        const name = this.download;
        globalThis.saved = [name, await file.text()];
    };";

const NAME: &str = "toy.tokencap";

/// Writes the toy run, and the same as another run of another model.
fn bundles(folder: &Path) -> [PathBuf; 2] {
    let first = fixture::bundle();
    let mut other = first.clone();
    other.manifest.run = "f".repeat(other.manifest.run.len());
    other.manifest.deployment.model = "another-model".to_owned();
    [(NAME, &first), ("other.tokencap", &other)].map(|(name, bundle)| {
        let path = folder.join(name);
        std::fs::write(&path, bundle::write(bundle).unwrap()).unwrap();
        path
    })
}

/// The report of the toy run, made here.
fn native(prices: Option<PriceSheet>) -> Report {
    let bundle = fixture::bundle();
    let entry = Entry::judged(NAME.to_owned(), &bundle, None, SignOff::Unsigned);
    Report::new(vec![entry], prices)
}

/// Every text that the document holds of its first bundle, in the order in which it stands.
fn expected(document: &Document) -> Vec<String> {
    let words = document.language.words();
    let lang = document.language;
    let mut texts = Vec::new();
    for section in &document.parts[0].sections {
        match &section.body {
            Body::Table(table) => {
                texts.push(table.caption.clone());
                let cells = table.rows.iter().flat_map(|row| &row.cells);
                texts.extend(cells.map(|cell| cell.text(lang)));
            }
            // Figures are drawn large, in pieces.
            Body::Facts(facts) if section.id == SectionId::Headline => {
                texts.extend(facts.iter().flat_map(|of| [of.label.clone(), of.cell.text(lang)]));
            }
            Body::Facts(facts) => {
                texts.extend(facts.iter().flat_map(|of| [of.label.clone(), of.line(words)]));
            }
            Body::Notes(notes) => texts.extend(notes.iter().map(|note| note.advice.what.clone())),
            Body::Nothing(sentence) => texts.push((*sentence).to_owned()),
        }
    }
    texts
}

/// Which sections a document has, in their order.
fn sections(document: &Document) -> Vec<&'static str> {
    let own = document.parts[0].sections.iter();
    document.sections.iter().chain(own).map(|section| section.id.name()).collect()
}

async fn assert_shows(browser: &Browser, lang: Lang, report: &Report) {
    let button = format!("[data-testid=lang-{}]", lang.tag());
    browser.click(&button).await;
    let language = browser.run("return document.documentElement.lang", vec![]).await;
    assert_eq!(language, json!(lang.tag()));
    let page = browser.content("#main").await;
    let document = document(report, lang.words());
    let missing: Vec<String> =
        expected(&document).into_iter().filter(|text| !page.contains(text)).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
    let order = "return [...document.querySelectorAll('#main [data-section]')]
        .map((section) => section.dataset.section)";
    assert_eq!(browser.run(order, vec![]).await, json!(sections(&document)));
}

async fn rows(browser: &Browser) -> usize {
    let count = "return document.querySelectorAll('[data-testid=summary-row]').length";
    browser.run(count, vec![]).await.as_u64().unwrap() as usize
}

/// Fails if the browser complained of anything but that a static host has no list of bundles.
async fn assert_only_no_server(browser: &Browser) {
    let mut log = browser.log().await;
    log.retain(|line| !line.contains("/api/bundles"));
    assert_eq!(log, Vec::<String>::new());
}

#[tokio::test]
async fn a_served_bundle_shows_what_the_measuring_side_computes() {
    let folder = tempfile::tempdir().unwrap();
    let [toy, _] = bundles(folder.path());
    in_browser("report", async |browser| {
        browser.open(&serve(vec![toy]).await).await;
        browser.until("the report stands there", async || rows(browser).await == 1).await;
        let report = native(None);
        for (lang, _) in Lang::ALL {
            assert_shows(browser, lang, &report).await;
            browser.assert_fits().await;
            browser.screenshot(&format!("report-{}", lang.tag())).await;
            // What is saved from the page is what the command line exports.
            let words = lang.words();
            let made = document(&report, words);
            let files = [("csv", csv::document(&made)), ("md", markdown::markdown(&made))];
            for (ending, text) in files {
                browser.run(CATCH, vec![]).await;
                browser.click(&format!("[data-testid=save-{ending}]")).await;
                let saved = async || browser.run("return globalThis.saved", vec![]).await;
                browser.until("it is saved", async || saved().await != json!(null)).await;
                assert_eq!(saved().await, json!([format!("report.{ending}"), text]));
            }
        }
        browser.client().set_window_size(390, 844).await.unwrap();
        for (lang, _) in Lang::ALL {
            assert_shows(browser, lang, &report).await;
            browser.assert_fits().await;
            browser.screenshot(&format!("report-phone-{}", lang.tag())).await;
            // On a phone nothing of the summary lies beside the screen.
            let wide = "const frame = document.getElementById('summary').closest('.scrolls');
                return frame.scrollWidth - frame.clientWidth";
            assert_eq!(browser.run(wide, vec![]).await, json!(0));
        }
        browser.assert_no_complaints().await;
    })
    .await;
}

#[tokio::test]
async fn files_are_opened_without_a_server_and_priced_by_the_chosen_sheet() {
    let folder = tempfile::tempdir().unwrap();
    let [toy, other] = bundles(folder.path());
    let sheet = include_str!("../../../assets/prices/reference-2026-11.toml");
    let sheet: PriceSheet = toml::from_str(sheet).unwrap();
    in_browser("file", async |browser| {
        browser.open(&static_host(|file| Some(file.bytes.to_vec())).await).await;
        browser.choose_file("#file", &toy).await;
        browser.until("the first report stands there", async || rows(browser).await == 1).await;
        for (lang, _) in Lang::ALL {
            assert_shows(browser, lang, &native(None)).await;
        }
        browser.choose_file("#file", &other).await;
        browser.until("the other has joined it", async || rows(browser).await == 2).await;
        // The same run again is no third row.
        browser.choose_file("#file", &toy).await;
        let status = "return document.querySelector('[data-testid=opened]').textContent";
        let said = async || browser.run(status, vec![]).await;
        browser.until("the first was opened again", async || said().await != json!("")).await;
        assert_eq!(rows(browser).await, 2);

        let words = Lang::En.words();
        browser.click("[data-testid=lang-en]").await;
        let no_prices = (words.missing)(&Missing::NoPriceSheet);
        assert!(browser.content("#main").await.contains(&no_prices));
        browser.click("#price-sheet option[value='0']").await;
        let priced = native(Some(sheet));
        let made = document(&priced, words);
        let summary = made.section(SectionId::Summary).and_then(|section| section.table()).unwrap();
        let row = browser.text("[data-testid=summary-row]").await;
        for figure in
            [Figure::Lambda, Figure::GoodputPerGpu, Figure::Daily, Figure::Cost, Figure::Value]
        {
            let cell = summary.cell(Id::nth("bundle", 0), figure.name()).unwrap();
            let text = cell.text(words.lang);
            assert!(row.contains(&text), "{text:?} is not in the row: {row}");
        }
        browser.assert_fits().await;
        browser.screenshot("report-priced").await;
        assert_only_no_server(browser).await;
    })
    .await;
}

#[tokio::test]
async fn a_huge_bundle_is_read_while_the_page_answers() {
    const ROWS: u32 = 1_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("soak.tokencap");
    std::fs::write(&path, bundle::write(&bundles::soak(ROWS)).unwrap()).unwrap();
    in_browser("huge", async |browser| {
        browser.open(&serve(vec![]).await).await;
        browser.choose_file("#file", &path).await;
        // It says how far it is, and does what it is asked meanwhile.
        browser.text("[data-testid=jobs] progress").await;
        browser.click("[data-testid=lang-zh-CN]").await;
        let chinese = async || {
            browser.run("return document.documentElement.lang", vec![]).await == json!("zh-CN")
        };
        browser.until("it answers", chinese).await;
        browser.until("the report stands there", async || rows(browser).await == 1).await;
        let members = format::count(u64::from(ROWS));
        assert!(browser.content("#main").await.contains(&members));
        browser.assert_no_complaints().await;
    })
    .await;
}

#[tokio::test]
async fn files_that_are_no_bundles_are_refused_in_words_and_harm_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [toy, _] = bundles(folder.path());
    let whole = std::fs::read(&toy).unwrap();
    let wrong = [
        ("empty.tokencap", Vec::new()),
        ("picture.tokencap", b"\x89PNG\r\n\x1a\n and so on".to_vec()),
        ("cut.tokencap", whole[..whole.len() / 2].to_vec()),
    ];
    in_browser("wrong-files", async |browser| {
        browser.open(&static_host(|file| Some(file.bytes.to_vec())).await).await;
        for (at, (name, bytes)) in wrong.iter().enumerate() {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            browser.choose_file("#file", &path).await;
            let count = "return document.querySelectorAll('#problems .problem').length";
            let problems = async || browser.run(count, vec![]).await;
            browser.until("it is refused", async || problems().await == json!(at + 1)).await;
        }
        for (lang, _) in Lang::ALL {
            browser.click(&format!("[data-testid=lang-{}]", lang.tag())).await;
            let said = browser.text("#problems").await;
            for (name, _) in &wrong {
                assert!(said.contains(name), "{said}");
            }
        }
        browser.choose_file("#file", &toy).await;
        browser.until("a good file opens", async || rows(browser).await == 1).await;
        assert_only_no_server(browser).await;
    })
    .await;
}
