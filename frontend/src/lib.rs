//! The web app: reads bundles in the browser and shows what they prove.
//!
//! Everything is computed here, by the code that measured: bundles are read, judged and shown
//! without leaving the machine. A server that serves the page only adds its list of bundles.

#![expect(unreachable_pub, reason = "what the component macro generates is public")]

mod app;
mod browser;
mod components;
mod pages;
mod route;
mod state;
mod text;
mod workbench;

use leptos::prelude::*;
use wasm_bindgen::prelude::wasm_bindgen;

/// Starts the app inside the page's `#app`; the page's boot script calls it once.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(report_panic));
    let Some(root) = document().get_element_by_id("app") else {
        panic!("the page has no element with id \"app\"");
    };
    mount_to(wasm_bindgen::JsCast::unchecked_into(root), app::App).forget();
}

/// Tells the console and the page's banner, which stands outside the app, what went wrong.
fn report_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let message = panic.to_string().into();
    web_sys::console::error_1(&message);
    let init = web_sys::CustomEventInit::new();
    init.set_detail(&message);
    if let Ok(event) = web_sys::CustomEvent::new_with_event_init_dict("tokencap-panic", &init) {
        // An event that cannot be sent leaves the banner to the trap that follows.
        let _ = window().dispatch_event(&event);
    }
}
