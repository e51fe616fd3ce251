//! The few things that the page asks of its browser.

use js_sys::{Promise, Uint8Array};
use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Why a request to the page's own server failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FetchError {
    /// There is no server, or the connection is gone.
    Unreachable,
    /// The server answered with this status.
    Status(u16),
}

/// Lets the browser draw and answer before the work goes on.
pub(crate) async fn breathe() {
    pause(0).await;
}

/// Waits.
pub(crate) async fn pause(millis: i32) {
    let promise = Promise::new(&mut |resolve, _| {
        // Without a timer the work goes on without a pause.
        if window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis).is_err()
        {
            let _ = resolve.call0(&JsValue::NULL);
        }
    });
    let _ = JsFuture::from(promise).await;
}

/// A file's bytes; `None` if the browser can no longer read it.
pub(crate) async fn bytes_of(file: &web_sys::File) -> Option<Vec<u8>> {
    let buffer = JsFuture::from(file.array_buffer()).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

/// Fetches an address relative to the page.
pub(crate) async fn fetch(address: &str) -> Result<Vec<u8>, FetchError> {
    let gone = |_| FetchError::Unreachable;
    let response = JsFuture::from(window().fetch_with_str(address)).await.map_err(gone)?;
    let response: web_sys::Response = response.dyn_into().map_err(|_| FetchError::Unreachable)?;
    if !response.ok() {
        return Err(FetchError::Status(response.status()));
    }
    let buffer = response.array_buffer().map_err(gone)?;
    let buffer = JsFuture::from(buffer).await.map_err(gone)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// What was stored under this name; `None` too where the browser stores nothing.
pub(crate) fn stored(name: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(name).ok()?
}

/// Stores a text, or removes it. A browser that stores nothing forgets it with the page.
pub(crate) fn store(name: &str, value: Option<&str>) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = match value {
            Some(value) => storage.set_item(name, value),
            None => storage.remove_item(name),
        };
    }
}

/// The languages that the reader prefers, the best one first.
pub(crate) fn languages() -> Vec<String> {
    window().navigator().languages().iter().filter_map(|tag| tag.as_string()).collect()
}

/// The language that the page is in, as a BCP 47 tag.
pub(crate) fn lang() -> String {
    let root = document().document_element();
    root.and_then(|root| root.get_attribute("lang")).unwrap_or_default()
}

/// Sets or removes an attribute of `<html>`.
pub(crate) fn set_root_attribute(name: &str, value: Option<&str>) {
    if let Some(root) = document().document_element() {
        let _ = match value {
            Some(value) => root.set_attribute(name, value),
            None => root.remove_attribute(name),
        };
    }
}

/// The address's part after `#`, without it.
pub(crate) fn hash() -> String {
    let hash = window().location().hash().unwrap_or_default();
    hash.strip_prefix('#').unwrap_or(&hash).to_owned()
}

/// Changes the address's part after `#`, without a step back to what it was.
pub(crate) fn replace_hash(hash: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("#{hash}")));
    }
}

/// Goes to another address after `#`.
pub(crate) fn go(hash: &str) {
    // A browser that refuses stays where it is.
    let _ = window().location().set_hash(hash);
}

/// Puts the page's address on the clipboard, where the browser allows it.
pub(crate) fn copy_address() {
    if let Ok(address) = window().location().href() {
        let _ = window().navigator().clipboard().write_text(&address);
    }
}

/// The day that comes this many days after today, YYYY-MM-DD.
pub(crate) fn days_from_now(days: u32) -> String {
    let date = js_sys::Date::new_0();
    date.set_date(date.get_date() + days);
    String::from(date.to_iso_string()).get(..10).unwrap_or_default().to_owned()
}

/// Now, in whole seconds (UTC, RFC 3339).
pub(crate) fn now() -> String {
    let now = String::from(js_sys::Date::new_0().to_iso_string());
    format!("{}Z", now.get(..19).unwrap_or_default())
}

/// Moves the keyboard's focus to an element, and the view with it.
pub(crate) fn focus(id: &str) {
    if let Some(element) = document().get_element_by_id(id)
        && let Ok(element) = element.dyn_into::<web_sys::HtmlElement>()
    {
        let _ = element.focus();
    }
}

/// Opens the print dialogue.
pub(crate) fn print() {
    let _ = window().print();
}

/// The files of a list.
pub(crate) fn files(list: Option<web_sys::FileList>) -> Vec<web_sys::File> {
    let Some(list) = list else { return Vec::new() };
    (0..list.length()).filter_map(|index| list.get(index)).collect()
}
