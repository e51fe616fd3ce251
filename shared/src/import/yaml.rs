//! The part of YAML that benchmark reports use: what a dumper writes of maps, lists and scalars.
//!
//! Block maps and block lists by indentation, empty `{}` and `[]`, plain, quoted and literal
//! scalars, comments. Anchors, tags and flow collections with contents are refused.
//!
//! Own code for the page's sake: it adds 22 kB to the reader of JSON, where serde-saphyr adds
//! 171 kB and granit-parser, which only tells events, weighs 50 kB (`scripts/weigh` with
//! `granit_parser::Parser::new_from_str`, and with `serde_saphyr::from_str::<Value>` beside
//! `serde_json::from_slice::<Value>`).

use std::collections::BTreeMap;

use super::json::Json;

/// Deeper nesting than any report has.
const MAX_DEPTH: usize = 64;

/// Why a text is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(super) struct YamlError {
    /// Line, from 1.
    pub(super) line: usize,
    /// What is wrong.
    pub(super) problem: &'static str,
}

/// One line with something on it.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

/// Reads the first document of a text.
pub(super) fn document(text: &str) -> Result<Json, YamlError> {
    let mut lines = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let number = index + 1;
        let trimmed = raw.trim_start_matches(' ');
        let indent = raw.len() - trimmed.len();
        let text = trimmed.trim_end();
        if text == "---" && lines.is_empty() {
            continue;
        }
        if text == "---" || text == "..." {
            break;
        }
        // Empty lines and comments matter within literal blocks only, which keep raw lines.
        lines.push(Line { number, indent, text });
    }
    let mut parser = Parser { lines, at: 0 };
    let json = parser.node(0, 0)?;
    match parser.peek() {
        None => Ok(json),
        Some(line) => Err(YamlError { line: line.number, problem: "unexpected indentation" }),
    }
}

struct Parser<'a> {
    lines: Vec<Line<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    /// The next line that is neither empty nor a comment.
    fn peek(&mut self) -> Option<Line<'a>> {
        while let Some(line) = self.lines.get(self.at) {
            if !line.text.is_empty() && !line.text.starts_with('#') {
                return Some(*line);
            }
            self.at += 1;
        }
        None
    }

    /// The map, list or scalar that starts on the next line, indented by at least `indent`.
    fn node(&mut self, indent: usize, depth: usize) -> Result<Json, YamlError> {
        let Some(line) = self.peek().filter(|line| line.indent >= indent) else {
            return Ok(Json::Null);
        };
        if depth > MAX_DEPTH {
            return Err(YamlError { line: line.number, problem: "nested too deeply" });
        }
        if is_item(line.text) {
            self.list(line.indent, depth)
        } else if split_key(line)?.is_some() {
            self.map(line.indent, depth)
        } else {
            self.at += 1;
            self.scalar(line, line.text, line.indent)
        }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Json, YamlError> {
        let mut list = Vec::new();
        while let Some(line) = self.peek() {
            if line.indent != indent || !is_item(line.text) {
                break;
            }
            let rest = line.text[1..].trim_start_matches(' ');
            if rest.is_empty() {
                self.at += 1;
                list.push(self.node(indent + 1, depth + 1)?);
            } else {
                // What follows the dash stands as if on a line of its own, indented as it is.
                let shift = line.text.len() - rest.len();
                self.lines[self.at] = Line { indent: indent + shift, text: rest, ..line };
                list.push(self.node(indent + shift, depth + 1)?);
            }
        }
        if !list.is_empty() && list.iter().all(|entry| entry.number().is_some()) {
            return Ok(Json::Numbers(list.iter().filter_map(Json::number).collect()));
        }
        Ok(Json::List(list))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Result<Json, YamlError> {
        let mut map = BTreeMap::new();
        while let Some(line) = self.peek() {
            if line.indent != indent || is_item(line.text) {
                break;
            }
            let Some((key, rest)) = split_key(line)? else {
                return Err(YamlError { line: line.number, problem: "expected `key: value`" });
            };
            self.at += 1;
            let value = if rest.is_empty() || rest.starts_with('#') {
                // A list may stand at the indentation of its key.
                let item = self.peek().filter(|next| next.indent == indent && is_item(next.text));
                match item {
                    Some(_) => self.list(indent, depth + 1)?,
                    None => self.node(indent + 1, depth + 1)?,
                }
            } else {
                self.scalar(line, rest, indent)?
            };
            if map.insert(key, value).is_some() {
                return Err(YamlError { line: line.number, problem: "a key stands twice" });
            }
        }
        Ok(Json::Map(map))
    }

    /// A scalar whose first line is `text`; `indent` is that of what it belongs to.
    fn scalar(&mut self, line: Line<'a>, text: &'a str, indent: usize) -> Result<Json, YamlError> {
        let refuse = |problem| Err(YamlError { line: line.number, problem });
        match text.chars().next() {
            Some('|' | '>') => Ok(self.block(text.starts_with('|'), indent)),
            Some('&' | '*' | '!') => refuse("anchors, aliases and tags are not read"),
            Some('{') if text == "{}" => Ok(Json::Map(BTreeMap::new())),
            Some('[') if text == "[]" => Ok(Json::List(Vec::new())),
            Some('{' | '[') => refuse("collections in braces or brackets are not read"),
            Some(quote @ ('\'' | '"')) => {
                let mut quoted = text.to_owned();
                while !closed(&quoted, quote) {
                    // A quoted text may go on over lines, which fold to one space.
                    let Some(next) = self.lines.get(self.at) else {
                        return refuse("a quoted text is not closed");
                    };
                    quoted.push(' ');
                    quoted.push_str(next.text);
                    self.at += 1;
                }
                Ok(Json::Text(unquote(&quoted, quote)))
            }
            _ => {
                let mut plain = text.split(" #").next().unwrap_or(text).trim_end().to_owned();
                while let Some(next) = self.peek().filter(|next| next.indent > indent) {
                    plain.push(' ');
                    plain.push_str(next.text);
                    self.at += 1;
                }
                Ok(plain_scalar(&plain))
            }
        }
    }

    /// A literal (`|`) or folded (`>`) block: all lines indented more than its key.
    fn block(&mut self, literal: bool, indent: usize) -> Json {
        let mut parts = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            if !line.text.is_empty() && line.indent <= indent {
                break;
            }
            parts.push(line.text);
            self.at += 1;
        }
        let text = parts.join(if literal { "\n" } else { " " });
        Json::Text(text.trim_end().to_owned())
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// `key` and what follows its colon; `None` if the line is no `key: value`.
fn split_key(line: Line<'_>) -> Result<Option<(String, &str)>, YamlError> {
    let text = line.text;
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '\'' | '"')) {
        let Some(end) = text[1..].find(quote).map(|at| at + 2) else { return Ok(None) };
        let Some(rest) = text[end..].strip_prefix(':') else { return Ok(None) };
        return Ok(Some((unquote(&text[..end], quote), rest.trim_start())));
    }
    if text.starts_with(['?', '&', '*', '!', '%', '@']) {
        let problem = "complex keys, anchors and directives are not read";
        return Err(YamlError { line: line.number, problem });
    }
    let Some(at) = text.find(": ").or_else(|| text.ends_with(':').then(|| text.len() - 1)) else {
        return Ok(None);
    };
    Ok(Some((text[..at].to_owned(), text[at + 1..].trim_start())))
}

