//! Simplified Chinese.

use tokencap_shared::present::words::Lang;

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
    bundle_error: |error| (Lang::Zh.words().bundle_error)(error) + "。",
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
