//! Simplified Chinese: what the measuring side left in a bundle.

use super::ZH;
use crate::definitions::note::Note;

/// A note in Chinese; one of a kind that is not known by its sentence.
pub(super) fn note(note: &Note) -> String {
    let said = match note {
        Note::Interrupted => "用户中断",
        Note::Resumed { steps } => return format!("测量完成 {steps} 个负载点后中断，随后续测"),
        Note::SettledLate { step, seconds } => {
            return format!(
                "负载点 {step} 在计量段开始 {seconds:.0} s 之后才趋于平稳（按 TTFT 与在途请求数的 \
                 MSER-5）：请加大 warmup_s"
            );
        }
        Note::Unconfirmed { rate } => {
            return format!(
                "搜索结束时没有守住承诺的确认段：λ_slo_max 约为 {rate:.3} req/s，不可签署；请给出更多时间"
            );
        }
        Note::AllInvalid => "负载点连续无效，搜索结束：请按报告所列原因改正后重新搜索",
        Note::Blind { promise } => {
            return format!(
                "承诺的“{}”没有任何观测来源，搜索结束：请在 [[observe]] \
                 中写明服务端的指标页，或将其移入承诺表的观察项",
                (ZH.promise)(*promise)
            );
        }
        Note::LengthsRefused => {
            "服务端不接受 min_tokens 与 ignore_eos：回答由模型自行结束，输出长度与负载声明不同"
        }
        Note::NoIdle => {
            "有空闲连接时服务端会让请求等待（每个连接占用一个线程）：每个请求另建连接，TTFT 含建连时间"
        }
        Note::NoUsage => {
            "服务端不返回用量：输入 token 数未知，按每词一个 token 估计，负载点将因 token 数未知而无效"
        }
        Note::CountedHere => {
            "服务端不返回全部 token 数：缺少的按所给分词器计数，提示词不含对话模板"
        }
        Note::NoOutputCount => "服务端的用量缺少 completion_tokens：负载点将无效",
        Note::NoCachedCount => {
            "服务端的用量不含缓存命中的输入 token 数：无法观测单个请求的前缀复用"
        }
        Note::OddCounts => "服务端的输入 token 数没有随提示词相应增长：按每词一个 token 估计",
        Note::NotScraped { source, why } => return format!("指标来源 `{source}` 无法抓取：{why}"),
        Note::NothingKnown { source } => {
            return format!("指标来源 `{source}` 没有本工具认识的指标：相应各项视为未观测");
        }
        Note::ScrapesFailed { source, failed, scrapes, why } => {
            return format!(
                "指标来源 `{source}`：{failed} 次失败，共抓取 {scrapes} 次，最后一次的原因：{why}"
            );
        }
        Note::Restarted { source } => {
            return format!("指标来源 `{source}`：计数器回退，测量期间有服务端重启");
        }
        Note::Together { processes, apart_ms } => {
            return format!(
                "由 {processes} 个进程共同测量，按各自时钟，负载点开始时刻最多相差 {apart_ms:.1} ms"
            );
        }
        Note::ClocksAgree { seconds } => {
            return format!(
                "以目标服务的时钟为准，各进程的时钟最多相差 {seconds:.1} s；更小的偏差取决于各机器的时钟同步"
            );
        }
        Note::ClocksUnknown => {
            "目标服务不返回日期，无法比对各进程的时钟：是否一致取决于各机器的时钟同步"
        }
        Note::Imported => "导入的结果：产生这些记录的客户端迟到多少无从得知",
        Note::Unknown(_) => return note.says(),
    };
    said.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::promise::PromiseKind;

    #[test]
    fn figures_and_names_stand_in_both_languages_and_an_unknown_note_is_shown_as_it_is() {
        let source = || "engine".to_owned();
        let why = || "timeout".to_owned();
        for (known, parts) in [
            (Note::Resumed { steps: 31 }, vec!["31"]),
            (Note::SettledLate { step: 31, seconds: 42.0 }, vec!["31", "42"]),
            (Note::Unconfirmed { rate: 3.25 }, vec!["3.250"]),
            (Note::NotScraped { source: source(), why: why() }, vec!["engine", "timeout"]),
            (Note::NothingKnown { source: source() }, vec!["engine"]),
            (
                Note::ScrapesFailed { source: source(), failed: 31, scrapes: 42, why: why() },
                vec!["engine", "31", "42", "timeout"],
            ),
            (Note::Restarted { source: source() }, vec!["engine"]),
            (Note::Together { processes: 31, apart_ms: 4.25 }, vec!["31", "4.2"]),
            (Note::ClocksAgree { seconds: 1.5 }, vec!["1.5"]),
        ] {
            for said in [known.says(), note(&known)] {
                assert!(parts.iter().all(|part| said.contains(part)), "{said}");
            }
        }
        let blind = note(&Note::Blind { promise: PromiseKind::QueueP99 });
        assert!(blind.contains((ZH.promise)(PromiseKind::QueueP99)), "{blind}");
        assert_eq!(note(&Note::sentence("anything else")), "anything else");
    }
}
