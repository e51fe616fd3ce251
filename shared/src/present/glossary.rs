//! The framework's terms, in both languages, each with its formula, an example in numbers and
//! the function that computes it: what the app shows as its glossary. A test computes every
//! example by that function.

/// One term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// In Chinese.
    pub zh: &'static str,
    /// In English.
    pub en: &'static str,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// The definition as a formula.
    pub formula: &'static str,
    /// The formula with numbers.
    pub example: &'static str,
    /// What to know about it, in Chinese.
    pub note_zh: &'static str,
    /// What to know about it, in English.
    pub note_en: &'static str,
    /// The function, type or field that is the definition.
    pub path: &'static str,
}

/// The path of an item, which the compiler checks.
macro_rules! item {
    ($($part:ident)::+) => {{
        #[expect(unused_imports, reason = "only to check that the item exists")]
        use crate::$($part)::+ as _;
        concat!("shared" $(, "::", stringify!($part))+)
    }};
}

/// The path of a function of a type, which the compiler checks.
macro_rules! method {
    ($($part:ident)::+, $method:ident) => {{
        use crate::$($part)::+ as Type;
        let _ = Type::$method;
        concat!("shared" $(, "::", stringify!($part))+, "::", stringify!($method))
    }};
}

/// The path of a field, which the compiler checks.
macro_rules! field {
    ($($part:ident)::+, $field:ident) => {{
        use crate::$($part)::+ as Type;
        let _ = |value: &Type| {
            let _ = &value.$field;
        };
        concat!("shared" $(, "::", stringify!($part))+, "::", stringify!($field))
    }};
}

