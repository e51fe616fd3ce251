//! Simplified Chinese.

use tokencap_shared::definitions::capacity::Standing;
use tokencap_shared::definitions::promise::PromiseKind;
use tokencap_shared::definitions::step::StepKind;
use tokencap_shared::present::format::{compact, plain};
use tokencap_shared::present::words::Lang;
use tokencap_shared::signoff::SignedNumbers;

use super::{CommandWords, StepText};

/// Simplified Chinese.
pub(super) const ZH: CommandWords = CommandWords {
    failed: |why| format!("错误：{why}"),
    because: "：",
    note: |text| format!("注意：{text}"),
    plan: |text| format!("计划：{text}"),
    and: "；",
    comma: "，",
    step,
    users: |users| format!("{users} 个用户（闭环）"),
    warm_up: "预热",
    window: "正式计量",
    tail: "收尾",
    counts: |phase, load, in_flight, completed, failed| {
        format!("{phase}：{load}，在途 {in_flight}，完成 {completed}，失败 {failed}")
    },
    tails: |tails| format!("，P99 与限值：{tails}"),
    queue: "排队",
    of_tier: |tier| format!("（{tier}）"),
    so_far: |verdict, why| format!("，目前{verdict}{why}"),
    piles_up: |why| format!("（{why}）"),
    latencies: |ttft, itl| format!("，TTFT p50/p99 {ttft}，ITL p50/p99 {itl}"),
    left: |time| format!("，剩余 {time}"),
    insufficient: "证据不足",
    step_invalid: "无效：该负载点没有结果，原因见报告",
    step_ended: |offered, verdict, worst, screen, compliant, valid| {
        format!(
            "实际到达 {offered:.2} req/s：承诺{verdict}{worst}；按点估计{screen}；有效请求 {valid} 个，其中合规 {compliant} 个"
        )
    },
    first_in_tier: |tier| format!("（最先失守的档位：{tier}）"),
    given_up: |reason| format!("提前结束：{reason}"),
    confirmed: |rate| format!("λ_slo_max：{rate} req/s，已确认"),
    unconfirmed: |rate| format!("没有得到确认；λ_slo_max 约为 {rate} req/s"),
    search_invalid: "负载点连续无效，搜索结束",
    search_blind: |promise| format!("“{promise}”没有任何观测来源，搜索结束"),
    first_broken: |rate| format!("；首个失守到达率为 {rate} req/s"),
    none_broken: "；更高的到达率均未失守",
    non_monotone: "；不单调：失守到达率之上另有守住的到达率",
    breaks_first: |promise, tier| format!("；最先失守的承诺：{promise}{tier}"),
    in_tier: |tier| format!("（{tier} 档）"),
    rates_take: |steps, time| {
        format!("{steps} 个负载点，共 {time}，另加各点末尾请求完成所需的时间")
    },
    search_takes: |usual, usual_time, most, most_time| {
        format!("搜索：通常约 {usual} 个负载点、{usual_time}，至多 {most} 个负载点、{most_time}")
    },
    tokens_take: |requests, input, output| {
        format!("约 {requests} 个请求：输入 {input} token，输出 {output} token")
    },
    if_near: |rate| format!("（以 λ_slo_max 接近初始猜测 {rate:.2} req/s 估算）"),
    can_prove: |minutes, proofs| format!("若违约很少，{minutes:.1} min 的计量段可以证明：{proofs}"),
    cannot_prove: |proofs| {
        format!("无论结果如何都不能证明：{proofs}；接近极限时请求彼此相关，所需数量会多出许多倍")
    },
    proof: |what, target, needed, expected| {
        format!("{what} ≥ {target} %（需要 {needed} 个无违约请求，预计有 {expected} 个）")
    },
    proved,
    at_prices: |sheet, date, said| format!("按价格表 {sheet}（{date}）：{said}"),
    gpus_cost: |gpus, hours, money| format!("{gpus} 张 GPU 使用 {hours:.2} h，成本 {money}"),
    tokens_bring: |money| format!("这些 token 若按未命中缓存出售，价值 {money}"),
    nothing_priced: "其中没有可用的价格",
    stopping: "\n正在停止：不再发送请求，在途请求继续到结束，已测数据全部保留。再按一次 Ctrl-C 立即结束。",
    no_ctrl_c: "无法监听 Ctrl-C：请重试",
    saved: |out| {
        format!("已写出 {out}\n查看报告：tokencap report {out}\n网页展示：tokencap serve {out}")
    },
    written: |out| format!("已写出：{out}"),
    written_imported: |out| format!("已写出：{out}（导入所得，不可签署）"),
    no_json: "无法写成 JSON：这是程序的缺陷",
    exists: |path| format!("{path} 已存在：请用 --out 另选文件，或先将它移走"),
    unreadable: |path| format!("无法读取 {path}：请检查路径和权限"),
    unwritable: |path| format!("无法写入 {path}：请检查路径和权限"),
    unusable: |path| format!("{path} 无法使用"),
    not_empty: |path| format!("{path} 不是空文件夹：请另选文件夹，或先清空"),
    web_built: |path, build| format!("{path}：版本 {build}"),
    damaged_preset: "内置预设缺失或损坏：请重新安装 tokencap",
    no_preset: |name| format!("没有预设 `{name}`：`tokencap presets` 列出全部预设"),
    port_taken: |port| format!("端口 {port} 已被占用：请用 --port 另选端口"),
    no_sim_port: "模拟集群无法在 127.0.0.1 启动：请关闭其他程序后重试",
    sim_failed: "模拟集群出错：请重新运行",
    sim_listens: |url| {
        format!("模拟集群已在 {url} 启动。它不是真实硬件，所得数字也不代表任何硬件。")
    },
    sim_late: |millis| format!("模拟器发送事件的迟到量 P99 为 {millis:.1} ms。"),
    sim_serves: |url, model| format!("{url} 正在提供模拟模型 {model}"),
    sim_lateness: |events, p50_us, p99_us, max_us| {
        format!(
            "{events} 个事件；迟到量 {p50_us} µs（中位数）、{p99_us} µs（P99）、{max_us} µs（最大）"
        )
    },
    sim_remote: |ip| format!("其他机器可以访问 {ip}：若确要如此，请加上 --allow-remote"),
    cannot_listen: |at| format!("无法监听 {at}：请用 --port 另选端口（0 表示任一空闲端口）"),
    no_sim: |name| {
        format!(
            "没有模拟集群 `{name}`：请给出 TOML 文件，或 `tokencap presets` 以 sim/NAME 列出的预设"
        )
    },
    not_a_sim: |name| format!("{name} 不是模拟集群的描述"),
    no_threads: "无法创建服务线程：请关闭其他程序后重试",
    report_at: |url| format!("报告网页：{url}（按 Ctrl-C 结束）"),
    bad_ending: |path| format!("{path} 的扩展名必须是 .xlsx、.csv、.md 或 .json"),
    one_table: "CSV 只能容纳一张表：请只给一个测试包，或用 --table summary，或写成 .xlsx",
    no_money: "没有价格就没有金额：请给出 --prices",
    no_table: |name| format!("{name} 没有有效负载点，因而没有这张表：请选择 --table steps"),
    two_bundles: "比较需要两个测试包：请给出两个",
    needs_prices: "按金额比较需要价格：请用 --prices 选择价格表；第二个测试包的 token 售价不同时，用 --prices-right 另选一张",
    nothing_imported: "没有导入任何结果：请选择其他文件",
    no_records: "没有任何结果带有请求发送时刻的记录，无法写成测试包：请去掉 --out",
    no_index: "--shards 需要环境变量 JOB_COMPLETION_INDEX，由 Kubernetes 的 Indexed Job 设置；其他环境请用 --shard I/N",
    no_start: "--start-at 不是本机可用的时刻：请另选时刻",
    resume_and_out: |resumed, out| {
        format!("--resume 要续测 {resumed}，而 --out 写的是 {out}：请去掉其中一个")
    },
    search_together: "搜索要依据全部到达来调整：请去掉 --start-at，或在 [sweep] 中写明到达率",
    short_soak: "--for 至少为一秒；要得到可承诺产能，请用 30m 以上",
    bad_rate: |rate| format!("--rate 必须是大于 0 的每秒请求数，不能是 {rate}"),
    no_rate: "请给出长稳测试的到达率：--rate RATE，或 --at BUNDLE",
    other_plan: |path, what| {
        format!("{path} 与计划的{what}不同：请用它自己的计划，或用 --rate 写明到达率")
    },
    parts,
    nothing_held: |path| format!("{path} 中没有守住承诺的到达率：请用 --rate 写明到达率"),
    ask_passphrase: "密钥的口令：",
    ask_new_passphrase: "新密钥的口令：",
    ask_again: "请再输入一次：",
    passphrases_differ: "两次输入的口令不同：请重新运行",
    no_passphrase_file: |path| format!("无法读取口令文件 {path}：请检查路径"),
    no_terminal: |variable| {
        format!("没有终端可以输入口令：请给出 --passphrase-file，或设置 {variable}")
    },
    keys_file: "可信公钥文件",
    key_made: |name, out, place, fingerprint, lines| {
        format!(
            "{name} 的密钥已写入 {out}。请妥善保管；忘记口令将无法找回。\n\n信任它的人应先通过其他途径与您核对指纹 {fingerprint}，\n再将以下内容加入 {place}：\n\n{lines}"
        )
    },
    or_roles: "或 reviewed-by、approved-by",
    wrong_clock: "本机时钟有误：请校正",
    beyond_calendar: |days| format!("{days} 天之后超出日历范围：请减少天数"),
    not_on_top: |what, fix| format!("{what}：不能在此基础上再签署。{fix}"),
    signed_already: |role| format!("这个密钥已以“{role}”签署：其他角色需要另一人的密钥"),
    signed: |role, name, fingerprint, state| {
        format!("已签署：{role} {name}（{fingerprint}）。测试包目前状态：{state}")
    },
    signs,
    not_signed: |path, state| format!("{path} 未完成签署（{state}）：请补齐所缺签名"),
    replaces_itself: "测试不能由自身取代：请给出之后那次测试的测试包",
    revoked: |lines| {
        format!("已完成。别处的副本并不知情：持有者应将以下内容加入可信公钥文件：\n\n{lines}")
    },
    calibrate_head: "流数、请求/s、事件/s、发送迟到 P99、TTFT 误差、间隔误差、CPU、服务端自身迟到（误差与迟到取 P99，单位 ms）",
    too_much: |reason| format!("超出能力：{reason}"),
    drowsy: "本机的核心可能在两个请求之间休眠，个别唤醒会过迟：以 root 运行，或允许本用户写 /dev/cpu_dma_latency，即可在负载点期间保持唤醒。",
    drives_none: "本机连最小负载也不能如实驱动：请关闭其他程序，或换一台机器。",
    drives: |streams, events, requests, more| {
        format!("本机可以如实驱动 {streams} 个流、{events:.0} 事件/s、{requests:.0} 请求/s{more}。")
    },
    server_limit: "；受限的是内置服务端，而非负载发生器",
    not_tried: "；没有尝试更高负载",

    shared: Lang::Zh.words(),
};

