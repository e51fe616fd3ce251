//! Pages in the Prometheus text format, as exporters really write them.
//!
//! Label order, white space, comments, `_created` series, timestamps and exemplars differ from
//! one exporter to the next; a line that cannot be read is left out and counted.

/// One line with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The metric's name, its `_bucket`, `_total`… included.
    pub name: String,
    /// Labels in the order of their names.
    pub labels: Vec<(String, String)>,
    /// The value; it may be infinite or NaN.
    pub value: f64,
}

impl Series {
    /// The value of a label.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Reads a page; returns its series and the number of lines that are none.
#[must_use]
pub fn parse(page: &str) -> (Vec<Series>, usize) {
    let (mut all, mut unreadable) = (Vec::new(), 0);
    for line in page.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match parse_line(line) {
            Some(series) => all.push(series),
            None => unreadable += 1,
        }
    }
    (all, unreadable)
}

fn parse_line(line: &str) -> Option<Series> {
    let end = line.find(|c: char| c == '{' || c.is_whitespace())?;
    let (name, rest) = line.split_at(end);
    if name.is_empty() {
        return None;
    }
    let rest = rest.trim_start();
    let (mut labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => parse_labels(rest)?,
        None => (Vec::new(), rest),
    };
    // A timestamp or an exemplar may follow the value.
    let value = parse_value(rest.split_whitespace().next()?)?;
    labels.sort();
    Some(Series { name: name.into(), labels, value })
}

type Labels = Vec<(String, String)>;

/// Reads labels up to the closing brace; returns what follows it.
fn parse_labels(mut rest: &str) -> Option<(Labels, &str)> {
    let mut labels = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ', '\t']);
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((labels, rest));
        }
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start().strip_prefix('"')?;
        let (mut value, mut end, mut escaped) = (String::new(), None, false);
        for (at, c) in after.char_indices() {
            match (escaped, c) {
                (true, 'n') => value.push('\n'),
                (true, c) => value.push(c),
                (false, '\\') => {
                    escaped = true;
                    continue;
                }
                (false, '"') => {
                    end = Some(at + 1);
                    break;
                }
                (false, c) => value.push(c),
            }
            escaped = false;
        }
        labels.push((key.trim().to_owned(), value));
        rest = &after[end?..];
    }
}

fn parse_value(text: &str) -> Option<f64> {
    match text {
        "+Inf" | "Inf" => Some(f64::INFINITY),
        "-Inf" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => {
            text.parse().ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(line: &str) -> Series {
        let (mut all, unreadable) = parse(line);
        assert_eq!((all.len(), unreadable), (1, 0), "{line}");
        all.remove(0)
    }

    #[test]
    fn names_labels_and_values_are_read_however_they_are_spaced() {
        let plain = one("up 1");
        assert_eq!((plain.name.as_str(), plain.value), ("up", 1.0));
        for line in [
            r#"vllm:x_bucket{le="0.3",engine="0"} 4.0"#,
            r#"vllm:x_bucket{engine="0", le="0.3"} 4.0"#,
            r#"vllm:x_bucket { engine = "0" , le="0.3", } 4.0 1613993498553"#,
            r##"vllm:x_bucket{engine="0",le="0.3"} 4.0 # {trace_id="a"} 0.2 1.6e9"##,
        ] {
            let series = one(line);
            assert_eq!(series.name, "vllm:x_bucket", "{line}");
            let labels: Vec<_> = series.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
            assert_eq!(labels, ["engine=0", "le=0.3"], "{line}");
            assert_eq!(series.value, 4.0, "{line}");
        }
    }

    #[test]
    fn escapes_and_braces_inside_values_are_kept_apart_from_structure() {
        let series = one(r#"a{b="x\"y\\z\n}",c="1,2"} 3"#);
        assert_eq!(series.label("b"), Some("x\"y\\z\n}"));
        assert_eq!(series.label("c"), Some("1,2"));
    }

    #[test]
    fn special_values_are_read_and_nonsense_is_counted() {
        assert_eq!(one("a +Inf").value, f64::INFINITY);
        assert!(one("a NaN").value.is_nan());
        assert_eq!(one("a 1.7682648369328723e+09").value, 1.768_264_836_932_872_3e9);
        let nonsense = "a\n{b=\"c\"} 1\na{b=\"c} 1\na infinity\nHELP me\n";
        assert_eq!(parse(nonsense), (vec![], 5));
    }

    #[test]
    fn comments_and_blank_lines_are_nothing() {
        assert_eq!(parse("# HELP a b\n\n# TYPE a gauge\n#EOF\n").0, []);
    }

    proptest! {
        #[test]
        fn no_page_makes_it_panic(page in "[a-z{}=\",\\\\ \n#0-9.+-]{0,200}") {
            let _ = parse(&page);
        }

        #[test]
        fn what_is_written_is_read(
            labels in prop::collection::btree_map("[a-z_]{1,8}", ".{0,12}", 0..5),
            value in any::<i32>(),
        ) {
            let written: Vec<_> = labels
                .iter()
                .map(|(key, value)| {
                    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                    format!("{key}=\"{value}\"")
                })
                .collect();
            // The format has no escape for other line ends.
            prop_assume!(written.iter().all(|label| !label.contains(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])));
            let series = one(&format!("m{{{}}} {value}", written.join(",")));
            prop_assert_eq!(series.labels, labels.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(series.value, f64::from(value));
        }
    }
}
