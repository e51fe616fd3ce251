//! A reader that walks over JSON text and stops where its caller is interested.
//!
//! An event of a stream is looked at once, for a handful of fields; building values of it would
//! cost more than everything else the client does. Nothing is allocated; strings are handed
//! out as they stand, with their escapes. Structure is checked, skipped scalars are not.

use memchr::memchr2;

/// Nesting beyond which a text is refused.
const MAX_DEPTH: u32 = 64;

/// The text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not JSON")]
pub struct NotJson;

/// A position in a JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    depth: u32,
}

/// What the next value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`
    Null,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of a text.
    #[must_use]
    pub const fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    fn peek(&mut self) -> Result<u8, NotJson> {
        while let Some(&byte) = self.text.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Ok(byte);
            }
            self.at += 1;
        }
        Err(NotJson)
    }

    fn take(&mut self, wanted: u8) -> Result<(), NotJson> {
        if self.peek()? != wanted {
            return Err(NotJson);
        }
        self.at += 1;
        Ok(())
    }

    /// What the next value is.
    ///
    /// # Errors
    /// At the end of the text or before something that starts no value.
    pub fn kind(&mut self) -> Result<Kind, NotJson> {
        match self.peek()? {
            b'{' => Ok(Kind::Object),
            b'[' => Ok(Kind::Array),
            b'"' => Ok(Kind::String),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            b't' | b'f' => Ok(Kind::Bool),
            b'n' => Ok(Kind::Null),
            _ => Err(NotJson),
        }
    }

    /// Reads an object; `field` gets each key, without escapes, and must read or skip its value.
    ///
    /// # Errors
    /// If this is no object or `field` fails.
    pub fn object(
        &mut self,
        mut field: impl FnMut(&mut Self, &[u8]) -> Result<(), NotJson>,
    ) -> Result<(), NotJson> {
        self.list(b'{', b'}', |reader| {
            let (key, escaped) = reader.walk_string()?;
            reader.take(b':')?;
            if escaped { field(reader, unescape(key).as_bytes()) } else { field(reader, key) }
        })
    }

    /// Reads an array; `item` must read or skip each value.
    ///
    /// # Errors
    /// If this is no array or `item` fails.
    pub fn array(
        &mut self,
        item: impl FnMut(&mut Self) -> Result<(), NotJson>,
    ) -> Result<(), NotJson> {
        self.list(b'[', b']', item)
    }

    fn list(
        &mut self,
        open: u8,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), NotJson>,
    ) -> Result<(), NotJson> {
        self.take(open)?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(NotJson);
        }
        if self.peek()? == close {
            self.at += 1;
        } else {
            loop {
                item(self)?;
                match self.peek()? {
                    b',' => self.at += 1,
                    byte if byte == close => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(NotJson),
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads a string: what stands between the quotes, escapes included.
    ///
    /// # Errors
    /// If this is no string or it has no end.
    pub fn string(&mut self) -> Result<&'a [u8], NotJson> {
        self.walk_string().map(|(inside, _)| inside)
    }

    /// The inside of a string, and whether it has escapes.
    fn walk_string(&mut self) -> Result<(&'a [u8], bool), NotJson> {
        self.take(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            let found = memchr2(b'"', b'\\', &self.text[self.at..]).ok_or(NotJson)?;
            let at = self.at + found;
            if self.text[at] == b'"' {
                self.at = at + 1;
                return Ok((&self.text[start..at], escaped));
            }
            // A backslash and what it escapes.
            escaped = true;
            self.at = at + 2;
            if self.at > self.text.len() {
                return Err(NotJson);
            }
        }
    }

    fn scalar(&mut self) -> Result<&'a [u8], NotJson> {
        self.peek()?;
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest
            .iter()
            .position(|byte| !matches!(byte, b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E'))
            .unwrap_or(rest.len());
        self.at += length;
        if length == 0 { Err(NotJson) } else { Ok(&rest[..length]) }
    }

    /// Reads a number; `None` if the value is something else, which is skipped.
    ///
    /// # Errors
    /// If this is no value.
    pub fn number(&mut self) -> Result<Option<f64>, NotJson> {
        if self.kind()? != Kind::Number {
            self.skip()?;
            return Ok(None);
        }
        let text = std::str::from_utf8(self.scalar()?).map_err(|_| NotJson)?;
        text.parse().map(Some).map_err(|_| NotJson)
    }

    /// Reads a count; `None` if the value is no number in the range of a count.
    ///
    /// # Errors
    /// If this is no value.
    pub fn count(&mut self) -> Result<Option<u32>, NotJson> {
        let number = self.number()?;
        Ok(number
            .filter(|n| n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(n))
            .map(|n| n as u32))
    }

    /// Reads a string; `None` if the value is something else, which is skipped.
    ///
    /// # Errors
    /// If this is no value.
    pub fn text(&mut self) -> Result<Option<&'a [u8]>, NotJson> {
        if self.kind()? == Kind::String {
            self.string().map(Some)
        } else {
            self.skip()?;
            Ok(None)
        }
    }

    /// Steps over a value.
    ///
    /// # Errors
    /// If this is no value.
    pub fn skip(&mut self) -> Result<(), NotJson> {
        match self.kind()? {
            Kind::Object => self.object(|reader, _| reader.skip()),
            Kind::Array => self.array(Self::skip),
            Kind::String => self.string().map(drop),
            Kind::Number => self.scalar().map(drop),
            Kind::Bool => match self.scalar()? {
                b"true" | b"false" => Ok(()),
                _ => Err(NotJson),
            },
            Kind::Null => match self.scalar()? {
                b"null" => Ok(()),
                _ => Err(NotJson),
            },
        }
    }

    /// Checks that nothing but white space is left.
    ///
    /// # Errors
    /// If something is.
    pub fn end(&mut self) -> Result<(), NotJson> {
        if self.peek().is_ok() { Err(NotJson) } else { Ok(()) }
    }

    /// The text of the value that comes next, which is skipped.
    ///
    /// # Errors
    /// If this is no value.
    pub fn raw(&mut self) -> Result<&'a [u8], NotJson> {
        self.peek()?;
        let start = self.at;
        self.skip()?;
        Ok(&self.text[start..self.at])
    }
}

