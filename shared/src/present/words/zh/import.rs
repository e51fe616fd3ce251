//! 中文：其他工具的结果。

use crate::import::{
    AskedRate, Clock, Definitions, Divisor, Failures, FirstToken, Itl, Load, Mark, Tpot, What,
};
use crate::present::format::{count, fixed, percent, plain};
use crate::present::words::ImportWords;
use crate::units::Seconds;

pub(in crate::present::words) const WORDS: ImportWords = ImportWords {
    title: "导入的结果",
    not_signable: "导入结果，不可签署：产生这些记录的客户端未经检验",
    mark,
    finding,
    definitions,
    load,
};

const fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::Green => "绿",
        Mark::Amber => "黄",
        Mark::Red => "红",
    }
}

fn ms(time: Seconds) -> String {
    format!("{} ms", plain(time.get() * 1e3))
}

fn load(load: &Load) -> String {
    let rate = match load.rate {
        Some(AskedRate::Finite(rate)) => Some(format!("{} req/s", plain(rate))),
        Some(AskedRate::Unlimited) => Some("一次全部发出".to_owned()),
        None => None,
    };
    let cap = load.concurrency.map(|cap| format!("并发不超过 {cap}"));
    let parts: Vec<String> = rate.into_iter().chain(cap).collect();
    if parts.is_empty() { "未说明".to_owned() } else { parts.join("，") }
}

fn finding(what: &What) -> String {
    match what {
        What::PerTokenIdentity { stated, implied } => format!(
            "每 token 时间：所报 {}，由时延、TTFT 与 token 数推得 {}",
            ms(*stated),
            ms(*implied)
        ),
        What::ThroughputIdentity { ratio } => {
            format!("输出速率为 token 数 / 时长的 {} 倍", fixed(*ratio, 3))
        }
        What::NotSentAsAsked { asked, achieved } => {
            format!("要求 {} req/s，实际 {}", plain(*asked), plain(*achieved))
        }
        What::Drain { share } => {
            format!("速率所除时长中有 {} % 是最后一个请求发出之后的收尾", percent(*share, 0))
        }
        What::ClosedLoop => "没有到达率：节奏由服务端决定，不是速率轴上的负载点".to_owned(),
        What::GapsShareTime { median, mean } => format!(
            "半数间隔小于 {}（均值 {}）：同一事件的 token 共用一个时刻",
            ms(*median),
            ms(*mean)
        ),
        What::ManyTokensAnEvent { ratio } => {
            format!("间隔为每 token 时间的 {} 倍：一个事件含多个 token", fixed(*ratio, 2))
        }
        What::StallsHidden { stated, gaps } => format!(
            "所报 ITL P99 {} 是各请求均值的分位；间隔本身的 P99 为 {}",
            ms(*stated),
            ms(*gaps)
        ),
        What::TtftZero => "TTFT 为 0，不可能成立，其时延全部不可用".to_owned(),
        What::ShortAnswers { short, of } => format!(
            "{} 个回答中有 {} 个不超过 1 个 token，没有每 token 时间",
            count(*of),
            count(*short)
        ),
        What::ShortAnswersCalledErrors { errors, of } => {
            format!("{} 个请求中有 {} 个因回答过短被记为错误", count(*of), count(*errors))
        }
        What::WholeAnswerInOneEvent { answers } => {
            format!("{} 个回答一次性到达，其每 token 时间实为整个回答的时间", count(*answers))
        }
        What::OutputNotAsAsked { off, shorter } => {
            format!("回答比要求{} {} %", if *shorter { "短" } else { "长" }, percent(*off, 0))
        }
        What::LittlesLaw { implied, stated } => {
            format!("按利特尔法则在途请求为 {}，所报或上限为 {}", plain(*implied), plain(*stated))
        }
        What::ServerCount { server, client } => format!(
            "服务端计 {} 个请求，客户端计 {} 个：采集区间与该阶段不符",
            count(*server),
            count(*client)
        ),
        What::RecordsUnlikeSummary { records, summary } => {
            format!("完成的记录有 {} 条，汇总却为 {}", count(*records), count(*summary))
        }
        What::Failed { failed, of } => {
            format!("{} 个请求中有 {} 个失败", count(*of), count(*failed))
        }
        What::FailuresUnknown => "未说明失败数".to_owned(),
        What::SentLate { mean } => format!("请求平均晚发 {}", ms(*mean)),
        What::DeclaredInvalid => "该工具自己判定结果无效".to_owned(),
        What::TooFew { n } => format!("仅 {} 个请求：确认 P99 至少需要 299 个", count(*n)),
        What::NoGpuCount => "未说明 GPU 数：无法给出单卡数值".to_owned(),
        What::NoSendTimes => "未保留发送时刻：与时间有关的都不判定".to_owned(),
        What::NoIntendedTimes => "未保留计划时刻：客户端晚发多少不得而知".to_owned(),
        What::NoRecords => "没有逐请求记录：无法判定任何承诺".to_owned(),
        What::NoGaps => "未保留事件间隔：看不到卡顿".to_owned(),
        What::Meaningless { field } => format!("`{field}` 没有意义，未采用"),
        What::KnownTrap { field } => format!("`{field}` 是已知的陷阱，已避开"),
        What::DevicesTwice { scraped, devices } => {
            format!("采集到 {} 个设备，实为 {} 个，各计一次", count(*scraped), count(*devices))
        }
        What::Mock => "在模拟服务端上产生".to_owned(),
    }
}

fn definitions(of: &Definitions) -> Vec<&'static str> {
    let mut said = vec![match of.clock {
        Clock::Sent => "时延自发送起算，客户端晚发会美化服务端",
        Clock::Scheduled => "时延自计划时刻起算，比这里长",
        Clock::Unknown => "时延从何时起算不得而知",
    }];
    said.extend(match of.first_token {
        FirstToken::Output => None,
        FirstToken::AnyEvent => Some("TTFT 止于首个事件，哪怕是空的"),
        FirstToken::Text => Some("TTFT 止于首段文字"),
        FirstToken::Unknown => Some("TTFT 止于何处不得而知"),
    });
    said.extend(match of.itl {
        Itl::EventGaps | Itl::None => None,
        Itl::MeanPerRequest => Some("ITL 是每请求一个均值，会掩盖卡顿，即这里的 TPOT"),
        Itl::TokensShareTime => Some("ITL 按 token 计，同一事件的 token 共用一个时刻"),
        Itl::GapPerToken => Some("ITL 是间隔除以该事件的 token 数"),
        Itl::IncludesFirst => Some("ITL 含 TTFT"),
    });
    said.extend(match of.tpot {
        Tpot::ToLastToken | Tpot::None => None,
        Tpot::ToEnd => Some("TPOT 计到响应结束"),
        Tpot::IncludesFirst => Some("TPOT 含 TTFT"),
    });
    said.extend(match of.failures {
        Failures::Counted | Failures::NotStated => None,
        Failures::LeftOut => Some("其有效吞吐不计失败请求"),
        Failures::Invalidate => Some("一旦违约整个结果无效"),
    });
    said.extend(match of.divisor {
        Divisor::WithDrain => None,
        Divisor::Window => Some("速率除以计量段"),
        Divisor::Stage => Some("速率除以阶段时长"),
        Divisor::Unknown => Some("速率除以什么不得而知"),
    });
    said
}
