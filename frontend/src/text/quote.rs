//! What the quote says, in both languages side by side.

use tokencap_shared::definitions::quote::Field;
use tokencap_shared::present::words::Lang;

/// The page's texts.
pub(crate) struct QuoteWords {
    pub(crate) page: &'static str,
    pub(crate) title: &'static str,
    pub(crate) tagline: &'static str,
    pub(crate) need: &'static str,
    pub(crate) offers: &'static str,
    pub(crate) customer: &'static str,
    pub(crate) not_kept: &'static str,
    pub(crate) until: &'static str,
    pub(crate) copy: &'static str,
    pub(crate) copied: &'static str,
    pub(crate) out_of_range: fn(min: &str, max: &str) -> String,
    pub(crate) no_bundle: &'static str,
}

const EN: QuoteWords = QuoteWords {
    page: "Quote",
    title: "Quote",
    tagline: "What the customer needs, what it takes, and what is promised.",
    need: "The need",
    offers: "Offers",
    customer: "Customer",
    not_kept: "printed only; not in the link",
    until: "Valid until",
    copy: "Copy link",
    copied: "Link copied",
    out_of_range: |min, max| format!("Give a number from {min} to {max}."),
    no_bundle: "Open a bundle: a quote rests on what was measured, on nothing else.",
};

const ZH: QuoteWords = QuoteWords {
    page: "报价",
    title: "报价单",
    tagline: "客户需要什么，需要多少资源，承诺什么。",
    need: "客户需求",
    offers: "方案",
    customer: "客户",
    not_kept: "只用于打印，不写入链接",
    until: "有效期至",
    copy: "复制链接",
    copied: "链接已复制",
    out_of_range: |min, max| format!("请填 {min} 到 {max} 之间的数。"),
    no_bundle: "请先打开结果包：报价只以实测为依据。",
};

/// The texts of a language.
pub(super) const fn of(lang: Lang) -> &'static QuoteWords {
    match lang {
        Lang::En => &EN,
        Lang::Zh => &ZH,
    }
}

/// A question, and the unit of its answer.
pub(crate) const fn question(field: Field, lang: Lang) -> (&'static str, &'static str) {
    match (lang, field) {
        (Lang::En, Field::People) => ("People who use it", ""),
        (Lang::En, Field::TasksEach) => ("Tasks of each", "/day"),
        (Lang::En, Field::Steps) => ("Steps (requests) of a task", ""),
        (Lang::En, Field::BusyHours) => ("Hours a day that the work falls into", "h"),
        (Lang::En, Field::MeanIsl) => ("Prompt of a step, mean", "tokens"),
        (Lang::En, Field::MaxIsl) => ("Longest prompt", "tokens"),
        (Lang::En, Field::MeanOsl) => ("Answer of a step, mean", "tokens"),
        (Lang::En, Field::HitRate) => ("Prompt found in the prefix cache", "%"),
        (Lang::En, Field::Growth) => ("Growth to provide for", "%"),
        (Lang::En, Field::Ceiling) => ("Plan for at most this part of λ_slo_max", "%"),
        (Lang::En, Field::Spare) => ("Spare units", ""),
        (Lang::Zh, Field::People) => ("使用人数", "人"),
        (Lang::Zh, Field::TasksEach) => ("每人任务数", "个/天"),
        (Lang::Zh, Field::Steps) => ("每个任务的步数（请求数）", ""),
        (Lang::Zh, Field::BusyHours) => ("每天集中使用的小时数", "h"),
        (Lang::Zh, Field::MeanIsl) => ("每步平均输入", "tokens"),
        (Lang::Zh, Field::MaxIsl) => ("最长输入", "tokens"),
        (Lang::Zh, Field::MeanOsl) => ("每步平均输出", "tokens"),
        (Lang::Zh, Field::HitRate) => ("前缀缓存命中率", "%"),
        (Lang::Zh, Field::Growth) => ("预留增长", "%"),
        (Lang::Zh, Field::Ceiling) => ("规划用到 λ_slo_max 的比例上限", "%"),
        (Lang::Zh, Field::Spare) => ("备用单元", "个"),
    }
}
