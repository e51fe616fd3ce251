//! English: why something is missing, invalid or in need of attention, and what to do.

use super::super::{Advice, NeededText};
use super::EN;
use crate::definitions::judge::{Degradation, Invalid, LAG_MAX};
use crate::definitions::measured::Missing;
use crate::definitions::promise::PromiseKind;
use crate::present::attention::{AttentionKind, Severity};
use crate::present::format::{count, fixed, millis, percent, plain, span};

pub(super) fn missing(reason: &Missing) -> String {
    match reason {
        Missing::NotObserved => "nothing was observed that could tell".to_owned(),
        Missing::NoRequests => "no request has this quantity".to_owned(),
        Missing::InvalidStep => "the step is invalid, so it has no value".to_owned(),
        Missing::NothingHeld => "no tested rate held every promise".to_owned(),
        Missing::NoPriceSheet => "choose a price sheet".to_owned(),
        Missing::NotPriced => "the price sheet does not price this".to_owned(),
        Missing::NotDeclared => "the deployment does not declare this".to_owned(),
        Missing::NotSoaked => "only a confirmation run is judged as a soak".to_owned(),
        Missing::NotRecorded => {
            "the records were kept for other tiers or quantiles and cannot answer this".to_owned()
        }
        Missing::Other(why) => why.clone(),
    }
}

pub(super) fn invalid(reason: &Invalid) -> Advice {
    let (what, fix) = match reason {
        Invalid::GeneratorLate { p99, max, limit } => (
            format!(
                "the load generator sent late: P99 {} ms (limit {} ms), worst {} ms (limit {} ms)",
                millis(*p99, 1),
                millis(*limit, 1),
                millis(*max, 1),
                millis(LAG_MAX, 0)
            ),
            "Give the generator an idle machine or more threads, then repeat the step.",
        ),
        Invalid::GeneratorSaturated { cpu, stall } => {
            let busy = cpu.map(|cpu| format!("busiest thread {} %", percent(cpu, 0)));
            let stall =
                stall.map(|stall| format!("event-loop stall P99.9 {} ms", millis(stall, 1)));
            let figures: Vec<String> = busy.into_iter().chain(stall).collect();
            (
                format!("the load generator was saturated: {}", figures.join(", ")),
                "Give the generator more threads or a second machine, then repeat the step.",
            )
        }
        Invalid::ArrivalsMissing { scheduled, sent, dropped } => (
            format!(
                "of {} scheduled arrivals {} were sent ({} dropped or held back)",
                count(*scheduled),
                count(*sent),
                count(*dropped)
            ),
            "Raise the generator's connection and file limits, then repeat the step.",
        ),
        Invalid::ClientFaults { faults, members } => (
            format!(
                "{} of {} requests were wrong themselves (4xx)",
                count(*faults),
                count(*members)
            ),
            "Correct the plan: key, model name, prompt lengths. The error texts are in the bundle.",
        ),
        Invalid::Unpromised { unpromised, valid } => (
            format!(
                "{} of {} valid requests lie outside every promised tier",
                count(*unpromised),
                count(*valid)
            ),
            "Widen the tiers of the promise sheet, or keep the workload inside them.",
        ),
        Invalid::UnknownTokens { unknown, of } => (
            format!("{} of {} completed requests have no token count", count(*unknown), count(*of)),
            "Switch usage on in the stream (stream_options.include_usage) or give the model's tokenizer (--tokenizer).",
        ),
        Invalid::CacheContaminated { declared, measured } => (
            format!(
                "the prefix hit rate was {} %, declared are {} %",
                percent(*measured, 1),
                percent(*declared, 1)
            ),
            "Salt the prompts, reset the cache between steps, or declare the hit rate that is true.",
        ),
        Invalid::TelemetryGap { longest } => (
            format!("telemetry has a hole of {}", span(longest.seconds())),
            "Check the metrics endpoint, then repeat the step.",
        ),
        Invalid::Stopped { why } => {
            (format!("the step was stopped early: {}", why.says()), "Repeat the step to its end.")
        }
        Invalid::Empty => (
            "no request was sent in the window".to_owned(),
            "Lengthen the window or raise the rate.",
        ),
    };
    Advice { what, fix: fix.to_owned() }
}

pub(super) fn degradation(degradation: &Degradation, tier: Option<&str>) -> String {
    let series = || match tier {
        Some(tier) => format!("median TTFT of tier {tier}"),
        None => "goodput".to_owned(),
    };
    match degradation {
        Degradation::TooShort { window } => {
            format!("its window was {}, at least 30 min are needed", span(*window))
        }
        Degradation::Invalid => "the step is invalid".to_owned(),
        Degradation::NotHeld { verdict } => {
            format!("the promises over the whole soak: {}", (EN.verdict)(*verdict))
        }
        Degradation::ThirdBroken { third } => {
            format!(
                "a promise broke in the {} third",
                ["first", "second", "last"][usize::from(*third).min(2)]
            )
        }
        Degradation::Drift { change, .. } => {
            format!("{} drifted by {} % over the soak", series(), fixed(change * 100.0, 1))
        }
        Degradation::DriftUnknown { .. } => {
            format!("no drift of {} could be tested: a stretch of the soak had no value", series())
        }
        Degradation::GrowingBacklog => "the backlog grew".to_owned(),
        Degradation::Restart { times } => match times {
            1 => "a serving process restarted".to_owned(),
            _ => format!("serving processes restarted {} times", count(*times)),
        },
        Degradation::PreemptionStorm { preemptions } => {
            format!("{} preemptions, more than 1 % of the requests", count(*preemptions))
        }
        Degradation::ErrorEpisode { spans } => match spans {
            1 => "a span of 10 s in which more than 5 % of the requests failed".to_owned(),
            _ => format!(
                "{} spans of 10 s in which more than 5 % of the requests failed",
                count(*spans)
            ),
        },
        Degradation::HitRate { declared, measured } => format!(
            "the prefix hit rate was {} %, declared are {} %",
            percent(*measured, 1),
            percent(*declared, 1)
        ),
    }
}