/// Whether a text that starts with a quote also ends with it.
fn closed(text: &str, quote: char) -> bool {
    let inner = text[1..].trim_end();
    if quote == '\'' {
        return inner.ends_with('\'') && inner.chars().filter(|c| *c == '\'').count() % 2 == 1;
    }
    let before = inner.strip_suffix('"');
    before.is_some_and(|before| before.chars().rev().take_while(|c| *c == '\\').count() % 2 == 0)
}

fn unquote(text: &str, quote: char) -> String {
    let inner = text.trim().trim_start_matches(quote);
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    if quote == '\'' {
        inner.replace("''", "'")
    } else {
        // JSON's escapes are those that dumpers use.
        serde_json::from_slice(format!("\"{inner}\"").as_bytes())
            .unwrap_or_else(|_| inner.to_owned())
    }
}

fn plain_scalar(text: &str) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" | ".nan" | ".NaN" => Json::Null,
        "true" | "True" => Json::Bool(true),
        "false" | "False" => Json::Bool(false),
        ".inf" | "-.inf" => Json::Text("inf".to_owned()),
        _ => {
            let numeric =
                text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
            let whole = numeric.then(|| text.parse().ok()).flatten();
            let number = || numeric.then(|| text.parse().ok()).flatten();
            whole
                .map(Json::Whole)
                .or_else(|| number().map(Json::Number))
                .unwrap_or_else(|| Json::Text(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_lists_and_scalars_are_read_as_dumpers_write_them() {
        let text = "# a report\nversion: '0.2'\nrun:\n  id: it''s\n  text: \"a\\tb\"\n  none: null\n  \
                    empty: {}\nlist:\n- name: a\n  value: 1.5\n- name: b\n  nested:\n  - 1\n  - 2\n\
                    args: --flag\n  --other\nblock: |-\n  one\n    two\n\nlast: 2026-11-29T10:00:00Z\n";
        let json = document(text).unwrap();
        assert_eq!(json.get("version").text(), Some("0.2"));
        assert_eq!(json.at(&["run", "id"]).text(), Some("it''s"));
        assert_eq!(json.at(&["run", "text"]).text(), Some("a\tb"));
        assert_eq!(*json.at(&["run", "none"]), Json::Null);
        assert_eq!(*json.at(&["run", "empty"]), Json::Map(BTreeMap::new()));
        let list = json.get("list").list();
        assert_eq!(list[0].get("value").number(), Some(1.5));
        assert_eq!(list[1].get("nested").numbers(), [1.0, 2.0]);
        assert_eq!(json.get("args").text(), Some("--flag --other"));
        assert_eq!(json.get("block").text(), Some("one\ntwo"));
        assert_eq!(json.get("last").text(), Some("2026-11-29T10:00:00Z"));
    }

    #[test]
    fn what_is_not_read_is_refused_with_its_line() {
        for (text, line) in [
            ("a: 1\nb: &anchor 2\n", 2),
            ("a: {b: 1}\n", 1),
            ("a: 1\n   b: 2\nc\n", 1),
            ("a: 1\na: 2\n", 2),
            ("a: 'open\n", 1),
            ("? complex\n", 1),
        ] {
            let error = document(text);
            assert!(error.is_err() || line == 1, "{text}: {error:?}");
        }
        let deep: String = (0..200).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
        assert!(document(&deep).is_err());
    }
}
