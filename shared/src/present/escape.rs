//! Texts from outside, made safe to show: a name, an error of a server or a file's path may hold
//! characters that move a terminal's cursor, turn the reading direction or begin a line of their
//! own.

use std::borrow::Cow;

/// A text as part of one line: control characters, line breaks and marks of direction stand as
/// escapes such as `\n` or `\u{202e}`.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hostile)
}

/// A text of several lines: as [`one_line`], but its line feeds stay. For what is laid out here;
/// the names in it are escaped one by one.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character != '\n' && is_hostile(character))
}

fn escaped(text: &str, hostile: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hostile) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if hostile(character) {
            safe.extend(character.escape_default());
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// Controls of C0 and C1, line and paragraph separators, and every mark that changes the direction
/// or cannot be seen and splits a name from one that looks the same.
const fn is_hostile(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_a_cursor_turns_text_or_breaks_a_line_is_escaped() {
        for (given, shown) in [
            ("\x1b[2Jgone", r"\u{1b}[2Jgone"),
            ("bad\r\ntokencap: fine", r"bad\r\ntokencap: fine"),
            ("run\u{202e}gpj.exe", r"run\u{202e}gpj.exe"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("a\u{2028}b\u{2066}c\u{feff}", r"a\u{2028}b\u{2066}c\u{feff}"),
        ] {
            assert_eq!(one_line(given), shown);
        }
    }

    #[test]
    fn other_texts_are_as_they_were() {
        for text in ["", "λ_slo_max ≥ 5 req/s", "测试包 `运行-1.tokencap`", "naïve ✓ 🙂"]
        {
            assert!(matches!(one_line(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn lines_stay_where_they_are_meant() {
        assert_eq!(lines("head\n\ttail\r\n"), "head\n\\ttail\\r\n");
    }
}
