//! Everything a person reads, in every language, as one typed catalogue.
//!
//! A text is a field, a text with numbers in it is a function: a language that lacks one does
//! not compile. Functions over an enum match it exhaustively, so that a new failure kind or a
//! new reason of invalidity without its words does not compile either. Units (`tok/s`, `req/s`,
//! `ms`) are the same in every language and stay in English.

mod en;
mod zh;

use serde::Serialize;

use crate::bundle::BundleError;
use crate::definitions::capacity::{Basis, Standing};
use crate::definitions::compare::{Told, Unlike};
use crate::definitions::judge::{Degradation, Invalid, Verdict};
use crate::definitions::measured::Missing;
use crate::definitions::note::Note;
use crate::definitions::promise::{ItlRule, PromiseKind, Role, VerdictMode};
use crate::definitions::record::{ClientFaultKind, FailureKind};
use crate::definitions::step::StepKind;
use crate::definitions::workload::CacheState;
use crate::import::{Definitions, Load, Mark, What};
use crate::present::attention::{
    AttentionKind, DegradationOfTier, MoneyPart, PromiseOfTier, Severity,
};
use crate::signoff::{Problem, SignOff};

pub use super::lang::Lang;
pub use en::EN;
pub use zh::ZH;

impl Lang {
    /// The catalogue.
    #[must_use]
    pub const fn words(self) -> &'static Words {
        match self {
            Self::En => &EN,
            Self::Zh => &ZH,
        }
    }

    /// What is said about results of other tools. Apart from the catalogue, so that a page that reads
    /// none does not carry it.
    #[must_use]
    pub const fn import_words(self) -> &'static ImportWords {
        match self {
            Self::En => &en::import::WORDS,
            Self::Zh => &zh::import::WORDS,
        }
    }
}

/// What is wrong, and what to change about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// What is the matter, with its figures.
    pub what: String,
    /// What to do.
    pub fix: String,
}

/// Evidence that is still missing, for [`Words::needed`]. Numbers come formatted.
#[derive(Clone, Copy, Debug)]
pub struct NeededText<'a> {
    /// The promise that is named.
    pub kind: PromiseKind,
    /// Values seen so far.
    pub n: &'a str,
    /// Of which violations.
    pub bad: u64,
    /// Values needed in all.
    pub needed: &'a str,
    /// Confidence of the bounds, in per cent.
    pub confidence: &'a str,
    /// About how much longer, with its unit; `None` where nothing arrives at all.
    pub more: Option<&'a str>,
}

/// The catalogue of one language.
pub struct Words {
    /// Which language.
    pub lang: Lang,
    /// Names of quantities, as labels and column headers.
    pub term: Terms,
    /// Headings.
    pub title: Titles,
    /// Short words and sentences.
    pub say: Sayings,
    /// Titles, axes and lines of charts.
    pub chart: Charts,
    /// Two bundles compared.
    pub compare: Comparing,
    /// What figures rest on.
    pub evidence: Evidencing,

