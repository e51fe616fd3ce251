//! What a reader chose, as the query of a page's address: a link to it shows the same again.

/// Names and values, in the order given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    text: String,
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Reads `name=value&…`, percent-encoded as a form writes it, `+` for a space. What is not
    /// encoded properly stays as it is.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let decode = |part: &str| {
            let part = part.replace('+', " ");
            percent_encoding::percent_decode_str(&part).decode_utf8_lossy().into_owned()
        };
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        });
        Self { text: text.to_owned(), pairs: pairs.collect() }
    }

    /// As it stands in the address.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of a field that was filled in.
    #[must_use]
    pub fn chosen(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// A positive number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.chosen(name)?.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_as_a_form_writes_it() {
        let query = Query::parse("run=ab&name=a+b%26c&empty=&x&ttft=1.5&bad=-1");
        assert_eq!(query.get("run"), Some("ab"));
        assert_eq!(query.get("name"), Some("a b&c"));
        assert_eq!(
            (query.get("empty"), query.get("x"), query.get("none")),
            (Some(""), Some(""), None)
        );
        assert_eq!(
            (query.chosen("empty"), query.chosen("x"), query.chosen("run")),
            (None, None, Some("ab"))
        );
        assert_eq!((query.number("ttft"), query.number("bad")), (Some(1.5), None));
    }

    #[test]
    fn a_broken_escape_stays_as_it_is() {
        for (text, value) in [("x=%zz%4", "%zz%4"), ("x=%E4%B8", "\u{fffd}"), ("x=%+1", "% 1")] {
            assert_eq!(Query::parse(text).get("x"), Some(value));
        }
    }
}
