//! Recorded traffic, to be replayed: Mooncake's JSON lines, Azure's and BurstGPT's tables.
//!
//! A trace gives instants, lengths and, in Mooncake's form, which blocks of tokens prompts
//! share. Time is scaled so that the trace's mean rate becomes the step's; behind its end the
//! trace begins anew.

use std::collections::HashMap;
use std::sync::Arc;

use csv::{StringRecord, Trim};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use tokencap_shared::units::Nanos;

/// Tokens of a block in Mooncake's traces.
pub const MOONCAKE_BLOCK: u32 = 512;

/// One request of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Time since the trace's first request.
    pub at: Nanos,
    /// Prompt tokens.
    pub isl: u32,
    /// Output tokens.
    pub osl: u32,
    /// The prompt's leading blocks, where the trace tells: equal numbers, equal text.
    pub blocks: Box<[u32]>,
}

/// A trace, in the order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    entries: Vec<Entry>,
    /// Requests without a prompt or without output, which were left out.
    pub left_out: usize,
}

/// Why a text is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// A line that cannot be read.
    #[error("line {line} of the trace: {what}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// None of the known forms.
    #[error(
        "the trace is none of the known forms: Mooncake's JSON lines (timestamp, input_length, \
         output_length, hash_ids), Azure's table (TIMESTAMP, ContextTokens, GeneratedTokens) or \
         BurstGPT's (Timestamp, Request tokens, Response tokens)"
    )]
    Unknown,
    /// Too little to have a rate.
    #[error("the trace needs at least two requests at different instants")]
    TooShort,
}

impl Trace {
    /// Bytes that a file of one may have: tens of millions of requests.
    pub const MOST_BYTES: u64 = 4 << 30;

    /// Reads a trace of any known form.
    ///
    /// # Errors
    /// If the form is unknown, a line cannot be read, or the trace has no rate.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut all =
            if text.trim_start().starts_with('{') { mooncake(text)? } else { table(text)? };
        let read = all.len();
        all.retain(|(_, entry)| entry.isl > 0 && entry.osl > 0);
        let left_out = read - all.len();
        all.sort_by_key(|(at, _)| *at);
        let first = all.first().map_or(0, |(at, _)| *at);
        let entries: Vec<Entry> = all
            .into_iter()
            .map(|(at, entry)| Entry { at: Nanos(at.abs_diff(first)), ..entry })
            .collect();
        if entries.last().is_none_or(|last| last.at == Nanos(0)) {
            return Err(TraceError::TooShort);
        }
        Ok(Self { entries, left_out })
    }

    /// The requests, in the order of time.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The request with the given number, counted through repetitions.
    #[must_use]
    pub fn entry(&self, number: u32) -> &Entry {
        &self.entries[number as usize % self.entries.len()]
    }

    /// Requests per second over the trace: n − 1 spacings over its span.
    #[must_use]
    pub fn mean_rate(&self) -> f64 {
        let span = self.entries.last().map_or(0, |last| last.at.0);
        (self.entries.len() - 1) as f64 / (span as f64 / 1e9)
    }

    /// Instants at which requests arrive when the trace is replayed at a mean rate.
    pub fn arrivals(self: Arc<Self>, rate: f64) -> impl Iterator<Item = Nanos> + Send + 'static {
        let scale = self.mean_rate() / rate;
        let span = self.entries.last().map_or(0, |last| last.at.0);
        let length = self.entries.len();
        // Between the last request and the first one again lies a mean spacing.
        let round = span + span / (length as u64 - 1).max(1);
        (0_usize..).map(move |number| {
            let before = (number / length) as u64 * round;
            let at = (before + self.entries[number % length].at.0) as f64 * scale;
            Nanos(at.round() as u64)
        })
    }
}

/// Nanoseconds from anywhere, and the request.
type Parsed = (i64, Entry);

/// A line of Mooncake's.
#[derive(Deserialize)]
struct Line {
    timestamp: f64,
    input_length: u32,
    output_length: u32,
    #[serde(default)]
    hash_ids: Vec<u32>,
}

fn mooncake(text: &str) -> Result<Vec<Parsed>, TraceError> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines.map(|(text, line)| read_line(text).map_err(|what| bad(line, what))).collect()
}

fn read_line(text: &str) -> Result<Parsed, String> {
    let wrong = || "timestamp, input_length or output_length is missing or no count".to_owned();
    let line: Line = serde_json::from_str(text)
        .map_err(|error| if error.is_data() { wrong() } else { "it is not JSON".to_owned() })?;
    if !(0.0..9e12).contains(&line.timestamp) {
        return Err(wrong());
    }
    let at = (line.timestamp * 1e6).round() as i64;
    Ok((at, entry(line.input_length, line.output_length, line.hash_ids)))
}

