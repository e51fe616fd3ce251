//! English: names, headings, sayings.

mod binding;
mod evidence;
pub(super) mod import;
mod reasons;
mod sign_off;

use super::{Charts, Comparing, Lang, Sayings, Terms, Titles, Words};
use crate::definitions::capacity::{Basis, Standing};
use crate::definitions::compare::{Told, Unlike};
use crate::definitions::judge::Verdict;
use crate::definitions::note::Note;
use crate::definitions::promise::{GapQuantile, ItlRule, PromiseKind, Role, VerdictMode};
use crate::definitions::record::{ClientFaultKind, FailureKind};
use crate::definitions::step::StepKind;
use crate::definitions::workload::CacheState;
use crate::present::format::millis;

/// English.
pub const EN: Words = Words {
    lang: Lang::En,
    term: TERMS,
    title: TITLES,
    say: SAYINGS,
    chart: CHARTS,
    compare: COMPARING,
    evidence: evidence::EVIDENCE,
    verdict,
    promise: PromiseKind::name,
    itl_rule,
    itl_rule_short,
    mode,
    failure,
    client_fault,
    step_kind,
    standing,
    basis,
    role,
    cache,
    bundle_error: ToString::to_string,
    note: Note::says,
    missing: reasons::missing,
    invalid: reasons::invalid,
    degradation: reasons::degradation,
    attention: reasons::attention,
    sign_off: sign_off::label,
    sign_off_advice: sign_off::advice,
    signature_problem: sign_off::problem,
    severity: reasons::severity,
    needed: reasons::needed,
};

const TERMS: Terms = Terms {
    model: "Model",
    deployment: "Deployment",
    engine: "Engine",
    gpu: "GPU",
    gpus_serving: "GPUs serving",
    gpus_provisioned: "GPUs provisioned",
    parallelism: "Parallelism",
    quantisation: "Quantisation",
    kv_cache_dtype: "KV-cache type",
    prefix_cache: "Prefix cache",
    speculative: "Speculative decoding",
    server_args: "Server arguments",
    promise: "Promise",
    tier: "Tier",
    promised: "Promised",
    measured: "Measured",
    unit: "Unit",
    n: "n",
    lower: "Lower bound",
    upper: "Upper bound",
    bounds: "Bounds",
    vif: "VIF",
    episodes: "Episodes",
    verdict: "Verdict",
    remark: "Remark",
    workload: "Workload",
    run: "Run",
    started: "Started",
    tool: "Measured with",
    definitions: "Definitions",
    sign_off: "Sign-off",
    role: "Role",
    signer: "Signer",
    key: "Key",
    steps_per_task: "Steps a task",
    until: "Until",
    standing: "Standing",
    step: "Step",
    step_kind: "Kind",
    asked: "Asked rate",
    offered: "Arrival rate",
    lambda: "λ_slo_max",
    first_broken: "First broken rate",
    goodput: "SLO goodput",
    raw: "Raw throughput",
    goodput_per_gpu: "Goodput/GPU",
    goodput_steady: "SLO goodput in the window",
    daily: "Daily capacity",
    business: "Supported business",
    steps_per_day: "Steps a day",
    tasks_per_day: "Tasks a day",
    mean_osl: "Mean output",
    attainment: "Attainment",
    worst_attainment: "Worst tier",
    success: "Success",
    concurrency: "Mean in flight",
    window: "Window",
    wall: "Wall time",
    edge: "Edge",
    validity: "Validity",
    input_total: "Input in all",
    input_reused: "Reused from cache",
    input_computed: "Computed",
    input_offered: "Input offered",
    hit_rate: "Prefix hit rate",
    input_per_output: "Input : output",
    power: "Power",
    goodput_per_watt: "Goodput/watt",
    chain: "Smooth tasks",
    chain_if_independent: "If steps were independent",
    tokens_per_event: "Tokens per event",
    cancelled_late: "Of which past TTFT limit",
    attainment_adjusted: "Late ones as bad",
    attainment_between: "All bad – all good",
    ttft: "TTFT",
    ttft_from_intended: "TTFT from schedule",
    itl: "ITL",
    tpot: "TPOT",
    queue: "Queue time",
    members: "Sent",
    valid: "Valid",
    completed: "Completed",
    compliant: "Compliant",
    cancelled: "Cancelled",
    client_faults: "Client faults",
    unpromised: "Outside every tier",
    failures: "Failures",
    kind: "Kind",
    at_shown_step: "At this rate",
    in_all_steps: "All steps",
    count: "Count",
    share: "Share",
    cost_per_mtok: "Cost under SLO",
    amount_per_day: "A day",
    amount_per_mtok: "Per MTok of output",
    price: "Price",
    item: "Item",
    gpu_cost_per_day: "GPU cost a day",
    value_at_cost: "Daily value at cost",
    value_at_price: "Daily value at price",
    margin: "Daily margin",
    utilisation: "Utilisation",
    gpu_hour: "GPU-hour",
    output: "Output",
    input_uncached: "Input, uncached",
    input_cached: "Input, cached",
    source: "Source",
    date: "Date",
    total: "Total",
    per_second: "per second",
    per_day: "per day",
};

