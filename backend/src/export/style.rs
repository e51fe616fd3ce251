//! How cells of a workbook look, and why one cannot be made.

use rust_xlsxwriter::{Color, Format, FormatAlign, FormatBorder};
use tokencap_shared::present::document::cell::Number;

/// Why a workbook cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("the workbook cannot be written; export fewer bundles at a time, or another format")]
pub struct XlsxError(#[from] rust_xlsxwriter::XlsxError);

/// The formats that all sheets use.
pub(super) struct Formats {
    pub(super) title: Format,
    pub(super) header: Format,
    pub(super) number: Format,
    pub(super) assumption: Format,
    pub(super) plain: Format,
}

impl Formats {
    pub(super) fn new() -> Self {
        Self {
            title: Format::new().set_bold().set_font_size(13),
            header: Format::new().set_bold().set_text_wrap().set_border_bottom(FormatBorder::Thin),
            number: Format::new().set_align(FormatAlign::Right),
            assumption: Format::new().set_background_color(Color::RGB(0x00FF_F2CC)),
            plain: Format::new(),
        }
    }
}

/// The format that shows so many decimals of an unrounded number.
pub(super) fn number_format(decimals: usize) -> String {
    if decimals == 0 { "#,##0".to_owned() } else { format!("#,##0.{}", "0".repeat(decimals)) }
}

/// The format that shows a number as people read it elsewhere; a limit with its sign.
pub(super) fn format_of(number: &Number) -> String {
    let digits = number_format(number.decimals);
    number.limit.map_or_else(|| digits.clone(), |limit| format!("\"{}\"{digits}", limit.sign()))
}

#[cfg(test)]
mod tests {
    use tokencap_shared::present::document::cell::Limit;

    use super::*;

    #[test]
    fn decimals_and_limits_are_formats_of_unrounded_numbers() {
        assert_eq!(format_of(&Number::fixed(1_234.567, 2)), "#,##0.00");
        assert_eq!(format_of(&Number::count(7).limit(Limit::AtMost)), "\"≤ \"#,##0");
    }
}