    /// A promise's verdict.
    pub verdict: fn(Verdict) -> &'static str,
    /// A promise's name.
    pub promise: fn(PromiseKind) -> &'static str,
    /// A request's ITL rule, with its limit in milliseconds.
    pub itl_rule: fn(&ItlRule, limit_ms: &str) -> String,
    /// The same rule as a column's header.
    pub itl_rule_short: fn(&ItlRule) -> &'static str,
    /// How evidence became verdicts, with the confidence in per cent.
    pub mode: fn(VerdictMode, confidence: &str) -> String,
    /// A kind of failure.
    pub failure: fn(FailureKind) -> &'static str,
    /// A kind of client fault.
    pub client_fault: fn(ClientFaultKind) -> &'static str,
    /// Why a step was run.
    pub step_kind: fn(StepKind) -> &'static str,
    /// What a daily capacity is worth.
    pub standing: fn(Standing) -> &'static str,
    /// On what λ_slo_max rests.
    pub basis: fn(Basis) -> &'static str,
    /// Who signs.
    pub role: fn(Role) -> &'static str,
    /// The prefix cache at a step's start.
    pub cache: fn(CacheState) -> &'static str,
    /// Why a file is no bundle, and what to do, without a full stop. Details of a damage stay as
    /// they were found.
    pub bundle_error: fn(&BundleError) -> String,
    /// What the measuring side says of a run.
    pub note: fn(&Note) -> String,
    /// Why a value is missing.
    pub missing: fn(&Missing) -> String,
    /// Why a step is invalid, and what to change.
    pub invalid: fn(&Invalid) -> Advice,
    /// What speaks against a soak; the name of the tier that it is about, if it is about one.
    pub degradation: fn(&Degradation, tier: Option<&str>) -> String,
    /// What needs attention, and what to do.
    pub attention: fn(&AttentionKind) -> Advice,
    /// A sign-off's state, as a short label.
    pub sign_off: fn(&SignOff) -> String,
    /// A sign-off's state in a sentence, and what to do.
    pub sign_off_advice: fn(&SignOff) -> Advice,
    /// Why one signature does not count.
    pub signature_problem: fn(&Problem) -> String,
    /// How grave that is.
    pub severity: fn(Severity) -> &'static str,
    /// What is missing for a verdict.
    pub needed: fn(&NeededText<'_>) -> String,
}

/// What is said about results of other tools.
pub struct ImportWords {
    /// Heading of an import.
    pub title: &'static str,
    /// That no import is ever signed, and why.
    pub not_signable: &'static str,
    /// A mark of the audit.
    pub mark: fn(Mark) -> &'static str,
    /// A finding of the audit, with its figures.
    pub finding: fn(&What) -> String,
    /// A tool's definitions where they differ from the ones here.
    pub definitions: fn(&Definitions) -> Vec<&'static str>,
    /// The load that was asked for.
    pub load: fn(&Load) -> String,
}

/// Names of quantities, as labels and column headers. Their definitions are in the glossary.
#[expect(missing_docs, reason = "each field is the word for the quantity it is named after")]
pub struct Terms {
    pub model: &'static str,
    pub deployment: &'static str,
    pub engine: &'static str,
    pub gpu: &'static str,
    pub gpus_serving: &'static str,
    pub gpus_provisioned: &'static str,
    pub parallelism: &'static str,
    pub quantisation: &'static str,
    pub kv_cache_dtype: &'static str,
    pub prefix_cache: &'static str,
    pub speculative: &'static str,
    pub server_args: &'static str,
    pub promise: &'static str,
    pub tier: &'static str,
    pub promised: &'static str,
    pub measured: &'static str,
    pub unit: &'static str,
    pub n: &'static str,
    pub lower: &'static str,
    pub upper: &'static str,
    pub bounds: &'static str,
    pub vif: &'static str,
    pub episodes: &'static str,
    pub verdict: &'static str,
    pub remark: &'static str,
    pub workload: &'static str,
    pub run: &'static str,
    pub started: &'static str,
    pub tool: &'static str,
    pub definitions: &'static str,
    pub sign_off: &'static str,
    pub role: &'static str,
    pub signer: &'static str,
    pub key: &'static str,
    pub steps_per_task: &'static str,
    pub until: &'static str,
    pub standing: &'static str,
    pub step: &'static str,
    pub step_kind: &'static str,
    pub asked: &'static str,
    pub offered: &'static str,
    pub lambda: &'static str,
    pub first_broken: &'static str,
    pub goodput: &'static str,
    pub raw: &'static str,
    pub goodput_per_gpu: &'static str,
    pub goodput_steady: &'static str,
    pub daily: &'static str,
    pub business: &'static str,
    pub steps_per_day: &'static str,
    pub tasks_per_day: &'static str,
    pub mean_osl: &'static str,
    pub attainment: &'static str,
    pub worst_attainment: &'static str,
    pub success: &'static str,
    pub concurrency: &'static str,
    pub window: &'static str,
    pub wall: &'static str,
    pub edge: &'static str,
    pub validity: &'static str,
    pub input_total: &'static str,
    pub input_reused: &'static str,
    pub input_computed: &'static str,
    pub input_offered: &'static str,
    pub hit_rate: &'static str,
    pub input_per_output: &'static str,
    pub power: &'static str,
    pub goodput_per_watt: &'static str,
    pub chain: &'static str,
    pub chain_if_independent: &'static str,
    pub tokens_per_event: &'static str,
    pub cancelled_late: &'static str,
    pub attainment_adjusted: &'static str,
    pub attainment_between: &'static str,
    pub ttft: &'static str,
    pub ttft_from_intended: &'static str,
    pub itl: &'static str,
    pub tpot: &'static str,
    pub queue: &'static str,
    pub members: &'static str,
    pub valid: &'static str,
    pub completed: &'static str,
    pub compliant: &'static str,
    pub cancelled: &'static str,
    pub client_faults: &'static str,
    pub unpromised: &'static str,
    pub failures: &'static str,
    pub kind: &'static str,
    pub at_shown_step: &'static str,
    pub in_all_steps: &'static str,
    pub count: &'static str,
    pub share: &'static str,
    pub cost_per_mtok: &'static str,
    pub amount_per_day: &'static str,
    pub amount_per_mtok: &'static str,
    pub price: &'static str,
    pub item: &'static str,
    pub gpu_cost_per_day: &'static str,
    pub value_at_cost: &'static str,
    pub value_at_price: &'static str,
    pub margin: &'static str,
    pub utilisation: &'static str,
    pub gpu_hour: &'static str,
    pub output: &'static str,
    pub input_uncached: &'static str,
    pub input_cached: &'static str,
    pub source: &'static str,
    pub date: &'static str,
    pub total: &'static str,
    pub per_second: &'static str,
    pub per_day: &'static str,
}

/// Headings.
#[expect(missing_docs, reason = "each field is the heading of the section it is named after")]
pub struct Titles {
    pub report: &'static str,
    pub figures: &'static str,
    pub utilisation: &'static str,
    pub prices: &'static str,
    pub soak: &'static str,
    pub summary: &'static str,
    pub deployment: &'static str,
    pub promises: &'static str,
    pub steps: &'static str,
    pub latency: &'static str,
    pub rules: &'static str,
    pub cancelled: &'static str,
    pub window: &'static str,
    pub input: &'static str,
    pub money: &'static str,
    pub failures: &'static str,
    pub validity: &'static str,
    pub attention: &'static str,
    pub assumptions: &'static str,
    pub warnings: &'static str,
    pub provenance: &'static str,
}

/// Titles, axes and marks of charts.
#[expect(missing_docs, reason = "each field is the text it is named after")]
pub struct Charts {
    pub throughput: &'static str,
    pub attainment: &'static str,
    pub cost: &'static str,
    pub worst_gap: &'static str,
    pub in_flight: &'static str,
    pub send_lag: &'static str,
    pub running: &'static str,
    pub waiting: &'static str,
    pub kv_use: &'static str,
    pub worst: &'static str,
    pub time: &'static str,
    /// Axis of both token flows.
    pub flow: &'static str,
    pub target: fn(&str) -> String,
    pub limit: fn(&str) -> String,
    pub distribution: fn(&str) -> String,
}

/// What figures rest on: how each is computed, and names of what stands beside it.
#[expect(missing_docs, reason = "each field is the formula of the figure it is named after")]
pub struct Evidencing {
    /// A name, not a formula, as the four that follow.
    pub compliant_tokens: &'static str,
    pub blended: &'static str,
    pub seed: &'static str,
    pub records: &'static str,
    pub price_sheet: &'static str,
    pub lambda: &'static str,
    pub goodput: &'static str,
    pub goodput_per_gpu: &'static str,
    pub daily: &'static str,
    pub steps_per_day: &'static str,
    pub tasks_per_day: &'static str,
    pub attainment: &'static str,
    pub goodput_per_watt: &'static str,
    pub cost: &'static str,
    pub price: &'static str,
    pub value: &'static str,
    pub margin: &'static str,
}

/// Two bundles compared. Numbers come formatted.
#[expect(missing_docs, reason = "each field is the text it is named after")]
pub struct Comparing {
    pub in_tokens: fn(model: &str) -> String,
    pub in_money: fn(currency: &str) -> String,
    pub ratio: &'static str,
    pub revenue_per_mtok: &'static str,
    /// A figure with its interval, whose upper end may be open.
    pub interval: fn(at: &str, low: &str, high: Option<&str>) -> String,
    /// What the right one is, measured by the left one.
    pub told: fn(Told, left: &str, right: &str) -> String,
    pub cannot: &'static str,
    pub not_alike: &'static str,
    pub unlike: fn(Unlike) -> &'static str,
}

/// Short words, and sentences with numbers in them. Numbers come formatted, unless it is a
/// count that decides the grammar.
#[expect(missing_docs, reason = "each field is the text it is named after")]
pub struct Sayings {
    /// Explains the unit at its first mention.
    pub token: &'static str,
    /// The product in one line.
    pub tagline: &'static str,
    pub simulated: &'static str,
    pub simulated_long: &'static str,
    pub valid: &'static str,
    pub invalid: &'static str,
    pub unsustainable: &'static str,
    pub window_too_short: &'static str,
    pub signed_promise: &'static str,
    pub watched_promise: &'static str,
    pub declared: &'static str,
    pub whole_step: &'static str,
    pub no_failures: &'static str,
    pub nothing_to_note: &'static str,
    pub value_at_cost_remark: &'static str,
    pub money_is_derived: &'static str,
    pub flat_day: &'static str,
    pub infinite_cost: &'static str,
    pub value_incomplete: &'static str,
    pub soak_without_degradation: &'static str,
    /// The unit of agent steps (calls) a day.
    pub steps_unit: &'static str,
    /// The unit of agent tasks a day.
    pub tasks_unit: &'static str,
    pub scenario: &'static str,
    /// Of a signature that counts.
    pub counts: &'static str,
    pub yes: &'static str,
    pub no: &'static str,
    /// Between items of a list.
    pub comma: &'static str,
    /// Between sentences that stand in one line.
    pub full_stop: &'static str,
    /// Between remarks that stand in one line.
    pub semicolon: &'static str,
    /// After a label, before its value.
    pub colon: &'static str,
    pub gpus: fn(count: u32, gpu: &str) -> String,
    pub replicas: fn(u32) -> String,
    pub bracket: fn(held: &str, broken: &str) -> String,
    pub no_upper_end: fn(held: &str) -> String,
    pub promises_at: fn(rate: &str) -> String,
    pub promises_at_lowest: fn(rate: &str) -> String,
    pub promises_at_step: fn(rate: &str) -> String,
    pub bounds: fn(lower: &str, upper: &str) -> String,
    /// A text with another one in brackets behind it.
    pub aside: fn(text: &str, aside: &str) -> String,
    pub tpot_undefined: fn(requests: &str) -> String,
    /// Which tasks a share of smooth ones is of, and within which bounds it lies.
    pub smooth_of: fn(bounds: &str, tasks: &str, steps: u32) -> String,
    pub screen: fn(verdict: &str) -> String,
    pub input_per_output: fn(ratio: &str) -> String,
    pub tpot_as_speed: fn(tokens_per_second: &str) -> String,
    pub steps_of: fn(mean_tokens: &str) -> String,
    pub tasks_of: fn(steps: u32) -> String,
    pub prices_of: fn(name: &str, date: &str) -> String,
    pub definitions: fn(version: u32) -> String,
    pub step_no: fn(u32) -> String,
    pub stopped_early: fn(&Note) -> String,
}

impl Words {
    /// A promise with the name of its tier: `TTFT P99 ≤8k`.
    #[must_use]
    pub fn promise_of_tier(&self, promise: &PromiseOfTier) -> String {
        let name = (self.promise)(promise.kind);
        match &promise.tier {
            Some(tier) => format!("{name} {tier}"),
            None => name.to_owned(),
        }
    }

