//! English.

use tokencap_shared::bundle::BundleError;
use tokencap_shared::present::words::Lang;

use super::PageWords;

/// English.
pub(super) const EN: PageWords = PageWords {
    report: "Report",
    runs: "Runs",
    definitions: "Definitions",
    navigation: "Pages",
    skip: "Skip to the content",
    language: "Language",
    theme: "Appearance",
    theme_auto: "As the system",
    theme_light: "Light",
    theme_dark: "Dark",
    print: "Print",
    close: "Close",

    empty_title: "Open a bundle",
    empty_hint: "A bundle is the .tokencap file that `tokencap sweep` writes. Open one or several: \
        each becomes a row.",
    stays_here: "Files are read, checked and judged in this browser. Nothing leaves this machine.",
    choose: "Choose files…",
    or_drop: "or drop them anywhere on this page",
    drop_now: "Drop to open",
    bundles: "Bundles",
    add: "Open another…",
    save: "Save the report as",
    remove: |name| format!("Remove {name}"),
    open: |name, megabytes| format!("Open {name} ({megabytes} MB)"),
    show: |name| format!("Show the details of {name}"),

    waiting: |name| format!("{name}: waiting"),
    reading: |name| format!("{name}: reading"),
    judging: |name, step, of| format!("{name}: judging step {step} of {of}"),
    opened: |name| format!("{name} is open"),

    cannot_open: |name| format!("{name} could not be opened"),
    unreadable_file: "The browser could not read the file: see that it still exists and is not \
        locked, then choose it again.",
    empty_file: "The file is empty: copy it again from where it was written.",
    bundle_error,
    server_gone: "The server does not answer: see that `tokencap serve` is running, then reload \
        the page. Bundles that are open stay open.",
    no_keys: |why| format!("No file of trusted keys: {why}"),
    server_refuses: |status| format!("The server answered with status {status}: reload the page."),
    dismiss: "Dismiss",

    how: "How it is computed",
    inputs: "From these figures",
    context: "Measured here",
    none_broken: "none broken above",
    with_input: |price| format!("{price} with input"),
    promises_held: |held, of| format!("{held} of {of} signed promises held"),

    no_prices: "No prices",
    choose_prices: "Choose a price sheet to see cost, value and margin.",
    sheet_of: |name, currency, date| format!("{name} ({currency}, {date})"),
    scenario: "scenario, not signed",
    scenario_long: "Scenario, not signed: figures marked by a dashed line follow your changes, \
        not the price sheet.",
    reset: "Back to the sheet",
    own_figure: "your figure",
    not_a_price: "Give a number that is not negative.",
};

/// The shared crate's own sentence, with a capital and a full stop.
fn bundle_error(error: &BundleError) -> String {
    let text = (Lang::En.words().bundle_error)(error);
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}