const TITLES: Titles = Titles {
    report: "Capacity report",
    figures: "Key figures",
    utilisation: "Cost by utilisation",
    prices: "Prices assumed",
    soak: "Soak",
    summary: "What the cluster can sell in a day",
    deployment: "Deployment",
    promises: "Promises",
    steps: "Steps tested",
    latency: "Latency by tier",
    rules: "Attainment under each ITL rule",
    cancelled: "Attainment and cancelled requests",
    window: "The window",
    input: "Input",
    money: "Money",
    failures: "Failures",
    validity: "Validity",
    attention: "Needs attention",
    assumptions: "Assumptions",
    warnings: "Warnings",
    provenance: "Where this comes from",
};

const SAYINGS: Sayings = Sayings {
    token: "token",
    tagline: "How many tokens can this cluster sell in a day, and which promises does it keep?",
    simulated: "simulated",
    simulated_long: "SIMULATED, NOT HARDWARE: these figures come from the built-in simulator.",
    valid: "valid",
    invalid: "invalid",
    unsustainable: "backlog grows: this rate cannot be sustained",
    window_too_short: "window too short",
    signed_promise: "signed",
    watched_promise: "watched",
    declared: "declared",
    whole_step: "all",
    no_failures: "No valid request failed.",
    nothing_to_note: "Nothing needs attention.",
    value_at_cost_remark: "equal to the GPU cost by definition: a check, not a gain",
    money_is_derived: "Money is derived from capacity and a dated price sheet; no signature covers it.",
    flat_day: "λ_slo_max around the clock; a day with a peak carries less",
    infinite_cost: "no token complied, so nothing of what was paid for could be sold",
    value_incomplete: "not every part has a price or was observed",
    soak_without_degradation: "without degradation",
    steps_unit: "steps/day",
    tasks_unit: "tasks/day",
    scenario: "scenario",
    counts: "counts",
    yes: "yes",
    no: "no",
    comma: ", ",
    full_stop: ". ",
    semicolon: "; ",
    colon: ": ",
    gpus: |count, gpu| format!("{count} × {gpu}"),
    replicas: |replicas| match replicas {
        1 => "1 replica".to_owned(),
        _ => format!("{replicas} replicas"),
    },
    bracket: |held, broken| format!("held at {held}, first broken at {broken}"),
    no_upper_end: |held| format!("held at {held}; no tested rate breaks a promise"),
    promises_at: |rate| format!("Promises at λ_slo_max, {rate} req/s"),
    promises_at_lowest: |rate| {
        format!("Promises at the lowest valid rate, {rate} req/s (no tested rate held them)")
    },
    promises_at_step: |rate| format!("Promises at {rate} req/s"),
    bounds: |lower, upper| format!("{lower}–{upper}"),
    aside: |text, aside| format!("{text} ({aside})"),
    tpot_undefined: |requests| format!("undefined for {requests} requests of fewer than 2 tokens"),
    smooth_of: |bounds, tasks, steps| format!("{tasks} tasks of {steps} steps, bounds {bounds} %"),
    screen: |verdict| format!("screen: {verdict}"),
    input_per_output: |ratio| format!("input : output = {ratio} : 1"),
    tpot_as_speed: |speed| format!("≥ {speed} tok/s"),
    steps_of: |tokens| format!("steps of {tokens} output tokens"),
    tasks_of: |steps| format!("tasks of {steps} serial steps"),
    prices_of: |name, date| format!("{name} of {date}"),
    definitions: |version| format!("metric definitions, version {version}"),
    step_no: |step| format!("step {step}"),
    stopped_early: |why| format!("stopped early: {}", why.says()),
};

const CHARTS: Charts = Charts {
    throughput: "Throughput by arrival rate",
    attainment: "Attainment by arrival rate",
    cost: "Cost under SLO by arrival rate",
    worst_gap: "Worst gap of a request",
    in_flight: "Requests in flight",
    send_lag: "Send lag of the generator",
    running: "Requests being computed",
    waiting: "Requests waiting at the server",
    kv_use: "KV cache in use",
    worst: "worst",
    time: "Time",
    flow: "Output",
    target: |share| format!("target {share}"),
    limit: |time| format!("limit {time}"),
    distribution: |name| format!("Distribution of {name}"),
};

