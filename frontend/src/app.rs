//! The frame around every page: header, navigation, what is being read, the page itself.

use leptos::ev;
use leptos::prelude::*;
use tokencap_shared::present::words::Lang;

use crate::browser;
use crate::components::evidence::EvidenceDialog;
use crate::components::files::{DropTarget, Reading};
use crate::pages;
use crate::route::{Page, Route};
use crate::state::State;
use crate::state::prefs::Theme;
use crate::text::Text;

/// The whole app.
#[component]
pub(crate) fn App() -> impl IntoView {
    let state = State::start();
    follow_address(state);
    Effect::new(move || {
        let (text, page) = (state.text(), state.page.get());
        document().set_title(&format!("{} · tokencap", name(page, text)));
    });
    // A page is made anew for another language: its texts need not each follow the choice.
    let page = move || {
        let (page, _) = (state.page.get(), state.prefs.lang.get());
        match page {
            Page::Report => view! { <pages::report::Report/> }.into_any(),
            Page::Quote => view! { <pages::quote::Quote/> }.into_any(),
            Page::Runs | Page::Definitions => view! { <pages::bench::BenchPage/> }.into_any(),
        }
    };
    let skip = move |event: ev::MouseEvent| {
        // The address's part after `#` is the route: the link must not change it.
        event.prevent_default();
        browser::focus("main");
    };
    view! {
        <a class="skip" href="#main" on:click=skip>{move || state.text().page.skip}</a>
        <Header/>
        <Reading/>
        <main id="main" tabindex="-1">{page}</main>
        <EvidenceDialog/>
        <DropTarget/>
    }
}

/// Follows the address as links and the history change it.
fn follow_address(state: State) {
    let listener = window_event_listener(ev::hashchange, move |_| {
        let before = state.page.get_untracked();
        state.route.set(Route::parse(&browser::hash()));
        if state.page.get_untracked() != before {
            window().scroll_to_with_x_and_y(0.0, 0.0);
            browser::focus("main");
        }
    });
    on_cleanup(move || listener.remove());
}

const fn name(page: Page, text: Text) -> &'static str {
    match page {
        Page::Report => text.page.report,
        Page::Quote => text.quote.page,
        Page::Runs => text.page.runs,
        Page::Definitions => text.page.definitions,
    }
}

/// Name, navigation, language, appearance, print.
#[component]
fn Header() -> impl IntoView {
    let state = State::get();
    let links = Page::ALL.map(|page| {
        let current = move || (state.page.get() == page).then_some("page");
        let href = format!("#/{}", page.name());
        view! {
            <li><a href=href aria-current=current data-testid=format!("nav-{}", page.name())>
                {move || name(page, state.text())}
            </a></li>
        }
    });
    view! {
        <header class="frame">
            <p class="wordmark"><a href="#/report">"tokencap"</a></p>
            <nav aria-label=move || state.text().page.navigation><ul>{links}</ul></nav>
            <div class="tools">
                <Languages/>
                <Appearance/>
                <button type="button" class="quiet" data-testid="print" on:click=|_| browser::print()>
                    {move || state.text().page.print}
                </button>
            </div>
        </header>
    }
}

#[component]
fn Languages() -> impl IntoView {
    let state = State::get();
    let buttons = Lang::ALL.map(|(lang, own_name)| {
        let chosen = move || (state.prefs.lang.get() == lang).to_string();
        view! {
            <button type="button" lang=lang.tag() aria-pressed=chosen
                data-testid=format!("lang-{}", lang.tag())
                on:click=move |_| state.prefs.choose_lang(lang)>{own_name}</button>
        }
    });
    view! {
        <div class="switch" role="group" aria-label=move || state.text().page.language>{buttons}</div>
    }
}

#[component]
fn Appearance() -> impl IntoView {
    let state = State::get();
    let label = |theme: Theme, text: Text| match theme {
        Theme::Auto => text.page.theme_auto,
        Theme::Light => text.page.theme_light,
        Theme::Dark => text.page.theme_dark,
    };
    let options = Theme::ALL.map(|theme| {
        view! {
            <option value=theme.name() selected=move || state.prefs.theme.get() == theme>
                {move || label(theme, state.text())}
            </option>
        }
    });
    let choose = move |event: ev::Event| {
        state.prefs.choose_theme(Theme::of_name(&event_target_value(&event)).unwrap_or_default());
    };
    view! {
        <select id="theme" aria-label=move || state.text().page.theme on:change=choose>{options}</select>
    }
}