/// Azure's or BurstGPT's table, told apart by the names of the columns.
fn table(text: &str) -> Result<Vec<Parsed>, TraceError> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.trim(Trim::All).flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|_| TraceError::Unknown)?;
    let columns: HashMap<String, usize> =
        header.iter().map(str::to_ascii_lowercase).zip(0..).collect();
    let find = |names: [&str; 3]| {
        let [at, isl, osl] = names.map(|name| columns.get(name).copied());
        Some([at?, isl?, osl?])
    };
    let azure = find(["timestamp", "contexttokens", "generatedtokens"]);
    let burst = || find(["timestamp", "request tokens", "response tokens"]);
    let (columns, time): (_, fn(&str) -> Option<i64>) = match azure {
        Some(columns) => (columns, civil_nanos),
        None => (burst().ok_or(TraceError::Unknown)?, seconds),
    };
    let row = |record: Result<StringRecord, csv::Error>| {
        let record = record.map_err(|error| bad(line_of(error.position()), error.to_string()))?;
        let line = line_of(record.position());
        table_row(&record, columns, time).map_err(|what| bad(line, what))
    };
    reader.records().map(row).collect()
}

fn line_of(position: Option<&csv::Position>) -> usize {
    position.map_or(0, |position| position.line() as usize)
}

fn bad(line: usize, what: String) -> TraceError {
    TraceError::Line { line, what }
}

fn entry(isl: u32, osl: u32, blocks: Vec<u32>) -> Entry {
    Entry { at: Nanos(0), isl, osl, blocks: blocks.into() }
}

fn table_row(
    fields: &StringRecord,
    [at, isl, osl]: [usize; 3],
    time: fn(&str) -> Option<i64>,
) -> Result<Parsed, String> {
    let field = |index: usize| fields.get(index).ok_or("it has too few columns");
    let count = |index| {
        let text = field(index)?;
        text.parse::<u32>().map_err(|_| format!("`{text}` is no count of tokens"))
    };
    let text = field(at)?;
    let at = time(text).ok_or_else(|| format!("`{text}` is no time"))?;
    Ok((at, entry(count(isl)?, count(osl)?, Vec::new())))
}

/// A number of seconds.
fn seconds(text: &str) -> Option<i64> {
    let nanos = text.parse::<f64>().ok()? * 1e9;
    (nanos.abs() < 9e18).then(|| nanos.round() as i64)
}

