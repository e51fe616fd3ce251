//! What figures rest on, in Simplified Chinese.

use crate::present::words::Evidencing;

/// How each figure is computed.
pub(super) const EVIDENCE: Evidencing = Evidencing {
    compliant_tokens: "合规请求的输出 token",
    blended: "每百万输出 token 的全部收入",
    seed: "随机种子",
    records: "原始记录",
    price_sheet: "价格表",
    lambda: "所测到达率中，负载点有效、全部签署承诺守住、且更低的到达率均未失守的最高值。\
        真实极限介于它与首个失守到达率之间。",
    goodput: "λ_slo_max 下合规请求的输出 token ÷ 总时长。",
    goodput_per_gpu: "合规吞吐 ÷ 服务卡数。",
    daily: "单卡产能 × 卡数 × 86,400 秒。",
    steps_per_day: "集群日上限 ÷ 每次调用的平均输出 token。",
    tasks_per_day: "日调用次数 ÷ 每个任务的调用次数。",
    attainment: "最差一档的合规请求数 ÷ 有效请求数。",
    goodput_per_watt: "合规吞吐 ÷ 正式计量段内 GPU 平均功率。",
    cost: "GPU 卡时价 × 购置卡数 ÷ 3,600 秒 ÷ 合规吞吐 × 10⁶。失败与违约的工作量由合规 token 承担。",
    price: "价格表中每百万输出 token 的售价。",
    value: "合规请求的输出、未命中缓存的输入、命中缓存的输入各自 × 单价 ÷ 总时长 × 86,400 秒。",
    margin: "日产值（按售价）− 购置 GPU 的日成本。",
};
