//! Simplified Chinese: names, headings, sayings.

mod binding;
mod bundle;
mod evidence;
pub(super) mod import;
mod notes;
mod reasons;
mod sign_off;

use super::{Charts, Comparing, Lang, Sayings, Terms, Titles, Words};
use crate::definitions::capacity::{Basis, Standing};
use crate::definitions::compare::{Told, Unlike};
use crate::definitions::judge::Verdict;
use crate::definitions::promise::{GapQuantile, ItlRule, PromiseKind, Role, VerdictMode};
use crate::definitions::record::{ClientFaultKind, FailureKind};
use crate::definitions::step::StepKind;
use crate::definitions::workload::CacheState;
use crate::present::format::millis;

/// Simplified Chinese.
pub const ZH: Words = Words {
    lang: Lang::Zh,
    term: TERMS,
    title: TITLES,
    say: SAYINGS,
    chart: CHARTS,
    compare: COMPARING,
    evidence: evidence::EVIDENCE,
    verdict,
    promise,
    itl_rule,
    itl_rule_short,
    mode,
    failure,
    client_fault,
    step_kind,
    standing,
    basis,
    role,
    cache,
    bundle_error: bundle::bundle_error,
    note: notes::note,
    missing: reasons::missing,
    invalid: reasons::invalid,
    degradation: reasons::degradation,
    attention: reasons::attention,
    sign_off: sign_off::label,
    sign_off_advice: sign_off::advice,
    signature_problem: sign_off::problem,
    severity: reasons::severity,
    needed: reasons::needed,
};

const TERMS: Terms = Terms {
    model: "模型",
    deployment: "部署",
    engine: "推理引擎",
    gpu: "GPU",
    gpus_serving: "服务卡数",
    gpus_provisioned: "购置卡数",
    parallelism: "并行方式",
    quantisation: "量化",
    kv_cache_dtype: "KV 缓存精度",
    prefix_cache: "前缀缓存",
    speculative: "投机解码",
    server_args: "启动参数",
    promise: "承诺",
    tier: "输入分档",
    promised: "承诺值",
    measured: "实测值",
    unit: "单位",
    n: "样本数",
    lower: "置信下限",
    upper: "置信上限",
    bounds: "置信限",
    vif: "VIF",
    episodes: "违约片段",
    verdict: "判定",
    remark: "说明",
    workload: "负载",
    run: "测试编号",
    started: "开始时间",
    tool: "测量工具",
    definitions: "口径版本",
    sign_off: "签署",
    role: "角色",
    signer: "签署人",
    key: "密钥",
    steps_per_task: "每任务步数",
    until: "有效期至",
    standing: "效力",
    step: "负载点",
    step_kind: "用途",
    asked: "设定到达率",
    offered: "到达率",
    lambda: "λ_slo_max",
    first_broken: "首个失守到达率",
    goodput: "合规吞吐",
    raw: "原始吞吐",
    goodput_per_gpu: "单卡产能",
    goodput_steady: "计量段合规吞吐",
    daily: "集群日上限",
    business: "支撑业务量",
    steps_per_day: "日调用次数",
    tasks_per_day: "日任务数",
    mean_osl: "平均输出长度",
    attainment: "达标率",
    worst_attainment: "最差档达标率",
    success: "成功率",
    concurrency: "平均并发",
    window: "正式计量段",
    wall: "总时长",
    edge: "收尾占比",
    validity: "有效性",
    input_total: "输入总量",
    input_reused: "缓存复用",
    input_computed: "实际计算",
    input_offered: "送入总量",
    hit_rate: "前缀命中率",
    input_per_output: "输入输出比",
    power: "功率",
    goodput_per_watt: "每瓦产能",
    chain: "全程顺畅任务",
    chain_if_independent: "若各步相互独立",
    tokens_per_event: "每事件 token 数",
    cancelled_late: "其中已超 TTFT 上限",
    attainment_adjusted: "超限取消计为违约",
    attainment_between: "全计违约–全计合规",
    ttft: "TTFT",
    ttft_from_intended: "TTFT（自计划时刻）",
    itl: "ITL",
    tpot: "TPOT",
    queue: "排队时间",
    members: "发出",
    valid: "有效请求",
    completed: "完成",
    compliant: "合规",
    cancelled: "用户取消",
    client_faults: "请求有误",
    unpromised: "档外请求",
    failures: "失败",
    kind: "类别",
    at_shown_step: "本到达率下",
    in_all_steps: "全部负载点",
    count: "次数",
    share: "占比",
    cost_per_mtok: "SLO 内成本",
    amount_per_day: "每日",
    amount_per_mtok: "每百万输出 token",
    price: "单价",
    item: "项目",
    gpu_cost_per_day: "日 GPU 成本",
    value_at_cost: "日产值（按成本）",
    value_at_price: "日产值（按售价）",
    margin: "日毛利",
    utilisation: "利用率",
    gpu_hour: "GPU 卡时",
    output: "输出",
    input_uncached: "输入（未命中缓存）",
    input_cached: "输入（命中缓存）",
    source: "来源",
    date: "日期",
    total: "合计",
    per_second: "每秒",
    per_day: "每日",
};

