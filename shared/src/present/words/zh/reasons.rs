//! Simplified Chinese: why something is missing, invalid or in need of attention, and what to do.

use super::super::{Advice, NeededText};
use super::ZH;
use crate::definitions::judge::{Degradation, Invalid, LAG_MAX};
use crate::definitions::measured::Missing;
use crate::definitions::promise::PromiseKind;
use crate::present::attention::{AttentionKind, Severity};
use crate::present::format::{count, fixed, millis, percent, plain, span};

pub(super) fn missing(reason: &Missing) -> String {
    match reason {
        Missing::NotObserved => "没有可供判断的观测数据".to_owned(),
        Missing::NoRequests => "没有请求具备该指标".to_owned(),
        Missing::InvalidStep => "负载点无效，不给出数值".to_owned(),
        Missing::NothingHeld => "所测到达率均未守住全部承诺".to_owned(),
        Missing::NoPriceSheet => "请选择价格表".to_owned(),
        Missing::NotPriced => "价格表未列出该项价格".to_owned(),
        Missing::NotDeclared => "部署声明中没有该项".to_owned(),
        Missing::NotSoaked => "只有确认段才按长稳段判定".to_owned(),
        Missing::NotRecorded => "原始记录按另一套分档或分位数留存，无法回答".to_owned(),
        Missing::Other(why) => why.clone(),
    }
}

pub(super) fn invalid(reason: &Invalid) -> Advice {
    let (what, fix) = match reason {
        Invalid::GeneratorLate { p99, max, limit } => (
            format!(
                "压测端发送迟到：P99 为 {} ms（上限 {} ms），最大 {} ms（上限 {} ms）",
                millis(*p99, 1),
                millis(*limit, 1),
                millis(*max, 1),
                millis(LAG_MAX, 0)
            ),
            "请让压测端独占一台空闲机器或增加线程，再重测该负载点。",
        ),
        Invalid::GeneratorSaturated { cpu, stall } => {
            let busy = cpu.map(|cpu| format!("最忙线程占用 {} %", percent(cpu, 0)));
            let stall = stall.map(|stall| format!("事件循环停顿 P99.9 为 {} ms", millis(stall, 1)));
            let figures: Vec<String> = busy.into_iter().chain(stall).collect();
            (
                format!("压测端饱和：{}", figures.join("，")),
                "请增加压测线程或再加一台压测机，然后重测该负载点。",
            )
        }
        Invalid::ArrivalsMissing { scheduled, sent, dropped } => (
            format!(
                "计划到达 {} 个，实际发出 {} 个（丢弃或压住 {} 个）",
                count(*scheduled),
                count(*sent),
                count(*dropped)
            ),
            "请调高压测端的连接数与文件句柄上限，再重测该负载点。",
        ),
        Invalid::ClientFaults { faults, members } => (
            format!("{} 个请求中有 {} 个自身有误（4xx）", count(*members), count(*faults)),
            "请修正测试计划中的密钥、模型名或提示词长度；错误原文见数据包。",
        ),
        Invalid::Unpromised { unpromised, valid } => (
            format!(
                "{} 个有效请求中有 {} 个不在任何承诺分档之内",
                count(*valid),
                count(*unpromised)
            ),
            "请扩大承诺表的分档范围，或让负载落在分档之内。",
        ),
        Invalid::UnknownTokens { unknown, of } => (
            format!("{} 个完成的请求中有 {} 个没有 token 计数", count(*of), count(*unknown)),
            "请在流式应答中开启用量统计（stream_options.include_usage），或给出模型的分词器（--tokenizer）。",
        ),
        Invalid::CacheContaminated { declared, measured } => (
            format!(
                "前缀命中率实测 {} %，与声明的 {} % 不符",
                percent(*measured, 1),
                percent(*declared, 1)
            ),
            "请给提示词加盐、在负载点之间清空缓存，或如实声明命中率。",
        ),
        Invalid::TelemetryGap { longest } => (
            format!("监控数据中断 {}", span(longest.seconds())),
            "请检查监控指标接口，再重测该负载点。",
        ),
        Invalid::Stopped { why } => {
            (format!("该负载点被提前终止：{}", (ZH.note)(why)), "请完整重测该负载点。")
        }
        Invalid::Empty => ("计量段内没有发出任何请求".to_owned(), "请延长计量段或提高到达率。"),
    };
    Advice { what, fix: fix.to_owned() }
}

pub(super) fn degradation(degradation: &Degradation, tier: Option<&str>) -> String {
    let series = || match tier {
        Some(tier) => format!("{tier} 档 TTFT 中位数"),
        None => "合规吞吐".to_owned(),
    };
    match degradation {
        Degradation::TooShort { window } => {
            format!("计量段只有 {}，至少需要 30 min", span(*window))
        }
        Degradation::Invalid => "负载点无效".to_owned(),
        Degradation::NotHeld { verdict } => format!("全程承诺：{}", (ZH.verdict)(*verdict)),
        Degradation::ThirdBroken { third } => {
            format!("{}段有承诺失守", ["前", "中", "后"][usize::from(*third).min(2)])
        }
        Degradation::Drift { change, .. } => {
            format!("{}全程漂移 {} %", series(), fixed(change * 100.0, 1))
        }
        Degradation::DriftUnknown { .. } => {
            format!("{}有时段缺少数据，无法检验漂移", series())
        }
        Degradation::GrowingBacklog => "积压持续增长".to_owned(),
        Degradation::Restart { times } => format!("服务进程重启 {} 次", count(*times)),
        Degradation::PreemptionStorm { preemptions } => {
            format!("抢占 {} 次，超过请求数的 1 %", count(*preemptions))
        }
        Degradation::ErrorEpisode { spans } => {
            format!("有 {} 个 10 s 时段的失败率超过 5 %", count(*spans))
        }
        Degradation::HitRate { declared, measured } => format!(
            "前缀命中率实测 {} %，与声明的 {} % 不符",
            percent(*measured, 1),
            percent(*declared, 1)
        ),
    }
}

