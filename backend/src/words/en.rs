//! English.

use tokencap_shared::definitions::capacity::Standing;
use tokencap_shared::definitions::promise::PromiseKind;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::present::format::{compact, plain};
use tokencap_shared::present::words::Lang;
use tokencap_shared::signoff::SignedNumbers;

use super::{CommandWords, StepText};

/// English.
pub(super) const EN: CommandWords = CommandWords {
    failed: |why| format!("error: {why}"),
    because: ": ",
    note: |text| format!("note: {text}"),
    plan: |text| format!("plan: {text}"),
    and: "; ",
    comma: ", ",
    step,
    users: |users| format!("{users} users (closed loop)"),
    warm_up: "warm-up",
    window: "window",
    tail: "tail",
    counts: |phase, load, in_flight, completed, failed| {
        format!("{phase}: {load}, {in_flight} in flight, {completed} done, {failed} failed")
    },
    tails: |tails| format!(", p99 against its limit: {tails}"),
    queue: "queue",
    of_tier: |tier| format!(" ({tier})"),
    so_far: |verdict, why| format!(", so far {verdict}{why}"),
    piles_up: |why| format!(" ({why})"),
    latencies: |ttft, itl| format!(", TTFT p50/p99 {ttft}, ITL p50/p99 {itl}"),
    left: |time| format!(", {time} left"),
    insufficient: "insufficient evidence",
    step_invalid: "INVALID: the step has no result; the report says why",
    step_ended: |offered, verdict, worst, screen, compliant, valid| {
        format!(
            "offered {offered:.2} req/s: promises {verdict}{worst}; on the point estimates {screen}; {compliant} of {valid} requests compliant"
        )
    },
    first_in_tier: |tier| format!(" (first in tier {tier})"),
    given_up: |reason| format!("given up early: {reason}"),
    confirmed: |rate| format!("λ_slo_max: {rate} req/s, confirmed"),
    unconfirmed: |rate| format!("nothing was confirmed; λ_slo_max is near {rate} req/s"),
    search_invalid: "the search ended: steps were INVALID again and again",
    search_blind: |promise| format!("the search ended: nothing observes {promise}"),
    first_broken: |rate| format!("; the first broken rate is {rate}"),
    none_broken: "; no tested rate above it broke",
    non_monotone: "; not monotone: a rate above a broken one passed",
    breaks_first: |promise, tier| format!("; what breaks first: {promise}{tier}"),
    in_tier: |tier| format!(" of tier {tier}"),
    rates_take: |steps, time| {
        format!("{steps} steps, {time} and the time that the last requests of each take")
    },
    search_takes: |usual, usual_time, most, most_time| {
        format!(
            "a search: usually about {usual} steps and {usual_time}, at most {most} steps and {most_time}"
        )
    },
    tokens_take: |requests, input, output| {
        format!("about {requests} requests: {input} tokens of input, {output} of output")
    },
    if_near: |rate| format!(", if λ_slo_max is near the first guess of {rate:.2} req/s"),
    can_prove: |minutes, proofs| {
        format!("a window of {minutes:.1} min can prove, if violations are rare: {proofs}")
    },
    cannot_prove: |proofs| {
        format!(
            "it cannot prove, whatever comes: {proofs}; near the limit requests depend on each other, and many times as many are needed"
        )
    },
    proof: |what, target, needed, expected| {
        format!("{what} ≥ {target} % ({needed} clean requests needed, {expected} expected)")
    },
    proved,
    at_prices: |sheet, date, said| format!("at the prices of {sheet} ({date}): {said}"),
    gpus_cost: |gpus, hours, money| format!("{gpus} GPUs for {hours:.2} h cost {money}"),
    tokens_bring: |money| format!("sold without cache hits, these tokens would bring {money}"),
    nothing_priced: "nothing is priced",
    stopping: "\nStopping: nothing more is sent, what is in flight comes to its end, and what was measured is kept. Ctrl-C again ends at once.",
    no_ctrl_c: "cannot listen for Ctrl-C: try again",
    saved: |out| {
        format!("Wrote {out}\nRead it:  tokencap report {out}\nShow it:  tokencap serve {out}")
    },
    written: |out| format!("Written: {out}"),
    written_imported: |out| format!("Written: {out} (imported, not signable)"),
    no_json: "the answer cannot be written as JSON: this is a fault of the program",
    exists: |path| format!("{path} exists already; name another file with --out, or move it away"),
    unreadable: |path| format!("cannot read {path}: check its path and permissions"),
    unwritable: |path| format!("cannot write {path}: check its path and permissions"),
    unusable: |path| format!("cannot use {path}"),
    not_empty: |path| format!("{path} is not empty; name another folder, or empty it first"),
    web_built: |path, build| format!("{path}: build {build}"),
    damaged_preset: "a built-in preset is missing or damaged: install tokencap again",
    no_preset: |name| format!("no preset `{name}`; `tokencap presets` lists them"),
    port_taken: |port| format!("port {port} is taken: choose another one with --port"),
    no_sim_port: "the simulated cluster cannot start on 127.0.0.1: close other programs and try again",
    sim_failed: "the simulated cluster failed: run the command again",
    sim_listens: |url| {
        format!(
            "A simulated cluster listens at {url}. It is no hardware, and neither are its numbers."
        )
    },
    sim_late: |millis| {
        format!("The simulator served its events {millis:.1} ms late at the 99th percentile.")
    },
    sim_serves: |url, model| format!("{url} serves the simulated model {model}"),
    sim_lateness: |events, p50_us, p99_us, max_us| {
        format!(
            "{events} events; late by {p50_us} µs (median), {p99_us} µs (P99), {max_us} µs (max)"
        )
    },
    sim_remote: |ip| {
        format!("{ip} can be reached from other machines: add --allow-remote if that is meant")
    },
    cannot_listen: |at| {
        format!("cannot listen on {at}: choose another port with --port (0 takes any free one)")
    },
    no_sim: |name| {
        format!(
            "no simulated cluster `{name}`: give a TOML file, or one of the presets that `tokencap presets` lists as sim/NAME"
        )
    },
    not_a_sim: |name| format!("{name} describes no simulated cluster"),
    no_threads: "cannot start the server's threads: close other programs and try again",
    report_at: |url| format!("Report at {url} (Ctrl-C ends it)"),
    bad_ending: |path| format!("{path} must end in .xlsx, .csv, .md or .json"),
    one_table: "a CSV holds one table: give one bundle, or --table summary, or write an .xlsx",
    no_money: "there is no money without prices: give --prices",
    no_table: |name| {
        format!("{name} has no valid step, so there is no such table: choose --table steps")
    },
    two_bundles: "two bundles are compared: give two",
    needs_prices: "a comparison in money needs prices: choose a price sheet with --prices, and another one for the second bundle with --prices-right where its tokens sell at other prices",
    nothing_imported: "nothing was imported: choose other files",
    no_records: "no result has records that say when requests were sent: there is nothing to put into a bundle; leave --out away",
    no_index: "--shards needs the environment variable JOB_COMPLETION_INDEX, which an indexed job of Kubernetes sets; elsewhere use --shard I/N",
    no_start: "--start-at is no time of this machine: choose another one",
    resume_and_out: |resumed, out| {
        format!("--resume goes on with {resumed} and --out names {out}: leave one of them out")
    },
    search_together: "a search steers by all arrivals: leave --start-at out, or name the rates in [sweep]",
    short_soak: "--for must be at least a second, and 30m for a committed capacity",
    bad_rate: |rate| format!("--rate must be a number of requests per second above 0, not {rate}"),
    no_rate: "name the rate to soak at: --rate RATE, or --at BUNDLE",
    other_plan: |path, what| {
        format!(
            "the {what} of {path} and of the plan differ: soak with its own plan, or name a rate with --rate"
        )
    },
    parts,
    nothing_held: |path| format!("no rate held in {path}: name a rate with --rate"),
    ask_passphrase: "Passphrase of the key: ",
    ask_new_passphrase: "Passphrase for the new key: ",
    ask_again: "The same again: ",
    passphrases_differ: "the two passphrases differ: run the command again",
    no_passphrase_file: |path| format!("cannot read the passphrase file {path}: check its path"),
    no_terminal: |variable| {
        format!("no terminal to ask for the passphrase: give --passphrase-file or set {variable}")
    },
    keys_file: "trusted keys",
    key_made: |name, out, place, fingerprint, lines| {
        format!(
            "Key of {name} written to {out}. Keep it to yourself; there is no way around the passphrase.\n\nWhoever is to trust it adds this to {place},\nafter comparing the fingerprint {fingerprint} with you by another way:\n\n{lines}"
        )
    },
    or_roles: "or reviewed-by, approved-by",
    wrong_clock: "this machine's clock is wrong: set it",
    beyond_calendar: |days| format!("{days} days from now are beyond the calendar: choose fewer"),
    not_on_top: |what, fix| format!("{what}: nothing is signed on top of that. {fix}"),
    signed_already: |role| {
        format!(
            "this key has signed already, as {role}: another role needs the key of another person"
        )
    },
    signed: |role, name, fingerprint, state| {
        format!("Signed: {role} {name} ({fingerprint}). The bundle is now: {state}")
    },
    signs,
    not_signed: |path, state| {
        format!("{path} is not signed ({state}): get the signatures it lacks")
    },
    replaces_itself: "a run cannot be replaced by itself: name the bundle of a later one",
    revoked: |lines| {
        format!(
            "Done. Copies of the bundle elsewhere do not know it: whoever holds one adds this to the trusted keys file:\n\n{lines}"
        )
    },
    calibrate_head: "streams   requests/s   events/s   lag P99   TTFT error   gap error   CPU   server's own lateness (errors and lateness at P99, ms)",
    too_much: |reason| format!("too much: {reason}"),
    drowsy: "Cores may sleep between two requests here, and wake too late for some: as root, or where this user may write to /dev/cpu_dma_latency, they are kept awake while a step runs.",
    drives_none: "This machine cannot honestly drive even the smallest load: close other programs, or use another machine.",
    drives: |streams, events, requests, more| {
        format!(
            "This machine can honestly drive {streams} streams, {events:.0} events/s and {requests:.0} requests/s{more}."
        )
    },
    server_limit: "; the built-in server, not the generator, was the limit here",
    not_tried: "; more was not tried",

    shared: Lang::En.words(),
};

