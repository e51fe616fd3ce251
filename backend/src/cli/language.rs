//! In which language a command tells what it does.

use clap::ValueEnum;
use tokencap_shared::present::words::Lang;

/// A language, as the command line names it.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Language {
    /// Chinese
    Zh,
    /// English
    En,
}

impl Language {
    /// The language asked for, else the terminal's.
    pub(super) fn or_terminal(asked: Option<Self>) -> Lang {
        match asked {
            Some(Self::Zh) => Lang::Zh,
            Some(Self::En) => Lang::En,
            None => ["LC_ALL", "LC_MESSAGES", "LANG"]
                .iter()
                .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
                .and_then(|tag| Lang::of_tag(&tag))
                .unwrap_or(Lang::En),
        }
    }
}
