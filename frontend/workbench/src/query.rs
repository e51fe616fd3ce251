//! What the reader chose, as the query of a page's address: a link to it shows the same again.

/// Names and values, in the order given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads `name=value&…`, percent-encoded as a form writes it.
    pub(crate) fn parse(text: &str) -> Self {
        let decode = |part: &str| decode(&part.replace('+', " "));
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        });
        Self(pairs.collect())
    }

    /// The value of a name; `None` too where it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// A positive number.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0)
    }
}

/// Undoes percent-encoding; what is not encoded properly stays as it is.
fn decode(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_as_a_form_writes_it() {
        let query = Query::parse("run=ab&name=a+b%26c&empty=&x&ttft=1.5&bad=-1&worse=%zz");
        assert_eq!(query.get("run"), Some("ab"));
        assert_eq!(query.get("name"), Some("a b&c"));
        assert_eq!((query.get("empty"), query.get("x"), query.get("none")), (None, None, None));
        assert_eq!((query.number("ttft"), query.number("bad")), (Some(1.5), None));
        assert_eq!(query.get("worse"), Some("%zz"));
    }
}
