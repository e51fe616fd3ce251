//! The audit of an imported result: identities that its figures must satisfy, and traps that its
//! tool is known for.

use super::definitions::Itl;
use super::finding::{Finding, Mark, What};
use super::run::{AskedRate, Run, Spread};
use crate::units::{Ratio, Seconds};

/// A ratio's distance from 1 that is still rounding, and one that is still a matter of taste.
const CLOSE: f64 = 0.02;
const APART: f64 = 0.10;

/// Requests below which no P99 has an upper bound at 95 % confidence.
const ENOUGH: u64 = 299;

/// Audits a result: adds what every tool's results are asked, then sorts, the worst first.
pub(super) fn audit(run: &mut Run) {
    let mut found = Vec::new();
    per_token(run, &mut found);
    throughput(run, &mut found);
    sent_as_asked(run, &mut found);
    gaps(run, &mut found);
    counts(run, &mut found);
    evidence(run, &mut found);
    run.findings.extend(found);
    run.findings.sort_by_key(|finding| std::cmp::Reverse(finding.mark));
}

fn mark_of(ratio: f64, close: f64, apart: f64) -> Mark {
    let off = (ratio - 1.0).abs();
    if off <= close {
        Mark::Green
    } else if off <= apart {
        Mark::Amber
    } else {
        Mark::Red
    }
}

fn mean(spread: &crate::definitions::measured::Measured<Spread>) -> Option<f64> {
    spread.value().and_then(|spread| spread.mean).map(Seconds::get)
}

/// Mean output tokens of the completed requests.
fn mean_output(run: &Run) -> Option<f64> {
    let (tokens, n) = (run.output_tokens.value()?, run.completed.value()?);
    (*n > 0).then(|| *tokens as f64 / *n as f64)
}

/// (latency − TTFT) / (tokens − 1) against the stated time a token. Means of quotients are not
/// quotients of means, so there is some room.
fn per_token(run: &Run, found: &mut Vec<Finding>) {
    if run.ttft.value().is_some_and(|ttft| {
        [ttft.mean, ttft.p50, ttft.p99].iter().flatten().all(|value| value.get() == 0.0)
    }) {
        found.push(Finding::red(What::TtftZero));
        return;
    }
    let stated = match run.definitions.itl {
        Itl::IncludesFirst | Itl::MeanPerRequest => mean(&run.itl),
        _ => mean(&run.tpot),
    };
    let (Some(stated), Some(latency), Some(ttft), Some(tokens)) =
        (stated, mean(&run.latency), mean(&run.ttft), mean_output(run))
    else {
        return;
    };
    if tokens <= 1.5 || latency <= ttft {
        return;
    }
    let implied = (latency - ttft) / (tokens - 1.0);
    let (Ok(stated), Ok(implied)) = (Seconds::new(stated), Seconds::new(implied)) else { return };
    let mark = mark_of(stated.get() / implied.get(), APART, 0.30);
    found.push(Finding { mark, what: What::PerTokenIdentity { stated, implied } });
}

fn throughput(run: &Run, found: &mut Vec<Finding>) {
    let (Some(tokens), Some(duration), Some(rate)) =
        (run.output_tokens.value(), run.duration.value(), run.output_rate.value())
    else {
        return;
    };
    let computed = *tokens as f64 / duration.get();
    let Ok(ratio) = Ratio::new(rate.get() / computed) else { return };
    let mark = mark_of(ratio.get(), CLOSE, APART);
    found.push(Finding { mark, what: What::ThroughputIdentity { ratio } });
}

fn sent_as_asked(run: &Run, found: &mut Vec<Finding>) {
    match run.load.rate {
        Some(AskedRate::Finite(asked)) => {
            let already = run.findings.iter().any(|finding| {
                matches!(finding.what, What::NotSentAsAsked { .. } | What::Drain { .. })
            });
            let Some(&achieved) = run.rate.value().filter(|_| !already) else { return };
            let mark = match achieved.get() / asked.get() {
                ratio if ratio >= 0.99 => Mark::Green,
                ratio if ratio >= 0.95 => Mark::Amber,
                _ => Mark::Red,
            };
            found.push(Finding { mark, what: What::NotSentAsAsked { asked, achieved } });
        }
        Some(AskedRate::Unlimited) => found.push(Finding::amber(What::ClosedLoop)),
        None if run.load.concurrency.is_some() => found.push(Finding::amber(What::ClosedLoop)),
        None => {}
    }
    let (Some(concurrency), Some(rate), Some(latency)) =
        (run.load.concurrency, run.rate.value(), mean(&run.latency))
    else {
        return;
    };
    let stated = f64::from(concurrency);
    let (Ok(implied), Ok(stated)) = (Ratio::new(rate.get() * latency), Ratio::new(stated)) else {
        return;
    };
    // Fewer in flight than allowed is common (start and end); more cannot be.
    let what = What::LittlesLaw { implied, stated };
    match implied.get() / stated.get() {
        ratio if ratio > 1.02 => found.push(Finding::red(what)),
        ratio if ratio < 0.80 && !run.load.is_open() && run.load.rate.is_none() => {
            found.push(Finding::amber(what));
        }
        _ => found.push(Finding::green(what)),
    }
}

fn gaps(run: &Run, found: &mut Vec<Finding>) {
    let Some(itl) = run.itl.value() else { return };
    if let (Some(median), Some(mean)) = (itl.p50, itl.mean)
        && mean.get() > 0.0
        && median.get() < 0.05 * mean.get()
    {
        found.push(Finding::red(What::GapsShareTime { median, mean }));
        return;
    }
    if run.definitions.itl == Itl::EventGaps
        && let (Some(gap), Some(token)) = (itl.mean.map(Seconds::get), mean(&run.tpot))
        && token > 0.0
        && let Ok(ratio) = Ratio::new(gap / token)
        && ratio.get() > 1.2
    {
        found.push(Finding::amber(What::ManyTokensAnEvent { ratio }));
    }
}

fn counts(run: &Run, found: &mut Vec<Finding>) {
    match (run.completed.value(), run.failed.value()) {
        (Some(&completed), Some(&failed)) if failed > 0 => {
            let of = completed + failed;
            let mark = if failed * 20 > of { Mark::Red } else { Mark::Amber };
            found.push(Finding { mark, what: What::Failed { failed, of } });
        }
        (Some(_), None) => found.push(Finding::amber(What::FailuresUnknown)),
        _ => {}
    }
    if let Some(&n) = run.completed.value()
        && n < ENOUGH
    {
        found.push(Finding::amber(What::TooFew { n }));
    }
    let Some(records) = &run.records else { return };
    let short = records.requests.iter().filter(|request| request.osl.is_some_and(|osl| osl <= 1));
    let (short, of) = (short.count() as u64, records.requests.len() as u64);
    if short > 0 {
        found.push(Finding::amber(What::ShortAnswers { short, of }));
    }
}

fn evidence(run: &Run, found: &mut Vec<Finding>) {
    if run.gpus.value().is_none() {
        found.push(Finding::amber(What::NoGpuCount));
    }
    let Some(records) = &run.records else {
        found.push(Finding::amber(What::NoRecords));
        return;
    };
    if !records.sent_known {
        found.push(Finding::amber(What::NoSendTimes));
    }
    if !records.intended_known {
        found.push(Finding::amber(What::NoIntendedTimes));
    }
    if records.gaps.is_none() {
        found.push(Finding::amber(What::NoGaps));
    }
}
