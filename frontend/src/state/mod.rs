//! What the page knows: the reader's choices, the open bundles, where the reader is.

pub(crate) mod library;
pub(crate) mod prefs;
pub(crate) mod prices;
pub(crate) mod reading;
pub(crate) mod server;

use leptos::prelude::*;
use tokencap_shared::present::document::{Document, Figure, document};
use tokencap_shared::present::report::{Entry, Report};

use crate::browser;
use crate::route::{Page, Route};
use crate::text::Text;
use library::{Key, Library, Loaded};
use prefs::Prefs;
use prices::Prices;
use server::Server;

/// Everything that the page knows; handed to every component as context.
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// The reader's choices.
    pub(crate) prefs: Prefs,
    /// Where the reader is.
    pub(crate) route: RwSignal<Route>,
    /// The page of it.
    pub(crate) page: Memo<Page>,
    /// The open bundles.
    pub(crate) library: Library,
    /// The number whose evidence is open.
    pub(crate) evidence: RwSignal<Option<(Key, Figure)>>,
    /// What money rests on.
    pub(crate) prices: Prices,
    /// What the page's own server has.
    pub(crate) server: Server,
    /// The report of the open bundles, one row each in their order.
    pub(crate) report: Memo<Report>,
    /// The same as a document in the reader's language.
    pub(crate) document: Memo<Document>,
}

impl State {
    /// Starts with what the browser remembers and what the address says.
    pub(crate) fn start() -> Self {
        let library = Library::start();
        // Neither is compared with what it was: whatever makes it anew has changed it.
        let judged = Memo::new_with_compare(
            move |_| {
                let loaded = library.loaded.read();
                let entries = loaded.iter().map(|loaded| {
                    let Loaded { name, bundle, capacity, sign_off, .. } = loaded;
                    let (capacity, sign_off) = (capacity.clone(), sign_off.clone());
                    Entry::new(name.clone(), &bundle.manifest, capacity, sign_off)
                });
                Report::new(entries.collect(), None)
            },
            |_, _| true,
        );
        let prices = Prices::start();
        let report =
            Memo::new_with_compare(move |_| judged.get().priced(prices.sheet.get()), |_, _| true);
        let route = RwSignal::new(Route::parse(&browser::hash()));
        let page = Memo::new(move |_| route.read().page);
        let asked = route.with_untracked(|route| route.get("b").map(str::to_owned));
        let server = Server::start(library, prices, asked);
        let prefs = Prefs::start();
        let document = Memo::new_with_compare(
            move |_| document(&report.read(), prefs.lang.get().words()),
            |_, _| true,
        );
        let state = Self {
            prefs,
            route,
            page,
            library,
            evidence: RwSignal::new(None),
            prices,
            server,
            report,
            document,
        };
        provide_context(state);
        state
    }

    /// The state, inside any component of the app.
    ///
    /// # Panics
    /// Outside the app.
    pub(crate) fn get() -> Self {
        expect_context()
    }

    /// Index of the report's row whose details are shown.
    pub(crate) fn selected_row(self) -> Option<usize> {
        let selected = self.library.selected.get()?;
        self.library.loaded.read().iter().position(|loaded| loaded.key == selected)
    }

    /// The texts of the chosen language, followed as it changes.
    pub(crate) fn text(self) -> Text {
        Text::of(self.prefs.lang.get())
    }
}

/// The texts, for components that are made anew when the language changes.
pub(crate) fn text() -> Text {
    Text::of(State::get().prefs.lang.get_untracked())
}
