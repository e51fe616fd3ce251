//! Language and appearance: the reader's choice, kept by the browser.

use leptos::prelude::*;
use tokencap_shared::present::words::Lang;

use crate::browser;

const LANG: &str = "tokencap.lang";
const THEME: &str = "tokencap.theme";

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system is.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Every choice.
    pub(crate) const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// Its name in the style sheet and in the browser's store.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of that name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// The reader's choices.
#[derive(Clone, Copy)]
pub(crate) struct Prefs {
    /// Language.
    pub(crate) lang: RwSignal<Lang>,
    /// Appearance.
    pub(crate) theme: RwSignal<Theme>,
}

impl Prefs {
    /// The stored choices, else the browser's language and the system's appearance. Keeps the
    /// page's root element and the store in step with them from now on.
    pub(crate) fn start() -> Self {
        let stored = browser::stored(LANG).and_then(|tag| Lang::of_tag(&tag));
        let lang = stored.or_else(|| preferred(&browser::languages())).unwrap_or_default();
        let theme = browser::stored(THEME).and_then(|name| Theme::of_name(&name));
        let prefs =
            Self { lang: RwSignal::new(lang), theme: RwSignal::new(theme.unwrap_or_default()) };
        Effect::new(move || browser::set_root_attribute("lang", Some(prefs.lang.get().tag())));
        Effect::new(move || {
            let theme = prefs.theme.get();
            let chosen = (theme != Theme::Auto).then(|| theme.name());
            browser::set_root_attribute("data-theme", chosen);
        });
        prefs
    }

    /// Chooses a language for this and later visits.
    pub(crate) fn choose_lang(self, lang: Lang) {
        browser::store(LANG, Some(lang.tag()));
        self.lang.set(lang);
    }

    /// Chooses an appearance for this and later visits.
    pub(crate) fn choose_theme(self, theme: Theme) {
        let chosen = (theme != Theme::Auto).then(|| theme.name());
        browser::store(THEME, chosen);
        self.theme.set(theme);
    }
}

/// The first language of a reader's preferences that the page speaks.
fn preferred(tags: &[String]) -> Option<Lang> {
    tags.iter().find_map(|tag| Lang::of_tag(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_language_that_the_page_speaks_is_taken() {
        let of = |tags: &[&str]| {
            preferred(&tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["de-AT", "zh-TW", "en"]), Some(Lang::Zh));
        assert_eq!(of(&["en-GB", "zh"]), Some(Lang::En));
        assert_eq!(of(&["fr"]), None);
    }

    #[test]
    fn themes_are_found_by_their_names() {
        for theme in Theme::ALL {
            assert_eq!(Theme::of_name(theme.name()), Some(theme));
        }
        assert_eq!(Theme::of_name("sepia"), None);
    }
}
