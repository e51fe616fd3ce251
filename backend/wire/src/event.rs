//! What one event of a stream says, for every engine's dialect of the OpenAI wire format.

use tokencap_shared::units::Nanos;

use crate::json::{Kind, NotJson, Reader, unescape};

/// Token counts as the server states them. A count that is not there is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Prompt tokens, those from the cache included.
    pub prompt: Option<u32>,
    /// Generated tokens.
    pub completion: Option<u32>,
    /// Prompt tokens that were reused from the prefix cache.
    pub cached: Option<u32>,
}

/// What was seen in one event. Texts stand as they do in the JSON, escapes included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Glance<'a> {
    /// It carries output: content, reasoning, tool-call arguments or token ids.
    pub output: bool,
    /// The content, where there is any.
    pub content: &'a [u8],
    /// The reasoning, where there is any.
    pub reasoning: &'a [u8],
    /// The last text with output in it, of whatever kind; it is a part of the event's data.
    pub text: &'a [u8],
    /// How many such texts there are.
    pub texts: u32,
    /// Number of output token ids, where ids are sent.
    pub token_ids: Option<u32>,
    /// Token counts.
    pub usage: Option<Usage>,
    /// Wait at the server before computation started.
    pub queue: Option<Nanos>,
    /// The choices that occur, a bit each.
    pub choices: u64,
    /// The choices that this event finishes, a bit each.
    pub finished: u64,
    /// A finish reason that is no proper end: `abort` or `error`.
    pub bad_finish: Option<&'a [u8]>,
    /// The error object or text, as it stands.
    pub error: Option<&'a [u8]>,
}

/// Looks at the data of an event.
///
/// # Errors
/// If it is not JSON.
pub fn glance(data: &[u8]) -> Result<Glance<'_>, NotJson> {
    let mut seen = Glance::default();
    let mut bare = BareError::default();
    let mut reader = Reader::new(data);
    if reader.kind()? != Kind::Object {
        reader.skip()?;
        reader.end()?;
        return Ok(seen);
    }
    reader.object(|reader, key| match key {
        b"choices" => {
            bare.choices = true;
            or_skip(reader, Kind::Array, |reader| {
                reader.array(|reader| or_skip(reader, Kind::Object, |r| choice(r, &mut seen)))
            })
        }
        b"usage" => or_skip(reader, Kind::Object, |reader| usage(reader, &mut seen)),
        b"error" => {
            if reader.kind()? == Kind::Null {
                return reader.skip();
            }
            seen.error = Some(reader.raw()?);
            Ok(())
        }
        // vLLM's per-request metrics, on the usage event.
        b"metrics" => or_skip(reader, Kind::Object, |reader| {
            reader.object(|reader, key| match key {
                b"queue_time_ms" => queue(reader, &mut seen, 1e6),
                _ => reader.skip(),
            })
        }),
        b"meta_info" => or_skip(reader, Kind::Object, |reader| meta_info(reader, &mut seen)),
        // SGLang's extension object, or its named event whose data are the ids alone.
        b"sglext" => or_skip(reader, Kind::Object, |reader| {
            reader.object(|reader, key| match key {
                b"output_ids" => ids(reader, &mut seen),
                _ => reader.skip(),
            })
        }),
        b"output_ids" => ids(reader, &mut seen),
        b"x_groq" => or_skip(reader, Kind::Object, |reader| {
            reader.object(|reader, key| match key {
                b"usage" => or_skip(reader, Kind::Object, |reader| usage(reader, &mut seen)),
                _ => reader.skip(),
            })
        }),
        b"object" => {
            bare.object = is_one_of(reader.text()?.unwrap_or_default(), &["error"]);
            Ok(())
        }
        b"message" => {
            bare.message = reader.text()?.is_some();
            Ok(())
        }
        b"code" | b"type" => {
            bare.code = true;
            reader.skip()
        }
        _ => reader.skip(),
    })?;
    reader.end()?;
    if seen.error.is_none() && bare.is_error() {
        seen.error = Some(data);
    }
    Ok(seen)
}

impl<'a> Glance<'a> {
    /// A text that was generated, if it is not empty.
    fn hear(&mut self, text: &'a [u8]) {
        if !text.is_empty() {
            self.output = true;
            self.text = text;
            self.texts += 1;
        }
    }
}

/// The signs of an error whose fields stand at the top, without an `error` around them.
#[derive(Default)]
struct BareError {
    choices: bool,
    object: bool,
    message: bool,
    code: bool,
}

impl BareError {
    const fn is_error(&self) -> bool {
        !self.choices && (self.object || (self.message && self.code))
    }
}

/// Reads a value of the given kind; steps over any other (`null`, mostly).
fn or_skip<'a>(
    reader: &mut Reader<'a>,
    kind: Kind,
    read: impl FnOnce(&mut Reader<'a>) -> Result<(), NotJson>,
) -> Result<(), NotJson> {
    if reader.kind()? == kind { read(reader) } else { reader.skip() }
}