    /// What speaks against a soak, as a list in a sentence.
    #[must_use]
    pub fn degradations(&self, degradations: &[DegradationOfTier]) -> String {
        let texts: Vec<String> = degradations
            .iter()
            .map(|of| (self.degradation)(&of.degradation, of.tier_name.as_deref()))
            .collect();
        texts.join(self.say.semicolon)
    }

    /// Parts of the daily value, as a list in a sentence.
    fn money_parts(&self, parts: &[MoneyPart]) -> String {
        let names = parts.iter().map(|part| match part {
            MoneyPart::Output => self.term.output,
            MoneyPart::InputUncached => self.term.input_uncached,
            MoneyPart::InputCached => self.term.input_cached,
        });
        names.collect::<Vec<_>>().join(self.say.comma)
    }

    /// Promises with their tiers, as a list in a sentence.
    fn promises(&self, promises: &[PromiseOfTier]) -> String {
        let names: Vec<String> =
            promises.iter().map(|promise| self.promise_of_tier(promise)).collect();
        names.join(self.say.comma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_and_browser_tags_name_their_language() {
        for (tag, lang) in [
            ("zh-CN", Some(Lang::Zh)),
            ("zh_CN.UTF-8", Some(Lang::Zh)),
            ("ZH", Some(Lang::Zh)),
            ("en-GB", Some(Lang::En)),
            ("en", Some(Lang::En)),
            ("C.UTF-8", None),
            ("de-DE", None),
            ("", None),
        ] {
            assert_eq!(Lang::of_tag(tag), lang, "{tag}");
        }
    }
}
