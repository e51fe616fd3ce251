//! Where in the app the reader is, as the part of the address after `#`.
//!
//! That part never reaches a server, so the app works under any path of any static host, and a
//! link can carry a question's figures without telling anybody.

use tokencap_shared::present::query::Query;

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
    /// The page.
    pub(crate) page: Page,
    /// Its parameters.
    pub(crate) query: Query,
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
        Self { page, query: Query::parse(query) }
    }

    /// The address, after `#`, of this page with a query: the bundle that was asked for stays in it.
    pub(crate) fn with_query(&self, query: &str) -> String {
        let bundle = self.get("b").map(|bundle| format!("b={bundle}"));
        let parts: Vec<&str> =
            bundle.as_deref().into_iter().chain(Some(query).filter(|q| !q.is_empty())).collect();
        format!("/{}?{}", self.page.name(), parts.join("&"))
    }

    /// A parameter's value.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.query.get(key)
    }
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
}
