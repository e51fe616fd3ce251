//! The audit of an imported result: identities that its figures must satisfy, and traps that its
//! tool is known for.

use serde::Serialize;

use super::definitions::Itl;
use super::run::{AskedRate, Run, Spread};
use crate::units::{Rate, Ratio, Seconds, Share};

/// How much an imported result is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Nothing speaks against it.
    Green,
    /// Usable, with what is said beside it in mind.
    Amber,
    /// A figure contradicts others, or the load was not what it claims: do not compare.
    Red,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// How grave.
    pub mark: Mark,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What was found. The words are in the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum What {
    /// Time per token by the file, and by latency, TTFT and tokens of the same file.
    PerTokenIdentity {
        /// As the file states it.
        stated: Seconds,
        /// (latency − TTFT) / (tokens − 1), of the means.
        implied: Seconds,
    },
    /// Output tokens / duration is not the stated rate.
    ThroughputIdentity {
        /// Stated, over computed.
        ratio: Ratio,
    },
    /// The load asked for was not sent.
    NotSentAsAsked {
        /// Asked for.
        asked: Rate,
        /// Sent, or completed where only that is known.
        achieved: Rate,
    },
    /// Much of the time that rates divide by is the emptying at the end.
    Drain {
        /// Its share.
        share: Share,
    },
    /// No arrival rate: a cap on concurrency lets the server set the pace.
    ClosedLoop,
    /// Half of the gaps are nearly 0: tokens of one event share a time.
    GapsShareTime {
        /// The median gap.
        median: Seconds,
        /// The mean gap.
        mean: Seconds,
    },
    /// Gaps are much longer than the time a token: events carry several tokens.
    ManyTokensAnEvent {
        /// Gap over time a token.
        ratio: Ratio,
    },
    /// The worst gaps are much longer than the stated ITL, which is a mean a request.
    StallsHidden {
        /// ITL P99 as stated.
        stated: Seconds,
        /// P99 of the gaps themselves.
        gaps: Seconds,
    },
    /// TTFT is 0, which cannot be.
    TtftZero,
    /// Answers of one token or none, which have no TPOT.
    ShortAnswers {
        /// How many.
        short: u64,
        /// Of how many.
        of: u64,
    },
    /// The tool counts short answers as failed.
    ShortAnswersCalledErrors {
        /// How many.
        errors: u64,
        /// Of how many.
        of: u64,
    },
    /// A time a token as long as the whole answer: it came in one event.
    WholeAnswerInOneEvent {
        /// How many answers.
        answers: u64,
    },
    /// Answers were not as long as asked.
    OutputNotAsAsked {
        /// Mean deviation as a share of what was asked, without its sign.
        off: Share,
        /// Shorter, or longer.
        shorter: bool,
    },
    /// Requests in flight by Little's law are not what the file says.
    LittlesLaw {
        /// Throughput × mean latency.
        implied: Ratio,
        /// Stated or allowed.
        stated: Ratio,
    },
    /// The server saw another number of requests than the client.
    ServerCount {
        /// The server's.
        server: u64,
        /// The client's.
        client: u64,
    },
    /// The records of the file are not those of its summary.
    RecordsUnlikeSummary {
        /// Records.
        records: u64,
        /// Completed, by the summary.
        summary: u64,
    },
    /// Requests failed.
    Failed {
        /// How many.
        failed: u64,
        /// Of how many.
        of: u64,
    },
    /// Nobody wrote down failures.
    FailuresUnknown,
    /// The client was late.
    SentLate {
        /// Mean delay.
        mean: Seconds,
    },
    /// The tool itself declared the result invalid.
    DeclaredInvalid,
    /// Fewer requests than a P99 needs.
    TooFew {
        /// Requests.
        n: u64,
    },
    /// No device count: nothing per GPU can be said.
    NoGpuCount,
    /// Records lack the time of sending.
    NoSendTimes,
    /// Records lack the intended time of sending.
    NoIntendedTimes,
    /// No record a request: no promise can be judged.
    NoRecords,
    /// Gaps between output events were not kept.
    NoGaps,
    /// A figure that means nothing.
    Meaningless {
        /// Its name in the file.
        field: &'static str,
    },
    /// A known error of the tool's files, worked around.
    KnownTrap {
        /// Its name in the file.
        field: &'static str,
    },
    /// The same device was scraped through more than one address; it counts once.
    DevicesTwice {
        /// Scrapes of devices.
        scraped: u64,
        /// Different devices.
        devices: u64,
    },
    /// A fixture, or a run against a mock server.
    Mock,
}

impl Finding {
    pub(super) const fn green(what: What) -> Self {
        Self { mark: Mark::Green, what }
    }

    pub(super) const fn amber(what: What) -> Self {
        Self { mark: Mark::Amber, what }
    }

    pub(super) const fn red(what: What) -> Self {
        Self { mark: Mark::Red, what }
    }
}

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