/// Whether the inside of a string, whatever its escapes, is one of some words.
fn is_one_of(inside: &[u8], words: &[&str]) -> bool {
    if inside.contains(&b'\\') {
        words.contains(&&*unescape(inside))
    } else {
        words.iter().any(|word| word.as_bytes() == inside)
    }
}

fn choice<'a>(reader: &mut Reader<'a>, seen: &mut Glance<'a>) -> Result<(), NotJson> {
    let (mut index, mut finished) = (0, false);
    reader.object(|reader, key| {
        match key {
            b"index" => index = reader.count()?.unwrap_or(0),
            b"text" => content(reader, seen)?,
            b"delta" => or_skip(reader, Kind::Object, |reader| delta(reader, seen))?,
            b"finish_reason" => match reader.text()? {
                None | Some(b"") => {}
                Some(reason) => {
                    finished = true;
                    if is_one_of(reason, &["abort", "error"]) {
                        seen.bad_finish = Some(reason);
                    }
                }
            },
            b"token_ids" | b"output_ids" => ids(reader, seen)?,
            b"meta_info" => or_skip(reader, Kind::Object, |reader| meta_info(reader, seen))?,
            b"usage" => or_skip(reader, Kind::Object, |reader| usage(reader, seen))?,
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let bit = 1 << index.min(63);
    seen.choices |= bit;
    if finished {
        seen.finished |= bit;
    }
    Ok(())
}

fn content<'a>(reader: &mut Reader<'a>, seen: &mut Glance<'a>) -> Result<(), NotJson> {
    if let Some(text) = reader.text()?
        && !text.is_empty()
    {
        seen.content = text;
        seen.hear(text);
    }
    Ok(())
}

fn delta<'a>(reader: &mut Reader<'a>, seen: &mut Glance<'a>) -> Result<(), NotJson> {
    reader.object(|reader, key| match key {
        b"content" => content(reader, seen),
        b"reasoning" | b"reasoning_content" => {
            if let Some(text) = reader.text()?
                && !text.is_empty()
            {
                seen.reasoning = text;
                seen.hear(text);
            }
            Ok(())
        }
        b"refusal" => {
            seen.hear(reader.text()?.unwrap_or_default());
            Ok(())
        }
        b"tool_calls" => or_skip(reader, Kind::Array, |reader| {
            reader.array(|reader| {
                or_skip(reader, Kind::Object, |reader| {
                    reader.object(|reader, key| match key {
                        b"function" => {
                            or_skip(reader, Kind::Object, |reader| arguments(reader, seen))
                        }
                        _ => reader.skip(),
                    })
                })
            })
        }),
        b"function_call" => or_skip(reader, Kind::Object, |reader| arguments(reader, seen)),
        b"token_ids" | b"output_ids" => ids(reader, seen),
        _ => reader.skip(),
    })
}

fn arguments<'a>(reader: &mut Reader<'a>, seen: &mut Glance<'a>) -> Result<(), NotJson> {
    reader.object(|reader, key| match key {
        b"arguments" => {
            // Mostly a piece of JSON in a string; some servers send the object itself.
            match reader.kind()? {
                Kind::String => seen.hear(reader.string()?),
                Kind::Object => seen.output |= reader.raw()?.len() > 2,
                _ => reader.skip()?,
            }
            Ok(())
        }
        _ => reader.skip(),
    })
}

fn ids<'a>(reader: &mut Reader<'a>, seen: &mut Glance<'a>) -> Result<(), NotJson> {
    or_skip(reader, Kind::Array, |reader| {
        let mut count = 0_u32;
        reader.array(|reader| {
            count += 1;
            reader.skip()
        })?;
        seen.token_ids = Some(seen.token_ids.unwrap_or(0).saturating_add(count));
        seen.output |= count > 0;
        Ok(())
    })
}

