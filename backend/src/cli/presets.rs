//! `tokencap presets`: lists the built-in promise sheets, workloads and price sheets, or prints
//! one, to be edited.

use anyhow::Context;
use clap::Args;

use tokencap_shared::present::words::Lang;

use super::answer::Answer;
use crate::presets;
use crate::words;

/// List the built-in promise sheets, workloads and price sheets, or print one to edit it.
#[derive(Debug, Args)]
pub(super) struct Presets {
    /// Kind and name of the preset to print, such as `promise/chat-interactive`.
    preset: Option<String>,
    #[command(flatten)]
    answer: Answer,
}

/// Runs the command.
///
/// # Errors
/// If there is no such preset.
pub(super) fn run(args: &Presets, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    let path = |preset: &presets::Preset| format!("{}/{}", preset.kind.name(), preset.name);
    let Some(wanted) = &args.preset else {
        let all: Vec<String> = presets::ALL.iter().map(path).collect();
        return args.answer.give(&all, &all.join("\n"));
    };
    let preset = presets::ALL
        .iter()
        .find(|preset| path(preset) == *wanted)
        .with_context(|| (words.no_preset)(wanted))?;
    let value: toml::Value = toml::from_str(preset.text).context(words.damaged_preset)?;
    args.answer.give(&value, preset.text.trim_end())
}
