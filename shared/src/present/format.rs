//! Numbers as people read them: the same text in the terminal, on the page and in print.
//!
//! Rounding happens here and nowhere before. In tables digits are grouped by three in both
//! languages, so that columns compare across languages; the counting words of Chinese (万, 亿)
//! and the letters of English (K, M, B) appear in headline figures only. Units stand in headers,
//! so the functions return bare numbers unless they say otherwise.

use super::lang::Lang;
use crate::units::{DAY, Nanos, Share};

/// What stands in place of a missing value; its reason always goes with it.
pub const MISSING: &str = "—";

/// What stands for a time that never came: requests without the quantity.
pub const INFINITE: &str = "∞";

/// Most decimals that are ever shown.
const MOST_DECIMALS: usize = 6;

/// A count with its digits grouped by three: `1,234,567`.
#[must_use]
pub fn count(value: u64) -> String {
    group(&value.to_string())
}

/// A number with a fixed count of decimals and grouped digits: `1,234.50`. A negative number
/// carries a true minus sign; zero never does.
#[must_use]
pub fn fixed(value: impl Into<f64>, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.into());
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) if digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) => ("−", digits),
        Some(digits) => ("", digits),
        None => ("", text.as_str()),
    };
    match digits.split_once('.') {
        Some((whole, fraction)) => format!("{sign}{}.{fraction}", group(whole)),
        None => format!("{sign}{}", group(digits)),
    }
}

