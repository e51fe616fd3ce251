//! What the page's own server has, where there is one. A folder of static files has none, and
//! nothing is missed then.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Deserialize;
use tokencap_shared::definitions::money::PriceSheet;

use super::library::{Library, Source};
use super::prices::Prices;
use crate::browser;

/// Bytes that are read without being asked for. Further bundles wait for a click.
const AT_ONCE: u64 = 256 << 20;

/// A bundle on the server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Offered {
    /// SHA-256 of the file.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// Bytes.
    pub(crate) size: u64,
}

/// The server.
#[derive(Clone, Copy)]
pub(crate) struct Server {
    /// Bundles that it has and that were not opened by themselves.
    pub(crate) offered: RwSignal<Vec<Offered>>,
    /// Whether there is one.
    pub(crate) there: RwSignal<bool>,
}

impl Server {
    /// Asks for bundles and price sheets, and opens what is asked for in the address, or else
    /// all that can be read at once.
    pub(super) fn start(library: Library, prices: Prices, asked: Option<String>) -> Self {
        let server = Self { offered: RwSignal::new(Vec::new()), there: RwSignal::new(false) };
        spawn_local(async move {
            let Some(bundles) = list::<Offered>("api/bundles").await else { return };
            server.there.set(true);
            if let Some(sheets) = list::<PriceSheet>("api/prices").await {
                prices.offer(sheets);
            }
            if let Ok(keys) = browser::fetch("api/trust").await {
                library.trust.set_value(String::from_utf8_lossy(&keys).into_owned());
            }
            let (now, later) = choose(bundles, asked.as_deref());
            server.offered.set(later);
            library.open(now.into_iter().map(Offered::source));
        });
        server
    }

    /// Opens a bundle that was offered.
    pub(crate) fn open(self, library: Library, id: &str) {
        let found = self.offered.try_update(|offered| {
            let at = offered.iter().position(|bundle| bundle.id == id)?;
            Some(offered.remove(at))
        });
        library.open(found.flatten().map(Offered::source).into_iter());
    }
}

impl Offered {
    fn source(self) -> Source {
        Source::Server { id: self.id, name: self.name }
    }
}

/// A list that the server sends; `None` where there is no such server.
async fn list<T: for<'de> Deserialize<'de>>(address: &str) -> Option<Vec<T>> {
    let bytes = browser::fetch(address).await.ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Which bundles to open at once: those whose digests the address begins, else as many as can
/// be read at once, in their order.
fn choose(bundles: Vec<Offered>, asked: Option<&str>) -> (Vec<Offered>, Vec<Offered>) {
    let mut left = AT_ONCE;
    bundles.into_iter().partition(|bundle| match asked {
        Some(asked) => {
            let mut digests = asked.split(',').filter(|digest| !digest.is_empty());
            digests.any(|digest| bundle.id.starts_with(digest))
        }
        None => match left.checked_sub(bundle.size) {
            Some(rest) => {
                left = rest;
                true
            }
            None => {
                left = 0;
                false
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(id: &str, size: u64) -> Offered {
        Offered { id: id.to_owned(), name: format!("{id}.tokencap"), size }
    }

    fn ids(bundles: &[Offered]) -> Vec<&str> {
        bundles.iter().map(|bundle| bundle.id.as_str()).collect()
    }

    #[test]
    fn as_many_bundles_are_opened_as_can_be_read_at_once_and_none_behind_a_larger_one() {
        let all = vec![offered("a", 1 << 20), offered("b", 1 << 30), offered("c", 1)];
        let (now, later) = choose(all, None);
        assert_eq!((ids(&now), ids(&later)), (vec!["a"], vec!["b", "c"]));
    }

    #[test]
    fn a_link_names_its_bundles_by_the_beginnings_of_their_digests() {
        let all = || vec![offered("abc1", 1), offered("abd2", 1 << 40), offered("ffff", 1)];
        let (now, later) = choose(all(), Some("abd,ff"));
        assert_eq!((ids(&now), ids(&later)), (vec!["abd2", "ffff"], vec!["abc1"]));
        assert!(choose(all(), Some("")).0.is_empty());
    }
}
