//! How exact and how fast the load generator is, beside a bare reader of server-sent events on
//! hyper (the floor) and a bare TCP reader, against a server whose timing is exact.
//!
//! The server is pinned to one core and the reader to another; floor and tool take turns; each
//! figure is the median of its rounds. `cargo bench --bench accuracy -- ROUNDS` (3).

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

mod floor;
mod report;
mod tool;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokencap::stop::Stop;
use tokencap::trial::pulse::{FLOOD, FLOOD_TOKENS, Pulse, SINGLY_TOKENS};
use tokencap_shared::units::Rate;
use tool::Run;

/// Tokens of a stream: 3 s of them.
const TOKENS: u32 = 300;

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    match arguments.first().map(String::as_str) {
        Some("serve") => {
            pin(0);
            let mut pulse = Pulse::listen().unwrap();
            println!("{}", pulse.url().unwrap());
            std::io::stdout().flush().unwrap();
            pulse.serve(&Stop::default()).unwrap();
        }
        Some("read") => {
            pin(1);
            let [_, who, what, amount, server] = &arguments[..] else { panic!("{arguments:?}") };
            let amount: f64 = amount.parse().unwrap();
            let streams = amount as usize;
            let address = server.trim_start_matches("http://").parse().unwrap();
            let seen = match (who.as_str(), what.as_str()) {
                ("floor", "burst") => floor::hyper(address, streams, TOKENS),
                ("floor", "flood") => {
                    let mut seen = floor::hyper(address, streams, FLOOD_TOKENS);
                    seen.flooded = (streams * FLOOD) as u64;
                    seen.streams.clear();
                    seen
                }
                ("floor", "poisson") => {
                    let rate = Rate::new(amount).unwrap();
                    floor::sleeper(&tool::workload(1), rate, Duration::from_secs(20))
                }
                ("tcp", "flood") => floor::tcp(address, streams, FLOOD_TOKENS),
                ("tcp", "singly") => floor::tcp(address, streams, SINGLY_TOKENS),
                ("tool", "burst") => tool::run(server, &Run::Burst(streams), TOKENS),
                ("tool", "poisson") => tool::run(server, &Run::Poisson(amount), 100),
                ("tool", "flood") => tool::run(server, &Run::Flood(streams), FLOOD_TOKENS),
                ("tool", "singly") => tool::run(server, &Run::Flood(streams), SINGLY_TOKENS),
                ("tool", "campaign") => tool::campaign(server, streams),
                _ => panic!("{arguments:?}"),
            };
            println!("{}", seen.figures(server));
        }
        rounds => {
            let rounds = rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
            compare(rounds);
        }
    }
}

/// Keeps this process on one core, where there are at least two.
fn pin(core: usize) {
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() >= 2) {
        let mut set = rustix::thread::CpuSet::new();
        set.set(core);
        // Without it the figures are worse, not wrong.
        let _ = rustix::thread::sched_setaffinity(None, &set);
    }
}

struct Server(Child, String);

impl Server {
    fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("serve")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self(child, url.trim().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// One run of a reader in a process of its own, against a server of its own.
fn read(who: &str, what: &str, amount: usize) -> serde_json::Value {
    let server = Server::start();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["read", who, what, &amount.to_string(), &server.1])
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{who} {what} {amount}: {text}"))
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Rounds of one setting, floor and tool in turn: their figures by name.
struct Setting {
    floor: Vec<serde_json::Value>,
    tool: Vec<serde_json::Value>,
}

impl Setting {
    fn run(rounds: usize, floor: Option<&str>, what: &str, amount: usize) -> Self {
        let mut setting = Self { floor: Vec::new(), tool: Vec::new() };
        for _ in 0..rounds {
            setting.floor.extend(floor.map(|who| read(who, what, amount)));
            setting.tool.push(read("tool", what, amount));
        }
        setting
    }

    fn medians(&self, name: &str) -> [Option<f64>; 2] {
        [&self.floor, &self.tool]
            .map(|runs| median(runs.iter().filter_map(|figures| figures[name].as_f64()).collect()))
    }
}

fn compare(rounds: usize) {
    let row = |name: &str, unit: &str, [floor, tool]: [Option<f64>; 2], wanted: &str| {
        let show = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
        let ratio = floor.zip(tool).map(|(floor, tool)| tool / floor);
        let ratio = ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"));
        println!(
            "{name:<44} {:>12} {:>12} {ratio:>7}  {unit:<9} {wanted}",
            show(floor),
            show(tool)
        );
    };
    println!("medians of {rounds}; errors at P99; the server's own lateness is subtracted\n");
    println!("{:<44} {:>12} {:>12} {:>7}  {:<9} wanted", "", "floor", "tool", "ratio", "unit");
    let mut steady = Vec::new();
    for (streams, wanted) in [(100, "≤ 3"), (500, "≤ 16, aim at 8"), (1000, "≤ 39")] {
        let setting = Setting::run(rounds, Some("floor"), "burst", streams);
        let name = format!("TTFT error, {streams} streams start at one instant");
        row(&name, "ms", setting.medians("ttft_ms"), wanted);
        steady.push((streams, setting));
    }
    for (streams, setting) in &steady {
        let name = format!("gap error, {streams} streams steady");
        row(&name, "ms", setting.medians("gap_ms"), if *streams == 500 { "≤ 0.3" } else { "" });
    }
    for (streams, setting) in &steady {
        let name = format!("CPU per token, {streams} streams");
        row(&name, "µs", setting.medians("cpu_us"), "≤ 7.2");
    }
    for (streams, setting) in &steady {
        let name = format!("peak memory, {streams} streams");
        row(&name, "MB", setting.medians("peak_mb"), if *streams == 1000 { "≤ 40" } else { "" });
    }
    for (streams, setting) in &steady {
        let name = format!("the server's own lateness, {streams} streams");
        row(&name, "ms", setting.medians("server_ms"), "");
    }
    let flood = Setting::run(rounds, Some("floor"), "flood", 16);
    row("events a second, floor: hyper", "/s", flood.medians("per_second"), "");
    let flood = Setting::run(rounds, Some("tcp"), "flood", 16);
    row("events a second, floor: bare TCP", "/s", flood.medians("per_second"), "ratio ≥ 0.60");
    let flood = Setting::run(rounds, Some("tcp"), "singly", 16);
    row("the same, each written by itself", "/s", flood.medians("per_second"), "");
    let poisson = Setting::run(rounds, Some("floor"), "poisson", 50);
    row("start lateness, Poisson 50/s", "ms", poisson.medians("lag_ms"), "≤ 0.2");
    // Memory hardly differs from one round to the next.
    let crowd = Setting::run(1, None, "burst", 10_000);
    row("peak memory, 10,000 streams", "MB", crowd.medians("peak_mb"), "≤ 500");
    let many = Setting::run(1, None, "campaign", 100);
    let (requests, peak) = (many.medians("requests"), many.medians("peak_mb"));
    row("requests of a campaign", "", requests, "≥ 1,000,000");
    let per_million = peak[1].zip(requests[1]).map(|(peak, requests)| peak / requests * 1e6);
    row("peak memory of it, a million requests", "MB", [None, per_million], "≤ 300");
}
