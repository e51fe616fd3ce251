//! Simplified Chinese: what the measuring side left in a bundle.

use super::super::EN;
use super::ZH;
use crate::bundle::{Note, fill};
use crate::definitions::promise::PromiseKind;

/// Every form, with its gaps in the same order.
const NOTES: [(Note, &str); Note::ALL.len()] = [
    (Note::BY_USER, "用户中断"),
    (Note::RESUMED, "测量完成 {} 个负载点后中断，随后续测"),
    (
        Note::SETTLED_LATE,
        "负载点 {} 在计量段开始 {} s 之后才趋于平稳（按 TTFT 与在途请求数的 MSER-5）：请加大 warmup_s",
    ),
    (
        Note::UNCONFIRMED,
        "搜索结束时没有守住承诺的确认段：λ_slo_max 约为 {} req/s，不可签署；请给出更多时间",
    ),
    (Note::ALL_INVALID, "负载点连续无效，搜索结束：请按报告所列原因改正后重新搜索"),
    (
        Note::BLIND,
        "承诺的“{}”没有任何观测来源，搜索结束：请在 [[observe]] 中写明服务端的指标页，或将其移入承诺表的观察项",
    ),
    (
        Note::LENGTHS_REFUSED,
        "服务端不接受 min_tokens 与 ignore_eos：回答由模型自行结束，输出长度与负载声明不同",
    ),
    (
        Note::NO_IDLE,
        "有空闲连接时服务端会让请求等待（每个连接占用一个线程）：每个请求另建连接，TTFT 含建连时间",
    ),
    (
        Note::NO_USAGE,
        "服务端不返回用量：输入 token 数未知，按每词一个 token 估计，负载点将因 token 数未知而无效",
    ),
    (Note::COUNTED_HERE, "服务端不返回全部 token 数：缺少的按所给分词器计数，提示词不含对话模板"),
    (Note::NO_OUTPUT_COUNT, "服务端的用量缺少 completion_tokens：负载点将无效"),
    (Note::NO_CACHED_COUNT, "服务端的用量不含缓存命中的输入 token 数：无法观测单个请求的前缀复用"),
    (Note::ODD_COUNTS, "服务端的输入 token 数没有随提示词相应增长：按每词一个 token 估计"),
    (Note::NOT_SCRAPED, "指标来源 `{}` 无法抓取：{}"),
    (Note::NOTHING_KNOWN, "指标来源 `{}` 没有本工具认识的指标：相应各项视为未观测"),
    (Note::SCRAPES_FAILED, "指标来源 `{}`：{} 次失败，共抓取 {} 次，最后一次的原因：{}"),
    (Note::RESTARTED, "指标来源 `{}`：计数器回退，测量期间有服务端重启"),
    (Note::TOGETHER, "由 {} 个进程共同测量，按各自时钟，负载点开始时刻最多相差 {} ms"),
    (
        Note::CLOCKS_AGREE,
        "以目标服务的时钟为准，各进程的时钟最多相差 {} s；更小的偏差取决于各机器的时钟同步",
    ),
    (
        Note::CLOCKS_UNKNOWN,
        "目标服务不返回日期，无法比对各进程的时钟：是否一致取决于各机器的时钟同步",
    ),
    (Note::IMPORTED, "导入的结果：产生这些记录的客户端迟到多少无从得知"),
];

/// A sentence of a known form in Chinese; any other one as it is.
pub(super) fn note(sentence: &str) -> String {
    let known = |(note, zh): &(Note, &'static str)| Some((*zh, note.parts(sentence)?));
    let Some((zh, parts)) = NOTES.iter().find_map(known) else { return sentence.to_owned() };
    fill(zh, parts.into_iter().map(promise))
}

/// A promise by its Chinese name; anything else as it is.
fn promise(part: &str) -> &str {
    let named = PromiseKind::ALL.into_iter().find(|kind| (EN.promise)(*kind) == part);
    named.map_or(part, |kind| (ZH.promise)(kind))
}

#[cfg(test)]
mod tests {
    use std::fmt::Display;

    use super::*;

    #[test]
    fn every_note_is_said_with_all_that_stands_in_it() {
        for (known, (note, zh)) in Note::ALL.into_iter().zip(NOTES) {
            assert_eq!(known, note);
            let parts: Vec<String> =
                (10..10 + zh.matches("{}").count()).map(|n| n.to_string()).collect();
            let parts: Vec<&dyn Display> = parts.iter().map(|part| part as &dyn Display).collect();
            let said = super::note(&note.with(&parts));
            assert!(parts.iter().all(|part| said.contains(&part.to_string())), "{said}");
            assert!(!said.contains("{}"), "{said}");
        }
        assert_eq!(super::note("anything else"), "anything else");
    }

    #[test]
    fn a_promise_in_a_note_has_its_name() {
        let said = super::note(&Note::BLIND.with(&[&(EN.promise)(PromiseKind::QueueP99)]));
        assert!(said.contains((ZH.promise)(PromiseKind::QueueP99)), "{said}");
    }
}
