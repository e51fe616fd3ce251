//! The part of TOML in which promise sheets and price sheets are written, small enough for a
//! page: tables, arrays of tables, and on one line strings, numbers, truths, arrays and inline
//! tables. What it does not know it refuses, with the line.

use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

/// Why a text is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Line, from 1; `None` where the whole does not make what was asked for.
    pub(crate) line: Option<usize>,
    /// What is wrong, in the words of whoever found it.
    pub(crate) problem: String,
}

/// Reads a text into what is asked for.
pub(crate) fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Refused> {
    let value = Value::Object(parse(text)?);
    serde_json::from_value(value)
        .map_err(|error| Refused { line: None, problem: error.to_string() })
}

fn parse(text: &str) -> Result<Map<String, Value>, Refused> {
    let mut root = Map::new();
    let mut path: Vec<String> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let refused = |problem: &str| Refused { line: Some(at + 1), problem: problem.to_owned() };
        let mut reader = Reader { rest: line.trim_start() };
        if reader.rest.is_empty() || reader.rest.starts_with('#') {
            continue;
        }
        if let Some(rest) = reader.rest.strip_prefix("[[") {
            reader.rest = rest;
            path = reader.path(']').ok_or_else(|| refused(NAME))?;
            let closed = reader.take("]]") && reader.at_end();
            let (last, parents) = path.split_last().ok_or_else(|| refused(NAME))?;
            let parent = table(&mut root, parents).filter(|_| closed);
            let entry = parent.map(|parent| {
                parent.entry(last.clone()).or_insert_with(|| Value::Array(Vec::new()))
            });
            let Some(Value::Array(tables)) = entry else { return Err(refused(TABLE)) };
            tables.push(Value::Object(Map::new()));
        } else if reader.take("[") {
            path = reader.path(']').ok_or_else(|| refused(NAME))?;
            let closed = reader.take("]") && reader.at_end();
            table(&mut root, &path).filter(|_| closed).ok_or_else(|| refused(TABLE))?;
        } else {
            let mut keys = reader.path('=').ok_or_else(|| refused(NAME))?;
            let value = if reader.take("=") { reader.value(0) } else { None };
            let value = value.filter(|_| reader.at_end()).ok_or_else(|| refused(VALUE))?;
            let last = keys.pop().ok_or_else(|| refused(NAME))?;
            let parents: Vec<String> = path.iter().chain(&keys).cloned().collect();
            let into = table(&mut root, &parents).ok_or_else(|| refused(TABLE))?;
            if into.insert(last, value).is_some() {
                return Err(refused("the name is given twice"));
            }
        }
    }
    Ok(root)
}

const NAME: &str = "a name is expected";
const VALUE: &str =
    "a text in quotes, a number, true, false, an array or an inline table is expected";
const TABLE: &str = "the table's name is not closed, or is already something else";

/// How deeply arrays and inline tables may lie in each other.
const DEPTH: u32 = 16;

/// The table of a path, made where it is missing; the last one of an array of tables.
fn table<'a>(
    root: &'a mut Map<String, Value>,
    path: &[String],
) -> Option<&'a mut Map<String, Value>> {
    path.iter().try_fold(root, |table, key| {
        let value = table.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()));
        match value {
            Value::Object(table) => Some(table),
            Value::Array(tables) => tables.last_mut()?.as_object_mut(),
            _ => None,
        }
    })
}

