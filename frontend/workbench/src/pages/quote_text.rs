//! What an offer says, in both languages side by side.

use tokencap_shared::definitions::quote::{Change, Mark, QuoteError, Refusal};
use tokencap_shared::present::format::{self, count, fixed, percent};
use tokencap_shared::present::words::{Lang, Words};
use tokencap_shared::units::Share;

/// The page's texts.
pub(crate) struct QuoteWords {
    pub(crate) until: &'static str,
    pub(crate) refused: &'static str,
    pub(crate) possible: &'static str,
    pub(crate) at_a_loss: &'static str,
    pub(crate) rests_on: &'static str,
    pub(crate) sensitivity: &'static str,
    pub(crate) cost_day: &'static str,
    pub(crate) cost_task: &'static str,
    pub(crate) price_day: &'static str,
    pub(crate) price_task: &'static str,
    pub(crate) margin_day: &'static str,
    pub(crate) cost_mtok: &'static str,
    pub(crate) units: &'static str,
    pub(crate) units_of: fn(units: u32, spare: u32, gpus_each: u32) -> String,
    pub(crate) peak: &'static str,
    pub(crate) headroom: &'static str,
    pub(crate) mean_utilisation: &'static str,
    pub(crate) smooth: &'static str,
    pub(crate) smooth_between: fn(low: &str, high: &str) -> String,
    pub(crate) promise: &'static str,
    pub(crate) fingerprint: &'static str,
}

const EN: QuoteWords = QuoteWords {
    until: "Valid until",
    refused: "Not offered",
    possible: "Offered",
    at_a_loss: "Offered at a loss",
    rests_on: "To know before relying on it",
    sensitivity: "If an assumption changes",
    cost_day: "Cost a day",
    cost_task: "Cost a task",
    price_day: "Price a day",
    price_task: "Price a task",
    margin_day: "Margin a day",
    cost_mtok: "Cost of compliant output at mean use",
    units: "Measured units",
    units_of: |units, spare, each| format!("{units} + {spare} spare, {each} GPUs each"),
    peak: "Peak to carry",
    headroom: "Headroom at the peak",
    mean_utilisation: "Mean use of λ_slo_max",
    smooth: "Smooth tasks",
    smooth_between: |low, high| format!("{low} to {high}"),
    promise: "Promise",
    fingerprint: "Run",
};

const ZH: QuoteWords = QuoteWords {
    until: "有效期至",
    refused: "不能提供",
    possible: "可以提供",
    at_a_loss: "可以提供，但亏损",
    rests_on: "采用前须知",
    sensitivity: "假设变化时",
    cost_day: "日成本",
    cost_task: "单任务成本",
    price_day: "日价格",
    price_task: "单任务价格",
    margin_day: "日毛利",
    cost_mtok: "平均利用率下的合规输出成本",
    units: "实测单元",
    units_of: |units, spare, each| format!("{units} + {spare} 备用，每个 {each} 张 GPU"),
    peak: "需承载的峰值",
    headroom: "峰值余量",
    mean_utilisation: "λ_slo_max 平均利用率",
    smooth: "全程顺畅任务",
    smooth_between: |low, high| format!("{low} 至 {high}"),
    promise: "承诺",
    fingerprint: "测量编号",
};

/// The texts of a language.
pub(crate) const fn of(lang: Lang) -> &'static QuoteWords {
    match lang {
        Lang::En => &EN,
        Lang::Zh => &ZH,
    }
}

