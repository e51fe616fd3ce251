//! Everything the commands tell a person, in every language, as one typed catalogue.
//!
//! A text is a field, a text with something in it a function: a language that lacks one does not
//! compile. What pages show too stands in the shared crate's catalogue; what only a terminal says
//! stands here and never reaches the web app. Units stay as they are in every language.

mod en;
mod zh;

use tokencap_shared::definitions::promise::PromiseKind;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::present::words::{Lang, Words};
use tokencap_shared::signoff::SignedNumbers;

/// The catalogue of a language.
#[must_use]
pub(crate) const fn of(lang: Lang) -> &'static CommandWords {
    match lang {
        Lang::En => &en::EN,
        Lang::Zh => &zh::ZH,
    }
}

/// A step that begins. Times come formatted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepText<'a> {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// How many there are; a search does not know.
    pub(crate) of: Option<usize>,
    /// What is offered.
    pub(crate) load: &'a str,
    /// Why it is run.
    pub(crate) kind: StepKind,
    /// Its warm-up and its window.
    pub(crate) length: &'a str,
    /// For it and the steps after it, where that is known.
    pub(crate) left: Option<&'a str>,
}

/// The texts of one language.
pub(crate) struct CommandWords {
    /// What went wrong, before the exit.
    pub(crate) failed: fn(why: &str) -> String,
    /// Between an error and its cause.
    pub(crate) because: &'static str,
    /// What a reader should know of a target.
    pub(crate) note: fn(text: &str) -> String,
    /// A line of what a campaign will take.
    pub(crate) plan: fn(text: &str) -> String,
    /// Between parts of a list.
    pub(crate) and: &'static str,
    /// Between parts of a sentence.
    pub(crate) comma: &'static str,
    /// A step begins: its number from 1, load, why it is run, length and the time left.
    pub(crate) step: fn(&StepText<'_>) -> String,
    /// The load of a closed loop.
    pub(crate) users: fn(users: u32) -> String,
    /// The phase before the window.
    pub(crate) warm_up: &'static str,
    /// The phase that is judged.
    pub(crate) window: &'static str,
    /// The phase in which the last requests end.
    pub(crate) tail: &'static str,
    /// Where a step is, with its counters.
    pub(crate) counts:
        fn(phase: &str, load: &str, in_flight: u64, completed: u64, failed: u64) -> String,
    /// P99s beside their limits.
    pub(crate) tails: fn(tails: &str) -> String,
    /// The time in the queue, as a short name.
    pub(crate) queue: &'static str,
    /// Behind what is about one tier.
    pub(crate) of_tier: fn(tier: &str) -> String,
    /// What the window shows up to now.
    pub(crate) so_far: fn(verdict: &str, why: &str) -> String,
    /// Why a step is broken whose latencies keep to their limits.
    pub(crate) piles_up: fn(why: &str) -> String,
    /// Medians and P99s.
    pub(crate) latencies: fn(ttft: &str, itl: &str) -> String,
    /// Time left.
    pub(crate) left: fn(time: &str) -> String,
    /// A verdict for want of evidence.
    pub(crate) insufficient: &'static str,
    /// A step ended without a result.
    pub(crate) step_invalid: &'static str,
    /// A step ended: what was offered, both verdicts, compliant requests.
    pub(crate) step_ended: fn(
        offered: f64,
        verdict: &str,
        worst: &str,
        screen: &str,
        compliant: u64,
        valid: u64,
    ) -> String,
    /// The tier that broke first.
    pub(crate) first_in_tier: fn(tier: &str) -> String,
    /// Why a step was ended early.
    pub(crate) given_up: fn(reason: &str) -> String,
    /// A search ended with a rate that may be signed.
    pub(crate) confirmed: fn(rate: &str) -> String,
    /// A search ended without one.
    pub(crate) unconfirmed: fn(rate: &str) -> String,
    /// A search was ended by invalid steps.
    pub(crate) search_invalid: &'static str,
    /// A search was ended by a promise that nothing observes.
    pub(crate) search_blind: fn(promise: &str) -> String,
    /// The lowest rate that broke.
    pub(crate) first_broken: fn(rate: &str) -> String,
    /// No rate above it broke.
    pub(crate) none_broken: &'static str,
    /// A rate above a broken one passed.
    pub(crate) non_monotone: &'static str,
    /// Which promise breaks first.
    pub(crate) breaks_first: fn(promise: &str, tier: &str) -> String,
    /// Behind a promise of one tier.
    pub(crate) in_tier: fn(tier: &str) -> String,
    /// Steps at given rates.
    pub(crate) rates_take: fn(steps: u32, time: &str) -> String,
    /// Steps of a search.
    pub(crate) search_takes: fn(usual: u32, usual_time: &str, most: u32, most_time: &str) -> String,
    /// Requests and tokens.
    pub(crate) tokens_take: fn(requests: &str, input: &str, output: &str) -> String,
    /// Where these rest on a guess.
    pub(crate) if_near: fn(rate: f64) -> String,
    /// What a window can prove.
    pub(crate) can_prove: fn(minutes: f64, proofs: &str) -> String,
    /// What it cannot.
    pub(crate) cannot_prove: fn(proofs: &str) -> String,
    /// One promise, the requests it needs and those expected.
    pub(crate) proof: fn(what: &str, target: &str, needed: u64, expected: &str) -> String,
    /// A promise, and its tier if it has one.
    pub(crate) proved: fn(kind: PromiseKind, tier: Option<&str>) -> String,
    /// Money of a campaign.
    pub(crate) at_prices: fn(sheet: &str, date: &str, said: &str) -> String,
    /// What the GPUs cost meanwhile.
    pub(crate) gpus_cost: fn(gpus: u32, hours: f64, money: &str) -> String,
    /// What the tokens would bring.
    pub(crate) tokens_bring: fn(money: &str) -> String,
    /// A sheet that prices neither.
    pub(crate) nothing_priced: &'static str,
    /// After the first Ctrl-C.
    pub(crate) stopping: &'static str,
    /// Ctrl-C cannot be listened to.
    pub(crate) no_ctrl_c: &'static str,
    /// What to do with a bundle that was written.
    pub(crate) saved: fn(out: &str) -> String,
    /// A file was written.
    pub(crate) written: fn(out: &str) -> String,
    /// A bundle of other tools' results was written.
    pub(crate) written_imported: fn(out: &str) -> String,
    /// A value that cannot be JSON.
    pub(crate) no_json: &'static str,
    /// A file that would be overwritten.
    pub(crate) exists: fn(path: &str) -> String,
    /// A file cannot be read.
    pub(crate) unreadable: fn(path: &str) -> String,
    /// A file cannot be written.
    pub(crate) unwritable: fn(path: &str) -> String,
    /// A bundle cannot be used.
    pub(crate) unusable: fn(path: &str) -> String,
    /// A folder that holds something.
    pub(crate) not_empty: fn(path: &str) -> String,
    /// The web app was written.
    pub(crate) web_built: fn(path: &str, build: &str) -> String,
    /// A preset of this program is damaged.
    pub(crate) damaged_preset: &'static str,
    /// No such preset.
    pub(crate) no_preset: fn(name: &str) -> String,
    /// A port is taken.
    pub(crate) port_taken: fn(port: u16) -> String,
    /// The simulated cluster cannot listen or start.
    pub(crate) no_sim_port: &'static str,
    /// The simulated cluster ended badly.
    pub(crate) sim_failed: &'static str,
    /// Where the demo's cluster listens.
    pub(crate) sim_listens: fn(url: &str) -> String,
    /// How late the simulator was.
    pub(crate) sim_late: fn(millis: f64) -> String,
    /// The simulator runs.
    pub(crate) sim_serves: fn(url: &str, model: &str) -> String,
    /// How late its events were.
    pub(crate) sim_lateness: fn(events: u64, p50_us: u64, p99_us: u64, max_us: u64) -> String,
    /// A simulator that others could reach.
    pub(crate) sim_remote: fn(ip: &str) -> String,
    /// An address cannot be had.
    pub(crate) cannot_listen: fn(at: &str) -> String,
    /// No such simulated cluster.
    pub(crate) no_sim: fn(name: &str) -> String,
    /// A file that describes none.
    pub(crate) not_a_sim: fn(name: &str) -> String,
    /// No threads for the server.
    pub(crate) no_threads: &'static str,
    /// Where the page is.
    pub(crate) report_at: fn(url: &str) -> String,
    /// A file of unknown format.
    pub(crate) bad_ending: fn(path: &str) -> String,
    /// A CSV of several bundles.
    pub(crate) one_table: &'static str,
    /// Money without prices.
    pub(crate) no_money: &'static str,
    /// A table of a step that is not there.
    pub(crate) no_table: fn(name: &str) -> String,
    /// Not two bundles.
    pub(crate) two_bundles: &'static str,
    /// A comparison in money without prices.
    pub(crate) needs_prices: &'static str,
    /// No file could be read.
    pub(crate) nothing_imported: &'static str,
    /// No records for a bundle.
    pub(crate) no_records: &'static str,
    /// --shards without its variable.
    pub(crate) no_index: &'static str,
    /// A start that no clock here reaches.
    pub(crate) no_start: &'static str,
    /// Two bundles to write.
    pub(crate) resume_and_out: fn(resumed: &str, out: &str) -> String,
    /// A search by several processes.
    pub(crate) search_together: &'static str,
    /// A soak of no length.
    pub(crate) short_soak: &'static str,
    /// A rate that is none.
    pub(crate) bad_rate: fn(rate: f64) -> String,
    /// A soak without a rate.
    pub(crate) no_rate: &'static str,
    /// A bundle and a plan that differ.
    pub(crate) other_plan: fn(path: &str, what: &str) -> String,
    /// What of two runs differs.
    pub(crate) parts: fn(what: &str) -> String,
    /// No rate held.
    pub(crate) nothing_held: fn(path: &str) -> String,
    /// Prompt.
    pub(crate) ask_passphrase: &'static str,
    /// Prompt.
    pub(crate) ask_new_passphrase: &'static str,
    /// Prompt.
    pub(crate) ask_again: &'static str,
    /// Two passphrases.
    pub(crate) passphrases_differ: &'static str,
    /// A file of a passphrase.
    pub(crate) no_passphrase_file: fn(path: &str) -> String,
    /// Nobody to ask.
    pub(crate) no_terminal: fn(variable: &str) -> String,
    /// The trusted keys, where their place is not known.
    pub(crate) keys_file: &'static str,
    /// A key was made.
    pub(crate) key_made:
        fn(name: &str, out: &str, place: &str, fingerprint: &str, lines: &str) -> String,
    /// Other roles of a key, as a comment.
    pub(crate) or_roles: &'static str,
    /// The clock is wrong.
    pub(crate) wrong_clock: &'static str,
    /// A date too far.
    pub(crate) beyond_calendar: fn(days: u32) -> String,
    /// Signatures that are bad already.
    pub(crate) not_on_top: fn(what: &str, fix: &str) -> String,
    /// One key, two roles.
    pub(crate) signed_already: fn(role: &str) -> String,
    /// A signature was added.
    pub(crate) signed: fn(role: &str, name: &str, fingerprint: &str, state: &str) -> String,
    /// What one puts one's name to.
    pub(crate) signs: fn(&SignedNumbers) -> String,
    /// A bundle whose state is not signed.
    pub(crate) not_signed: fn(path: &str, state: &str) -> String,
    /// A run replaced by itself.
    pub(crate) replaces_itself: &'static str,
    /// A statement was added.
    pub(crate) revoked: fn(lines: &str) -> String,
    /// Columns of calibrating.
    pub(crate) calibrate_head: &'static str,
    /// Why a rung did not hold.
    pub(crate) too_much: fn(reason: &str) -> String,
    /// Cores may sleep.
    pub(crate) drowsy: &'static str,
    /// No rung held.
    pub(crate) drives_none: &'static str,
    /// The last rung that held.
    pub(crate) drives: fn(streams: u32, events: f64, requests: f64, more: &str) -> String,
    /// The server was the limit.
    pub(crate) server_limit: &'static str,
    /// The ladder ended.
    pub(crate) not_tried: &'static str,

    /// The catalogue that pages share.
    pub(crate) shared: &'static Words,
}

impl std::fmt::Debug for CommandWords {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("CommandWords").field("lang", &self.shared.lang).finish()
    }
}
