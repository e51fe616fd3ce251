//! The web app in a real browser: headless Chromium, driven over WebDriver.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod accessibility;
mod failures;
mod golden;
mod live;
mod page;
mod quote;
mod report;
mod workbench;
