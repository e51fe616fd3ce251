//! `tokencap calibrate`: how many streams and events a second this machine can honestly drive.

use std::path::Path;

use anyhow::Context;
use clap::Args;
use serde_json::json;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::present::words::EN;

use super::answer::Answer;
use crate::interrupt;
use crate::net::awake::Awake;
use crate::plan;
use crate::presets::Kind;
use crate::trial::calibrate::{Rung, calibrate};

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
pub(super) fn run(args: &Calibrate) -> anyhow::Result<()> {
    let promise: PromiseSheet =
        plan::named(&args.promise, Kind::Promise, "promise sheet", Path::new("."))?;
    let stop = interrupt::stop_on_interrupt().context("cannot listen for Ctrl-C")?;
    // What is measured meanwhile is for a person's eyes.
    let person = !args.answer.json;
    if person {
        println!("{HEAD}");
    }
    let rungs = calibrate(&promise, &stop, |rung| {
        if person {
            println!("{}", line(rung));
        }
    })?;
    // As every step has asked for itself.
    let awake = Awake::hold().is_held();
    args.answer.give(
        &json!({ "promise": promise.name, "honest": honest(&rungs), "cores_kept_awake": awake, "rungs": rungs }),
        &format!("\n{}{}", verdict(&rungs), if awake { "" } else { DROWSY }),
    )
}

const DROWSY: &str = if cfg!(target_os = "linux") {
    "\nCores may sleep between two requests here, and wake too late for some: as root, or where \
     this user may write to /dev/cpu_dma_latency, they are kept awake while a step runs."
} else {
    ""
};

const HEAD: &str = "streams   requests/s   events/s   lag P99   TTFT error   gap error   CPU   \
server's own lateness (errors and lateness at P99, ms)";

fn line(rung: &Rung) -> String {
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
        line += "\n        too much: ";
        line += &(EN.invalid)(reason).what;
    }
    line
}

/// The last rung that held.
fn honest(rungs: &[Rung]) -> Option<&Rung> {
    rungs.iter().rfind(|rung| rung.reasons.is_empty())
}

fn verdict(rungs: &[Rung]) -> String {
    let Some(best) = honest(rungs) else {
        return "This machine cannot honestly drive even the smallest load: close other programs, \
                or use another machine."
            .into();
    };
    let more = match rungs.last() {
        Some(last) if last.server_limited && last.reasons.is_empty() => {
            "; the built-in server, not the generator, was the limit here"
        }
        Some(last) if last.reasons.is_empty() => "; more was not tried",
        _ => "",
    };
    format!(
        "This machine can honestly drive {} streams, {:.0} events/s and {:.0} requests/s{more}.",
        best.streams, best.events_per_s, best.requests_per_s
    )
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
        assert!(verdict(&rungs).contains("drive 100 streams, 10000 events/s and 67 requests/s."));
        assert!(verdict(&rungs[2..]).contains("even the smallest"));
        assert!(verdict(&[rung(50, &[], true)]).contains("not the generator"));
        assert!(verdict(&rungs[..2]).contains("more was not tried"));
        assert!(line(&rungs[2]).contains("too much: "), "{}", line(&rungs[2]));
        assert!(line(&rungs[2]).contains("90 %"), "{}", line(&rungs[2]));
    }
}
