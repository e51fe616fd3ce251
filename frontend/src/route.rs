//! Where in the app the reader is, as the part of the address after `#`.
//!
//! That part never reaches a server, so the app works under any path of any static host, and a
//! link can carry a question's figures without telling anybody.

/// The pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Page {
    /// What the cluster can sell: for those who decide.
    #[default]
    Report,
    /// What a customer's need takes: for those who sell.
    Quote,
    /// What was measured, in full: for engineers.
    Runs,
    /// What every quantity means.
    Definitions,
}

/// A page and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Route {
    /// The part after `?`, as it stands in the address.
    query: String,
    /// The page.
    pub(crate) page: Page,
    /// Its parameters, in the order given.
    pub(crate) parameters: Vec<(String, String)>,
}

impl Page {
    /// Every page, in the order of the navigation.
    pub(crate) const ALL: [Self; 4] = [Self::Report, Self::Quote, Self::Runs, Self::Definitions];

    /// Its name in the address.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Quote => "quote",
            Self::Runs => "runs",
            Self::Definitions => "definitions",
        }
    }
}

impl Route {
    /// Reads the address's part after `#`. What it does not know leads to the report.
    pub(crate) fn parse(hash: &str) -> Self {
        let hash = hash.trim_start_matches('/');
        let (name, query) = hash.split_once('?').unwrap_or((hash, ""));
        let page = Page::ALL.into_iter().find(|page| page.name() == name).unwrap_or_default();
        let parameters = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key), decode(value))
        });
        Self { query: query.to_owned(), page, parameters: parameters.collect() }
    }

    /// The address, after `#`, of this page with a query: the bundle that was asked for stays in it.
    pub(crate) fn with_query(&self, query: &str) -> String {
        let bundle = self.get("b").map(|bundle| format!("b={bundle}"));
        let parts: Vec<&str> =
            bundle.as_deref().into_iter().chain(Some(query).filter(|q| !q.is_empty())).collect();
        format!("/{}?{}", self.page.name(), parts.join("&"))
    }

    /// The part after `?`, as it stands in the address.
    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    /// A parameter's value.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }
}

/// Undoes percent-encoding, and takes `+` for a space as forms write it. What is not encoded properly
/// stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1..at + 3).and_then(byte_of)) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (b'+', _) => {
                out.push(b' ');
                at += 1;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The byte that two hexadecimal digits stand for.
fn byte_of(digits: &[u8]) -> Option<u8> {
    digits
        .iter()
        .try_fold(0, |byte, digit| Some(byte << 4 | char::from(*digit).to_digit(16)? as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_to_its_page_and_unknown_ones_to_the_report() {
        for (hash, page) in
            [("/report", Page::Report), ("", Page::Report), ("/nowhere", Page::Report)]
        {
            assert_eq!(Route::parse(hash).page, page, "{hash}");
        }
    }

    #[test]
    fn a_broken_escape_stays_as_it_is() {
        assert_eq!(Route::parse("/report?x=%zz%4").get("x"), Some("%zz%4"));
        assert_eq!(Route::parse("/report?x=%E4%B8").get("x"), Some("\u{fffd}"));
        assert_eq!(Route::parse("/report?x=%+1").get("x"), Some("% 1"));
    }
}