pub(super) fn attention(kind: &AttentionKind) -> Advice {
    let (what, fix) = match kind {
        AttentionKind::Simulated => (
            "Simulated, not hardware".to_owned(),
            "Use it to learn the tool; measure your own cluster for a figure that counts.",
        ),
        AttentionKind::NothingHeld { lowest } => (
            match lowest {
                Some(rate) => format!(
                    "No tested rate held every promise; the lowest was {} req/s",
                    plain(*rate)
                ),
                None => "Nothing was tested".to_owned(),
            },
            "Test lower rates, or see in the promise table which promise binds.",
        ),
        AttentionKind::InvalidSteps { steps, of } => (
            match steps.len() {
                1 => format!("1 of {of} steps is invalid and has no value"),
                invalid => format!("{invalid} of {of} steps are invalid and have no value"),
            },
            "The reasons, and what to change, stand under Validity.",
        ),
        AttentionKind::PointMode => (
            "Verdicts rest on point estimates".to_owned(),
            "Judge with mode = \"confidence\" before signing anything.",
        ),
        AttentionKind::Screen => (
            "λ_slo_max rests on a screen by point estimates".to_owned(),
            "Run the confirmation at this rate: only it can be signed.",
        ),
        AttentionKind::NotSoaked => (
            "Daily capacity is for reference".to_owned(),
            "Soak at λ_slo_max for at least 30 min to commit to it.",
        ),
        AttentionKind::SoakDegraded { degradations } => (
            format!(
                "The soak degraded, so daily capacity is for reference: {}",
                EN.degradations(degradations)
            ),
            "Find the cause, then soak again, or soak at a lower rate.",
        ),
        AttentionKind::PricesIncomplete { missing } => (
            format!("Daily value lacks {}", EN.money_parts(missing)),
            "Complete the price sheet: with long prompts input can be most of the money.",
        ),
        AttentionKind::IdentityBroken => (
            "Daily value at cost differs from the GPUs' daily cost".to_owned(),
            "The arithmetic does not close: do not use the money of this row, and report it.",
        ),
        AttentionKind::NoUpperEnd => (
            "No tested rate breaks a promise: λ_slo_max is only a lower end".to_owned(),
            "Test higher rates.",
        ),
        AttentionKind::NonMonotone => (
            "A rate above a broken one passed".to_owned(),
            "Repeat the broken rate; the pass above it is not used.",
        ),
        AttentionKind::Insufficient { promises } => (
            format!("Too little evidence for {}", EN.promises(promises)),
            "Lengthen the window; the promise table says by how much.",
        ),
        AttentionKind::NotObserved { promises } => (
            format!("Nothing could observe {}", EN.promises(promises)),
            "Point the plan at the engine's metrics, or make the promise a watched one.",
        ),
        AttentionKind::WatchedBroken { promises } => (
            format!("Broken, though only watched: {}", EN.promises(promises)),
            "Decide whether a customer may rely on it before it is left unsigned.",
        ),
        AttentionKind::WindowTooShort { step } => (
            format!("The window of step {step} is short against its tail, which understates rates"),
            "Lengthen the window until the edge is at most 5 %.",
        ),
        AttentionKind::Binding { promise, binding } => {
            return super::binding::advice(promise, binding);
        }
        AttentionKind::Failures { failed, valid } => (
            format!("{} of {} valid requests failed", count(*failed), count(*valid)),
            "See them by kind under Failures.",
        ),
        AttentionKind::CacheUnknown => (
            "The service does not say how many prompt tokens came from the cache".to_owned(),
            "Switch cached-token reporting on to tell reused from computed input.",
        ),
        AttentionKind::Rejudged => (
            "Judged by another promise sheet than it was measured for".to_owned(),
            "A scenario: no signature covers it.",
        ),
        AttentionKind::OtherDefinitions { version } => (
            format!("Measured under metric definitions, version {version}"),
            "Compare only rows of one version, or measure again.",
        ),
        AttentionKind::NotSigned { sign_off } => return super::sign_off::advice(sign_off),
        AttentionKind::DifferentModels => (
            "The rows are of different models or revisions".to_owned(),
            "Compare them in money, not token by token.",
        ),
        AttentionKind::Warning { note } => (note.says(), ""),
    };
    Advice { what, fix: fix.to_owned() }
}

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Blocks => "blocks",
        Severity::Caution => "caution",
        Severity::Note => "note",
    }
}

pub(super) fn needed(text: &NeededText<'_>) -> String {
    let NeededText { kind, n, bad, needed, confidence, more } = *text;
    let (values, failing) = match kind {
        PromiseKind::Success => ("valid requests", "failure"),
        PromiseKind::ItlP99 => ("gaps", "gap over the limit"),
        PromiseKind::Attainment => ("valid requests", "violation"),
        PromiseKind::TtftP99 | PromiseKind::TpotP99 | PromiseKind::QueueP99 => {
            ("requests", "violation")
        }
    };
    let plural = match failing {
        "gap over the limit" => "gaps over the limit",
        "failure" => "failures",
        _ => "violations",
    };
    let seen = match bad {
        0 => format!("without a {failing}"),
        1 => format!("with one {failing}"),
        _ => format!("with {} {plural}", count(bad)),
    };
    let need = format!("{n} {values} {seen}; {needed} needed at {confidence} % confidence");
    match more {
        Some(more) => format!("{need}: about {more} more"),
        None => need,
    }
}