const TITLES: Titles = Titles {
    report: "集群产能报告",
    figures: "主要指标",
    utilisation: "利用率与成本",
    prices: "采用价格",
    soak: "长稳测试",
    summary: "集群一天能卖出多少",
    deployment: "部署",
    promises: "承诺表",
    steps: "各负载点结果",
    latency: "各档时延",
    rules: "三种 ITL 规则下的达标率",
    cancelled: "达标率与用户取消",
    window: "计量段概况",
    input: "输入三口径",
    money: "成本与产值",
    failures: "失败明细",
    validity: "有效性",
    attention: "需要关注",
    assumptions: "计算假设",
    warnings: "测量提示",
    provenance: "数据来源",
};

const SAYINGS: Sayings = Sayings {
    token: "词元（token）",
    tagline: "这个集群一天能卖出多少词元（token），又守住了哪些承诺？",
    simulated: "模拟",
    simulated_long: "模拟结果，非真实硬件：以下数字全部来自内置模拟器。",
    valid: "有效",
    invalid: "无效",
    unsustainable: "积压持续增长，该到达率不可持续",
    window_too_short: "计量段过短",
    signed_promise: "签署",
    watched_promise: "观察",
    declared: "采用",
    whole_step: "全部",
    no_failures: "有效请求无一失败。",
    nothing_to_note: "没有需要关注的事项。",
    value_at_cost_remark: "按定义恒等于日 GPU 成本，仅供核对，不代表收益",
    money_is_derived: "金额由产能与注明日期的价格表推算得出，不在签署范围之内。",
    flat_day: "按全天 24 小时以 λ_slo_max 运行计，有峰谷时实际承载更少",
    infinite_cost: "没有合规 token，所付成本无从收回",
    value_incomplete: "部分项目没有价格或没有观测",
    soak_without_degradation: "无退化",
    steps_unit: "次/日",
    tasks_unit: "个/日",
    scenario: "情景测算",
    counts: "有效",
    yes: "是",
    no: "否",
    comma: "、",
    full_stop: "。",
    semicolon: "；",
    colon: "：",
    gpus: |count, gpu| format!("{count} × {gpu}"),
    replicas: |replicas| format!("{replicas} 副本"),
    bracket: |held, broken| format!("{held} 守住，{broken} 首次失守"),
    no_upper_end: |held| format!("{held} 守住；所测到达率均未失守"),
    promises_at: |rate| format!("λ_slo_max（{rate} req/s）下的承诺表"),
    promises_at_lowest: |rate| {
        format!("最低有效到达率（{rate} req/s）下的承诺表：所测到达率均未守住承诺")
    },
    promises_at_step: |rate| format!("{rate} req/s 下的承诺表"),
    bounds: |lower, upper| format!("{lower}–{upper}"),
    aside: |text, aside| format!("{text}（{aside}）"),
    tpot_undefined: |requests| format!("{requests} 个请求输出不足 2 个 token，无此指标"),
    smooth_of: |bounds, tasks, steps| format!("{tasks} 个 {steps} 步任务，置信限 {bounds} %"),
    screen: |verdict| format!("初筛：{verdict}"),
    input_per_output: |ratio| format!("输入输出比 {ratio} : 1"),
    tpot_as_speed: |speed| format!("≥ {speed} tok/s"),
    steps_of: |tokens| format!("按每次调用输出 {tokens} token 计"),
    tasks_of: |steps| format!("按每个任务 {steps} 次串行调用计"),
    prices_of: |name, date| format!("{name}（{date}）"),
    definitions: |version| format!("指标口径第 {version} 版"),
    step_no: |step| format!("负载点 {step}"),
    stopped_early: |why| format!("提前终止：{}", notes::note(why)),
};

const CHARTS: Charts = Charts {
    throughput: "吞吐随到达率的变化",
    attainment: "达标率随到达率的变化",
    cost: "SLO 内成本随到达率的变化",
    worst_gap: "单请求最大间隔",
    in_flight: "在途请求数",
    send_lag: "压测端发送迟滞",
    running: "计算中的请求数",
    waiting: "服务端排队请求数",
    kv_use: "KV 缓存占用",
    worst: "最大值",
    time: "时间",
    flow: "输出",
    target: |share| format!("目标 {share}"),
    limit: |time| format!("上限 {time}"),
    distribution: |name| format!("{name} 的分布"),
};

