//! A short way to read an event that says what the one before it said, but for its text.
//!
//! The events of a stream repeat each other byte for byte around one string, the piece of text
//! that was generated. Once such an event has been read in full, what stands around its text is
//! kept. An event with the same bytes around a string of its own is the same JSON with another
//! text: a reader that walks over it takes the same steps, whatever the engine's dialect. Two
//! comparisons of memory and a search for the closing quote then do for it. Anything else, a
//! counter that has changed by one included, is read in full.

use memchr::memchr2;

use crate::event::Glance;

/// Longer events are not kept: each stream has a pattern of its own.
const MAX_KEPT: usize = 2048;

/// What stands around the text of a stream's last event.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// The bytes before the text, its quote included, then those behind it, from its quote on;
    /// empty while there is no pattern.
    around: Vec<u8>,
    before: usize,
    reasoning: bool,
    /// The text is content or reasoning, and is handed out as such.
    named: bool,
    choices: u64,
}

impl Pattern {
    /// The text of an event that follows the pattern; else the event must be read in full. An event
    /// that does is one line, and says nothing that the pattern's did not, but for its text.
    #[must_use]
    #[inline]
    pub fn text<'a>(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        let (before, behind) = self.around.split_at(self.before);
        let text = data.strip_prefix(before)?.strip_suffix(behind)?;
        // An empty text is no output. (Without a pattern everything would be the text.)
        let follows = !text.is_empty() && !before.is_empty() && is_inside_of_string(text);
        follows.then_some(text)
    }

    /// What an event that follows the pattern says, by its text.
    #[must_use]
    pub fn says<'a>(&self, text: &'a [u8]) -> Glance<'a> {
        let mut seen =
            Glance { output: true, text, texts: 1, choices: self.choices, ..Glance::default() };
        if self.named && self.reasoning {
            seen.reasoning = text;
        } else if self.named {
            seen.content = text;
        }
        seen
    }

    /// Keeps what stands around the text of an event that was read in full, if there is one
    /// text and nothing else that is recorded.
    pub fn learn(&mut self, data: &[u8], seen: &Glance<'_>) {
        let plain = seen.texts == 1
            && seen.token_ids.is_none()
            && seen.usage.is_none()
            && seen.queue.is_none()
            && seen.finished == 0
            && seen.error.is_none();
        let is_line = memchr2(b'\n', b'\r', data).is_none();
        if !plain || !is_line || data.len() - seen.text.len() > MAX_KEPT {
            return;
        }
        // The text is a part of the data.
        let before = seen.text.as_ptr().addr() - data.as_ptr().addr();
        self.around.clear();
        self.around.extend_from_slice(&data[..before]);
        self.around.extend_from_slice(&data[before + seen.text.len()..]);
        self.before = before;
        self.reasoning = !seen.reasoning.is_empty();
        self.named = self.reasoning || !seen.content.is_empty();
        self.choices = seen.choices;
    }
}

/// The bytes that may end the inside of a string.
static IS_SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table[b'\n' as usize] = true;
    table[b'\r' as usize] = true;
    table
};

/// Whether bytes followed by a quote are the inside of one string: no quote without a backslash,
/// no backslash that would take the closing quote, no line end.
#[inline]
fn is_inside_of_string(text: &[u8]) -> bool {
    if !text.iter().fold(false, |found, &byte| found | IS_SPECIAL[usize::from(byte)]) {
        return true;
    }
    if memchr2(b'\n', b'\r', text).is_some() {
        return false;
    }
    let mut rest = text;
    while let Some(at) = memchr2(b'"', b'\\', rest) {
        if rest[at] == b'"' || at + 1 == rest.len() {
            return false;
        }
        rest = &rest[at + 2..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::glance;

    const FIRST: &str =
        r#"{"id":"c","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}"#;

    fn learnt(data: &str) -> Pattern {
        let mut pattern = Pattern::default();
        pattern.learn(data.as_bytes(), &glance(data.as_bytes()).unwrap());
        pattern
    }

    fn said<'a>(pattern: &Pattern, data: &'a str) -> Option<Glance<'a>> {
        Some(pattern.says(pattern.text(data.as_bytes())?))
    }

    #[test]
    fn an_event_of_another_text_follows_the_pattern() {
        let pattern = learnt(FIRST);
        for text in ["lo", r#"\""#, r#"\\"#, r#"\\\""#, r#"\"usage\":{\"#, "é", r"\u00e9"] {
            let data = FIRST.replace("Hel", text);
            assert_eq!(said(&pattern, &data), glance(data.as_bytes()).ok(), "{data}");
        }
    }

    #[test]
    fn anything_else_does_not() {
        let pattern = learnt(FIRST);
        for data in [
            FIRST.replace("Hel", ""),
            FIRST.replace("null", r#""stop""#),
            FIRST.replace("Hel", r#"a","token_ids":[1],"x":"b"#),
            FIRST.replace("Hel", r"\"),
            FIRST.replace("Hel", r"\\\"),
            FIRST.replace("Hel", "a\nb"),
            FIRST.replace("Hel", "\\n\r"),
            FIRST.replace("\"c\"", "\"d\""),
            FIRST.replace("}]}", "}]} "),
            FIRST[..FIRST.len() - 1].into(),
            String::new(),
            "Hel".into(),
        ] {
            assert_eq!(said(&pattern, &data), None, "{data}");
        }
        assert_eq!(said(&Pattern::default(), FIRST), None);
    }

    #[test]
    fn an_event_that_says_more_than_its_text_leaves_no_pattern() {
        for data in [
            r#"{"choices":[{"text":"a","finish_reason":"stop"}]}"#,
            r#"{"choices":[{"text":"a"}],"usage":{"completion_tokens":1}}"#,
            r#"{"choices":[{"text":"a","token_ids":[1]}]}"#,
            r#"{"choices":[{"text":"a"},{"index":1,"text":"b"}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"a","content":"b"}}]}"#,
            r#"{"choices":[{"text":"a"}],"error":"e"}"#,
            r#"{"choices":[{"text":""}]}"#,
            "{\"choices\":\n[{\"text\":\"a\"}]}",
        ] {
            assert_eq!(said(&learnt(data), data), None, "{data}");
        }
        let long = format!(r#"{{"choices":[{{"text":"a"}}],"x":"{}"}}"#, "y".repeat(MAX_KEPT));
        assert_eq!(said(&learnt(&long), &long), None);
    }

    #[test]
    fn tool_arguments_follow_a_pattern_too() {
        let data = r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\"a"}}]}}]}"#;
        let other = data.replace(r#"{\"a"#, r#"\":1}"#);
        let seen = said(&learnt(data), &other).unwrap();
        assert_eq!(Ok(seen), glance(other.as_bytes()));
        assert!(seen.output && seen.content.is_empty() && seen.reasoning.is_empty());
    }
}
