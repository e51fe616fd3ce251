//! Every error that can reach the terminal, in the reader's language. English is each error's own
//! `Display`; a variant without its Chinese sentence does not compile.
//!
//! What a server, the operating system or a parser said is quoted as it is.

use std::error::Error;

use tokencap_shared::bundle::BundleError;
use tokencap_shared::definitions::compare;
use tokencap_shared::import::ImportError;
use tokencap_shared::present::words::{Lang, ZH};
use tokencap_shared::signoff::Unsignable;

use crate::campaign::CampaignError;
use crate::campaign::merge::MergeError;
use crate::drive::plan::StepError;
use crate::export::XlsxError;
use crate::journal::JournalError;
use crate::keys::{KeyError, MIN_PASSPHRASE};
use crate::net::target::TargetError;
use crate::plan::{PlanError, Sought};
use crate::presets::Kind;
use crate::schedule::draw::WorkloadError;
use crate::schedule::tokenizer::TokenizerError;
use crate::serve::{LibraryError, ServeError};
use crate::sim::ConfigError;
use crate::store::StoreError;
use crate::trial::preflight::PreflightError;
use crate::trust::TrustError;
use crate::words;
use tokencap_shared::definitions::origin::ShardError;
use tokencap_shared::definitions::workload::SenselessWorkload;

