//! A cell: a number with its unit and decimals, a text, or the reason why there is nothing.
//!
//! Numbers stay unrounded. Whoever draws a cell for people asks for its text; whoever writes it
//! for programs takes the number itself.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::definitions::measured::{Measured, Missing};
use crate::present::format::{self, INFINITE, MISSING};
use crate::present::words::{Lang, Words};
use crate::units::{Nanos, Share};

/// A unit as it stands in headers; empty for texts and pure counts.
pub type Unit = Cow<'static, str>;

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// What stands in it.
    #[serde(flatten)]
    pub value: Value,
    /// The unit of its numbers, also where they are missing.
    pub unit: Unit,
    /// A remark; for a missing value, why it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What it means; never told by colour alone.
    pub tone: Tone,
}

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum Value {
    /// Nothing, because nothing belongs there.
    Empty,
    /// Words.
    Text(String),
    /// A number.
    Number(Number),
    /// Two numbers that something lies between.
    Range(Number, Number),
    /// A number that there is not. Its place shows a dash, never a zero.
    Missing(Missing),
}

/// A number as it is, and how people read it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Number {
    /// The number itself, unrounded.
    pub amount: Amount,
    /// Decimals that people are shown.
    pub decimals: usize,
    /// What else is to be observed when it is shown.
    pub form: Form,
    /// For a limit, on which side of it one has to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// An unrounded number. As JSON a number, or the text `infinite`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many of something.
    Count(u64),
    /// A measurement.
    Real(f64),
    /// More than any: a time that never came, a cost without anything to sell.
    Infinite,
}

/// How people read a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// With its decimals.
    #[default]
    Plain,
    /// A share in per cent: what is not all never reads as 100, what is not nothing never as 0.
    Share,
    /// A headline: by the language's own scales, with the number itself beside it.
    Headline,
}

/// On which side of a limit one has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Not below.
    AtLeast,
    /// Not above.
    AtMost,
    /// Below.
    Below,
}

/// What a cell means to its reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// As promised.
    Good,
    /// Not as promised.
    Bad,
    /// Not decided.
    Unsure,
    /// Missing, or beside the point.
    Muted,
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(count) => serializer.serialize_u64(*count),
            Self::Real(value) => serializer.serialize_f64(*value),
            Self::Infinite => serializer.serialize_str("infinite"),
        }
    }
}

impl Amount {
    /// The number for programs: all digits, no grouping, a point before decimals; `inf` for an
    /// infinite one.
    #[must_use]
    pub fn exact(self) -> String {
        match self {
            Self::Count(count) => count.to_string(),
            Self::Real(value) => value.to_string(),
            Self::Infinite => "inf".to_owned(),
        }
    }

    /// As a finite number for arithmetic; a count above 2⁵³ loses its last digits.
    #[must_use]
    pub const fn finite(self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(count as f64),
            Self::Real(value) => Some(value),
            Self::Infinite => None,
        }
    }
}

impl Limit {
    /// Its sign, with a gap behind it.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::AtLeast => "≥ ",
            Self::AtMost => "≤ ",
            Self::Below => "< ",
        }
    }
}

impl Number {
    const fn new(amount: Amount, decimals: usize, form: Form) -> Self {
        Self { amount, decimals, form, limit: None }
    }

    /// So many of something.
    #[must_use]
    pub const fn count(count: u64) -> Self {
        Self::new(Amount::Count(count), 0, Form::Plain)
    }

    /// A measurement with fixed decimals.
    #[must_use]
    pub fn fixed(value: impl Into<f64>, decimals: usize) -> Self {
        Self::new(Amount::Real(value.into()), decimals, Form::Plain)
    }

    /// A measurement by itself, with three significant digits or all its whole ones.
    #[must_use]
    pub fn plain(value: impl Into<f64>) -> Self {
        let value = value.into();
        Self::fixed(value, format::plain_decimals(value))
    }

    /// A measurement with at most two decimals, none of them a trailing zero.
    #[must_use]
    pub fn trimmed(value: impl Into<f64>) -> Self {
        let value = value.into();
        Self::fixed(value, format::trimmed_decimals(value))
    }