fn usage<'a>(reader: &mut Reader<'a>, seen: &mut Glance<'a>) -> Result<(), NotJson> {
    let mut usage = Usage::default();
    reader.object(|reader, key| {
        match key {
            b"prompt_tokens" => usage.prompt = reader.count()?,
            b"completion_tokens" => usage.completion = reader.count()?,
            b"prompt_tokens_details" => or_skip(reader, Kind::Object, |reader| {
                reader.object(|reader, key| {
                    match key {
                        b"cached_tokens" => usage.cached = reader.count()?.or(usage.cached),
                        _ => reader.skip()?,
                    }
                    Ok(())
                })
            })?,
            b"prompt_cache_hit_tokens" => usage.cached = usage.cached.or(reader.count()?),
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    seen.usage = Some(usage);
    Ok(())
}

fn meta_info<'a>(reader: &mut Reader<'a>, seen: &mut Glance<'a>) -> Result<(), NotJson> {
    reader.object(|reader, key| match key {
        b"queue_time" => queue(reader, seen, 1e9),
        _ => reader.skip(),
    })
}

fn queue<'a>(
    reader: &mut Reader<'a>,
    seen: &mut Glance<'a>,
    nanos_per_unit: f64,
) -> Result<(), NotJson> {
    if let Some(time) = reader.number()?
        && time >= 0.0
        && time.is_finite()
    {
        seen.queue = Some(Nanos((time * nanos_per_unit).round() as u64));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(data: &str) -> Glance<'_> {
        glance(data.as_bytes()).unwrap()
    }

    #[test]
    fn role_and_empty_deltas_are_no_output() {
        for data in [
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
            r#"{"choices":[{"delta":{"role":"assistant","content":null}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_content":null,"role":"assistant","content":""}}]} "#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":3}}"#,
            r#"{"choices":[{"text":"","index":0,"finish_reason":"length"}]}"#,
        ] {
            assert!(!see(data).output, "{data}");
        }
    }

    #[test]
    fn content_reasoning_tool_arguments_and_token_ids_are_output() {
        for data in [
            r#"{"choices":[{"delta":{"content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"a"}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{"}}]}}]}"#,
            r#"{"choices":[{"delta":{"function_call":{"arguments":{"a":1}}}}]}"#,
            r#"{"choices":[{"text":"","token_ids":[5]}]}"#,
            r#"{"choices":[{"delta":{"content":""}}],"sglext":{"output_ids":[1,2]}}"#,
            r#"{"choices":[{"text":"a"}]}"#,
        ] {
            assert!(see(data).output, "{data}");
        }
    }

    #[test]
    fn usage_is_read_in_every_dialect() {
        let usage = |data| see(data).usage.unwrap();
        let full = Usage { prompt: Some(25), completion: Some(4), cached: Some(16) };
        for data in [
            r#"{"choices":[],"usage":{"completion_tokens":4,"prompt_tokens":25,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":16}}}"#,
            r#"{"usage":{"prompt_tokens":25,"completion_tokens":4,"prompt_cache_hit_tokens":16,"prompt_cache_miss_tokens":9}}"#,
            r#"{"choices":[{"usage":{"prompt_tokens":25,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":16}}}]}"#,
            r#"{"choices":[],"x_groq":{"usage":{"prompt_tokens":25,"completion_tokens":4,"prompt_cache_hit_tokens":16}}}"#,
        ] {
            assert_eq!(usage(data), full, "{data}");
        }
        assert_eq!(see(r#"{"choices":[],"usage":null}"#).usage, None);
        let unknown = usage(r#"{"usage":{"prompt_tokens":7,"prompt_tokens_details":null}}"#);
        assert_eq!(unknown, Usage { prompt: Some(7), completion: None, cached: None });
    }

    #[test]
    fn queue_times_keep_their_units_apart() {
        assert_eq!(see(r#"{"metrics":{"queue_time_ms":1.5}}"#).queue, Some(Nanos(1_500_000)));
        let sglang = r#"{"choices":[{"meta_info":{"queue_time":0.002}}]}"#;
        assert_eq!(see(sglang).queue, Some(Nanos(2_000_000)));
        assert_eq!(see(r#"{"metrics":{"queue_time_ms":null}}"#).queue, None);
    }

    #[test]
    fn finish_reasons_are_kept_by_choice_and_bad_ones_are_told_apart() {
        let both = see(r#"{"choices":[{"index":1,"finish_reason":"stop"},{"finish_reason":""}]}"#);
        assert_eq!((both.choices, both.finished, both.bad_finish), (0b11, 0b10, None));
        let abort = see(r#"{"choices":[{"finish_reason":"abort"}]}"#);
        assert_eq!((abort.finished, abort.bad_finish), (1, Some(&b"abort"[..])));
    }

    #[test]
    fn errors_are_found_in_every_form() {
        for data in [
            r#"{"error":{"message":"m","code":503}}"#,
            r#"{"error":"m"}"#,
            r#"{"object":"error","message":"m","code":400}"#,
            r#"{"message":"m","type":"t","code":529}"#,
            r#"{"choices":[],"error":{"message":"m"}}"#,
        ] {
            assert!(see(data).error.is_some(), "{data}");
        }
        for data in [r#"{"error":null,"choices":[]}"#, r#"{"choices":[],"code":1,"message":"m"}"#] {
            assert_eq!(see(data).error, None, "{data}");
        }
    }

    #[test]
    fn texts_are_handed_out_as_they_stand() {
        let seen = see(r#"{"choices":[{"delta":{"content":"a\"\\\u00e9é"}}]}"#);
        assert_eq!(seen.content, r#"a\"\\\u00e9é"#.as_bytes());
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for data in ["", "PING", "{\"choices\":[", "{} {}", "{\"a\" 1}"] {
            assert!(glance(data.as_bytes()).is_err(), "{data}");
        }
    }
}