pub(super) fn attention(kind: &AttentionKind) -> Advice {
    let (what, fix) = match kind {
        AttentionKind::Simulated => {
            ("模拟结果，非真实硬件".to_owned(), "仅用于熟悉工具；有效数字须在实际集群上测得。")
        }
        AttentionKind::NothingHeld { lowest } => (
            match lowest {
                Some(rate) => {
                    format!("所测到达率均未守住全部承诺，最低为 {} req/s", plain(*rate))
                }
                None => "没有任何测试结果".to_owned(),
            },
            "请测试更低的到达率，或在承诺表中查看是哪一条承诺卡住。",
        ),
        AttentionKind::InvalidSteps { steps, of } => (
            format!("{of} 个负载点中有 {} 个无效，不给出数值", steps.len()),
            "原因与改法见“有效性”。",
        ),
        AttentionKind::PointMode => {
            ("判定仅依据点估计".to_owned(), "签署之前须按置信限判定（mode = \"confidence\"）。")
        }
        AttentionKind::Screen => (
            "λ_slo_max 仅经点估计初筛".to_owned(),
            "请在该到达率上做确认测试，只有确认结果可以签署。",
        ),
        AttentionKind::NotSoaked => (
            "集群日上限仅供参考".to_owned(),
            "在 λ_slo_max 下完成至少 30 min 的长稳测试后方可承诺。",
        ),
        AttentionKind::SoakDegraded { degradations } => (
            format!("长稳测试出现退化，集群日上限仅供参考：{}", ZH.degradations(degradations)),
            "请查明原因后重做长稳测试，或在更低的到达率上进行。",
        ),
        AttentionKind::PricesIncomplete { missing } => (
            format!("日产值未计入：{}", ZH.money_parts(missing)),
            "请补全价格表；长提示词场景下输入往往占产值的大头。",
        ),
        AttentionKind::IdentityBroken => (
            "按成本的日产值与日 GPU 成本不一致".to_owned(),
            "计算未能闭合，请勿使用该行金额，并反馈此问题。",
        ),
        AttentionKind::NoUpperEnd => {
            ("所测到达率均未失守，λ_slo_max 只是下限".to_owned(), "请测试更高的到达率。")
        }
        AttentionKind::NonMonotone => {
            ("失守点之上又有到达率通过".to_owned(), "请重测失守的到达率；其上的通过结果不予采用。")
        }
        AttentionKind::Insufficient { promises } => {
            (format!("证据不足：{}", ZH.promises(promises)), "请延长计量段，所需时长见承诺表。")
        }
        AttentionKind::NotObserved { promises } => (
            format!("没有观测手段：{}", ZH.promises(promises)),
            "请在测试计划中接入引擎的监控指标，或将该承诺改为观察项。",
        ),
        AttentionKind::WatchedBroken { promises } => (
            format!("观察项失守：{}", ZH.promises(promises)),
            "若客户会依赖该项，应先定夺，再决定是否不纳入签署。",
        ),
        AttentionKind::WindowTooShort { step } => (
            format!("负载点 {step} 的计量段相对收尾过短，吞吐被低估"),
            "请延长计量段，使收尾占比不超过 5 %。",
        ),
        AttentionKind::Binding { promise, binding } => {
            return super::binding::advice(promise, binding);
        }
        AttentionKind::Failures { failed, valid } => (
            format!("{} 个有效请求中有 {} 个失败", count(*valid), count(*failed)),
            "分类见“失败明细”。",
        ),
        AttentionKind::CacheUnknown => (
            "服务端未报告命中缓存的 token 数".to_owned(),
            "请开启缓存 token 上报，才能区分复用与实际计算的输入。",
        ),
        AttentionKind::Rejudged => {
            ("判定所用的承诺表与测量时不同".to_owned(), "属于情景测算，不在签署范围之内。")
        }
        AttentionKind::OtherDefinitions { version } => {
            (format!("按指标口径第 {version} 版测量"), "只可与同一版本的结果比较，或重新测量。")
        }
        AttentionKind::NotSigned { sign_off } => return super::sign_off::advice(sign_off),
        AttentionKind::DifferentModels => {
            ("各行的模型或版本不同".to_owned(), "只能按金额比较，不能逐 token 比较。")
        }
        AttentionKind::Warning { note } => ((ZH.note)(note), ""),
    };
    Advice { what, fix: fix.to_owned() }
}

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Blocks => "不可对外承诺",
        Severity::Caution => "注意",
        Severity::Note => "提示",
    }
}

pub(super) fn needed(text: &NeededText<'_>) -> String {
    let NeededText { kind, n, bad, needed, confidence, more } = *text;
    let (values, failing) = match kind {
        PromiseKind::Success => ("个有效请求", "失败"),
        PromiseKind::ItlP99 => ("个间隔", "超限"),
        PromiseKind::Attainment => ("个有效请求", "违约"),
        PromiseKind::TtftP99 | PromiseKind::TpotP99 | PromiseKind::QueueP99 => ("个请求", "超限"),
    };
    let seen = match bad {
        0 => format!("无一{failing}"),
        _ => format!("{} 个{failing}", count(bad)),
    };
    let need = format!("已有 {n} {values}，{seen}；{confidence} % 置信需 {needed} 个");
    match more {
        Some(more) => format!("{need}，约再测 {more}"),
        None => need,
    }
}