/// Appends a text to a JSON string that is being written, with the escapes it needs.
pub fn escape_into(out: &mut Vec<u8>, text: &str) {
    for &byte in text.as_bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
}

/// The text of a JSON string's inside; what cannot be decoded is shown as it stands.
#[must_use]
pub fn unescape(inside: &[u8]) -> String {
    let mut quoted = Vec::with_capacity(inside.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(inside);
    quoted.push(b'"');
    serde_json::from_slice(&quoted).unwrap_or_else(|_| String::from_utf8_lossy(inside).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<i32>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
            ".{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[\\PC\"\\\\]{0,6}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// Builds a value with the reader, to compare it with serde_json's.
    fn build(reader: &mut Reader<'_>) -> Result<Value, NotJson> {
        Ok(match reader.kind()? {
            Kind::Object => {
                let mut map = serde_json::Map::new();
                reader.object(|reader, key| {
                    map.insert(String::from_utf8_lossy(key).into_owned(), build(reader)?);
                    Ok(())
                })?;
                Value::Object(map)
            }
            Kind::Array => {
                let mut items = Vec::new();
                reader.array(|reader| {
                    items.push(build(reader)?);
                    Ok(())
                })?;
                Value::from(items)
            }
            Kind::String => Value::from(unescape(reader.string()?)),
            _ => serde_json::from_slice(reader.raw()?).map_err(|_| NotJson)?,
        })
    }

    proptest! {
        #[test]
        fn every_json_text_is_read_as_serde_json_reads_it(value in value(), pretty: bool) {
            let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) };
            let text = text.unwrap();
            let mut reader = Reader::new(&text);
            prop_assert_eq!(build(&mut reader).unwrap(), value);
            reader.end().unwrap();
            let mut reader = Reader::new(&text);
            reader.skip().unwrap();
            reader.end().unwrap();
        }

        #[test]
        fn no_bytes_make_it_panic_and_a_cut_text_is_refused(value in value(), cut: prop::sample::Index, noise: Vec<u8>) {
            let _ = Reader::new(&noise).skip();
            let text = serde_json::to_vec(&Value::from(vec![value])).unwrap();
            let mut reader = Reader::new(&text[..cut.index(text.len())]);
            prop_assert!(reader.skip().is_err());
        }

        #[test]
        fn escaping_is_the_inverse_of_unescaping(text in any::<String>()) {
            let mut out = Vec::new();
            escape_into(&mut out, &text);
            prop_assert_eq!(unescape(&out), text);
        }
    }

    #[test]
    fn a_text_of_a_thousand_brackets_is_refused() {
        assert_eq!(Reader::new(&[b'['; 1000]).skip(), Err(NotJson));
    }

    #[test]
    fn a_count_is_a_whole_number_of_its_range() {
        let count = |text: &str| Reader::new(text.as_bytes()).count();
        assert_eq!(count("4294967295"), Ok(Some(u32::MAX)));
        assert_eq!(count("4294967296"), Ok(None));
        assert_eq!(count("1.5"), Ok(None));
        assert_eq!(count("-1"), Ok(None));
        assert_eq!(count("null"), Ok(None));
        assert_eq!(count("1-2"), Err(NotJson));
    }
}