/// A date and time such as `2023-11-16 18:17:03.9799600`, in UTC where it does not say.
fn civil_nanos(text: &str) -> Option<i64> {
    let in_utc = || TimeZone::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    let stamp = text.parse::<Timestamp>().ok().or_else(in_utc);
    stamp?.as_nanosecond().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mooncakes_lines_are_milliseconds_with_blocks() {
        let trace = Trace::parse(
            "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [0, 1]}\n\
             {\"timestamp\": 3000, \"input_length\": 700, \"output_length\": 6, \"hash_ids\": [0, 2]}\n\
             {\"timestamp\": 1000, \"input_length\": 10, \"output_length\": 0, \"hash_ids\": []}\n",
        )
        .unwrap();
        assert_eq!(trace.left_out, 1);
        let [first, last] = trace.entries() else { panic!("{trace:?}") };
        assert_eq!((first.at, first.isl, first.osl), (Nanos(0), 600, 5));
        assert_eq!((last.at, &*last.blocks), (Nanos::from_secs(3), &[0, 2][..]));
    }

    #[test]
    fn azures_table_has_dates_and_burstgpts_has_seconds() {
        let azure = Trace::parse(
            "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 23:59:59.9799600,4808,10\r\n\
             2023-11-17 00:00:00.0319600,3180,8\r\n",
        )
        .unwrap();
        assert_eq!(azure.entries()[1].at, Nanos(52_000_000));
        assert_eq!((azure.entries()[0].isl, azure.entries()[1].osl), (4808, 8));
        let burst = Trace::parse(
            "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
             5,s,1,ChatGPT,472,18,490,Conversation log\n45,,2,GPT-4,1087,230,1317,API log\n",
        )
        .unwrap();
        assert_eq!(burst.entries()[1].at, Nanos::from_secs(40));
        assert_eq!((burst.entries()[1].isl, burst.entries()[1].osl), (1087, 230));
    }

    #[test]
    fn quoted_fields_and_stated_offsets_are_read() {
        let trace = Trace::parse(
            "\"TIMESTAMP\",\"ContextTokens\", GeneratedTokens,Note\n\
             2023-11-16 18:17:03+00:00, 8, 1,\"a, b\"\n\n2023-11-16T19:17:04+01:00,9,2,\n",
        )
        .unwrap();
        assert_eq!(trace.entries()[1].at, Nanos::from_secs(1));
        assert_eq!((trace.entries()[0].isl, trace.entries()[1].osl), (8, 2));
        let bad = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,1\n";
        assert_eq!(
            Trace::parse(bad).unwrap_err().to_string(),
            "line 2 of the trace: it has too few columns"
        );
    }

    #[test]
    fn a_replay_has_the_asked_mean_rate_and_begins_anew_behind_its_end() {
        let lines: String = [0, 100, 400]
            .iter()
            .map(|at| format!("{{\"timestamp\":{at},\"input_length\":1,\"output_length\":1}}\n"))
            .collect();
        let trace = Arc::new(Trace::parse(&lines).unwrap());
        assert_eq!(trace.mean_rate(), 5.0);
        let millis: Vec<u64> =
            Arc::clone(&trace).arrivals(10.0).take(7).map(|at| at.0 / 1_000_000).collect();
        assert_eq!(millis, [0, 50, 200, 300, 350, 500, 600]);
        assert_eq!(trace.entry(4), trace.entry(1));
    }

    #[test]
    fn what_is_no_trace_is_refused_with_the_line() {
        let error = |text: &str| Trace::parse(text).unwrap_err().to_string();
        assert!(error("a,b\n1,2\n").contains("none of the known forms"));
        assert!(error("").contains("none of the known forms"));
        let bad = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,x,1\n";
        assert_eq!(error(bad), "line 2 of the trace: `x` is no count of tokens");
        assert!(error("{\"timestamp\":1}\n").starts_with("line 1"));
        let one = "{\"timestamp\":1,\"input_length\":1,\"output_length\":1}\n";
        assert!(error(one).contains("at least two requests"));
        assert!(error(&format!("{one}{one}")).contains("different instants"));
    }

    /// The head of a published trace; `None`, said, where it is not at hand.
    fn published(name: &str) -> Option<String> {
        let root = std::env::var_os("TOKENCAP_SHARED_DIR").map_or_else(
            || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
            std::path::PathBuf::from,
        );
        let path = root.join("samples/traces").join(name);
        let text = std::fs::read_to_string(&path).ok();
        if text.is_none() {
            println!("skipped: {} is not here", path.display());
        }
        text
    }

    #[test]
    fn the_published_tables_of_azure_are_read() {
        let sums = |name| {
            let trace = Trace::parse(&published(name)?).unwrap();
            let entries = trace.entries();
            let isl: u32 = entries.iter().map(|entry| entry.isl).sum();
            let osl: u32 = entries.iter().map(|entry| entry.osl).sum();
            Some((entries.len(), isl, osl, entries.last().unwrap().at))
        };
        if let Some(code) = sums("azure2023_code.head.csv") {
            assert_eq!(code, (3, 8098, 45, Nanos(98_189_000)));
        }
        if let Some(conversation) = sums("azure2023_conv.head.csv") {
            assert_eq!(conversation, (3, 1649, 208, Nanos(4_541_877_000)));
        }
    }

    #[test]
    fn the_published_lines_of_mooncake_are_read() {
        let Some(head) = published("mooncake_conversation.head.jsonl") else { return };
        // Its first two requests come at one instant, which is too short for a trace.
        assert_eq!(Trace::parse(&head), Err(TraceError::TooShort));
        let third =
            r#"{"timestamp": 3000, "input_length": 9, "output_length": 1, "hash_ids": [0]}"#;
        let trace = Trace::parse(&format!("{}\n{third}\n", head.trim_end())).unwrap();
        let lengths: Vec<_> =
            trace.entries().iter().map(|e| (e.at, e.isl, e.osl, e.blocks.len())).collect();
        let third = (Nanos::from_secs(3), 9, 1, 1);
        assert_eq!(lengths, [(Nanos(0), 6758, 500, 14), (Nanos(0), 7322, 490, 15), third]);
    }

    #[test]
    fn a_line_that_was_cut_off_is_told_by_its_number() {
        let cut = "{\"timestamp\":0,\"input_length\":5,\"output_length\":1,\"hash_ids\":[0, 1";
        assert_eq!(
            Trace::parse(cut).unwrap_err().to_string(),
            "line 1 of the trace: it is not JSON"
        );
    }
}