    /// A share in per cent.
    #[must_use]
    pub fn percent(share: Share, decimals: usize) -> Self {
        Self::new(Amount::Real(share.get() * 100.0), decimals, Form::Share)
    }

    /// A time in milliseconds; infinite if it never came.
    #[must_use]
    pub fn millis(time: Option<Nanos>, decimals: usize) -> Self {
        match time {
            Some(time) => Self::fixed(time.0 as f64 / 1e6, decimals),
            None => Self::infinite(),
        }
    }

    /// Above every number.
    #[must_use]
    pub const fn infinite() -> Self {
        Self::new(Amount::Infinite, 0, Form::Plain)
    }

    /// A headline figure: by itself while it is short, then by the language's own scales.
    #[must_use]
    pub fn headline(value: impl Into<f64>) -> Self {
        /// From this on a headline rounds, and the number itself stands beside it.
        const ROUNDED_FROM: f64 = 1e4;
        let value = value.into();
        if value.abs() < ROUNDED_FROM {
            Self::plain(value)
        } else {
            Self::new(Amount::Real(value), 0, Form::Headline)
        }
    }

    /// As a limit.
    #[must_use]
    pub const fn limit(mut self, limit: Limit) -> Self {
        self.limit = Some(limit);
        self
    }

    /// As people read it, without its unit.
    #[must_use]
    pub fn text(self, lang: Lang) -> String {
        let text = match (self.amount, self.form) {
            (Amount::Infinite, _) => INFINITE.to_owned(),
            (Amount::Count(count), _) => format::count(count),
            (Amount::Real(value), Form::Plain) => format::fixed(value, self.decimals),
            (Amount::Real(value), Form::Share) => format::per_cent(value, self.decimals),
            (Amount::Real(value), Form::Headline) => format::compact(value, lang),
        };
        match self.limit {
            Some(limit) => format!("{}{text}", limit.sign()),
            None => text,
        }
    }

    /// With the stated decimals, where the text is a rounder headline.
    fn beside_headline(self) -> Option<String> {
        match (self.amount, self.form) {
            (Amount::Real(value), Form::Headline) => Some(format::fixed(value, self.decimals)),
            _ => None,
        }
    }
}

impl From<Number> for Cell {
    fn from(number: Number) -> Self {
        Self::of(Value::Number(number))
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl Cell {
    const fn of(value: Value) -> Self {
        Self { value, unit: Cow::Borrowed(""), note: None, tone: Tone::Plain }
    }

    /// A text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self::of(Value::Text(text.into()))
    }

    /// Nothing, which needs no reason because nothing belongs there.
    #[must_use]
    pub const fn empty() -> Self {
        Self::of(Value::Empty)
    }

    /// Two numbers that something lies between.
    #[must_use]
    pub const fn range(low: Number, high: Number) -> Self {
        Self::of(Value::Range(low, high))
    }

    /// A missing value and its reason.
    #[must_use]
    pub fn missing(reason: &Missing, words: &Words) -> Self {
        Self::unsaid(reason).with_note((words.missing)(reason))
    }

    /// A missing value whose reason is said elsewhere in its line.
    #[must_use]
    pub fn unsaid(reason: &Missing) -> Self {
        Self::of(Value::Missing(reason.clone())).with_tone(Tone::Muted)
    }

    /// The value, or a dash with the reason of its absence.
    #[must_use]
    pub fn measured<T, C: Into<Self>>(
        value: &Measured<T>,
        words: &Words,
        cell: impl FnOnce(&T) -> C,
    ) -> Self {
        match value {
            Measured::Value(value) => cell(value).into(),
            Measured::Missing(reason) => Self::missing(reason, words),
        }
    }

    /// In a unit.
    #[must_use]
    pub fn in_unit(mut self, unit: impl Into<Unit>) -> Self {
        self.unit = unit.into();
        self
    }

    /// With a remark.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// With a tone.
    #[must_use]
    pub const fn with_tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Whether a number belongs there and is missing.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        matches!(self.value, Value::Missing(_))
    }

    /// As people read it, without its unit.
    #[must_use]
    pub fn text(&self, lang: Lang) -> String {
        match &self.value {
            Value::Empty => String::new(),
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.text(lang),
            Value::Range(low, high) => format!("{}–{}", low.text(lang), high.text(lang)),
            Value::Missing(_) => MISSING.to_owned(),
        }
    }

