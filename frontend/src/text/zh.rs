//! Simplified Chinese.

use tokencap_shared::bundle::BundleError;
use tokencap_shared::present::format::count;

use super::PageWords;

/// Simplified Chinese.
pub(super) const ZH: PageWords = PageWords {
    report: "产能报告",
    runs: "测试",
    definitions: "指标定义",
    navigation: "页面",
    skip: "跳到正文",
    language: "语言",
    theme: "外观",
    theme_auto: "跟随系统",
    theme_light: "浅色",
    theme_dark: "深色",
    print: "打印",
    close: "关闭",

    empty_title: "打开测试包",
    empty_hint: "测试包是 `tokencap sweep` 写出的 .tokencap 文件。可同时打开多个，每个占一行。",
    stays_here: "文件只在本浏览器内读取、校验和判定，不会离开这台机器。",
    choose: "选择文件……",
    or_drop: "也可以把文件拖到页面任意位置",
    drop_now: "松开即可打开",
    bundles: "测试包",
    add: "再打开……",
    save: "报告另存为",
    remove: |name| format!("移除 {name}"),
    open: |name, megabytes| format!("打开 {name}（{megabytes} MB）"),
    show: |name| format!("查看 {name} 的明细"),

    waiting: |name| format!("{name}：等待中"),
    reading: |name| format!("{name}：正在读取"),
    judging: |name, step, of| format!("{name}：正在判定第 {step} / {of} 个负载点"),
    opened: |name| format!("{name} 已打开"),

    cannot_open: |name| format!("无法打开 {name}"),
    unreadable_file: "浏览器无法读取该文件：请确认文件仍在且未被占用，然后重新选择。",
    empty_file: "文件是空的：请从原处重新复制一份。",
    bundle_error,
    server_gone: "服务端没有应答：请确认 `tokencap serve` 正在运行，然后刷新页面。已打开的测试包不受影响。",
    no_keys: |why| format!("不是可信公钥文件：{why}"),
    server_refuses: |status| format!("服务端返回状态 {status}：请刷新页面。"),
    dismiss: "关闭提示",

    how: "计算方法",
    inputs: "计算依据",
    context: "测量条件",
    none_broken: "更高到达率均未失守",
    with_input: |price| format!("含输入 {price}"),
    promises_held: |held, of| format!("{of} 项签署承诺守住 {held} 项"),

    no_prices: "不计价",
    choose_prices: "选择价格表后显示成本、产值和毛利。",
    sheet_of: |name, currency, date| format!("{name}（{currency}，{date}）"),
    scenario: "假设情景，未签署",
    scenario_long: "假设情景，未签署：带虚线的数字按您修改的假设计算，不是价格表原值。",
    reset: "恢复价格表",
    own_figure: "您的数值",
    not_a_price: "请填写不小于 0 的数字。",
};

/// What is wrong with a file, and what to do. Details of a damage stay as they were found.
fn bundle_error(error: &BundleError) -> String {
    const AGAIN: &str = "请从产生它的机器上重新复制或下载";
    match error {
        BundleError::NotABundle => {
            "这不是 tokencap 测试包（不是 zip 文件）：请选择 `tokencap sweep` 写出的文件。"
                .to_owned()
        }
        BundleError::ForeignArchive => "这个 zip 文件不是 tokencap 测试包（缺少 manifest.json）：\
            请选择 `tokencap sweep` 写出的文件。"
            .to_owned(),
        BundleError::DamagedArchive { problem } => {
            format!("测试包不完整或已损坏（{problem}）：{AGAIN}。")
        }
        BundleError::TooManyEntries { found, limit } => {
            format!("压缩包内有 {found} 个文件，测试包最多 {limit} 个：请勿信任这个文件。")
        }
        BundleError::UnknownMember { name } => format!(
            "压缩包内的 `{name}` 不属于测试包：请选择 `tokencap sweep` 写出的原文件；\
             若由更新的版本写出，请升级 tokencap。"
        ),
        BundleError::DuplicateMember => "压缩包内有重名文件：请勿信任这个文件。".to_owned(),
        BundleError::Refused { member, what } => {
            format!("成员 {member} 不是普通文件（{what}）：请勿信任这个文件。")
        }
        BundleError::TooLarge { what, size, limit } => {
            format!("{what} 有 {} 字节，超过上限 {} 字节，无法打开。", count(*size), count(*limit))
        }
        BundleError::TooManyRows { member, rows, limit } => format!(
            "数据表 {member} 自称有 {} 行，按其大小最多只能有 {} 行：过长的测试请拆分；\
             来历不明的文件请勿信任。",
            count(*rows),
            count(*limit)
        ),
        BundleError::MissingMember { member } => format!("测试包缺少成员 {member}：{AGAIN}。"),
        BundleError::DamagedMember { member, problem } => {
            format!("成员 {member} 已损坏（{problem}）：{AGAIN}。")
        }
        BundleError::Digest { member } => format!(
            "成员 {member} 与测量时不一致（SHA-256 与清单不符），可能已损坏或被改动：{AGAIN}。"
        ),
        BundleError::Newer { what, found, known } => {
            let what = if *what == "format" { "格式" } else { "指标口径" };
            format!("测试包的{what}是第 {found} 版，本工具只认识到第 {known} 版：请升级 tokencap。")
        }
        BundleError::Manifest(_) => format!("manifest.json 不是测试包清单：{AGAIN}。"),
        BundleError::Inconsistent { problem } => {
            format!("manifest.json 自相矛盾（{problem}）：请重新测量，或{AGAIN}。")
        }
        BundleError::Table { member, problem } => {
            format!("数据表 {member} 无法读取（{problem}）：{AGAIN}。")
        }
        BundleError::Unwritten { member, problem } => {
            format!("测试包的 {member} 无法写出：{problem}。")
        }
        BundleError::Schema { member } => {
            format!("数据表 {member} 的列与测试包格式不符：{AGAIN}。")
        }
        BundleError::Row { member, row, column, problem } => format!(
            "{member} 第 {row} 行（从 0 起）{column} 列不成立（{problem}）：记录无效，整个测试包不予采用。"
        ),
        BundleError::Gaps { line, problem } => {
            format!("gaps.hlog 第 {line} 行有误（{problem}）：{AGAIN}。")
        }
        BundleError::GapsKey { step, tier, problem } => {
            format!("负载点 {step}、第 {tier} 档的间隔无法写入：{problem}。")
        }
    }
}