/// Every term, in the order in which a report uses them.
pub const TERMS: &[Term] = &[
    Term {
        zh: "首 token 延迟（TTFT）",
        en: "time to first token (TTFT)",
        unit: "s",
        formula: "first_token − sent",
        example: "12.350 s − 12.000 s = 0.350 s",
        note_zh: "每个请求一个值；没有输出的请求在集合统计中计为 +∞",
        note_en: "one per request; a request without output counts as +∞ in a set's statistics",
        path: method!(definitions::record::Request, ttft),
    },
    Term {
        zh: "字间隔（ITL）",
        en: "inter-token latency (ITL)",
        unit: "s",
        formula: "gap between consecutive output events",
        example: "1.000 s, 1.020 s, 1.070 s → 20 ms, 50 ms",
        note_zh: "每个请求有 事件数 − 1 个间隔；一个事件可带多个 token，因此块数不是 token 数",
        note_en: "events − 1 gaps per request; an event may carry several tokens, so a chunk is not a token",
        path: method!(definitions::record::GapSummary, of),
    },
    Term {
        zh: "每 token 时间（TPOT）",
        en: "time per output token (TPOT)",
        unit: "s/token",
        formula: "(last output − first output) / (OSL − 1)",
        example: "(16.190 s − 12.350 s) / (97 − 1) = 40 ms",
        note_zh: "OSL ≥ 2 才有定义，绝不为 0；输出速度 = 1/TPOT",
        note_en: "defined for OSL ≥ 2 only, never 0; output speed = 1/TPOT",
        path: method!(definitions::record::Request, tpot),
    },
    Term {
        zh: "排队时间",
        en: "queue time",
        unit: "s",
        formula: "server: acceptance → start of computation",
        example: "1,000: 940 ≤ 0.1 s, 995 ≤ 0.3 s → P99 ∈ (0.1 s, 0.3 s]",
        note_zh: "按请求精确；若只有服务端直方图，则只知落在 (lo, hi] 内，绝不插值",
        note_en: "exact per request; from a server histogram only known to lie in (lo, hi], never interpolated",
        path: method!(definitions::judge::QueueHistogram, p99),
    },
    Term {
        zh: "P99",
        en: "P99",
        unit: "",
        formula: "the ⌈0.99·n⌉-th smallest of a set",
        example: "n = 1,000 → 990",
        note_zh: "P99 只属于集合，单个请求没有 P99；最近秩，不插值",
        note_en: "a property of a set: no single request has one; nearest rank, no interpolation",
        path: item!(stats::rank::nearest_rank),
    },
    Term {
        zh: "有效请求",
        en: "valid request",
        unit: "",
        formula: "V = members − cancelled − client faults",
        example: "1,000 − 3 − 1 = 996",
        note_zh: "窗口成员：W0 ≤ sent < W1；失败的请求留在其中",
        note_en: "member of the window: W0 ≤ sent < W1; failed requests stay in",
        path: method!(definitions::record::Outcome, is_valid),
    },
    Term {
        zh: "合规",
        en: "compliant",
        unit: "",
        formula: "Completed ∧ TTFT ≤ limit(tier) ∧ ITL rule",
        example: "0.350 s ≤ 0.5 s, 2 ≤ ⌊0.01 × 246⌋ → ✓; 3 > 2 → ✗",
        note_zh: "逐个请求判定；TPOT 与排队时间不参与",
        note_en: "judged request by request; TPOT and queue time take no part",
        path: item!(definitions::judge::complies),
    },
    Term {
        zh: "达标率",
        en: "attainment",
        unit: "%",
        formula: "|compliant| / |valid|, per tier",
        example: "988 / 996 = 99.20 %",
        note_zh: "按 ISL 分档；总体达标率不参与判定，因为它会掩盖崩溃的一档",
        note_en: "per ISL tier; the overall one decides nothing, because it hides a collapsed tier",
        path: method!(units::Share, of),
    },
    Term {
        zh: "成功率",
        en: "success rate",
        unit: "%",
        formula: "|completed| / |valid|",
        example: "9,995 / 10,000 = 99.95 %",
        note_zh: "与目标按整数比较，避免浮点误差",
        note_en: "compared with its target as integers: floating point can fail at equality",
        path: method!(definitions::promise::Target, reached_by),
    },
    Term {
        zh: "判定：守住、失守、证据不足",
        en: "verdict: held, broken, insufficient",
        unit: "%",
        formula: "Clopper–Pearson bounds against the target",
        example: "299 / 299 → ≥ 99.00 %; 298 / 298 → insufficient",
        note_zh: "单侧 95 % 界：下界 ≥ 目标为守住，上界 < 目标为失守",
        note_en: "one-sided 95 % bounds: held if the lower one reaches the target, broken if the upper one misses it",
        path: item!(stats::share::at_least),
    },
    Term {
        zh: "还差多少证据",
        en: "evidence needed",
        unit: "",
        formula: "least n that proves the target at the bad count seen",
        example: "99.95 %: 0 → 5,990; 1 → 9,486",
        note_zh: "单侧 95 % 置信度下，证明目标所需的最少请求数",
        note_en: "the fewest requests that prove the target at one-sided 95 % confidence",
        path: item!(stats::share::needed),
    },
    Term {
        zh: "方差膨胀（VIF）",
        en: "variance inflation (VIF)",
        unit: "",
        formula: "variance of a share / that of independent requests",
        example: "36,000 / 60 = 600",
        note_zh: "失守成串出现，n 个请求只值 n/VIF 个独立观测",
        note_en: "violations come in bursts: n requests are worth n/VIF independent ones",
        path: field!(definitions::judge::ShareEvidence, vif),
    },
    Term {
        zh: "总时长（wall_time）",
        en: "wall time",
        unit: "s",
        formula: "max end − min sent, over members",
        example: "1,840.0 s − 10.0 s = 1,830.0 s",
        note_zh: "包含尾部，因此速率偏保守；请求稀少时可能短于计量段",
        note_en: "includes the tail, so it understates a rate; where requests are few it can be shorter than the window",
        path: method!(definitions::window::WallTime, seconds),
    },
    Term {
        zh: "原始吞吐",
        en: "raw throughput",
        unit: "tok/s",
        formula: "Σ OSL over valid / wall_time",
        example: "4,575,000 / 1,830.0 s = 2,500 tok/s",
        note_zh: "含失败请求的部分输出；机器的极限，用于对账，不作承诺",
        note_en: "includes partial output of failed requests; the machine's limit, never a promise",
        path: field!(definitions::judge::Flow, raw),
    },
    Term {
        zh: "合规吞吐（SLO Goodput）",
        en: "SLO goodput",
        unit: "tok/s",
        formula: "Σ OSL over compliant / wall_time",
        example: "4,392,000 / 1,830.0 s = 2,400 tok/s",
        note_zh: "能卖的 token",
        note_en: "the tokens that can be sold",
        path: field!(definitions::judge::Flow, goodput),
    },
    Term {
        zh: "λ_slo_max",
        en: "λ_slo_max",
        unit: "req/s",
        formula: "highest valid rate with every promise held, and nothing broken below it",
        example: "4 ✓, 6 ✓, 8 ✓, 10 ✗, 11 ✓ → 8, [8, 10]",
        note_zh: "首次越界处，给出区间 [最后守住, 首次失守]；之上零星的通过不算",
        note_en: "the first crossing, as a bracket [last held, first broken]; scattered passes above do not count",
        path: item!(definitions::capacity::first_crossing),
    },
    Term {
        zh: "单卡产能（Goodput/GPU）",
        en: "goodput per GPU",
        unit: "tok/s/GPU",
        formula: "SLO goodput at λ_slo_max / serving GPUs",
        example: "2,400 / 8 = 300 tok/s/GPU",
        note_zh: "分母是参与服务的卡数",
        note_en: "divided by the GPUs that took traffic",
        path: item!(definitions::capacity::per_gpu),
    },
    Term {
        zh: "集群日上限（日产能）",
        en: "daily capacity",
        unit: "tok/day",
        formula: "goodput/GPU × GPUs × 86,400",
        example: "300 × 8 × 86,400 = 207.36 Mtok/day",
        note_zh: "24 小时持平的上限；经 ≥ 1800 s 长稳且无退化才可承诺",
        note_en: "a ceiling flat over 24 h; committed only after a soak of ≥ 1,800 s without degradation",
        path: item!(definitions::capacity::daily_capacity),
    },
    Term {
        zh: "支撑业务量",
        en: "supported business",
        unit: "steps/day",
        formula: "daily capacity / mean OSL",
        example: "207,360,000 / 240 = 864,000 steps/day; / 36 = 24,000 tasks/day",
        note_zh: "按平均输出长度折算成步数，再按每任务步数折算成任务数",
        note_en: "in steps by the mean output length, in tasks by the steps of a task",
        path: item!(definitions::capacity::steps_per_day),
    },
    Term {
        zh: "三口径 input",
        en: "input in three figures",
        unit: "tok",
        formula: "total = reused + computed",
        example: "1,000,000 = 960,000 + 40,000; 96.00 %",
        note_zh: "对已产出首 token 的成员求和；命中率 = reused / total",
        note_en: "over members whose prefill produced a token; hit rate = reused / total",
        path: item!(definitions::judge::Input),
    },
    Term {
        zh: "每瓦产能（Goodput/Watt）",
        en: "goodput per watt",
        unit: "tok/J",
        formula: "SLO goodput / mean GPU power",
        example: "2,400 / 4,800 W = 0.5 tok/J",
        note_zh: "功率取自能量计数器，否则取按时间加权的功率",
        note_en: "power from energy counters, else the time-weighted gauge",
        path: item!(definitions::capacity::per_watt),
    },
    Term {
        zh: "SLO 下每百万 token 成本（$/MTok under SLO）",
        en: "$/MTok under SLO",
        unit: "money/MTok",
        formula: "GPU price/h × GPUs provisioned / 3600 / goodput × 10⁶",
        example: "3.456 × 10 / 3600 / 2,400 × 10⁶ = 4.00",
        note_zh: "失败与不合规的开销摊到合规 token 上；没有合规 token 则为无穷大",
        note_en: "failed and non-compliant work is charged to compliant tokens; infinite without any",
        path: item!(definitions::money::cost_per_mtok),
    },
    Term {
        zh: "有效成本曲线 C_eff(λ)",
        en: "C_eff(λ)",
        unit: "money/MTok",
        formula: "$/MTok under SLO at each tested rate",
        example: "1,200 tok/s → 8.00; 2,400 tok/s → 4.00",
        note_zh: "同列平均并发 L = Σ 驻留时间 / wall_time",
        note_en: "listed with the mean concurrency L = Σ residence / wall_time",
        path: item!(definitions::money::cost_curve),
    },
    Term {
        zh: "利用率曲线",
        en: "utilisation curve",
        unit: "money/MTok",
        formula: "$/MTok under SLO / u",
        example: "4.00 / 50 % = 8.00",
        note_zh: "只卖出一部分产能时的有效成本：利用率是第一杠杆",
        note_en: "the effective cost where only part of the capacity is sold: the first lever",
        path: item!(definitions::money::utilisation_curve),
    },
    Term {
        zh: "日产值（按成本）",
        en: "daily value at cost",
        unit: "money/day",
        formula: "daily capacity × $/MTok / 10⁶ ≡ 24 × GPUs × price/h",
        example: "207.36 × 4.00 = 829.44 = 24 × 10 × 3.456",
        note_zh: "恒等于 GPU 日成本：只能核对算术，不能比较配置",
        note_en: "identically the GPUs' daily cost: checks the arithmetic, ranks nothing",
        path: item!(definitions::money::daily_value_at_cost),
    },
    Term {
        zh: "日产值（按售价）",
        en: "daily value at price",
        unit: "money/day",
        formula: "Σ tokens × price over output, uncached and cached input of compliant requests",
        example: "200 × 4.00 + 2,400 × 0.95 + 57,600 × 0.19 = 14,024",
        note_zh: "输入输出比接近 300:1 时，输入可占收入的大部分",
        note_en: "near 300:1 input can be most of the money",
        path: item!(definitions::money::value_at_price),
    },
    Term {
        zh: "毛利",
        en: "margin",
        unit: "money/day",
        formula: "daily value at price − the GPUs' daily cost",
        example: "14,024.00 − 829.44 = 13,194.56",
        note_zh: "能比较两个模型的是钱，不是 token",
        note_en: "what compares two models is money, not tokens",
        path: field!(definitions::money::Economics, margin_daily),
    },
    Term {
        zh: "全程顺畅任务（chain probability）",
        en: "smooth tasks (chain probability)",
        unit: "%",
        formula: "Π p over a task's steps; p^n under independence",
        example: "0.99^50 = 60.50 %",
        note_zh: "n 步串行任务一路顺畅的概率；实测任务占比并列，其差即相关性",
        note_en: "that n serial steps all go smoothly; the measured share stands beside, the difference is the dependence",
        path: item!(definitions::judge::chain_probability),
    },
];
