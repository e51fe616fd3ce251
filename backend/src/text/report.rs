//! The whole report as text.

use tokencap_shared::present::document::{Body, Document, Note, Section};
use tokencap_shared::present::words::Words;

use super::table::{facts, table};

/// Everything that a report says, for a terminal so many cells wide.
#[must_use]
pub fn report(document: &Document, width: Option<usize>) -> String {
    let words = document.language.words();
    let draw = |section: &Section| drawn(section, words, width);
    let mut sections = vec![title(document)];
    sections.extend(document.sections.iter().map(draw));
    for part in &document.parts {
        // With a single bundle there is nothing to tell apart.
        if document.parts.len() > 1 {
            sections.push(format!("━━ {}\n", part.title));
        }
        sections.extend(part.sections.iter().map(draw));
    }
    sections.join("\n")
}

fn title(document: &Document) -> String {
    let warning = document.warning.map(|warning| format!("{warning}\n"));
    format!("{}\n{}", document.title, warning.unwrap_or_default())
}

fn drawn(section: &Section, words: &Words, width: Option<usize>) -> String {
    let title = &section.title;
    let mut text = match &section.body {
        // A table's title is its caption.
        Body::Table(shown) => table(shown, words, width),
        Body::Facts(shown) => format!("{title}\n{}", facts(shown, words)),
        Body::Notes(shown) => format!("{title}\n{}", notes(shown, words)),
        Body::Nothing(sentence) => format!("{title}\n{sentence}\n"),
    };
    if let Some(remark) = &section.remark {
        text.push_str(&format!("{remark}\n"));
    }
    text
}

