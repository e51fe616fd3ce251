//! 中文：签署状态，以及某个签名为何无效。

use super::ZH;
use crate::present::words::Advice;
use crate::signoff::{Changed, EnvelopeError, Problem, SignOff};

pub(super) fn label(state: &SignOff) -> String {
    match state {
        SignOff::Signed { roles, .. } => format!("已签署 {roles}/{roles}"),
        SignOff::PartlySigned { signed, required, .. } => format!("部分签署 {signed}/{required}"),
        SignOff::Unsigned => "未签署".to_owned(),
        SignOff::UnknownKey { .. } => "由未知密钥签署".to_owned(),
        SignOff::BadSignature { .. } => "签名无效".to_owned(),
        SignOff::ContentsChanged { .. } => "内容已被改动".to_owned(),
        SignOff::NumbersDiffer { .. } => "数值复算不符".to_owned(),
        SignOff::Expired { since } => format!("已于 {} 过期", since.day()),
        SignOff::Superseded { .. } => "已被取代".to_owned(),
        SignOff::Revoked { .. } => "已撤销".to_owned(),
    }
}

pub(super) fn advice(state: &SignOff) -> Advice {
    let (what, fix) = match state {
        SignOff::Signed { roles, .. } => {
            (format!("所需 {roles} 个角色均已签署，全部数值均已复算"), "")
        }
        SignOff::PartlySigned { missing, .. } => {
            let roles: Vec<&str> = missing.iter().map(|role| (ZH.role)(*role)).collect();
            (
                format!("尚缺签署：{}", roles.join("、")),
                "请所缺角色签署，每个角色须使用各自的密钥。",
            )
        }
        SignOff::Unsigned => ("该数据包尚无人签署".to_owned(), "对外提供之前请先完成签署。"),
        SignOff::UnknownKey { fingerprint } => (
            format!("签署所用密钥（{fingerprint}）未被您信任用于该角色"),
            "请通过其他途径向持有人核实密钥，再加入受信任密钥。",
        ),
        SignOff::BadSignature { file } => (
            format!("{file} 中的签名并非由其所称的密钥作出"),
            "请勿使用该文件，应从签署方重新获取。",
        ),
        SignOff::ContentsChanged { what } => {
            (changed(what), "请勿使用该文件，应从签署方重新获取。")
        }
        SignOff::NumbersDiffer { differences } => {
            let first = differences.first();
            let figure = first.map(|found| {
                format!("：{} 签署值 {}，复算值 {}", found.what, found.signed, found.recomputed)
            });
            (
                format!("由原始记录复算的数值与签署值不符{}", figure.unwrap_or_default()),
                "该数据包的任何数值均不可信，请联系签署人。",
            )
        }
        SignOff::Expired { since } => {
            (format!("签名或其密钥已于 {} 到期", since.day()), "请重新测量，或重新签署。")
        }
        SignOff::Superseded { by } => (format!("已被测试 {by} 取代"), "请使用较新一次测试的数值。"),
        SignOff::Revoked { reason } => (format!("已撤销：{reason}"), "请勿使用这些数值。"),
    };
    Advice { what, fix: fix.to_owned() }
}

fn changed(what: &Changed) -> String {
    match what {
        Changed::Member(name) => format!("{name} 与签署时不同"),
        Changed::OtherRun(run) => format!("该签名属于另一次测试（{run}）"),
        Changed::Repacked => "压缩包已被重新打包，不是签署时的文件".to_owned(),
    }
}

pub(super) fn problem(problem: &Problem) -> String {
    match problem {
        Problem::Malformed { why } => format!("不是有效的签名文件：{}", malformed(*why)),
        Problem::NotAStatement => "已签名，但内容不是本版本认识的声明".to_owned(),
        Problem::BadSignature => "并非由其所称的密钥作出".to_owned(),
        Problem::Misnamed { expected } => format!("文件名应为 {expected}"),
        Problem::UnknownKey => "密钥不在受信任之列".to_owned(),
        Problem::NotForRole => "密钥受信任，但不可用于该角色".to_owned(),
        Problem::KeyRevoked { reason } => format!("密钥已撤销：{reason}"),
        Problem::KeyNotYetValid => "签署时密钥尚未生效".to_owned(),
        Problem::KeyExpired { since } => format!("密钥已于 {} 到期", since.day()),
        Problem::Contents { what } => changed(what),
        Problem::Numbers { differences } => format!("有 {} 个签署值复算不符", differences.len()),
        Problem::Unsignable => "原始记录中没有可签署的数值".to_owned(),
        Problem::Expired { since } => format!("已于 {} 到期", since.day()),
        Problem::SameKey => "其密钥已用于另一角色".to_owned(),
    }
}

const fn malformed(why: EnvelopeError) -> &'static str {
    match why {
        EnvelopeError::NotAnEnvelope => "不是 DSSE 信封",
        EnvelopeError::PayloadType => "载荷不是 in-toto 声明",
        EnvelopeError::SignatureCount => "必须恰有一个签名",
        EnvelopeError::KeyId => "密钥标识不是 ed25519 公钥",
        EnvelopeError::Encoding => "载荷或签名的编码有误",
        EnvelopeError::Spelling => "文本与写入时不一致",
    }
}