fn step(text: &StepText<'_>) -> String {
    let StepText { number, of, load, kind, length, left } = *text;
    let kind = match kind {
        StepKind::Probe | StepKind::Closed => "",
        StepKind::Confirm => ", to confirm",
        StepKind::Soak => ", a soak",
    };
    let most = if of.is_none() { "at most" } else { "about" };
    let of = of.map_or(String::new(), |of| format!(" of {of}"));
    let left = left.map_or(String::new(), |left| format!("; about {left} left"));
    format!("step {number}{of}: {load}{kind}, {most} {length}{left}")
}

fn proved(kind: PromiseKind, tier: Option<&str>) -> String {
    let what = match kind {
        PromiseKind::Success => "success",
        PromiseKind::Attainment => "attainment",
        _ => "P99s",
    };
    tier.map_or(what.to_owned(), |tier| format!("{what} of {tier}"))
}

fn parts(what: &str) -> String {
    what.to_owned()
}

fn signs(numbers: &SignedNumbers) -> String {
    let SignedNumbers { model, gpus_serving: gpus, gpu, promise, .. } = numbers;
    let (lambda, goodput) = (plain(numbers.lambda), plain(numbers.goodput));
    let daily = compact(numbers.daily.get(), Lang::En);
    let simulated = if numbers.simulated { "SIMULATED " } else { "" };
    let standing = if numbers.standing == Standing::Committed {
        "committed"
    } else {
        "reference only: no soak at this rate"
    };
    format!(
        "{simulated}{model} on {gpus} × {gpu} under the promises `{promise}`:\n\
         λ_slo_max {lambda} req/s, SLO goodput {goodput} tok/s, {daily} tok/day ({standing})"
    )
}
