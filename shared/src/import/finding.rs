//! What an audit finds, and how grave it is.

use serde::Serialize;

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
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Finding {
    /// How grave.
    pub mark: Mark,
    #[serde(flatten)]
    pub what: What,
}

/// What was found. The words are in the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "what")]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
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
    Drain { share: Share },
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
        short: u64,
        /// Of how many.
        of: u64,
    },
    /// The tool counts short answers as failed.
    ShortAnswersCalledErrors {
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
        records: u64,
        /// Completed, by the summary.
        summary: u64,
    },
    /// Requests failed.
    Failed {
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
