//! Simplified Chinese: why a file is no bundle.

use crate::bundle::BundleError;
use crate::present::format::count;

/// What is wrong with a file, and what to do. Details of a damage stay as they were found.
pub(super) fn bundle_error(error: &BundleError) -> String {
    const AGAIN: &str = "请从产生它的机器上重新复制或下载";
    match error {
        BundleError::NotABundle => {
            "这不是 tokencap 测试包（不是 zip 文件）：请选择 `tokencap sweep` 写出的文件".to_owned()
        }
        BundleError::ForeignArchive => "这个 zip 文件不是 tokencap 测试包（缺少 manifest.json）：\
            请选择 `tokencap sweep` 写出的文件"
            .to_owned(),
        BundleError::DamagedArchive { problem } => {
            format!("测试包不完整或已损坏（{problem}）：{AGAIN}")
        }
        BundleError::TooManyEntries { found, limit } => {
            format!("压缩包内有 {found} 个文件，测试包最多 {limit} 个：请勿信任这个文件")
        }
        BundleError::UnknownMember { name } => format!(
            "压缩包内的 `{name}` 不属于测试包：请选择 `tokencap sweep` 写出的原文件；\
             若由更新的版本写出，请升级 tokencap"
        ),
        BundleError::DuplicateMember => "压缩包内有重名文件：请勿信任这个文件".to_owned(),
        BundleError::Refused { member, what } => {
            format!("成员 {member} 不是普通文件（{what}）：请勿信任这个文件")
        }
        BundleError::TooLarge { what, size, limit } => {
            format!("{what} 有 {} 字节，超过上限 {} 字节，无法打开", count(*size), count(*limit))
        }
        BundleError::TooManyRows { member, rows, limit } => format!(
            "数据表 {member} 自称有 {} 行，按其大小最多只能有 {} 行：过长的测试请拆分；\
             来历不明的文件请勿信任",
            count(*rows),
            count(*limit)
        ),
        BundleError::MissingMember { member } => format!("测试包缺少成员 {member}：{AGAIN}"),
        BundleError::DamagedMember { member, problem } => {
            format!("成员 {member} 已损坏（{problem}）：{AGAIN}")
        }
        BundleError::Digest { member } => format!(
            "成员 {member} 与测量时不一致（SHA-256 与清单不符），可能已损坏或被改动：{AGAIN}"
        ),
        BundleError::Newer { what, found, known } => {
            let what = if *what == "format" { "格式" } else { "指标口径" };
            format!("测试包的{what}是第 {found} 版，本工具只认识到第 {known} 版：请升级 tokencap")
        }
        BundleError::Manifest(_) => format!("manifest.json 不是测试包清单：{AGAIN}"),
        BundleError::Inconsistent { problem } => {
            format!("manifest.json 自相矛盾（{problem}）：请重新测量，或{AGAIN}")
        }
        BundleError::Table { member, problem } => {
            format!("数据表 {member} 无法读取（{problem}）：{AGAIN}")
        }
        BundleError::Unwritten { member, problem } => {
            format!("测试包的 {member} 无法写出：{problem}")
        }
        BundleError::Schema { member } => {
            format!("数据表 {member} 的列与测试包格式不符：{AGAIN}")
        }
        BundleError::Row { member, row, column, problem } => format!(
            "{member} 第 {row} 行（从 0 起）{column} 列不成立（{problem}）：记录无效，整个测试包不予采用"
        ),
        BundleError::Gaps { line, problem } => {
            format!("gaps.hlog 第 {line} 行有误（{problem}）：{AGAIN}")
        }
        BundleError::GapsKey { step, tier, problem } => {
            format!("负载点 {step}、第 {tier} 档的间隔无法写入：{problem}")
        }
    }
}
