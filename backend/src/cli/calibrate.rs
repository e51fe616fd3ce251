//! `tokencap calibrate`: how many streams and events a second this machine can honestly drive.

use std::path::Path;

use anyhow::Context;
use clap::Args;
use serde_json::json;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::present::words::Lang;

use super::answer::Answer;
use crate::interrupt;
use crate::net::awake::Awake;
use crate::plan;
use crate::presets::Kind;
use crate::trial::calibrate::{Rung, calibrate};
use crate::words::{self, CommandWords};

/// Measure how many streams and events a second this machine can honestly drive.
///
/// Runs the load generator against a built-in server with exact timing, on this machine alone,
/// at more and more streams. Nothing leaves the machine. Server and generator share its cores,
/// so a machine that generates load alone can drive somewhat more.
#[derive(Debug, Args)]
pub(super) struct Calibrate {
    /// The promise sheet whose TTFT limits say how late the generator may be: a file, or a preset
    #[arg(long, value_name = "SHEET", default_value = "demo")]
    promise: String,
    #[command(flatten)]
    answer: Answer,
}

/// Runs the command.
///
/// # Errors
/// If the promise sheet cannot be read, or the generator cannot start on this machine.
pub(super) fn run(args: &Calibrate, lang: Lang) -> anyhow::Result<()> {
    let words = words::of(lang);
    let promise: PromiseSheet = plan::named(&args.promise, Kind::Promise, Path::new("."))?;
    let stop = interrupt::stop_on_interrupt(lang).context(words.no_ctrl_c)?;
    // What is measured meanwhile is for a person's eyes.
    let person = !args.answer.json;
    if person {
        println!("{}", words.calibrate_head);
    }
    let rungs = calibrate(&promise, &stop, |rung| {
        if person {
            println!("{}", line(rung, words));
        }
    })?;
    // As every step has asked for itself.
    let awake = Awake::hold().is_held();
    args.answer.give(
        &json!({ "promise": promise.name, "honest": honest(&rungs), "cores_kept_awake": awake, "rungs": rungs }),
        &format!("\n{}{}", verdict(&rungs, words), drowsy(awake, words)),
    )
}

/// What to do about cores that sleep, where they can be kept awake.
fn drowsy(awake: bool, words: &CommandWords) -> String {
    let told = !awake && cfg!(target_os = "linux");
    if told { format!("\n{}", words.drowsy) } else { String::new() }
}

fn line(rung: &Rung, words: &CommandWords) -> String {
    let millis = |nanos: tokencap_shared::units::Nanos| nanos.0 as f64 / 1e6;
    let cpu = rung.generator.cpu_busiest;
    let cpu = cpu.map_or("–".into(), |cpu| format!("{:.0} %", cpu.get() * 100.0));
    let mut line = format!(
        "{:>7} {:>12.1} {:>10.0} {:>9.2} {:>12.2} {:>11.2} {:>5} {:>10.2}",
        rung.streams,
        rung.requests_per_s,
        rung.events_per_s,
        millis(rung.lag[0]),
        millis(rung.ttft_error),
        millis(rung.gap_error),
        cpu,
        millis(rung.server),
    );
    for reason in &rung.reasons {
        line += "\n        ";
        line += &(words.too_much)(&(words.shared.invalid)(reason).what);
    }
    line
}

/// The last rung that held.
fn honest(rungs: &[Rung]) -> Option<&Rung> {
    rungs.iter().rfind(|rung| rung.reasons.is_empty())
}

fn verdict(rungs: &[Rung], words: &CommandWords) -> String {
    let Some(best) = honest(rungs) else {
        return words.drives_none.to_owned();
    };
    let more = match rungs.last() {
        Some(last) if last.server_limited && last.reasons.is_empty() => words.server_limit,
        Some(last) if last.reasons.is_empty() => words.not_tried,
        _ => "",
    };
    (words.drives)(best.streams, best.events_per_s, best.requests_per_s, more)
}

#[cfg(test)]
mod tests {
    use tokencap_shared::definitions::judge::Invalid;
    use tokencap_shared::definitions::step::GeneratorEvidence;
    use tokencap_shared::units::{Nanos, Share};

    use super::*;

    fn rung(streams: u32, reasons: &[Invalid], server_limited: bool) -> Rung {
        Rung {
            streams,
            events_per_s: f64::from(streams) * 100.0,
            requests_per_s: f64::from(streams) / 1.5,
            lag: [Nanos(0); 2],
            ttft_error: Nanos(0),
            gap_error: Nanos(0),
            server: Nanos(0),
            generator: GeneratorEvidence::default(),
            reasons: reasons.to_vec(),
            server_limited,
        }
    }

    #[test]
    fn the_verdict_is_the_last_rung_that_held() {
        let busy = Invalid::GeneratorSaturated { cpu: Share::new(0.9).ok(), stall: None };
        let rungs = [rung(50, &[], false), rung(100, &[], false), rung(250, &[busy], false)];
        let en = words::of(Lang::En);
        assert!(
            verdict(&rungs, en).contains("drive 100 streams, 10000 events/s and 67 requests/s.")
        );
        assert!(verdict(&rungs[2..], en).contains("even the smallest"));
        assert!(verdict(&[rung(50, &[], true)], en).contains("not the generator"));
        assert!(verdict(&rungs[..2], en).contains("more was not tried"));
        assert!(line(&rungs[2], en).contains("too much: "), "{}", line(&rungs[2], en));
        assert!(line(&rungs[2], en).contains("90 %"), "{}", line(&rungs[2], en));
    }
}
