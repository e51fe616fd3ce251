//! Why something was refused, in the reader's language. English is each error's own sentence.

use tokencap_shared::definitions::compare::Refused;
use tokencap_shared::definitions::promise::PromiseError;
use tokencap_shared::import::{ImportError, MAX_FILE};
use tokencap_shared::present::format::{count, plain};
use tokencap_shared::present::words::Lang;

/// What is wrong with a promise sheet.
pub(crate) fn sheet(error: &PromiseError, lang: Lang) -> String {
    if lang == Lang::En {
        return error.to_string();
    }
    match error {
        PromiseError::Target { value } => {
            format!("目标应大于 0 且不超过 1（如 0.99），不能是 {}", plain(*value))
        }
        PromiseError::GapQuantile { value } => format!(
            "gap_share 规则的 q 只能是 0.99 或 0.95（请求记录只保留这两个分位数），不能是 {}",
            plain(*value)
        ),
        PromiseError::NoTiers => "承诺表至少要有一个输入分档".to_owned(),
        PromiseError::EmptyTier { tier, min, max } => {
            format!("分档 `{tier}` 的上限（{max}）小于下限（{min}）")
        }
        PromiseError::TierBorder { tier, expected, found } => format!(
            "分档 `{tier}` 应从 {expected} 开始，紧接上一档，而不是 {found}：各档不得重叠或留空"
        ),
        PromiseError::DuplicateTier { tier } => format!("有两个分档都叫 `{tier}`"),
        PromiseError::Confidence { value } => {
            format!("置信水平应在 0.5 与 1 之间（如 0.95），不能是 {}", plain(*value))
        }
    }
}

/// Why nothing came of another tool's file.
pub(crate) fn import(error: &ImportError, lang: Lang) -> String {
    if lang == Lang::En {
        return error.to_string();
    }
    match error {
        ImportError::TooLarge { file, size } => format!(
            "{file} 有 {} 字节，超过上限 {} 字节：导出时请去掉提示词与回答",
            count(*size as u64),
            count(MAX_FILE as u64)
        ),
        ImportError::NotText { file } => {
            format!("{file} 不是文本文件：请选择工具写出的 JSON、JSON Lines、YAML 或日志")
        }
        ImportError::Damaged { file, problem } => {
            format!("{file} 已损坏，或格式无法识别（{problem}）：请重新导出")
        }
        ImportError::Unknown { file } => format!(
            "{file} 不是可识别的结果：请选择 AIPerf、GuideLLM、vLLM、SGLang、inference-perf、\
             llmperf、InferenceX、MLPerf、EvalScope、genai-bench 或 llm-d 的结果"
        ),
        ImportError::Database { file } => {
            format!("{file} 是数据库文件，无法读取：请选择同目录下的 JSON 文件")
        }
        ImportError::Alone { file } => {
            format!("{file} 只是某个结果的附件：请同时选择它所属的结果文件")
        }
    }
}

/// Why two bundles are not compared so.
pub(crate) fn comparison(error: &Refused, lang: Lang) -> String {
    if lang == Lang::En {
        return error.to_string();
    }
    match error {
        Refused::DifferentModels { left, right } => {
            format!("`{left}` 与 `{right}` 不是同一模型的同一版本，token 不可相比：请按金额比较")
        }
        Refused::SameModel { model } => {
            format!("两者都是 `{model}`：请按 token 比较；按金额比较只反映价格表的差别")
        }
        Refused::DifferentCurrencies { left, right } => {
            format!("一个以 {left} 计价，另一个以 {right} 计价：请选择同一币种的价格表")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_in_chinese_what_it_names_in_english() {
        let border =
            PromiseError::TierBorder { tier: "long".to_owned(), expected: 4_001, found: 5_000 };
        for part in ["`long`", "4001", "5000"] {
            assert!(sheet(&border, Lang::En).contains(part));
            assert!(sheet(&border, Lang::Zh).contains(part));
        }
        let alone = ImportError::Alone { file: "gpu.csv".to_owned() };
        assert!(import(&alone, Lang::Zh).contains("gpu.csv"));
        let models = Refused::DifferentModels { left: "a".to_owned(), right: "b".to_owned() };
        assert!(comparison(&models, Lang::Zh).contains("`a`"));
        assert_ne!(comparison(&models, Lang::Zh), comparison(&models, Lang::En));
    }
}
