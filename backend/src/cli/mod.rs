//! The command line: one file a command, its arguments and what it does with them.
//!
//! Every command ends with exit code 0, or with one sentence on stderr that says what went wrong
//! and what to do, and exit code 1 (2 for a wrong command line, which clap says itself).

mod answer;
mod calibrate;
mod compare;
mod demo;
mod errors;
mod export;
mod import;
mod keygen;
mod language;
mod merge;
mod opened;
mod passphrase;
mod presets;
mod report;
mod revoke;
mod serve;
mod sign;
mod sim;
mod soak;
mod sweep;
mod verify;
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tokencap_shared::present::escape;
use tokencap_shared::present::words::Lang;

use crate::log;
use crate::words::{self, CommandWords};
use language::Language;

/// Measure, prove and sign how many tokens an LLM inference cluster can sell in a day.
#[derive(Debug, Parser)]
#[command(name = "tokencap", version, about, long_about = None)]
struct Cli {
    /// Tell on stderr what is done: -v decisions and steps, -vv each connection and scrape too.
    /// RUST_LOG, where it is set, decides instead.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    /// Language of everything but this help. Default: that of the terminal (LC_ALL, LC_MESSAGES,
    /// LANG), else English.
    #[arg(long, value_enum, global = true)]
    lang: Option<Language>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Calibrate(calibrate::Calibrate),
    Compare(compare::Compare),
    Demo(demo::Demo),
    Merge(merge::Merge),
    Presets(presets::Presets),
    Report(report::Report),
    Serve(serve::Serve),
    Sim(sim::Sim),
    Soak(soak::Soak),
    Sweep(sweep::Sweep),
    Web(web::Web),
    Export(export::Export),
    Import(import::Import),
    Keygen(keygen::Keygen),
    Sign(sign::Sign),
    Verify(verify::Verify),
    Revoke(revoke::Revoke),
}

/// Parses the process's arguments and runs the command.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    log::start(cli.verbose);
    let lang = Language::or_terminal(cli.lang);
    match run(cli.command, lang) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let why = sentence(&error, words::of(lang));
            eprintln!("{}", escape::one_line(&(words::of(lang).failed)(&why)));
            ExitCode::FAILURE
        }
    }
}

/// What went wrong and why, each cause said once: many an error names its cause itself.
fn sentence(error: &anyhow::Error, words: &CommandWords) -> String {
    let mut said = String::new();
    for cause in error.chain().map(|cause| errors::said(cause, words.shared.lang)) {
        if said.is_empty() {
            said = cause;
        } else if !said.contains(&cause) {
            said = said + words.because + &cause;
        }
    }
    said
}

fn run(command: Command, lang: Lang) -> anyhow::Result<()> {
    match command {
        Command::Calibrate(args) => calibrate::run(&args, lang),
        Command::Compare(args) => compare::run(&args, lang),
        Command::Demo(args) => demo::run(&args, lang),
        Command::Merge(args) => merge::run(&args, lang),
        Command::Presets(args) => presets::run(&args, lang),
        Command::Report(args) => report::run(&args, lang),
        Command::Serve(args) => serve::run(&args, lang),
        Command::Sim(args) => sim::run(args, lang),
        Command::Soak(args) => soak::run(&args, lang),
        Command::Sweep(args) => sweep::run(&args, lang),
        Command::Web(args) => web::run(&args, lang),
        Command::Export(args) => export::run(&args, lang),
        Command::Import(args) => import::run(&args, lang),
        Command::Keygen(args) => keygen::run(&args, lang),
        Command::Sign(args) => sign::run(&args, lang),
        Command::Verify(args) => verify::run(&args, lang),
        Command::Revoke(args) => revoke::run(&args, lang),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let none = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        let error = Err::<(), _>(none).context("cannot read x: no such file; check the path");
        let error = error.context("no plan").unwrap_err();
        assert_eq!(
            sentence(&error, words::of(Lang::En)),
            "no plan: cannot read x: no such file; check the path"
        );
    }
}