/// Why a need is not offered, and what would help.
pub(crate) fn refusal(refusal: &Refusal, words: &Words, lang: Lang) -> String {
    let en = matches!(lang, Lang::En);
    match refusal {
        Refusal::Need { error: QuoteError::TooLarge } if en => {
            "The demand takes more than 65,535 of the measured units: check the figures.".to_owned()
        }
        Refusal::Need { error: QuoteError::TooLarge } => {
            "需求超过 65,535 个实测单元：请检查所填数字。".to_owned()
        }
        Refusal::Need { error: QuoteError::Need { field } } if en => {
            format!("The figure for {field} makes no sense: it must be above 0.")
        }
        Refusal::Need { error: QuoteError::Need { field } } => {
            format!("{field} 的数值无效：必须大于 0。")
        }
        Refusal::NoCapacity { reason } if en => {
            format!("No capacity was shown: {}.", (words.missing)(reason))
        }
        Refusal::NoCapacity { reason } => format!("没有测出产能：{}。", (words.missing)(reason)),
        Refusal::NoDate { .. } if en => "Give the day until which the quote holds.".to_owned(),
        Refusal::NoDate { .. } => "请填报价的有效期。".to_owned(),
        Refusal::IslOutside { needed, promised } => {
            let (needed, promised) = (count(u64::from(*needed)), count(u64::from(*promised)));
            if en {
                format!(
                    "The longest prompt has {needed} tokens; promises reach to {promised}. Agree \
                     on shorter prompts, or measure a sheet with a longer tier."
                )
            } else {
                format!(
                    "最长输入 {needed} tokens 超出承诺的 {promised}：请约定更短的输入，或按更长的分档重新测量。"
                )
            }
        }
        Refusal::UnmetTier { tier, kind, verdict } => {
            let (promise, verdict) = ((words.promise)(*kind), (words.verdict)(*verdict));
            let tier = tier + 1;
            if en {
                format!(
                    "Tier {tier}, {promise}: {verdict}. A need that reaches it cannot be promised."
                )
            } else {
                format!("第 {tier} 档 {promise}：{verdict}，用到这一档的需求无法承诺。")
            }
        }
        Refusal::IslAboveMeasured { needed, measured } => {
            let (needed, measured) = (fixed(*needed, 0), fixed(*measured, 0));
            if en {
                format!("Mean prompts of {needed} tokens are longer than the measured {measured}.")
            } else {
                format!("平均输入 {needed} tokens 超过实测的 {measured}。")
            }
        }
        Refusal::OslAboveMeasured { needed, measured } => {
            let (needed, measured) = (fixed(*needed, 0), fixed(*measured, 0));
            if en {
                format!("Mean answers of {needed} tokens are longer than the measured {measured}.")
            } else {
                format!("平均输出 {needed} tokens 超过实测的 {measured}。")
            }
        }
        Refusal::HitRateBelowMeasured { needed, measured } => {
            let (needed, measured) = (per_cent(*needed), per_cent(*measured));
            if en {
                format!(
                    "With {needed} of the prompt cached there is more to compute than at the \
                     measured {measured}."
                )
            } else {
                format!("命中率 {needed} 低于实测的 {measured}，需要计算的输入更多。")
            }
        }
        Refusal::HitRateUnknown if en => {
            "The hit rate was not observed: measure with the engine's metrics or usage.".to_owned()
        }
        Refusal::HitRateUnknown => "没有观测到命中率：测量时请采集引擎指标或 usage。".to_owned(),
    }
}

/// What a reader must know before relying on a quote.
pub(crate) const fn mark(mark: Mark, lang: Lang) -> &'static str {
    match (lang, mark) {
        (Lang::En, Mark::ReferenceOnly) => {
            "Reference, not committed: the rate was not soaked, so nobody may promise it yet."
        }
        (Lang::En, Mark::ScreenOnly) => "Promises are held by point estimates only.",
        (Lang::En, Mark::Simulated) => "Measured on the simulator, not on hardware.",
        (Lang::En, Mark::UnitsAddUp) => {
            "Several units are taken to carry the sum of what one carries; routing between them \
             was not measured."
        }
        (Lang::En, Mark::ChainByIndependence) => {
            "The share of smooth tasks takes steps as independent; tasks of this length were not \
             measured."
        }
        (Lang::En, Mark::PricesIncomplete) => "The price sheet lacks prices.",
        (Lang::Zh, Mark::ReferenceOnly) => "仅供参考：该到达率未经过长稳测试，不能作为承诺。",
        (Lang::Zh, Mark::ScreenOnly) => "承诺仅按点估计判定。",
        (Lang::Zh, Mark::Simulated) => "结果来自模拟器，不是真实硬件。",
        (Lang::Zh, Mark::UnitsAddUp) => "按多个单元的能力相加计算，单元之间的路由未测量。",
        (Lang::Zh, Mark::ChainByIndependence) => {
            "流畅任务比例按各步独立计算，未测量这一长度的任务。"
        }
        (Lang::Zh, Mark::PricesIncomplete) => "价格表缺少价格。",
    }
}

/// A change of one assumption.
pub(crate) const fn change(change: Change, lang: Lang) -> &'static str {
    match (lang, change) {
        (Lang::En, Change::DemandUp) => "10 % more tasks",
        (Lang::En, Change::PeakUp) => "10 % higher peak",
        (Lang::En, Change::LambdaDown) => "10 % less λ_slo_max",
        (Lang::En, Change::NoGrowth) => "no growth",
        (Lang::Zh, Change::DemandUp) => "任务多 10 %",
        (Lang::Zh, Change::PeakUp) => "峰值高 10 %",
        (Lang::Zh, Change::LambdaDown) => "λ_slo_max 低 10 %",
        (Lang::Zh, Change::NoGrowth) => "不增长",
    }
}

/// A share in per cent, with its unit.
pub(super) fn per_cent(share: Share) -> String {
    format!("{} %", percent(share, 1))
}

/// An amount as it is spoken of: small ones with more digits.
pub(crate) fn amount(value: f64, currency: &str) -> String {
    let decimals = if value.abs() < 10.0 { 4 } else { usize::from(value.abs() < 1000.0) * 2 };
    format!("{} {currency}", format::fixed(value, decimals))
}