fn group(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// How many decimals a column needs so that its smallest number other than zero still shows
/// three significant digits: 0 to 3.
#[must_use]
pub fn column_decimals<T: Into<f64>>(values: impl IntoIterator<Item = T>) -> usize {
    let smallest = values
        .into_iter()
        .map(|value| value.into().abs())
        .filter(|value| *value > 0.0)
        .fold(f64::INFINITY, f64::min);
    match smallest {
        least if least >= 100.0 => 0,
        least if least >= 10.0 => 1,
        least if least >= 1.0 => 2,
        _ => 3,
    }
}

/// A number by itself with three significant digits or all its whole ones: `0.123`, `12.3`,
/// `12,345`.
#[must_use]
pub fn plain(value: impl Into<f64>) -> String {
    let value = value.into();
    fixed(value, plain_decimals(value))
}

/// The decimals of a number by itself: those that show three significant digits of it.
#[must_use]
pub fn plain_decimals(value: f64) -> usize {
    if value == 0.0 { 0 } else { column_decimals([value]) }
}

/// A headline figure: `1.23M`, `123.46万`. At most two decimals, none of them a trailing zero.
/// Print the exact value beside it.
#[must_use]
pub fn compact(value: impl Into<f64>, lang: Lang) -> String {
    const ENGLISH: [(f64, &str); 4] = [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")];
    const CHINESE: [(f64, &str); 3] = [(1e12, "万亿"), (1e8, "亿"), (1e4, "万")];
    let value = value.into();
    let scales: &[(f64, &str)] = match lang {
        Lang::En => &ENGLISH,
        Lang::Zh => &CHINESE,
    };
    // What rounds up to the next scale belongs to it: 999,999 is 1M, not 1,000K.
    let at = scales.iter().position(|(scale, _)| value.abs() >= scale * 0.999_995);
    match at {
        Some(at) => {
            let (scale, letter) = scales[at];
            format!("{}{letter}", trimmed(value / scale))
        }
        None => trimmed(value),
    }
}

/// At most two decimals, without trailing zeros: for a number inside a sentence.
#[must_use]
pub fn trimmed(value: impl Into<f64>) -> String {
    let value = value.into();
    fixed(value, trimmed_decimals(value))
}

/// How many of two decimals it takes until only zeros follow.
#[must_use]
pub fn trimmed_decimals(value: f64) -> usize {
    let text = format!("{value:.2}");
    let digits = text.trim_end_matches('0');
    digits.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// A duration that is only an estimate, rounded up: `20 s`, `17 min`, `3.5 h`.
#[must_use]
pub fn about(seconds: impl Into<f64>) -> String {
    let seconds = seconds.into();
    match seconds {
        s if s <= 90.0 => format!("{} s", fixed((s / 10.0).ceil() * 10.0, 0)),
        s if s <= 5_400.0 => format!("{} min", fixed((s / 60.0).ceil(), 0)),
        s => format!("{} h", trimmed((s / 1_800.0).ceil() / 2.0)),
    }
}

/// A share in per cent, without the sign. What is not all never shows as 100, and what is not
/// nothing never shows as 0: `99.99` at most, `<0.01` at least.
#[must_use]
pub fn percent(share: Share, decimals: usize) -> String {
    per_cent(share.get() * 100.0, decimals)
}

/// The same of a share that is given in per cent.
#[must_use]
pub fn per_cent(value: f64, decimals: usize) -> String {
    let least = 0.1_f64.powi(decimals as i32);
    let text = fixed(value, decimals);
    if value < 100.0 && text == fixed(100.0, decimals) {
        fixed(100.0 - least, decimals)
    } else if value > 0.0 && text == fixed(0.0, decimals) {
        format!("<{}", fixed(least, decimals))
    } else {
        text
    }
}

/// The decimals that a measured share and its target take in per cent so that two different
/// numbers look different: a share just below its target never reads as the target.
#[must_use]
pub fn percent_apart(measured: Share, target: Share) -> usize {
    apart(2, |decimals| {
        measured == target || percent(measured, decimals) != percent(target, decimals)
    })
}

/// The decimals that a measured time and its limit take in milliseconds so that two different
/// numbers look different.
#[must_use]
pub fn millis_apart(measured: Nanos, limit: Nanos) -> usize {
    apart(millis_decimals(limit), |decimals| {
        measured == limit || millis(measured, decimals) != millis(limit, decimals)
    })
}

fn apart(least: usize, told: impl Fn(usize) -> bool) -> usize {
    (least..MOST_DECIMALS).find(|decimals| told(*decimals)).unwrap_or(MOST_DECIMALS)
}

/// A time in milliseconds, without the unit.
#[must_use]
pub fn millis(time: Nanos, decimals: usize) -> String {
    fixed(time.0 as f64 / 1e6, decimals)
}

/// Decimals that suit times about this long, in milliseconds.
#[must_use]
pub const fn millis_decimals(time: Nanos) -> usize {
    if time.0 >= 1_000_000_000 { 0 } else { 1 }
}

/// A duration by itself, with its unit: `850 ms`, `12.3 s`, `17 min`, `3.2 h`.
#[must_use]
pub fn span(seconds: impl Into<f64>) -> String {
    let seconds = seconds.into();
    match seconds {
        s if s < 0.9995 => format!("{} ms", fixed(s * 1e3, if s < 0.0995 { 1 } else { 0 })),
        s if s < 99.95 => format!("{} s", fixed(s, 1)),
        s if s < 99.5 * 60.0 => format!("{} min", fixed(s / 60.0, 0)),
        s if s < 72.0 * 3600.0 => format!("{} h", fixed(s / 3600.0, 1)),
        s => format!("{} d", fixed(s / DAY, 1)),
    }
}

/// An RFC 3339 instant in UTC to the minute: `2026-11-29 16:04 UTC`. Anything else stays as it
/// is.
#[must_use]
pub fn instant(rfc3339: &str) -> String {
    let bytes = rfc3339.as_bytes();
    let shape = rfc3339.is_ascii()
        && bytes.len() >= 17
        && bytes[10] == b'T'
        && bytes[13] == b':'
        && rfc3339.ends_with('Z');
    if shape { format!("{} {} UTC", &rfc3339[..10], &rfc3339[11..16]) } else { rfc3339.to_owned() }
}

/// The first eight digits of a digest or a run's identity: enough for people to compare.
#[must_use]
pub fn short_id(hex: &str) -> &str {
    hex.get(..8).unwrap_or(hex)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn share(value: f64) -> Share {
        Share::new(value).unwrap()
    }

    #[test]
    fn digits_are_grouped_by_three() {
        for (value, text) in [
            (0, "0"),
            (7, "7"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (1_234_567, "1,234,567"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(count(value), text);
        }
    }

    #[test]
    fn fixed_decimals_carry_sign_and_grouping() {
        for (value, decimals, text) in [
            (1_234.5, 2, "1,234.50"),
            (0.0, 3, "0.000"),
            (-0.000_1, 2, "0.00"),
            (-1_234.567, 1, "−1,234.6"),
            (-0.06, 1, "−0.1"),
            (999.999, 2, "1,000.00"),
            (17.9994, 3, "17.999"),
        ] {
            assert_eq!(fixed(value, decimals), text);
        }
    }

    #[test]
    fn headline_figures_use_each_languages_own_scales() {
        for (value, english, chinese) in [
            (0.0, "0", "0"),
            (12.5, "12.5", "12.5"),
            (999.0, "999", "999"),
            (1_500.0, "1.5K", "1,500"),
            (12_345.0, "12.35K", "1.23万"),
            (1_234_567.0, "1.23M", "123.46万"),
            (123_456_789.0, "123.46M", "1.23亿"),
            (1.5e12, "1.5T", "1.5万亿"),
            (-2_500_000.0, "−2.5M", "−250万"),
        ] {
            assert_eq!(compact(value, Lang::En), english, "{value}");
            assert_eq!(compact(value, Lang::Zh), chinese, "{value}");
        }
    }

    #[test]
    fn a_headline_figure_that_rounds_up_moves_to_the_next_scale() {
        for (value, english, chinese) in [
            (999_999.0, "1M", "100万"),
            (999_990.0, "999.99K", "100万"),
            (9_999.996, "10K", "1万"),
            (99_999_999.0, "100M", "1亿"),
            (999_999_999_999.0, "1T", "1万亿"),
        ] {
            assert_eq!(compact(value, Lang::En), english, "{value}");
            assert_eq!(compact(value, Lang::Zh), chinese, "{value}");
        }
    }

    #[test]
    fn a_share_that_is_not_all_never_reads_as_all() {
        for (value, text) in [
            (1.0, "100.00"),
            (0.999_999, "99.99"),
            (0.9995, "99.95"),
            (0.0, "0.00"),
            (0.000_001, "<0.01"),
        ] {
            assert_eq!(percent(share(value), 2), text);
        }
    }

    #[test]
    fn a_measurement_that_misses_its_limit_never_reads_as_the_limit() {
        let apart = |measured, target| percent_apart(share(measured), share(target));
        assert_eq!((apart(0.989_999, 0.99), apart(0.99, 0.99)), (4, 2));
        for (measured, limit, decimals) in [
            (Nanos(100_000_400), Nanos::from_millis(100), 4),
            (Nanos::from_millis(812), Nanos::from_secs(1), 0),
            (Nanos::from_millis(100), Nanos::from_millis(100), 1),
        ] {
            assert_eq!(millis_apart(measured, limit), decimals);
        }
    }

    #[test]
    fn durations_choose_their_unit() {
        for (seconds, text) in [
            (0.0004, "0.4 ms"),
            (0.85, "850 ms"),
            (0.9996, "1.0 s"),
            (12.34, "12.3 s"),
            (99.96, "2 min"),
            (1_020.0, "17 min"),
            (11_520.0, "3.2 h"),
            (864_000.0, "10.0 d"),
        ] {
            assert_eq!(span(seconds), text);
        }
    }

    #[test]
    fn estimates_are_rounded_up() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (11.0, "20 s"),
            (90.0, "90 s"),
            (91.0, "2 min"),
            (1_020.0, "17 min"),
            (5_401.0, "2 h"),
            (9_001.0, "3 h"),
            (8_000.0, "2.5 h"),
        ] {
            assert_eq!(about(seconds), text);
        }
    }

    #[test]
    fn instants_are_cut_to_the_minute_and_foreign_ones_stay() {
        assert_eq!(instant("2026-11-29T16:04:31.5Z"), "2026-11-29 16:04 UTC");
        assert_eq!(instant("yesterday"), "yesterday");
        assert_eq!(instant("2026-11-29T16:04:31+08:00"), "2026-11-29T16:04:31+08:00");
    }

    proptest! {
        #[test]
        fn grouping_loses_no_digit(value: u64) {
            let text = count(value);
            prop_assert_eq!(text.replace(',', ""), value.to_string());
            prop_assert!(text.split(',').skip(1).all(|group| group.len() == 3));
        }

        #[test]
        fn a_column_shows_three_digits_of_its_smallest_number(value in 0.01_f64..1e9) {
            let decimals = column_decimals([value, 1e12]);
            prop_assert!((value - (value * 10_f64.powi(decimals as i32)).round()
                / 10_f64.powi(decimals as i32)).abs() <= value * 0.051);
            prop_assert!(decimals <= 3);
        }

        #[test]
        fn different_numbers_read_differently(
            measured in 0_u64..2_000_000_000, limit in 1_u64..2_000_000_000
        ) {
            let decimals = millis_apart(Nanos(measured), Nanos(limit));
            let text = |nanos: u64| fixed(nanos as f64 / 1e6, decimals);
            prop_assert_eq!(text(measured) == text(limit), measured == limit);
        }
    }
}