/// A line being read from the front.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, text: &str) -> bool {
        self.space();
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn at_end(&mut self) -> bool {
        self.space();
        self.rest.is_empty() || self.rest.starts_with('#')
    }

    /// Names joined by dots, up to a character that is left there.
    fn path(&mut self, end: char) -> Option<Vec<String>> {
        let mut path = Vec::new();
        loop {
            self.space();
            path.push(self.name()?);
            if !self.take(".") {
                return self.rest.starts_with(end).then_some(path);
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        if self.rest.starts_with(['"', '\'']) {
            return self.text();
        }
        let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let end = self.rest.find(|c| !bare(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn text(&mut self) -> Option<String> {
        if let Some(rest) = self.rest.strip_prefix('\'') {
            let (text, rest) = rest.split_once('\'')?;
            self.rest = rest;
            return Some(text.to_owned());
        }
        let mut text = String::new();
        let mut letters = self.rest.strip_prefix('"')?.chars();
        loop {
            match letters.next()? {
                '"' => break,
                '\\' => text.push(match letters.next()? {
                    'n' => '\n',
                    't' => '\t',
                    '"' => '"',
                    '\\' => '\\',
                    _ => return None,
                }),
                letter => text.push(letter),
            }
        }
        self.rest = letters.as_str();
        Some(text)
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        self.space();
        if depth == DEPTH {
            return None;
        }
        // Texts of several lines begin with three quotes.
        if self.rest.starts_with("\"\"\"") || self.rest.starts_with("'''") {
            return None;
        }
        if self.rest.starts_with(['"', '\'']) {
            return self.text().map(Value::String);
        }
        if self.take("[") {
            let mut values = Vec::new();
            while !self.take("]") {
                values.push(self.value(depth + 1)?);
                if !self.take(",") && !self.rest.starts_with(']') {
                    return None;
                }
            }
            return Some(Value::Array(values));
        }
        if self.take("{") {
            let mut table = Map::new();
            while !self.take("}") {
                self.space();
                let name = self.name()?;
                let value = if self.take("=") { self.value(depth + 1) } else { None };
                if table.insert(name, value?).is_some() {
                    return None;
                }
                if !self.take(",") && !self.rest.starts_with('}') {
                    return None;
                }
            }
            return Some(Value::Object(table));
        }
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | '#');
        let (word, rest) = self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        self.rest = rest;
        match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => number(word).map(Value::Number),
        }
    }
}

/// A number, in which single underscores may stand between digits.
fn number(word: &str) -> Option<Number> {
    let bytes = word.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let lonely = |at: usize| bytes[at] == b'_' && !(at > 0 && digit(at - 1) && digit(at + 1));
    let known = |byte: &u8| byte.is_ascii_digit() || b"+-.eE_".contains(byte);
    if bytes.iter().any(|byte| !known(byte)) || (0..bytes.len()).any(lonely) {
        return None;
    }
    let plain = word.replace('_', "");
    match plain.trim_start_matches('+').parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => plain.parse().ok().and_then(Number::from_f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the whole language's own reader reads it.
    fn expected(text: &str) -> Value {
        ::toml::from_str(text).unwrap()
    }

    #[test]
    fn every_sheet_of_the_tool_is_read_as_the_whole_language_reads_it() {
        for folder in ["prices", "promises", "workloads"] {
            let path = format!("{}/../assets/{folder}", env!("CARGO_MANIFEST_DIR"));
            for file in std::fs::read_dir(path).unwrap() {
                let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
                assert_eq!(Value::Object(parse(&text).unwrap()), expected(&text), "{text}");
            }
        }
    }

    #[test]
    fn what_is_read_is_what_the_whole_language_reads() {
        let text = "a = 1_000 # one\nb.c = 'x # y'\n\"d e\" = -2.5e3\nf = [1, 2,]\ng = []\n\
            [h]\ni = \"\\t\\\"≤8k\\\\\"\n[[j.k]]\nl = {m = true, n = {}}\n[[j.k]]\n[j.k.o]\np = +7\n";
        assert_eq!(Value::Object(parse(text).unwrap()), expected(text));
    }

    #[test]
    fn what_it_does_not_know_is_refused_with_its_line() {
        for text in [
            "a = 1\nb",
            "a = 1\nb =",
            "a = 1\nb = 1979-05-27",
            "a = 1\nb = \"\"\"x\"\"\"",
            "a = 1\nb = [1 2]",
            "a = 1\nb = 1__0",
            "a = 1\nb = nan",
            "a = 1\nb = 1 2",
            "a = 1\n[b",
            "a = 1\n[[b]",
            "a = 1\n[a]",
            "a = 1\na = 2",
            "a = 1\n= 2",
            "a = 1\nb = \"x",
        ] {
            assert_eq!(parse(text).unwrap_err().line, Some(2), "{text}");
        }
        assert_eq!(parse(&format!("a = {}", "[".repeat(100_000))).unwrap_err().line, Some(1));
    }
}
