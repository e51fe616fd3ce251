//! `tokencap presets`: lists the built-in promise sheets, workloads and price sheets, or prints
//! one, to be edited.

use anyhow::Context;
use clap::Args;

use crate::presets;

/// List the built-in promise sheets, workloads and price sheets, or print one to edit it.
#[derive(Debug, Args)]
pub(super) struct Presets {
    /// Kind and name of the preset to print, such as `promise/chat-interactive`.
    preset: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// If there is no such preset.
pub(super) fn run(args: &Presets) -> anyhow::Result<()> {
    let path = |preset: &presets::Preset| format!("{}/{}", preset.kind.name(), preset.name);
    let Some(wanted) = &args.preset else {
        for preset in presets::ALL {
            println!("{}", path(preset));
        }
        return Ok(());
    };
    let preset = presets::ALL
        .iter()
        .find(|preset| path(preset) == *wanted)
        .with_context(|| format!("no preset `{wanted}`; `tokencap presets` lists them"))?;
    print!("{}", preset.text);
    Ok(())
}
