//! Simplified Chinese: what breaks first beyond λ_slo_max, and what the server shows then.

use super::super::Advice;
use super::ZH;
use crate::definitions::capacity::{Binding, Sign};
use crate::present::attention::PromiseOfTier;
use crate::present::format::{count, fixed, percent, plain};

pub(super) fn advice(promise: &PromiseOfTier, binding: &Binding) -> Advice {
    let what = format!(
        "超过 λ_slo_max 后最先失守的承诺：{}；到达率 {} req/s 时，超标比例为允许值的 {} 倍",
        ZH.promise_of_tier(promise),
        plain(binding.rate),
        fixed(binding.times_allowed, 1),
    );
    let mut signs: Vec<String> = binding.signs.iter().map(sign).collect();
    if binding.backlog {
        signs.insert(0, "在途请求数持续上升".to_owned());
    }
    let fix = match (signs.is_empty(), binding.observed) {
        (false, _) => format!("此时服务端表现：{}。", signs.join("；")),
        (true, true) => "此时服务端监控指标未显示原因。".to_owned(),
        (true, false) => "请在测试计划中接入服务端监控指标，以便查明原因。".to_owned(),
    };
    Advice { what, fix }
}

fn sign(sign: &Sign) -> String {
    match *sign {
        Sign::QueueGrows { from: Some(from), to } => {
            format!("排队请求由 {} 个增至 {} 个", fixed(from, 1), fixed(to, 1))
        }
        Sign::QueueGrows { from: None, to } => format!("排队请求 {} 个", fixed(to, 1)),
        Sign::KvFull { used } => format!("KV 缓存占用 {} %，已满", percent(used, 0)),
        Sign::Preempts { preemptions, members } => {
            format!("{} 个请求中发生 {} 次抢占", count(members), count(preemptions))
        }
        Sign::HitRateFalls { from, to } => {
            format!("前缀缓存命中率由 {} % 降至 {} %", percent(from, 1), percent(to, 1))
        }
        Sign::PowerFlat { from, to } => {
            format!("功率持平（{} W → {} W），设备已到上限", fixed(from, 0), fixed(to, 0))
        }
    }
}
