//! JSON as benchmark tools really write it: with bare `Infinity` and `NaN`, many documents in a
//! file, and long lists of numbers.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// Texts longer than this are cut: they are prompts and answers, which no import needs.
const MAX_TEXT: usize = 4096;

/// A JSON value that is frugal with lists of numbers and with long texts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// A whole number that a float may not hold exactly.
    Whole(i64),
    Number(f64),
    Text(String),
    /// A list of nothing but numbers.
    Numbers(Vec<f64>),
    List(Vec<Json>),
    Map(BTreeMap<String, Json>),
}

static NULL: Json = Json::Null;

impl Json {
    /// The member of a map; `Null` where there is none.
    pub(super) fn get(&self, name: &str) -> &Self {
        match self {
            Self::Map(map) => map.get(name).unwrap_or(&NULL),
            _ => &NULL,
        }
    }

    /// The member at the end of a path of names.
    pub(super) fn at(&self, path: &[&str]) -> &Self {
        path.iter().fold(self, |json, name| json.get(name))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        matches!(self, Self::Map(map) if map.contains_key(name))
    }

    /// A finite number, written as one.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Whole(number) => Some(*number as f64),
            Self::Number(number) => Some(*number).filter(|number| number.is_finite()),
            _ => None,
        }
    }

    /// A count: a whole number from 0, also where it is written as a float.
    pub(super) fn count(&self) -> Option<u64> {
        match self {
            Self::Whole(number) => u64::try_from(*number).ok(),
            Self::Number(number) if number.fract() == 0.0 && (0.0..9e15).contains(number) => {
                Some(*number as u64)
            }
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) const fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The entries of a list of anything; a list of numbers has none here.
    pub(super) fn list(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }

    /// The numbers of a list of nothing else.
    pub(super) fn numbers(&self) -> &[f64] {
        match self {
            Self::Numbers(numbers) => numbers,
            _ => &[],
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Read)
    }
}

struct Read;

impl<'de> Visitor<'de> for Read {
    type Value = Json;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Whole(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(i64::try_from(number).map_or(Json::Number(number as f64), Json::Whole))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Json::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_TEXT);
        Ok(Json::Text(text[..end.unwrap_or(text.len())].to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut numbers = Vec::new();
        while let Some(entry) = seq.next_element()? {
            match entry {
                Json::Number(number) => numbers.push(number),
                Json::Whole(number) => numbers.push(number as f64),
                other => {
                    let mut list: Vec<Json> = numbers.into_iter().map(Json::Number).collect();
                    list.push(other);
                    while let Some(entry) = seq.next_element()? {
                        list.push(entry);
                    }
                    return Ok(Json::List(list));
                }
            }
        }
        Ok(Json::Numbers(numbers))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((name, value)) = members.next_entry::<String, Json>()? {
            map.insert(name, value);
        }
        Ok(Json::Map(map))
    }
}

/// Every document of a text: one JSON value, or one a line or otherwise one after another.
pub(super) fn documents(text: &str) -> Result<Vec<Json>, serde_json::Error> {
    let read = |text: &str| -> Result<Vec<Json>, serde_json::Error> {
        serde_json::Deserializer::from_slice(text.as_bytes()).into_iter().collect()
    };
    read(text).or_else(|error| match lenient(text) {
        Some(text) => read(&text),
        None => Err(error),
    })
}

/// The text with the constants that JSON does not have as texts: `Infinity` becomes `"inf"`,
/// `NaN` becomes `null`. `None` if it has none of them.
fn lenient(text: &str) -> Option<String> {
    if !(text.contains("Infinity") || text.contains("NaN")) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 64);
    let (mut rest, mut changed) = (text, false);
    while let Some(at) = rest.find(['"', 'I', 'N']) {
        let (before, here) = rest.split_at(at);
        out.push_str(before);
        let (taken, written) = if here.starts_with('"') {
            let end = string_end(here);
            (end, &here[..end])
        } else if here.starts_with("Infinity") {
            changed = true;
            (8, "\"inf\"")
        } else if here.starts_with("NaN") {
            changed = true;
            (3, "null")
        } else {
            (1, &here[..1])
        };
        // No tool writes a negative infinity that means anything.
        if written == "\"inf\"" && out.ends_with('-') {
            out.pop();
        }
        out.push_str(written);
        rest = &here[taken..];
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// Where the JSON string at the start of a text ends.
fn string_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinity_and_nan_are_read_outside_of_texts_only() {
        let text =
            r#"{"rate": Infinity, "low": -Infinity, "none": NaN, "note": "NaN \" Infinity"}"#;
        let documents = documents(text).unwrap();
        assert_eq!(documents[0].get("rate").text(), Some("inf"));
        assert_eq!(documents[0].get("low").text(), Some("inf"));
        assert_eq!(*documents[0].get("none"), Json::Null);
        assert_eq!(documents[0].get("note").text(), Some("NaN \" Infinity"));
        assert!(super::documents("{\"a\": Inf}").is_err());
        assert!(super::documents("Infinity \"").is_err(), "an open string ends somewhere");
    }

    #[test]
    fn numbers_stay_compact_and_whole_ones_exact() {
        let documents = documents("[1, 2.5]\n[1, null]\n{\"t\": 1762551534797067827}").unwrap();
        assert_eq!(documents[0], Json::Numbers(vec![1.0, 2.5]));
        assert_eq!(documents[1].list().len(), 2);
        assert_eq!(documents[2].get("t").count(), Some(1_762_551_534_797_067_827));
        assert_eq!(Json::Number(3.0).count(), Some(3));
        assert_eq!(Json::Number(-3.0).count(), None);
        assert_eq!(Json::Number(f64::INFINITY).number(), None);
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let text = format!("\"{}\"", "汉".repeat(3000));
        let documents = documents(&text).unwrap();
        assert!(documents[0].text().unwrap().len() <= MAX_TEXT + 3);
    }
}
