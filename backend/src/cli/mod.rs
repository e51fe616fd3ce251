//! The command line: one file a command, its arguments and what it does with them.
//!
//! Every command ends with exit code 0, or with one sentence on stderr that says what went wrong
//! and what to do, and exit code 1 (2 for a wrong command line, which clap says itself).

mod answer;
mod calibrate;
mod compare;
mod demo;
mod export;
mod import;
mod keygen;
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

use crate::log;

/// Measure, prove and sign how many tokens an LLM inference cluster can sell in a day.
#[derive(Debug, Parser)]
#[command(name = "tokencap", version, about, long_about = None)]
struct Cli {
    /// Tell on stderr what is done: -v decisions and steps, -vv each connection and scrape too.
    /// RUST_LOG, where it is set, decides instead.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
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
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tokencap: {}", sentence(&error));
            ExitCode::FAILURE
        }
    }
}

/// What went wrong and why, each cause said once: many an error names its cause itself.
fn sentence(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    said
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Presets(args) => presets::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Sim(args) => sim::run(args),
        Command::Soak(args) => soak::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Web(args) => web::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Keygen(args) => keygen::run(&args),
        Command::Sign(args) => sign::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Revoke(args) => revoke::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::sentence;

    #[test]
    fn a_cause_is_said_once() {
        let none = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        let error = Err::<(), _>(none).context("cannot read x: no such file; check the path");
        let error = error.context("no plan").unwrap_err();
        assert_eq!(sentence(&error), "no plan: cannot read x: no such file; check the path");
    }
}
