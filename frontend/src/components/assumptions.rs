//! What money rests on: the chosen price sheet, every figure with its source, and utilisation.
//! Whoever changes one sees a scenario.

use leptos::ev;
use leptos::prelude::*;
use tokencap_shared::present::format;
use tokencap_shared::units::Share;

use crate::state::prices::Item;
use crate::state::{State, text};
use crate::text::Text;

/// The strip.
#[component]
pub(crate) fn Assumptions(
    /// Whether the part that is sold is asked for too.
    utilisation: bool,
) -> impl IntoView {
    let state = State::get();
    let text = text();
    let prices = state.prices;
    let choose = move |event: ev::Event| {
        prices.choose(event_target_value(&event).parse().ok());
    };
    let sheets = move || {
        let sheets = prices.sheets.get().into_iter().enumerate().map(|(at, sheet)| {
            let name = (text.page.sheet_of)(&sheet.name, &sheet.currency, &sheet.date);
            let chosen = move || prices.chosen.get() == Some(at);
            view! { <option value=at.to_string() selected=chosen>{name}</option> }
        });
        sheets.collect_view()
    };
    let none = move || prices.chosen.get().is_none();
    // A list may be too narrow for the whole name of what is chosen.
    let note =
        move || match prices.chosen.get().and_then(|at| prices.sheets.read().get(at).cloned()) {
            Some(sheet) => (text.page.sheet_of)(&sheet.name, &sheet.currency, &sheet.date),
            None => text.page.choose_prices.to_owned(),
        };
    // The fields are made anew for another sheet, and when the reader takes changes back; while
    // somebody types they must not be.
    let fields = move || {
        let (chosen, _) = (prices.chosen.get(), prices.resets.get());
        chosen.map(|_| {
            let sold = utilisation.then(|| view! { <Utilisation/> });
            view! { {Item::ALL.map(|item| field(item, text))}{sold} }
        })
    };
    view! {
        <section class="assumptions" aria-labelledby="assumptions-title" data-testid="assumptions">
            <h2 id="assumptions-title">{text.words.title.assumptions}</h2>
            <div class="fields">
                <label class="field wide">
                    <span>{text.words.evidence.price_sheet}</span>
                    <select id="price-sheet" data-testid="price-sheet" on:change=choose>
                        <option value="" selected=none>{text.page.no_prices}</option>
                        {sheets}
                    </select>
                    <small class="note">{note}</small>
                </label>
                {fields}
            </div>
            <p class="scenario-note" role="status" data-testid="scenario">
                {move || prices.scenario.get().then(|| view! {
                    <span>{text.page.scenario_long}</span>" "
                    <button type="button" on:click=move |_| prices.reset()>{text.page.reset}</button>
                })}
            </p>
            <p class="quiet">{text.words.say.money_is_derived}</p>
        </section>
    }
}

/// A figure of the sheet. Its source stands beside it until the reader changes it.
fn field(item: Item, text: Text) -> impl IntoView {
    let prices = State::get().prices;
    let own = move || {
        let sheets = prices.sheets.read();
        let sheet = sheets.get(prices.chosen.get()?)?;
        item.of(sheet).map(|(price, source)| (price, source.to_owned()))
    };
    let bad = RwSignal::new(false);
    let change = move |event: ev::Event| {
        let typed = event_target_value(&event);
        let value =
            typed.trim().parse::<f64>().ok().filter(|value| *value >= 0.0 && value.is_finite());
        bad.set(value.is_none());
        let own = own().map(|(price, _)| price);
        prices.edits.update(|edits| edits.set(item, value.filter(|value| Some(*value) != own)));
    };
    let currency = prices.sheet.with_untracked(|sheet| {
        sheet.as_ref().map(|sheet| sheet.currency.clone()).unwrap_or_default()
    });
    let (name, unit) = text.item(item);
    let start = untrack(own).map(|(price, _)| price.to_string()).unwrap_or_default();
    let edited = move || prices.edits.read().get(item).is_some();
    let remark = move || {
        if bad.get() {
            text.page.not_a_price.to_owned()
        } else if edited() {
            text.page.own_figure.to_owned()
        } else {
            own().map(|(_, source)| source).unwrap_or_default()
        }
    };
    let id = format!("price-{}", item.name());
    view! {
        <label class="field" class:scenario=edited>
            <span>{name}" "<span class="unit">{format!("{currency}{unit}")}</span></span>
            <input id=id.clone() data-testid=id type="number" min="0" step="any" value=start
                aria-invalid=move || bad.get().to_string() on:input=change/>
            <small class="note">{remark}</small>
        </label>
    }
}

/// The part of the capacity that is sold.
#[component]
fn Utilisation() -> impl IntoView {
    let prices = State::get().prices;
    let text = text();
    let change = move |event: ev::Event| {
        let percent = event_target_value(&event).parse::<f64>().ok();
        if let Some(share) = percent.and_then(|percent| Share::new(percent / 100.0).ok()) {
            prices.utilisation.set(share);
        }
    };
    let start = format::fixed(prices.utilisation.get_untracked().get() * 100.0, 0);
    view! {
        <label class="field">
            <span>{text.words.term.utilisation}" "<span class="unit">"%"</span></span>
            <span class="slider">
                <input id="utilisation" data-testid="utilisation" type="range" min="10" max="100"
                    step="1" value=start on:input=change/>
                <output for="utilisation">
                    {move || format::percent(prices.utilisation.get(), 0)}
                </output>
            </span>
        </label>
    }
}
