//! What a campaign will take, and what it can prove in that time: said before it begins.

use std::time::Duration;

use tokencap_shared::definitions::money::PriceSheet;
use tokencap_shared::definitions::promise::{PromiseKind, PromiseSheet, Target};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::stats::share;
use tokencap_shared::units::Rate;

use super::settings::Settings;
use crate::schedule::described::lengths;
use crate::words::CommandWords;

/// Steps, time, tokens, money and proofs.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Budget {
    pub steps: Range<u32>,
    /// Time, but for what the last requests of each step take.
    pub time: Range<Duration>,
    pub requests: f64,
    /// Tokens of their prompts.
    pub input: f64,
    /// Tokens of their answers.
    pub output: f64,
    /// The rate that requests and tokens are reckoned at, where it is a guess.
    pub guess: Option<Rate>,
    /// What the longest window can prove.
    pub proofs: Vec<Proof>,
    /// Length of that window.
    pub window: Duration,
}

/// What is usual, and what it is at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    /// Usually.
    pub usual: T,
    /// At most.
    pub most: T,
}

/// Whether one promise can be proved.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Proof {
    pub kind: PromiseKind,
    /// Its tier's name, if it is about one.
    pub tier: Option<String>,
    /// Share that it asks for.
    pub target: Target,
    /// Requests that the window will hold for it.
    pub expected: f64,
    /// Requests needed without a violation, were they independent.
    pub needed: u64,
}

impl Proof {
    /// Whether the window holds enough requests.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        self.expected >= self.needed as f64
    }
}

/// Probes and confirmations of a usual search, and the part of its time that windows are: from
/// the study of simulated clusters.
const USUAL_STEPS: u32 = 9;
/// A usual confirmation run.
const USUAL_CONFIRM: Duration = Duration::from_secs(25 * 60);
/// Requests drawn to learn the mix.
const DRAWS: u32 = 4000;

/// The part of a mix that falls into each tier, and mean lengths.
struct Mix {
    tiers: Vec<f64>,
    isl: f64,
    osl: f64,
}

fn mix(workload: &Workload, sheet: &PromiseSheet) -> Mix {
    let drawn = lengths(workload, DRAWS);
    let n = drawn.len().max(1) as f64;
    let mut tiers = vec![0.0; sheet.tiers.len()];
    for &(isl, _) in &drawn {
        if let Some(tier) = sheet.tier_of(Some(isl)) {
            tiers[tier] += 1.0 / n;
        }
    }
    let mean =
        |of: fn(&(u32, u32)) -> u32| drawn.iter().map(|pair| f64::from(of(pair))).sum::<f64>() / n;
    Mix { tiers, isl: mean(|pair| pair.0), osl: mean(|pair| pair.1) }
}

impl Budget {
    /// Of steps at given rates.
    #[must_use]
    pub fn of_rates(
        rates: &[Rate],
        warmup: Duration,
        window: Duration,
        workload: &Workload,
        sheet: &PromiseSheet,
    ) -> Self {
        let steps = rates.len() as u32;
        let each = warmup + window;
        let requests: f64 = rates.iter().map(|rate| rate.get() * each.as_secs_f64()).sum();
        let highest = rates.iter().map(|rate| rate.get()).fold(0.0, f64::max);
        let time = each * steps;
        Self {
            steps: Range { usual: steps, most: steps },
            time: Range { usual: time, most: time },
            guess: None,
            ..Self::reckon(requests, highest, window, workload, sheet)
        }
    }

    /// Of a search that begins at a rate.
    #[must_use]
    pub fn of_search(
        settings: &Settings,
        limit: Option<Duration>,
        first: Rate,
        workload: &Workload,
        sheet: &PromiseSheet,
    ) -> Self {
        let all = settings.longest_probe_s * settings.probes
            + settings.longest_confirm_s * settings.confirms;
        let most = limit.map_or(all, |limit| limit.min(all));
        let confirm = USUAL_CONFIRM.min(settings.longest_confirm_s);
        let usual = settings.longest_probe_s * (USUAL_STEPS - 1) / 2 + confirm;
        let window = limit.map_or(confirm, |limit| limit * 3 / 5).min(settings.longest_confirm_s);
        let usual = usual.min(most);
        let requests = first.get() * usual.as_secs_f64();
        Self {
            steps: Range { usual: USUAL_STEPS, most: settings.probes + settings.confirms },
            time: Range { usual, most },
            guess: Some(first),
            ..Self::reckon(requests, first.get(), window, workload, sheet)
        }
    }

