//! English: what breaks first beyond λ_slo_max, and what the server shows then.

use super::super::Advice;
use super::EN;
use crate::definitions::capacity::{Binding, Sign};
use crate::present::attention::PromiseOfTier;
use crate::present::format::{count, fixed, percent, plain};

pub(super) fn advice(promise: &PromiseOfTier, binding: &Binding) -> Advice {
    let times = fixed(binding.times_allowed, 1);
    let what = format!(
        "Beyond λ_slo_max, {} breaks first: at {} req/s it misses its limit {times} times as often \
         as is allowed",
        EN.promise_of_tier(promise),
        plain(binding.rate),
    );
    let mut signs: Vec<String> = binding.signs.iter().map(sign).collect();
    if binding.backlog {
        signs.insert(0, "requests in flight keep rising".to_owned());
    }
    let fix = match (signs.is_empty(), binding.observed) {
        (false, _) => format!("What the server shows there: {}.", signs.join("; ")),
        (true, true) => "The server's own metrics show no cause there.".to_owned(),
        (true, false) => {
            "Point the plan at the server's metric page to see the cause there.".to_owned()
        }
    };
    Advice { what, fix }
}

fn sign(sign: &Sign) -> String {
    match *sign {
        Sign::QueueGrows { from: Some(from), to } => {
            format!("{} requests wait instead of {}", fixed(to, 1), fixed(from, 1))
        }
        Sign::QueueGrows { from: None, to } => format!("{} requests wait", fixed(to, 1)),
        Sign::KvFull { used } => format!("the KV cache is {} % full", percent(used, 0)),
        Sign::Preempts { preemptions, members } => {
            format!("{} preemptions among {} requests", count(preemptions), count(members))
        }
        Sign::HitRateFalls { from, to } => format!(
            "the prefix cache's hit rate falls from {} % to {} %",
            percent(from, 1),
            percent(to, 1)
        ),
        Sign::PowerFlat { from, to } => format!(
            "power stays flat, {} W after {} W: the devices are at their limit",
            fixed(to, 0),
            fixed(from, 0)
        ),
    }
}
