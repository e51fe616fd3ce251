//! What the tool does, told on stderr to whoever asks by `-v` or by `RUST_LOG`.
//!
//! Only the tool's own events are told, and none of them carries a header, a body or a whole
//! address: what its libraries would tell is left out whatever `RUST_LOG` asks, for they do not
//! know what is a secret.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;
use tracing_subscriber::filter::{EnvFilter, filter_fn};
use tracing_subscriber::prelude::*;

/// Where the tool's own events come from.
const OWN: &str = "tokencap";

/// The bar that the lines are written above, while there is one.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Begins to tell: decisions and steps at 1, each connection and scrape at 2, everything above.
/// `RUST_LOG`, where it is set, decides instead. Without either nothing is told.
pub fn start(verbosity: u8) {
    let asked = std::env::var(EnvFilter::DEFAULT_ENV).ok().filter(|asked| !asked.is_empty());
    let level = match verbosity {
        0 => None,
        1 => Some("info"),
        2 => Some("debug"),
        _ => Some("trace"),
    };
    let Some(directives) = asked.or_else(|| Some(format!("{OWN}={}", level?))) else { return };
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(|| Above);
    let own = filter_fn(|event| event.target().split("::").next() == Some(OWN));
    let told = tracing_subscriber::registry()
        .with(lines.with_filter(EnvFilter::new(directives)).with_filter(own))
        .try_init();
    // Somebody who embeds the tool listens already.
    drop(told);
}

/// Lines are written above this bar from now on.
pub fn above(bar: &ProgressBar) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

/// Writes whole lines to stderr, above the bar.
struct Above;

impl Write for Above {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner);
        let write = || io::stderr().write_all(line);
        match &*bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
