//! English: results of other tools.

use crate::import::{
    AskedRate, Clock, Definitions, Divisor, Failures, FirstToken, Itl, Load, Mark, Tpot, What,
};
use crate::present::format::{count, fixed, percent, plain};
use crate::present::words::ImportWords;
use crate::units::Seconds;

pub(in crate::present::words) const WORDS: ImportWords = ImportWords {
    title: "Imported results",
    not_signable: "Imported, not signable: nobody measured the client that made these records",
    mark,
    finding,
    definitions,
    load,
};

const fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::Green => "green",
        Mark::Amber => "amber",
        Mark::Red => "red",
    }
}

fn ms(time: Seconds) -> String {
    format!("{} ms", plain(time.get() * 1e3))
}

fn load(load: &Load) -> String {
    let rate = match load.rate {
        Some(AskedRate::Finite(rate)) => Some(format!("{} req/s", plain(rate))),
        Some(AskedRate::Unlimited) => Some("all at once".to_owned()),
        None => None,
    };
    let cap = load.concurrency.map(|cap| format!("at most {cap} in flight"));
    let parts: Vec<String> = rate.into_iter().chain(cap).collect();
    if parts.is_empty() { "not stated".to_owned() } else { parts.join(", ") }
}

fn finding(what: &What) -> String {
    match what {
        What::PerTokenIdentity { stated, implied } => format!(
            "time a token: {} stated, {} by latency, TTFT and tokens",
            ms(*stated),
            ms(*implied)
        ),
        What::ThroughputIdentity { ratio } => {
            format!("output rate is {} of tokens / duration", fixed(*ratio, 3))
        }
        What::NotSentAsAsked { asked, achieved } => {
            format!("{} req/s asked for, {} achieved", plain(*asked), plain(*achieved))
        }
        What::Drain { share } => format!(
            "{} % of the duration that rates divide by is after the last request was sent",
            percent(*share, 0)
        ),
        What::ClosedLoop => {
            "no arrival rate: the server set the pace, so this is no point on a rate axis"
                .to_owned()
        }
        What::GapsShareTime { median, mean } => format!(
            "half of the gaps are below {} (mean {}): tokens of one event share its time",
            ms(*median),
            ms(*mean)
        ),
        What::ManyTokensAnEvent { ratio } => format!(
            "gaps are {} times the time a token: events carry several tokens",
            fixed(*ratio, 2)
        ),
        What::StallsHidden { stated, gaps } => format!(
            "ITL P99 {} is of means per request; P99 of the gaps themselves is {}",
            ms(*stated),
            ms(*gaps)
        ),
        What::TtftZero => "TTFT is 0, which cannot be: its latencies are worth nothing".to_owned(),
        What::ShortAnswers { short, of } => format!(
            "{} of {} answers have one token or none, and no time a token",
            count(*short),
            count(*of)
        ),
        What::ShortAnswersCalledErrors { errors, of } => format!(
            "{} of {} requests are called errors because their answers are short",
            count(*errors),
            count(*of)
        ),
        What::WholeAnswerInOneEvent { answers } => format!(
            "{} answers came in one event: their time a token is that of the whole answer",
            count(*answers)
        ),
        What::OutputNotAsAsked { off, shorter } => format!(
            "answers are {} % {} than asked for",
            percent(*off, 0),
            if *shorter { "shorter" } else { "longer" }
        ),
        What::LittlesLaw { implied, stated } => format!(
            "requests in flight by Little's law {}, stated or allowed {}",
            plain(*implied),
            plain(*stated)
        ),
        What::ServerCount { server, client } => format!(
            "the server counted {} requests, the client {}: the scrape is not of this stage",
            count(*server),
            count(*client)
        ),
        What::RecordsUnlikeSummary { records, summary } => {
            format!("{} completed records, but {} in the summary", count(*records), count(*summary))
        }
        What::Failed { failed, of } => {
            format!("{} of {} requests failed", count(*failed), count(*of))
        }
        What::FailuresUnknown => "failures are not stated".to_owned(),
        What::SentLate { mean } => {
            format!("requests were sent {} late on average", ms(*mean))
        }
        What::DeclaredInvalid => "the tool itself calls the result invalid".to_owned(),
        What::TooFew { n } => {
            format!("{} requests: a P99 needs at least 299 to be confirmed", count(*n))
        }
        What::NoGpuCount => "the GPUs are not stated: nothing per GPU".to_owned(),
        What::NoSendTimes => {
            "times of sending are not kept: nothing that depends on time is judged".to_owned()
        }
        What::NoIntendedTimes => {
            "intended times are not kept: how late the client was is unknown".to_owned()
        }
        What::NoRecords => "no record a request: no promise can be judged".to_owned(),
        What::NoGaps => "gaps between events are not kept: stalls are invisible".to_owned(),
        What::Meaningless { field } => format!("`{field}` means nothing and is not used"),
        What::KnownTrap { field } => format!("`{field}` is a known trap, and was not stepped into"),
        What::DevicesTwice { scraped, devices } => format!(
            "{} scraped devices are {} different ones; each counts once",
            count(*scraped),
            count(*devices)
        ),
        What::Mock => "made against a mock server".to_owned(),
    }
}

fn definitions(of: &Definitions) -> Vec<&'static str> {
    let mut said = vec![match of.clock {
        Clock::Sent => "latency counts from sending, so a late client flatters the server",
        Clock::Scheduled => "latency counts from the scheduled time: longer than here",
        Clock::Unknown => "from when latency counts is not known",
    }];
    said.extend(match of.first_token {
        FirstToken::Output => None,
        FirstToken::AnyEvent => Some("TTFT ends with the first event, even an empty one"),
        FirstToken::Text => Some("TTFT ends with the first text"),
        FirstToken::Unknown => Some("what ends TTFT is not known"),
    });
    said.extend(match of.itl {
        Itl::EventGaps | Itl::None => None,
        Itl::MeanPerRequest => Some("ITL is one mean a request, which hides stalls: TPOT here"),
        Itl::TokensShareTime => {
            Some("ITL is between tokens, and tokens of one event share its time")
        }
        Itl::GapPerToken => Some("ITL is the gap divided by the tokens of its event"),
        Itl::IncludesFirst => Some("ITL includes TTFT"),
    });
    said.extend(match of.tpot {
        Tpot::ToLastToken | Tpot::None => None,
        Tpot::ToEnd => Some("TPOT runs to the end of the response"),
        Tpot::IncludesFirst => Some("TPOT includes TTFT"),
    });
    said.extend(match of.failures {
        Failures::Counted | Failures::NotStated => None,
        Failures::LeftOut => Some("failed requests are left out of its goodput"),
        Failures::Invalidate => Some("a breach makes the whole result invalid"),
    });
    said.extend(match of.divisor {
        Divisor::WithDrain => None,
        Divisor::Window => Some("rates divide by a window"),
        Divisor::Stage => Some("rates divide by the stage's time"),
        Divisor::Unknown => Some("what rates divide by is not known"),
    });
    said
}