    /// As people read it by itself, with its unit.
    #[must_use]
    pub fn text_with_unit(&self, lang: Lang) -> String {
        let text = self.text(lang);
        match self.value {
            Value::Number(_) | Value::Range(..) if !self.unit.is_empty() => {
                format!("{text} {}", self.unit)
            }
            _ => text,
        }
    }

    /// What stands beside it: the number itself where a headline rounds it, and the remark.
    #[must_use]
    pub fn remark(&self, words: &Words) -> Option<String> {
        let exact = match &self.value {
            Value::Number(number) => number.beside_headline(),
            _ => None,
        };
        let exact = exact.map(|exact| format!("{exact} {}", self.unit));
        match (exact, &self.note) {
            (Some(exact), Some(note)) => Some(format!("{exact}{}{note}", words.say.semicolon)),
            (exact, note) => exact.or_else(|| note.clone()),
        }
    }

    /// For programs: numbers unrounded, without unit; nothing where a number is missing.
    #[must_use]
    pub fn exact(&self) -> String {
        let exact = |number: &Number| {
            let sign = number.limit.map_or("", Limit::sign);
            format!("{sign}{}", number.amount.exact())
        };
        match &self.value {
            Value::Empty | Value::Missing(_) => String::new(),
            Value::Text(text) => text.clone(),
            Value::Number(number) => exact(number),
            Value::Range(low, high) => format!("{}–{}", exact(low), exact(high)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::words::{EN, ZH};

    #[test]
    fn a_missing_value_always_says_why() {
        let missing: Measured<u64> = Measured::Missing(Missing::NoPriceSheet);
        for words in [&EN, &ZH] {
            let cell = Cell::measured(&missing, words, |n| Number::count(*n));
            assert_eq!((cell.text(words.lang).as_str(), cell.exact().as_str()), ("—", ""));
            assert!(cell.note.is_some_and(|note| !note.is_empty()));
        }
    }

    #[test]
    fn numbers_are_rounded_for_people_only() {
        let share = |value| Share::new(value).unwrap();
        for (cell, shown, exact) in [
            (Cell::from(Number::fixed(1_234.567, 1)), "1,234.6", "1234.567"),
            (Cell::from(Number::fixed(-5.25, 1)), "−5.2", "-5.25"),
            (
                Cell::from(Number::count(1 << 60)),
                "1,152,921,504,606,846,976",
                "1152921504606846976",
            ),
            (Cell::from(Number::percent(share(0.999_999), 2)), "99.99", "99.9999"),
            (Cell::from(Number::percent(share(0.99), 2).limit(Limit::AtLeast)), "≥ 99.00", "≥ 99"),
            (Cell::from(Number::headline(1_234_567.0)), "1.23M", "1234567"),
            (Cell::from(Number::millis(None, 1)), "∞", "inf"),
            (Cell::range(Number::fixed(1.25, 1), Number::infinite()), "1.2–∞", "1.25–inf"),
        ] {
            assert_eq!((cell.text(Lang::En).as_str(), cell.exact().as_str()), (shown, exact));
        }
    }

    #[test]
    fn a_headline_has_the_number_itself_beside_it() {
        let cell = Cell::from(Number::headline(1_234_567.0)).in_unit("tok/day").with_note("why");
        assert_eq!(cell.text_with_unit(Lang::Zh), "123.46万 tok/day");
        assert_eq!(cell.remark(&EN).unwrap(), "1,234,567 tok/day; why");
    }

    #[test]
    fn as_json_numbers_are_numbers_and_gaps_have_reasons() {
        let json = |cell: Cell| serde_json::to_value(cell).unwrap();
        assert_eq!(
            json(Cell::from(Number::fixed(1.25, 1)).in_unit("ms")),
            serde_json::json!({"kind": "number", "unit": "ms", "tone": "plain",
                "value": {"amount": 1.25, "decimals": 1, "form": "plain"}})
        );
        let missing = json(Cell::missing(&Missing::NotPriced, &EN));
        assert_eq!(missing["value"]["reason"], "not_priced");
        let infinite = json(Cell::from(Number::infinite()));
        assert_eq!(infinite["value"]["amount"], "infinite");
    }
}