const COMPARING: Comparing = Comparing {
    in_tokens: |model| format!("按 token 比较：{model}"),
    in_money: |currency| format!("按金额比较（{currency}）"),
    ratio: "与前者之比",
    revenue_per_mtok: "每百万输出 token 收入（含输入）",
    interval: |at, low, high| match high {
        Some(high) => format!("{at}（{low}–{high}）"),
        None => format!("{at}（至少 {low}）"),
    },
    told: |told, left, right| match told {
        Told::Better => format!("{right} 优于 {left}：最差时也高于对方最好时。"),
        Told::Worse => format!("{right} 不如 {left}：最好时也低于对方最差时。"),
        Told::AboutTheSame => {
            format!("{right} 与 {left} 相当：区间重叠，相差至多一成。")
        }
        Told::NotTold => format!(
            "{right} 与 {left} 分不出高下：区间重叠且较宽。请在极限附近加测到达率，或延长计量段。"
        ),
    },
    cannot: "无法比较",
    not_alike: "两者条件不同",
    unlike: |unlike| match unlike {
        Unlike::Promise => "承诺表不同，守住的不是同一组承诺",
        Unlike::Workload => "负载不同",
        Unlike::PriceDate => "价格日期不同",
        Unlike::Simulated => "一方为模拟，并非真实硬件",
        Unlike::Standing => "一方产能已承诺，另一方仅供参考",
    },
};

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Held => "守住",
        Verdict::Broken => "失守",
        Verdict::Insufficient => "证据不足",
        Verdict::NotObserved => "无观测",
    }
}

fn promise(kind: PromiseKind) -> &'static str {
    match kind {
        PromiseKind::Attainment => "达标率",
        PromiseKind::TtftP99 => "TTFT P99",
        PromiseKind::ItlP99 => "ITL P99",
        PromiseKind::TpotP99 => "TPOT P99",
        PromiseKind::QueueP99 => "排队时间 P99",
        PromiseKind::Success => "成功率",
    }
}

fn itl_rule(rule: &ItlRule, limit_ms: &str) -> String {
    match rule {
        ItlRule::GapShare { q, stall } => {
            let allowed = match q {
                GapQuantile::P95 => "5 %",
                GapQuantile::P99 => "1 %",
            };
            let stall = millis(*stall, 0);
            format!("单个请求超过 {limit_ms} ms 的间隔不多于 {allowed}，且无一超过 {stall} ms")
        }
        ItlRule::WorstGap => format!("单个请求的任一间隔不超过 {limit_ms} ms"),
        ItlRule::MeanGap => format!("单个请求的平均间隔不超过 {limit_ms} ms"),
    }
}

fn itl_rule_short(rule: &ItlRule) -> &'static str {
    match rule {
        ItlRule::GapShare { q: GapQuantile::P95, .. } => "95 % 的间隔",
        ItlRule::GapShare { q: GapQuantile::P99, .. } => "99 % 的间隔",
        ItlRule::WorstGap => "每个间隔",
        ItlRule::MeanGap => "平均间隔",
    }
}

fn mode(mode: VerdictMode, confidence: &str) -> String {
    match mode {
        VerdictMode::Confidence => {
            format!("按 {confidence} % 单侧置信限判定，已修正请求间的相关性")
        }
        VerdictMode::Point => "按点估计判定，不可签署".to_owned(),
    }
}

fn failure(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::ServerError => "服务端错误（5xx）",
        FailureKind::Rejected => "被拒绝（429、503、529）",
        FailureKind::Timeout => "超时",
        FailureKind::Disconnected => "应答中途断开",
        FailureKind::StreamError => "流内报错",
        FailureKind::Unreachable => "无法连接",
        FailureKind::Empty => "结束但无输出",
        FailureKind::Malformed => "应答格式错误",
    }
}

fn client_fault(kind: ClientFaultKind) -> &'static str {
    match kind {
        ClientFaultKind::Unauthorised => "密钥被拒（401、403）",
        ClientFaultKind::NotFound => "模型或路径不存在（404）",
        ClientFaultKind::PromptTooLong => "提示词超出上下文长度",
        ClientFaultKind::BadRequest => "其他请求错误（4xx）",
    }
}

fn step_kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Probe => "探测",
        StepKind::Confirm => "确认",
        StepKind::Soak => "长稳",
        StepKind::Closed => "闭环",
    }
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Committed => "可承诺",
        Standing::Reference => "仅供参考",
    }
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Confidence => "按置信限守住",
        Basis::Screen => "按点估计初筛",
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::MeasuredBy => "测量人",
        Role::ReviewedBy => "复核人",
        Role::ApprovedBy => "批准人",
    }
}

fn cache(state: CacheState) -> &'static str {
    match state {
        CacheState::Salted => "加盐，各负载点互不命中",
        CacheState::Cold => "冷启动",
        CacheState::Warm => "按声明预热",
    }
}