/// One error without its causes.
pub(super) fn said(error: &(dyn Error + 'static), lang: Lang) -> String {
    match lang {
        Lang::En => error.to_string(),
        Lang::Zh => zh(error),
    }
}

/// In Chinese; one that is not known here as it is.
fn zh(error: &(dyn Error + 'static)) -> String {
    macro_rules! known {
        ($($kind:ty => $said:path),* $(,)?) => {
            $(if let Some(error) = error.downcast_ref::<$kind>() {
                return $said(error);
            })*
        };
    }
    known! {
        CampaignError => campaign,
        PreflightError => preflight,
        TargetError => target,
        StepError => step,
        JournalError => journal,
        PlanError => plan,
        StoreError => store,
        KeyError => key,
        TrustError => trust,
        ServeError => serve,
        LibraryError => library,
        MergeError => merge,
        ConfigError => sim,
        WorkloadError => workload,
        ShardError => shard,
        TokenizerError => tokenizer,
        XlsxError => xlsx,
        BundleError => ZH_BUNDLE,
        Unsignable => unsignable,
        ImportError => import,
        compare::Refused => compared,
    }
    error.to_string()
}

const ZH_BUNDLE: fn(&BundleError) -> String = ZH.bundle_error;

fn campaign(error: &CampaignError) -> String {
    match error {
        CampaignError::Preflight(error) => preflight(error),
        CampaignError::Target(error) => target(error),
        CampaignError::Step(error) => step(error),
        CampaignError::Bundle(error) => ZH_BUNDLE(error),
        CampaignError::Store(error) => store(error),
        CampaignError::Journal(error) => journal(error),
        CampaignError::Threads(why) => {
            format!("本机无法再创建线程（{why}）：请关闭其他程序后重试")
        }
        CampaignError::OtherPlan { journal, what } => format!(
            "{} 中断的是另一份测量计划，其{}与本计划不同：请用原计划续测，或移走该文件",
            journal.display(),
            (words::of(Lang::Zh).parts)(what)
        ),
        CampaignError::BudgetTooShort { budget, steps, warmup } => format!(
            "{} s 不够 {steps} 个负载点（每个预热 {} s）：请增加时间，或减少到达率",
            budget.as_secs(),
            warmup.as_secs()
        ),
        CampaignError::StartPassed => {
            "--start-at 的时刻已过：请为各分片选择至少一分钟之后的同一时刻".to_owned()
        }
        CampaignError::Exists(path) => exists(path),
        CampaignError::NothingToResume { out, complete: true } => {
            format!("没有可续测的中断：{} 已完整", out.display())
        }
        CampaignError::NothingToResume { out, complete: false } => {
            format!("没有可续测的中断：{} 不存在；--resume 后请写测试包的路径", out.display())
        }
        CampaignError::Stopped => "在第一个负载点之前停止，没有测到任何数据".to_owned(),
    }
}

/// A file that would be overwritten.
pub(super) fn exists(path: &std::path::Path) -> String {
    format!("{} 已存在：请用 --out 另选文件，或先将它移走", path.display())
}

fn preflight(error: &PreflightError) -> String {
    match error {
        PreflightError::Unreachable { url, why } => {
            format!("{url} 没有应答（{why}）：请确认服务正在运行，且地址正确")
        }
        PreflightError::Key { status, said, has_key: true } => {
            format!("服务端拒绝 API 密钥（{status}：{said}）：请给出正确的密钥")
        }
        PreflightError::Key { status, said, has_key: false } => {
            format!("服务端要求 API 密钥（{status}：{said}）：请通过环境变量或文件给出")
        }
        PreflightError::Model { model, known } => {
            format!("服务端没有模型 `{model}`：请从它的模型中选择：{known}")
        }
        PreflightError::Route { path, status, said } => {
            format!("服务端没有 {path}（{status}：{said}）：请检查地址，或改用另一种接口")
        }
        PreflightError::Failed { outcome, said } => {
            format!("试探请求失败（{outcome}：{said}）：请排除后再测量")
        }
        PreflightError::Target(error) => target(error),
        PreflightError::Workload(error) => workload(error),
    }
}

fn target(error: &TargetError) -> String {
    match error {
        TargetError::Url { url, why } => {
            let why = match why.as_str() {
                "http:// or https:// is missing" => "缺少 http:// 或 https://",
                "only http and https are spoken" => "只支持 http 和 https",
                "the host is missing" => "缺少主机名",
                "a user or password in it would end up in logs; use the API key" => {
                    "其中的用户名或密码会进入日志，请改用 API 密钥"
                }
                "it has a query" => "含有查询参数",
                "its port is not a number from 1 to 65535" => "端口不是 1 到 65535 的数",
                other => other,
            };
            format!("`{url}` 不是服务地址（{why}）：请写成 http://10.0.0.5:8000 的形式")
        }
        TargetError::Resolve { host, why } => {
            format!("找不到主机 `{host}`（{why}）：请检查名称，或改写 IP 地址")
        }
        TargetError::KeyFile { path, why } => {
            format!("无法从 {path} 读取 API 密钥（{why}）：请检查路径和权限")
        }
        TargetError::Key { place } => {
            format!("{place} 中的 API 密钥为空，或含有请求头不能携带的字符：请改正")
        }
        TargetError::Tls(why) => format!("无法建立 TLS（{why}）：请检查证书文件"),
    }
}

fn step(error: &StepError) -> String {
    match error {
        StepError::Target(error) => target(error),
        StepError::Workload(error) => workload(error),
        StepError::System(why) => {
            format!("负载发生器无法在本机运行（{why}）：请检查系统限制后重试")
        }
        StepError::Record(why) => format!("无法写入记录（{why}），负载点已停止：请腾出空间后续测"),
        StepError::TooLate { late_ms } => format!(
            "负载点的共同开始时刻已过去 {late_ms} ms：请为所有进程选择更晚的 --start-at，或更长的 \
             --step-pause"
        ),
        StepError::Thread => "负载发生器的一个线程出错，这是程序的缺陷：请报告".to_owned(),
    }
}

fn journal(error: &JournalError) -> String {
    match error {
        JournalError::Exists { path } => {
            format!("{path} 存有一次中断测量的记录：请续测，或删除该文件后重新开始")
        }
        JournalError::InUse { path } => {
            format!("{path} 正被另一次测量使用：请等它结束，或用 --out 另选文件")
        }
        JournalError::Foreign { path, what } => {
            let what = match *what {
                "it is too short" => "内容过短",
                "it begins with other bytes" => "开头不是记录文件",
                "it has another version's format" => "格式属于另一版本",
                "its first record is damaged" => "首条记录已损坏",
                other => other,
            };
            format!("{path} 不是本版本 tokencap 的记录文件（{what}）：请移走它，或用原版本续测")
        }
        JournalError::Io { path, why, .. } => {
            format!("无法读写记录文件 {path}（{why}）：请检查磁盘；已完成负载点的记录仍在其中")
        }
    }
}

/// What a plan names, as it is looked for.
fn sought(sought: Sought) -> &'static str {
    match sought {
        Sought::Plan => "测量计划",
        Sought::Trace => "调用轨迹",
        Sought::Of(Kind::Promise) => "承诺表",
        Sought::Of(Kind::Workload) => "负载",
        Sought::Of(Kind::Prices) => "价格表",
        Sought::Of(Kind::Plan) => "测量计划",
        Sought::Of(Kind::Sim) => "模拟集群",
    }
}

fn plan(error: &PlanError) -> String {
    match error {
        PlanError::Read { what, path, source } => {
            format!("无法读取{} {}（{source}）：请检查路径", sought(*what), path.display())
        }
        PlanError::Syntax { file, line, column, message } => {
            format!("{file}:{line}:{column}：此处无法解析，请改正（{message}）")
        }
        PlanError::Unknown { what, name, known } => format!(
            "没有名为 `{name}` 的{}，既不是预设，也不是文件；`tokencap presets` 列出预设：{known}",
            sought(*what)
        ),
        PlanError::Senseless { file, message } => format!("{file}：{message}"),
    }
}

fn store(error: &StoreError) -> String {
    match error {
        StoreError::Missing { path } => format!("没有文件 {}：请检查路径", path.display()),
        StoreError::NotAFile { path } => {
            format!("{} 是文件夹或设备，不是文件：请给出一个测试包的路径", path.display())
        }
        StoreError::TooLarge { path, size } => format!(
            "{} 有 {size} 字节，超过测试包的上限：请选择 `tokencap sweep` 写出的文件",
            path.display()
        ),
        StoreError::Unreadable { path, .. } => {
            format!("无法读取 {}：请检查权限和磁盘", path.display())
        }
        StoreError::Bundle { path, .. } => format!("{} 无法使用", path.display()),
        StoreError::DiskFull { path, needed } => format!(
            "{} 所在磁盘已满：请腾出 {needed} 字节或另选位置；没有写入任何内容",
            path.display()
        ),
        StoreError::NoFolder { folder } => {
            format!("没有文件夹 {} 可写：请创建它，或另选位置", folder.display())
        }
        StoreError::Unwritable { path, .. } => {
            format!("无法写入 {}：请检查文件夹权限；原有文件没有改动", path.display())
        }
    }
}

fn key(error: &KeyError) -> String {
    match error {
        KeyError::WeakPassphrase => {
            format!("口令至少需要 {MIN_PASSPHRASE} 个字符：请选择更长的口令")
        }
        KeyError::Exists { path } => {
            format!("{} 已存在：密钥从不覆盖，请另选路径", path.display())
        }
        KeyError::File { path, .. } => {
            format!("无法读写密钥文件 {}：请检查路径和权限", path.display())
        }
        KeyError::NotAKey { path } => {
            format!("{} 不是密钥文件：请给出 `tokencap keygen` 写出的文件", path.display())
        }
        KeyError::Locked => "口令打不开这个密钥（或密钥文件被改动）：请重试".to_owned(),
        KeyError::Memory { memory_kib } => {
            format!("内存不足，无法打开密钥：请腾出 {memory_kib} KiB")
        }
    }
}

fn trust(error: &TrustError) -> String {
    match error {
        TrustError::Unreadable { path, .. } => {
            format!("无法读取可信公钥文件 {}：请检查路径和权限", path.display())
        }
        TrustError::Invalid { path, .. } => {
            format!("无法理解可信公钥文件 {}：`tokencap keygen` 会打印应写的内容", path.display())
        }
    }
}

fn serve(error: &ServeError) -> String {
    match error {
        ServeError::PortInUse { at } => format!(
            "{} 的端口 {} 已被占用：请停止占用它的程序，或用 --port 另选端口（0 表示任一空闲端口）",
            at.ip(),
            at.port()
        ),
        ServeError::NotAllowed { at } => format!(
            "不允许监听 {} 的端口 {}：请用 --port 选择 1024 及以上的端口",
            at.ip(),
            at.port()
        ),
        ServeError::NoSuchAddress { ip } => {
            format!("本机没有地址 {ip}：请用 --listen 给出本机的地址")
        }
        ServeError::Listen { at, .. } => format!("无法监听 {at}：请另选地址或端口"),
        ServeError::Library(error) => library(error),
        ServeError::RemoteUndecided { ip } => format!(
            "其他机器可以访问 {ip}：请加上 --allow-remote，并选择 --token-file FILE（读者以其中的 \
             token 为密码）或 --no-auth（任何能访问的人都可读取全部测试包）"
        ),
        ServeError::WeakToken { path, least } => format!(
            "{} 中的 token 不足 {least} 个字符：可用 `openssl rand -hex 24` 生成",
            path.display()
        ),
        ServeError::TokenFile { path, .. } => {
            format!("无法读取 token 文件 {}：请检查路径和权限", path.display())
        }
    }
}

fn library(error: &LibraryError) -> String {
    match error {
        LibraryError::Unreadable { path, .. } => {
            format!("无法读取 {}：请检查路径和权限", path.display())
        }
        LibraryError::NotABundle { path } => {
            format!("{} 不是 tokencap 测试包：请给出 `tokencap sweep` 写出的文件", path.display())
        }
    }
}

fn merge(error: &MergeError) -> String {
    match error {
        MergeError::NotAShard { name } => {
            format!("{name} 不是共同测量的分片：测量时没有 --shard，请勿合并")
        }
        MergeError::Count { name, shard, first, of } => format!(
            "{name} 是分片 {shard}，而 {first} 共有 {of} 个分片：二者不属于同一次测量，请分别合并"
        ),
        MergeError::Twice { name, other, shard } => {
            format!("{name} 与 {other} 是同一分片 {shard}：请只给出其中一个")
        }
        MergeError::Missing { index, of } => {
            format!("缺少 {of} 个分片中的第 {index} 个（从 0 起）：请给出全部分片")
        }
        MergeError::Differ { name, first, what } => {
            format!("{name} 与 {first} 不能合并：{}不同", (words::of(Lang::Zh).parts)(what))
        }
        MergeError::Calendars { name, first, apart_ms } => format!(
            "以目标服务的时钟为准，{name} 与 {first} 的时钟至少相差 {apart_ms} ms：请同步各机器的时钟后重新测量"
        ),
        MergeError::Clocks { name, first, step, apart_ms } => format!(
            "按各自时钟，{name} 与 {first} 开始负载点 {step} 的时刻相差 {apart_ms} ms，超过允许值：\
             请同步各机器的时钟后重新测量"
        ),
    }
}

fn sim(error: &ConfigError) -> String {
    match error {
        ConfigError::Syntax(error) => format!("请改正此处：{error}"),
        ConfigError::Domain { field, domain, value } => {
            let domain = match *domain {
                "a probability" => "0 到 1 之间的概率",
                "at least 1" => "至少 1",
                "at most 1024" => "至多 1024",
                "in [0, 1e9]" => "[0, 1e9] 之内",
                "in [1, 1e6]" => "[1, 1e6] 之内",
                "ascending, positive and finite" => "递增、为正且有限",
                other => other,
            };
            format!("{field} 的取值应为{domain}，不能是 {value}：请改正")
        }
        ConfigError::Budget { max_tokens, max_sequences } => format!(
            "batch.max_tokens（{max_tokens}）不能小于 batch.max_sequences（{max_sequences}）：\
             每个运行中的序列每次迭代占用一个 token"
        ),
        ConfigError::Context { context, capacity } => format!(
            "kv.max_context（{context}）超过 kv.blocks × kv.block_tokens（{capacity} 个 token）：\
             至少要能单独容纳一个请求"
        ),
    }
}

fn workload(error: &WorkloadError) -> String {
    match error {
        WorkloadError::Senseless(SenselessWorkload::Empty(name)) => {
            format!("负载 `{name}` 没有请求类别（或会话步数为 0）：请至少写一类")
        }
        WorkloadError::NoTrace(name) => {
            format!("负载 `{name}` 要回放的调用轨迹没有给出，或与所写的不符：请给出该文件")
        }
        WorkloadError::Senseless(SenselessWorkload::Number { workload, what }) => {
            format!("负载 `{workload}`：{}", number(what))
        }
    }
}

/// A figure of a workload outside its domain.
fn number(what: &str) -> &str {
    match what {
        "a class's weight must be a positive number" => "类别的权重必须是正数",
        "a think time's cv must be a number of at least 0" => "思考时间的 cv 必须是不小于 0 的数",
        "a trace's block_tokens must be at least 1" => "调用轨迹的 block_tokens 至少为 1",
        "a pattern's pieces need a duration and a weight of at least 0, not all of them 0" => {
            "到达模式的各段需要时长和不小于 0 的权重，且不能全为 0"
        }
        "a length's min is above its max" => "长度的 min 不能大于 max",
        "a log_normal length needs a mean above 0 and a cv of at least 0" => {
            "log_normal 长度需要大于 0 的均值和不小于 0 的 cv"
        }
        "a gamma process's burstiness must be a positive number (1 is Poisson)" => {
            "gamma 过程的 burstiness 必须是正数（1 即泊松过程）"
        }
        other => other,
    }
}

fn shard(error: &ShardError) -> String {
    format!("`{}` 不是分片：请写成 0/4 的形式，表示四个分片中的第一个", error.0)
}

fn tokenizer(error: &TokenizerError) -> String {
    format!("{} 不能用作分词器（{}）：不给 --tokenizer 时只用服务端的计数", error.path, error.what)
}

fn xlsx(_: &XlsxError) -> String {
    "无法写出工作簿：请一次少导出几个测试包，或改用其他格式".to_owned()
}

fn unsignable(error: &Unsignable) -> String {
    match error {
        Unsignable::PointMode => "承诺表按点估计判定（mode = \"point\"），不构成证明：请用 \
                                  mode = \"confidence\" 测量"
            .to_owned(),
        Unsignable::NothingHeld => "没有一个有效负载点守住承诺，因而没有可签署的产能：请看 \
                                    `tokencap report`，并以更低的到达率测量"
            .to_owned(),
        Unsignable::Screen => {
            "λ_slo_max 只有短时探测，探测只筛选、不证明：请运行确认段（sweep 默认会做）".to_owned()
        }
        Unsignable::Invalid { step } => {
            format!("负载点 {step} 无效，无效的测量从不签署：原因见 `tokencap report`")
        }
        Unsignable::Imported => {
            "结果由其他工具导入，只能展示，不能签署：请用 `tokencap sweep` 测量".to_owned()
        }
    }
}

fn import(error: &ImportError) -> String {
    match error {
        ImportError::TooLarge { file, size } => {
            format!("{file} 有 {size} 字节，超过可读上限：请在不含提示词和回答的情况下重新导出")
        }
        ImportError::NotText { file } => {
            format!("{file} 不是文本文件：请选择工具写出的 JSON、JSON lines、YAML 或日志")
        }
        ImportError::Damaged { file, problem } => {
            format!("{file} 已损坏，或不是可读的格式（{problem}）：请重新导出")
        }
        ImportError::Unknown { file } => format!(
            "{file} 不是已知的结果：请选择 AIPerf、GuideLLM、vLLM、SGLang、inference-perf、llmperf、\
             InferenceX、MLPerf、EvalScope、genai-bench 或 llm-d 的结果"
        ),
        ImportError::Database { file } => {
            format!("{file} 是数据库，不能读取：请选择它旁边的 JSON 文件")
        }
        ImportError::Alone { file } => format!("{file} 只是结果的补充：请同时选择它所属的结果"),
    }
}

fn compared(error: &compare::Refused) -> String {
    match error {
        compare::Refused::DifferentModels { left, right } => format!(
            "`{left}` 与 `{right}` 不是同一模型的同一版本，两者的 token 不可互换：请按金额比较"
        ),
        compare::Refused::SameModel { model } => {
            format!("两者都是 `{model}`：请按 token 比较。同样的 token 按金额比较，只有价格表之差")
        }
        compare::Refused::DifferentCurrencies { left, right } => {
            format!("一方以 {left} 计价，另一方以 {right} 计价：请选择同一货币的价格表")
        }
    }
}