fn step(text: &StepText<'_>) -> String {
    let StepText { number, of, load, kind, length, left } = *text;
    let kind = match kind {
        StepKind::Probe | StepKind::Closed => "",
        StepKind::Confirm => "，确认段",
        StepKind::Soak => "，长稳测试",
    };
    let most = if of.is_none() { "至多" } else { "约" };
    let of = of.map_or(String::new(), |of| format!("/{of}"));
    let left = left.map_or(String::new(), |left| format!("；剩余约 {left}"));
    format!("负载点 {number}{of}：{load}{kind}，{most} {length}{left}")
}

fn proved(kind: PromiseKind, tier: Option<&str>) -> String {
    let what = match kind {
        PromiseKind::Success => "成功率",
        PromiseKind::Attainment => "达标率",
        _ => "各项 P99",
    };
    tier.map_or(what.to_owned(), |tier| format!("{tier} 档{what}"))
}

fn parts(what: &str) -> String {
    match what {
        "deployments" => "部署",
        "promise sheets" => "承诺表",
        "workloads" => "负载",
        "steps" => "负载点",
        other => other,
    }
    .to_owned()
}

fn signs(numbers: &SignedNumbers) -> String {
    let SignedNumbers { model, gpus_serving: gpus, gpu, promise, .. } = numbers;
    let (lambda, goodput) = (plain(numbers.lambda), plain(numbers.goodput));
    let daily = compact(numbers.daily.get(), Lang::Zh);
    let simulated = if numbers.simulated { "【模拟】" } else { "" };
    let standing = if numbers.standing == Standing::Committed {
        "可承诺"
    } else {
        "仅供参考：未在此到达率做长稳测试"
    };
    format!(
        "{simulated}{model}，{gpus} × {gpu}，承诺表 `{promise}`：\n\
         λ_slo_max {lambda} req/s，合规吞吐 {goodput} tok/s，{daily} tok/日（{standing}）"
    )
}
