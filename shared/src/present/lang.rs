//! The languages that everything is said in.

use serde::{Deserialize, Serialize};

/// A language that everything is said in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// Every language, each by its own name.
    pub const ALL: [(Self, &'static str); 2] = [(Self::En, "English"), (Self::Zh, "中文")];

    /// The BCP 47 tag for `<html lang>`, so that Han glyphs are the simplified ones.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-CN",
        }
    }

    /// The language of a tag or locale such as `zh-CN`, `zh_CN.UTF-8`, `en-GB`; `None` for any
    /// other language.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_', '.', '@']).next()?;
        match primary.to_ascii_lowercase().as_str() {
            "zh" => Some(Self::Zh),
            "en" => Some(Self::En),
            _ => None,
        }
    }
}