const COMPARING: Comparing = Comparing {
    in_tokens: |model| format!("Compared in tokens: {model}"),
    in_money: |currency| format!("Compared in money ({currency})"),
    ratio: "Ratio to the first",
    revenue_per_mtok: "Revenue per MTok of output, input included",
    interval: |at, low, high| match high {
        Some(high) => format!("{at} ({low}–{high})"),
        None => format!("{at} (at least {low})"),
    },
    told: |told, left, right| match told {
        Told::Better => format!(
            "{right} is better than {left}: at its worst it is above the other at its best."
        ),
        Told::Worse => {
            format!("{right} is worse than {left}: at its best it is below the other at its worst.")
        }
        Told::AboutTheSame => format!(
            "{right} is about the same as {left}: the intervals meet, and differ by a tenth at most."
        ),
        Told::NotTold => format!(
            "{right} and {left} are not told apart: the intervals meet, and are wide. Test rates \
             nearer to the limit, or run longer."
        ),
    },
    cannot: "They cannot be compared",
    not_alike: "The two are not alike",
    unlike: |unlike| match unlike {
        Unlike::Promise => "the promise sheets differ: they keep different promises",
        Unlike::Workload => "the workloads differ",
        Unlike::PriceDate => "the prices are of different days",
        Unlike::Simulated => "one is simulated, not hardware",
        Unlike::Standing => "one capacity is committed, the other for reference",
    },
};

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Held => "held",
        Verdict::Broken => "broken",
        Verdict::Insufficient => "insufficient",
        Verdict::NotObserved => "not observed",
    }
}

fn itl_rule(rule: &ItlRule, limit_ms: &str) -> String {
    match rule {
        ItlRule::GapShare { q, stall } => {
            let allowed = match q {
                GapQuantile::P95 => "5 %",
                GapQuantile::P99 => "1 %",
            };
            let stall = millis(*stall, 0);
            format!(
                "at most {allowed} of a request's gaps above {limit_ms} ms, none above {stall} ms"
            )
        }
        ItlRule::WorstGap => format!("no gap of a request above {limit_ms} ms"),
        ItlRule::MeanGap => format!("a request's mean gap at most {limit_ms} ms"),
    }
}

fn itl_rule_short(rule: &ItlRule) -> &'static str {
    match rule {
        ItlRule::GapShare { q: GapQuantile::P95, .. } => "95 % of gaps",
        ItlRule::GapShare { q: GapQuantile::P99, .. } => "99 % of gaps",
        ItlRule::WorstGap => "Every gap",
        ItlRule::MeanGap => "Mean gap",
    }
}

fn mode(mode: VerdictMode, confidence: &str) -> String {
    match mode {
        VerdictMode::Confidence => {
            format!(
                "verdicts by one-sided {confidence} % confidence bounds, corrected for dependence"
            )
        }
        VerdictMode::Point => "verdicts by point estimates: cannot be signed".to_owned(),
    }
}

fn failure(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::ServerError => "server error (5xx)",
        FailureKind::Rejected => "rejected (429, 503, 529)",
        FailureKind::Timeout => "timed out",
        FailureKind::Disconnected => "disconnected mid-answer",
        FailureKind::StreamError => "error inside the stream",
        FailureKind::Unreachable => "unreachable",
        FailureKind::Empty => "finished without output",
        FailureKind::Malformed => "malformed answer",
    }
}

fn client_fault(kind: ClientFaultKind) -> &'static str {
    match kind {
        ClientFaultKind::Unauthorised => "key refused (401, 403)",
        ClientFaultKind::NotFound => "unknown model or path (404)",
        ClientFaultKind::PromptTooLong => "prompt longer than the context",
        ClientFaultKind::BadRequest => "other bad request (4xx)",
    }
}

fn step_kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Probe => "probe",
        StepKind::Confirm => "confirmation",
        StepKind::Soak => "soak",
        StepKind::Closed => "closed loop",
    }
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Committed => "committed",
        Standing::Reference => "reference",
    }
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Confidence => "held with confidence",
        Basis::Screen => "screened by point estimates",
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::MeasuredBy => "measured by",
        Role::ReviewedBy => "reviewed by",
        Role::ApprovedBy => "approved by",
    }
}

fn cache(state: CacheState) -> &'static str {
    match state {
        CacheState::Salted => "salted: no step feeds another's cache",
        CacheState::Cold => "cold",
        CacheState::Warm => "warmed up as declared",
    }
}