    fn reckon(
        requests: f64,
        rate: f64,
        window: Duration,
        workload: &Workload,
        sheet: &PromiseSheet,
    ) -> Self {
        let mix = mix(workload, sheet);
        let arrivals = rate * window.as_secs_f64();
        let mut proofs = Vec::new();
        let mut add = |kind, tier: Option<usize>, target: Target, expected: f64| {
            let needed = share::needed(0, target.share(), sheet.confidence);
            if let (true, Some(needed)) = (sheet.is_signed(kind), needed) {
                let tier = tier.map(|tier| sheet.tiers[tier].name.clone());
                proofs.push(Proof { kind, tier, target, expected, needed });
            }
        };
        for (tier, share) in mix.tiers.iter().enumerate() {
            add(PromiseKind::Attainment, Some(tier), sheet.attainment, arrivals * share);
            add(PromiseKind::TtftP99, Some(tier), Target::P99, arrivals * share);
        }
        add(PromiseKind::Success, None, sheet.success, arrivals);
        let none = Range { usual: 0, most: 0 };
        let time = Range { usual: Duration::ZERO, most: Duration::ZERO };
        let (input, output) = (requests * mix.isl, requests * mix.osl);
        Self { steps: none, time, requests, input, output, guess: None, proofs, window }
    }

    /// In plain sentences, one a line.
    #[must_use]
    pub(crate) fn lines(
        &self,
        prices: Option<&PriceSheet>,
        gpus: u32,
        words: &CommandWords,
    ) -> Vec<String> {
        let mut lines = vec![self.plan_line(words)];
        let mut tokens =
            (words.tokens_take)(&scaled(self.requests), &scaled(self.input), &scaled(self.output));
        if let Some(rate) = self.guess {
            tokens += &(words.if_near)(rate.get());
        }
        lines.push(tokens);
        lines.extend(prices.map(|prices| self.money_line(prices, gpus, words)));
        let (can, cannot): (Vec<_>, Vec<_>) =
            self.proofs.iter().partition(|proof| proof.is_possible());
        let minutes = self.window.as_secs_f64() / 60.0;
        let list = |proofs: Vec<&Proof>| {
            proofs.into_iter().map(|proof| said(proof, words)).collect::<Vec<_>>().join(words.and)
        };
        if !can.is_empty() {
            lines.push((words.can_prove)(minutes, &list(can)));
        }
        if !cannot.is_empty() {
            lines.push((words.cannot_prove)(&list(cannot)));
        }
        lines
    }

    fn plan_line(&self, words: &CommandWords) -> String {
        let Range { usual, most } = self.steps;
        if self.guess.is_none() {
            return (words.rates_take)(most, &minutes(self.time.most));
        }
        (words.search_takes)(usual, &minutes(self.time.usual), most, &minutes(self.time.most))
    }

    fn money_line(&self, prices: &PriceSheet, gpus: u32, words: &CommandWords) -> String {
        let hours = self.time.usual.as_secs_f64() / 3600.0;
        let money = |value: f64| format!("{value:.2} {}", prices.currency);
        let gpu = prices.gpu_hour.as_ref().map(|price| {
            let cost = price.get() * f64::from(gpus) * hours;
            (words.gpus_cost)(gpus, hours, &money(cost))
        });
        let tokens = prices.output.as_ref().zip(prices.input_uncached.as_ref());
        let tokens = tokens.map(|(output, input)| {
            let price = (self.output * output.get() + self.input * input.get()) / 1e6;
            (words.tokens_bring)(&money(price))
        });
        let parts: Vec<String> = gpu.into_iter().chain(tokens).collect();
        let said =
            if parts.is_empty() { words.nothing_priced.to_owned() } else { parts.join(words.and) };
        (words.at_prices)(&prices.name, &prices.date.to_string(), &said)
    }
}

fn said(proof: &Proof, words: &CommandWords) -> String {
    let what = (words.proved)(proof.kind, proof.tier.as_deref());
    (words.proof)(&what, &percent(proof.target), proof.needed, &scaled(proof.expected))
}

fn percent(target: Target) -> String {
    let text = format!("{:.4}", target.share().get() * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A time as it is told before and while it passes.
pub(crate) fn minutes(time: Duration) -> String {
    match time.as_secs() {
        secs @ 0..120 => format!("{secs} s"),
        secs @ 120..7200 => format!("{} min", secs.div_ceil(60)),
        secs => format!("{:.1} h", secs as f64 / 3600.0),
    }
}

/// Three figures, with the usual scales.
fn scaled(value: f64) -> String {
    let (value, unit) = match value {
        v if v >= 1e9 => (v / 1e9, "G"),
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e4 => (v / 1e3, "k"),
        v => (v, ""),
    };
    if unit.is_empty() {
        format!("{value:.0}")
    } else {
        format!("{value:.3}").chars().take(4).collect::<String>().trim_end_matches('.').to_owned()
            + unit
    }
}