fn notes(notes: &[Note], words: &Words) -> String {
    let lines = notes.iter().map(|note| {
        let about = match note.about.as_str() {
            "" => String::new(),
            about => format!("{about}{}", words.say.colon),
        };
        let advice = &note.advice;
        let gap = if advice.fix.is_empty() { "" } else { words.say.full_stop };
        format!("· [{}] {about}{}{gap}{}\n", note.label, advice.what, advice.fix)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use tokencap_shared::fixture;
    use tokencap_shared::present::document::document;
    use tokencap_shared::present::report::{Entry, Report, SignOff};
    use tokencap_shared::present::words::{EN, ZH};

    use super::*;
    use crate::presets;

    fn toy() -> Report {
        let name = "toy.tokencap".to_owned();
        let preset = presets::find(presets::Kind::Prices, "reference-2026-11").unwrap();
        let prices = toml::from_str(preset.text).unwrap();
        let entry = Entry::judged(name, &fixture::bundle(), None, SignOff::Unsigned);
        Report::new(vec![entry], Some(prices))
    }

    #[test]
    fn the_whole_report_in_english() {
        assert_snapshot!(report(&document(&toy(), &EN), None), @r"
        Capacity report (metric definitions, version 1)
        SIMULATED, NOT HARDWARE: these figures come from the built-in simulator.

        What the cluster can sell in a day
        Model               Deployment      Promise  λ_slo_max  SLO goodput  Goodput/GPU  Daily capacity  Standing   Cost under SLO  Daily value at price  Sign-off
                                                       [req/s]      [tok/s]  [tok/s/GPU]      [Mtok/day]                 [USD/MTok]             [USD/day]
        ──────────────────  ──────────────  ───────  ─────────  ───────────  ───────────  ──────────────  ─────────  ──────────────  ────────────────────  ────────
        toy-7b (simulated)  2 × H200-141GB  toy [1]   [2] 4.19          410          205            35.4  reference           5.404                   320  unsigned
        [1] TTFT ≤ 500–1,000 ms · ITL P99 < 100 ms · TPOT P99 ≤ 40 ms · Queue P99 < 300 ms · Success ≥ 99 % · Attainment ≥ 95 %
        [2] held at 4.19 req/s, first broken at 6.05 req/s; screened by point estimates

        Prices assumed: reference-2026-11 of 2026-11-29
        Item             Price  Unit                     Source
        ───────────────  ─────  ───────────────────────  ───────────────────────────────────────────────────────────────────────────────────────────────
        GPU-hour         3.990  USD/GPU/h                Lambda on-demand, 8x H100 SXM at 31.92 USD/h = 3.99 per GPU (SkyPilot catalog, commit 0f407038)
        Output           4.000  USD/MTok output          LiteLLM price table 1.110.2, dashscope/kimi-k2.7-code: output 4 USD/MTok
        Input, uncached  0.950  USD/MTok uncached input  LiteLLM price table 1.110.2, dashscope/kimi-k2.7-code: input 0.95 USD/MTok
        Input, cached    0.190  USD/MTok cached input    LiteLLM price table 1.110.2, dashscope/kimi-k2.7-code: cache read 0.19 USD/MTok
        Money is derived from capacity and a dated price sheet; no signature covers it.

        Needs attention
        · [caution] Simulated, not hardware. Use it to learn the tool; measure your own cluster for a figure that counts.
        · [caution] 1 of 7 steps is invalid and has no value. The reasons, and what to change, stand under Validity.
        · [caution] λ_slo_max rests on a screen by point estimates. Run the confirmation at this rate: only it can be signed.
        · [caution] Daily capacity is for reference. Soak at λ_slo_max for at least 30 min to commit to it.
        · [caution] Too little evidence for TTFT P99 ≤1k, ITL P99 ≤1k, TPOT P99 ≤1k, Attainment 1k–4k, TTFT P99 1k–4k, ITL P99 1k–4k, TPOT P99 1k–4k, Success. Lengthen the window; the promise table says by how much.
        · [caution] Nobody has signed this bundle. Have it signed before a customer sees it.
        · [note] Beyond λ_slo_max, TTFT P99 ≤1k breaks first: at 6.05 req/s it misses its limit 3.5 times as often as is allowed. The server's own metrics show no cause there.

        Key figures
        Daily capacity  35.44M tok/day (35,443,178 tok/day; reference; λ_slo_max around the clock; a day with a peak carries less)
        Goodput/GPU     205 tok/s/GPU
        λ_slo_max       4.19 req/s (held at 4.19 req/s, first broken at 6.05 req/s; screened by point estimates)
        SLO goodput     410 tok/s (Raw throughput: 413 tok/s)
        Steps a day     354.93K steps/day (354,935 steps/day; steps of 99.9 output tokens)
        Worst tier      99.39 %
        Goodput/watt    1.04 tok/J

        Promises at λ_slo_max, 4.19 req/s
        Promise                Tier   Unit  Promised  Measured       n        Bounds     VIF  Episodes  Verdict
                                                                                 [%]
        ─────────────────────  ─────  ────  ────────  ────────  ──────  ────────────  ──────  ────────  ─────────────────
        Attainment             ≤1k    %      ≥ 95.00     99.39     494   95.42–99.99    5.89         1  held
        TTFT P99               ≤1k    ms     ≤ 500.0     483.6     494   95.42–99.99    5.89         1  insufficient [1]
        ITL P99                ≤1k    ms     < 100.0      42.4  48,894  98.46–100.00  253.44         0  insufficient [2]
        TPOT P99 (≥ 25 tok/s)  ≤1k    ms      ≤ 40.0      22.5     494  98.14–100.00    3.10         0  insufficient [3]
        Queue P99 (watched)    ≤1k    ms     < 300.0     433.5     494   91.76–99.29    5.89         4  insufficient [4]
        Attainment             1k–4k  %      ≥ 95.00    100.00     134  82.50–100.00    8.61         0  insufficient [5]
        TTFT P99               1k–4k  ms     ≤ 1,000       852     134  82.50–100.00    8.61         0  insufficient [6]
        ITL P99                1k–4k  ms     < 100.0      42.5  13,189  96.51–100.00  156.40         0  insufficient [7]
        TPOT P99 (≥ 25 tok/s)  1k–4k  ms      ≤ 40.0      22.5     134  95.98–100.00    1.84         0  insufficient [8]
        Queue P99 (watched)    1k–4k  ms     < 300.0     572.9     134   74.60–99.85    8.61         2  insufficient [9]
        Success                all    %      ≥ 99.00    100.00     628  96.56–100.00    7.33         0  insufficient [10]
        [1] 494 requests with 3 violations; 2,301 needed at 95 % confidence: about 10 min more
        [2] 48,894 gaps without a gap over the limit; 75,544 needed at 95 % confidence: about 90 s more
        [3] 494 requests without a violation; 923 needed at 95 % confidence: about 3 min more
        [4] 494 requests with 15 violations; 4,169 needed at 95 % confidence: about 19 min more
        [5] 134 valid requests without a violation; 503 needed at 95 % confidence: about 7 min more
        [6] 134 requests without a violation; 2,566 needed at 95 % confidence: about 46 min more
        [7] 13,189 gaps without a gap over the limit; 46,620 needed at 95 % confidence: about 7 min more
        [8] 134 requests without a violation; 548 needed at 95 % confidence: about 8 min more
        [9] 134 requests with 7 violations; 3,804 needed at 95 % confidence: about 69 min more
        [10] 628 valid requests without a failure; 2,185 needed at 95 % confidence: about 7 min more

        Steps tested
        Step  Kind          Arrival rate  SLO goodput  Raw throughput  Worst tier  Success  Mean in flight  Valid  Cost under SLO  Verdict
                                 [req/s]      [tok/s]         [tok/s]         [%]      [%]                             [USD/MTok]
        ────  ────────────  ────────────  ───────────  ──────────────  ──────────  ───────  ──────────────  ─────  ──────────────  ───────────────────────────────────────
           0  probe                 1.84          182             182       99.51   100.00            3.89    276          12.201  insufficient (screen: held)
           6  confirmation          3.02          299             300       99.37   100.00            6.66  2,717           7.416  insufficient (screen: held)
           1  probe                 4.19          410             413       99.39   100.00            9.52    628           5.404  insufficient (screen: held) ← λ_slo_max
           4  probe                 5.14            —               —           —        —               —    771               —  invalid [1]
           5  probe                 6.05          576             592       96.51   100.00           15.00    907           3.846  insufficient (screen: broken)
           2  probe                 8.14          634             799       74.78   100.00           22.96  1,221           3.495  broken
           3  probe                12.01            0             971        0.00    84.95           62.54  1,801           [2] ∞  broken
        [1] the load generator sent late: P99 79.3 ms (limit 5.0 ms), worst 79.9 ms (limit 100 ms)
        [2] no token complied, so nothing of what was paid for could be sold

        Latency by tier (4.19 req/s)
        Tier   Valid  TTFT P50  TTFT P95  TTFT P99  TTFT from schedule P99  ITL P50  ITL P99  ITL max  TPOT P50  TPOT P99  Queue time P99
                          [ms]      [ms]      [ms]                    [ms]     [ms]     [ms]     [ms]      [ms]      [ms]            [ms]
        ─────  ─────  ────────  ────────  ────────  ──────────────────────  ───────  ───────  ───────  ────────  ────────  ──────────────
        ≤1k      494        71       306       484                     484     21.8     42.4     44.4      22.0      22.5           433.5
        1k–4k    134       251       537       852                     853     21.7     42.5     44.4      22.0      22.5           572.9

        Attainment under each ITL rule (4.19 req/s)
        Tier   Valid  99 % of gaps (declared)  Every gap  Mean gap
                                          [%]        [%]       [%]
        ─────  ─────  ───────────────────────  ─────────  ────────
        ≤1k      494                    99.39      99.39     99.39
        1k–4k    134                   100.00     100.00    100.00

        The window
        Window                     150.0 s
        Wall time                  152.0 s
        Edge                       1.30 %
        SLO goodput in the window  415.6 tok/s
        Mean in flight             9.5
        Power                      395 W
        Mean output                99.9 tok
        Tokens per event           1
        Input offered              634,916 tok

        Input (input : output = 10.1 : 1)
                            Window  per second  per day   Share
                             [tok]     [tok/s]   [Mtok]     [%]
        ─────────────────  ───────  ──────────  ───────  ──────
        Input in all       634,916     4,177.8    361.0  100.00
        Reused from cache  380,836     2,505.9    216.5   59.98
        Computed           254,080     1,671.9    144.4   40.02

        Money
        Item                       A day  Per MTok of output
                               [USD/day]          [USD/MTok]
        ────────────────────  ──────────  ──────────────────
        GPU cost a day            191.52               5.404
        Daily value at cost   [1] 191.52
        Output                    141.77
        Input, uncached           136.80
        Input, cached              41.01
        Daily value at price      319.58               9.017
        Daily margin              128.06               3.613
        [1] equal to the GPU cost by definition: a check, not a gain

        Cost by utilisation
        Utilisation  Cost under SLO
                [%]      [USD/MTok]
        ───────────  ──────────────
                100           5.404
                 80           6.754
                 60           9.006
                 40          13.509
                 20          27.018

        Failures
        Kind                      At this rate  All steps  Share
                                                             [%]
        ────────────────────────  ────────────  ─────────  ─────
        rejected (429, 503, 529)             0        271   3.26

        Validity
        · [invalid] step 4: the load generator sent late: P99 79.3 ms (limit 5.0 ms), worst 79.9 ms (limit 100 ms). Give the generator an idle machine or more threads, then repeat the step.

        Deployment
        Model             toy-7b r1
        Engine            toyengine 1.0
        GPUs serving      2 × H200-141GB
        GPUs provisioned  2 × H200-141GB
        Parallelism       2 replicas
        Quantisation      fp8

        Where this comes from
        Run            01234567 (toy.tokencap)
        Started        2026-11-29 16:04 UTC
        Measured with  tokencap 0.1.0
        Definitions    metric definitions, version 1
        Promise        toy
        ITL            at most 1 % of a request's gaps above 100 ms, none above 1,000 ms
        Verdict        verdicts by one-sided 95 % confidence bounds, corrected for dependence
        Workload       toy
        Prefix cache   salted: no step feeds another's cache
        ");
    }

    #[test]
    fn the_whole_report_in_chinese() {
        assert_snapshot!(report(&document(&toy(), &ZH), None), @r"
        集群产能报告（指标口径第 1 版）
        模拟结果，非真实硬件：以下数字全部来自内置模拟器。

        集群一天能卖出多少
        模型            部署            承诺     λ_slo_max  合规吞吐     单卡产能  集群日上限  效力      SLO 内成本  日产值（按售价）  签署
                                                   [req/s]   [tok/s]  [tok/s/GPU]  [Mtok/day]            [USD/MTok]         [USD/day]
        ──────────────  ──────────────  ───────  ─────────  ────────  ───────────  ──────────  ────────  ──────────  ────────────────  ──────
        toy-7b（模拟）  2 × H200-141GB  toy [1]   [2] 4.19       410          205        35.4  仅供参考       5.404               320  未签署
        [1] TTFT ≤ 500–1,000 ms · ITL P99 < 100 ms · TPOT P99 ≤ 40 ms · 排队时间 P99 < 300 ms · 成功率 ≥ 99 % · 达标率 ≥ 95 %
        [2] 4.19 req/s 守住，6.05 req/s 首次失守；按点估计初筛

        采用价格：reference-2026-11（2026-11-29）
        项目                 单价  单位                     来源
        ──────────────────  ─────  ───────────────────────  ───────────────────────────────────────────────────────────────────────────────────────────────
        GPU 卡时            3.990  USD/GPU/h                Lambda on-demand, 8x H100 SXM at 31.92 USD/h = 3.99 per GPU (SkyPilot catalog, commit 0f407038)
        输出                4.000  USD/MTok output          LiteLLM price table 1.110.2, dashscope/kimi-k2.7-code: output 4 USD/MTok
        输入（未命中缓存）  0.950  USD/MTok uncached input  LiteLLM price table 1.110.2, dashscope/kimi-k2.7-code: input 0.95 USD/MTok
        输入（命中缓存）    0.190  USD/MTok cached input    LiteLLM price table 1.110.2, dashscope/kimi-k2.7-code: cache read 0.19 USD/MTok
        金额由产能与注明日期的价格表推算得出，不在签署范围之内。

        需要关注
        · [注意] 模拟结果，非真实硬件。仅用于熟悉工具；有效数字须在实际集群上测得。
        · [注意] 7 个负载点中有 1 个无效，不给出数值。原因与改法见“有效性”。
        · [注意] λ_slo_max 仅经点估计初筛。请在该到达率上做确认测试，只有确认结果可以签署。
        · [注意] 集群日上限仅供参考。在 λ_slo_max 下完成至少 30 min 的长稳测试后方可承诺。
        · [注意] 证据不足：TTFT P99 ≤1k、ITL P99 ≤1k、TPOT P99 ≤1k、达标率 1k–4k、TTFT P99 1k–4k、ITL P99 1k–4k、TPOT P99 1k–4k、成功率。请延长计量段，所需时长见承诺表。
        · [注意] 该数据包尚无人签署。对外提供之前请先完成签署。
        · [提示] 超过 λ_slo_max 后最先失守的承诺：TTFT P99 ≤1k；到达率 6.05 req/s 时，超标比例为允许值的 3.5 倍。此时服务端监控指标未显示原因。

        主要指标
        集群日上限    3,544.32万 tok/day（35,443,178 tok/day；仅供参考；按全天 24 小时以 λ_slo_max 运行计，有峰谷时实际承载更少）
        单卡产能      205 tok/s/GPU
        λ_slo_max     4.19 req/s（4.19 req/s 守住，6.05 req/s 首次失守；按点估计初筛）
        合规吞吐      410 tok/s（原始吞吐：413 tok/s）
        日调用次数    35.49万 次/日（354,935 次/日；按每次调用输出 99.9 token 计）
        最差档达标率  99.39 %
        每瓦产能      1.04 tok/J

        λ_slo_max（4.19 req/s）下的承诺表
        承诺                    输入分档  单位   承诺值  实测值  样本数        置信限     VIF  违约片段  判定
                                                                                  [%]
        ──────────────────────  ────────  ────  ───────  ──────  ──────  ────────────  ──────  ────────  ─────────────
        达标率                  ≤1k       %     ≥ 95.00   99.39     494   95.42–99.99    5.89         1  守住
        TTFT P99                ≤1k       ms    ≤ 500.0   483.6     494   95.42–99.99    5.89         1  证据不足 [1]
        ITL P99                 ≤1k       ms    < 100.0    42.4  48,894  98.46–100.00  253.44         0  证据不足 [2]
        TPOT P99（≥ 25 tok/s）  ≤1k       ms     ≤ 40.0    22.5     494  98.14–100.00    3.10         0  证据不足 [3]
        排队时间 P99（观察）    ≤1k       ms    < 300.0   433.5     494   91.76–99.29    5.89         4  证据不足 [4]
        达标率                  1k–4k     %     ≥ 95.00  100.00     134  82.50–100.00    8.61         0  证据不足 [5]
        TTFT P99                1k–4k     ms    ≤ 1,000     852     134  82.50–100.00    8.61         0  证据不足 [6]
        ITL P99                 1k–4k     ms    < 100.0    42.5  13,189  96.51–100.00  156.40         0  证据不足 [7]
        TPOT P99（≥ 25 tok/s）  1k–4k     ms     ≤ 40.0    22.5     134  95.98–100.00    1.84         0  证据不足 [8]
        排队时间 P99（观察）    1k–4k     ms    < 300.0   572.9     134   74.60–99.85    8.61         2  证据不足 [9]
        成功率                  全部      %     ≥ 99.00  100.00     628  96.56–100.00    7.33         0  证据不足 [10]
        [1] 已有 494 个请求，3 个超限；95 % 置信需 2,301 个，约再测 10 min
        [2] 已有 48,894 个间隔，无一超限；95 % 置信需 75,544 个，约再测 90 s
        [3] 已有 494 个请求，无一超限；95 % 置信需 923 个，约再测 3 min
        [4] 已有 494 个请求，15 个超限；95 % 置信需 4,169 个，约再测 19 min
        [5] 已有 134 个有效请求，无一违约；95 % 置信需 503 个，约再测 7 min
        [6] 已有 134 个请求，无一超限；95 % 置信需 2,566 个，约再测 46 min
        [7] 已有 13,189 个间隔，无一超限；95 % 置信需 46,620 个，约再测 7 min
        [8] 已有 134 个请求，无一超限；95 % 置信需 548 个，约再测 8 min
        [9] 已有 134 个请求，7 个超限；95 % 置信需 3,804 个，约再测 69 min
        [10] 已有 628 个有效请求，无一失败；95 % 置信需 2,185 个，约再测 7 min

        各负载点结果
        负载点  用途   到达率  合规吞吐  原始吞吐  最差档达标率  成功率  平均并发  有效请求  SLO 内成本  判定
                      [req/s]   [tok/s]   [tok/s]           [%]     [%]                      [USD/MTok]
        ──────  ────  ───────  ────────  ────────  ────────────  ──────  ────────  ────────  ──────────  ──────────────────────────────────
             0  探测     1.84       182       182         99.51  100.00      3.89       276      12.201  证据不足（初筛：守住）
             6  确认     3.02       299       300         99.37  100.00      6.66     2,717       7.416  证据不足（初筛：守住）
             1  探测     4.19       410       413         99.39  100.00      9.52       628       5.404  证据不足（初筛：守住） ← λ_slo_max
             4  探测     5.14         —         —             —       —         —       771           —  无效 [1]
             5  探测     6.05       576       592         96.51  100.00     15.00       907       3.846  证据不足（初筛：失守）
             2  探测     8.14       634       799         74.78  100.00     22.96     1,221       3.495  失守
             3  探测    12.01         0       971          0.00   84.95     62.54     1,801       [2] ∞  失守
        [1] 压测端发送迟到：P99 为 79.3 ms（上限 5.0 ms），最大 79.9 ms（上限 100 ms）
        [2] 没有合规 token，所付成本无从收回

        各档时延（4.19 req/s）
        输入分档  有效请求  TTFT P50  TTFT P95  TTFT P99  TTFT（自计划时刻） P99  ITL P50  ITL P99  ITL max  TPOT P50  TPOT P99  排队时间 P99
                                [ms]      [ms]      [ms]                    [ms]     [ms]     [ms]     [ms]      [ms]      [ms]          [ms]
        ────────  ────────  ────────  ────────  ────────  ──────────────────────  ───────  ───────  ───────  ────────  ────────  ────────────
        ≤1k            494        71       306       484                     484     21.8     42.4     44.4      22.0      22.5         433.5
        1k–4k          134       251       537       852                     853     21.7     42.5     44.4      22.0      22.5         572.9

        三种 ITL 规则下的达标率（4.19 req/s）
        输入分档  有效请求  99 % 的间隔（采用）  每个间隔  平均间隔
                                            [%]       [%]       [%]
        ────────  ────────  ───────────────────  ────────  ────────
        ≤1k            494                99.39     99.39     99.39
        1k–4k          134               100.00    100.00    100.00

        计量段概况
        正式计量段       150.0 s
        总时长           152.0 s
        收尾占比         1.30 %
        计量段合规吞吐   415.6 tok/s
        平均并发         9.5
        功率             395 W
        平均输出长度     99.9 tok
        每事件 token 数  1
        送入总量         634,916 tok

        输入三口径（输入输出比 10.1 : 1）
                  正式计量段     每秒    每日    占比
                       [tok]  [tok/s]  [Mtok]     [%]
        ────────  ──────────  ───────  ──────  ──────
        输入总量     634,916  4,177.8   361.0  100.00
        缓存复用     380,836  2,505.9   216.5   59.98
        实际计算     254,080  1,671.9   144.4   40.02

        成本与产值
        项目                      每日  每百万输出 token
                             [USD/day]        [USD/MTok]
        ──────────────────  ──────────  ────────────────
        日 GPU 成本             191.52             5.404
        日产值（按成本）    [1] 191.52
        输出                    141.77
        输入（未命中缓存）      136.80
        输入（命中缓存）         41.01
        日产值（按售价）        319.58             9.017
        日毛利                  128.06             3.613
        [1] 按定义恒等于日 GPU 成本，仅供核对，不代表收益

        利用率与成本
        利用率  SLO 内成本
           [%]  [USD/MTok]
        ──────  ──────────
           100       5.404
            80       6.754
            60       9.006
            40      13.509
            20      27.018

        失败明细
        类别                     本到达率下  全部负载点  占比
                                                          [%]
        ───────────────────────  ──────────  ──────────  ────
        被拒绝（429、503、529）           0         271  3.26

        有效性
        · [无效] 负载点 4：压测端发送迟到：P99 为 79.3 ms（上限 5.0 ms），最大 79.9 ms（上限 100 ms）。请让压测端独占一台空闲机器或增加线程，再重测该负载点。

        部署
        模型      toy-7b r1
        推理引擎  toyengine 1.0
        服务卡数  2 × H200-141GB
        购置卡数  2 × H200-141GB
        并行方式  2 副本
        量化      fp8

        数据来源
        测试编号  01234567（toy.tokencap）
        开始时间  2026-11-29 16:04 UTC
        测量工具  tokencap 0.1.0
        口径版本  指标口径第 1 版
        承诺      toy
        ITL       单个请求超过 100 ms 的间隔不多于 1 %，且无一超过 1,000 ms
        判定      按 95 % 单侧置信限判定，已修正请求间的相关性
        负载      toy
        前缀缓存  加盐，各负载点互不命中
        ");
    }
}
