//! What is asked before a run: does the target answer, with this key, for this model, with
//! token counts; and how many tokens are a word.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::record::{ClientFaultKind, FailureKind, Outcome};
use tokencap_shared::definitions::workload::{Class, Length, Workload};
use tokencap_shared::units::Nanos;

use crate::drive::step::Generator;
use crate::net::io::Tls;
use crate::net::target::{Target, TargetError};
use crate::schedule::draw::WorkloadError;
use crate::schedule::prompt::Ruler;
use crate::schedule::workload::{Source, Task};
use crate::trial::complete::Trial;
use tokencap_wire::answer::Verdict;

/// Why a run at this target cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum PreflightError {
    /// Nothing answers.
    #[error(
        "nothing answers at {url}: {why}; check that the server runs and that the address is right"
    )]
    Unreachable {
        /// The address that was tried.
        url: String,
        /// What the system says.
        why: String,
    },
    /// The key is wrong, or missing.
    #[error("the server refuses the API key ({status}): {said}; {}", if *has_key { "give the right one" } else { "give one by environment variable or file" })]
    Key {
        /// 401 or 403.
        status: u16,
        /// The server's words.
        said: String,
        /// Whether one was given.
        has_key: bool,
    },
    /// The model is unknown.
    #[error("the server does not know the model `{model}`; it has: {known}")]
    Model {
        /// What was asked for.
        model: String,
        /// What it has.
        known: String,
    },
    /// The route is unknown.
    #[error(
        "the server has no {path} ({status}: {said}); check the address, or try the other route"
    )]
    Route {
        /// The route that the server does not have.
        path: String,
        /// 404 or 405.
        status: u16,
        /// The server's words.
        said: String,
    },
    /// The trial request failed otherwise.
    #[error("a trial request failed ({outcome}): {said}; put that right before measuring")]
    Failed {
        /// The outcome's name.
        outcome: &'static str,
        /// The server's words, or what happened.
        said: String,
    },
    /// The trial request cannot be made.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// No request can be made.
    #[error(transparent)]
    Target(#[from] TargetError),
}

/// What was learnt before a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Preflight {
    /// How the server counts the tokens of prompts.
    pub ruler: Ruler,
    /// What a reader of the results should know.
    pub warnings: Vec<Note>,
}

/// How long one trial request may take: the first one may wait for a model to load.
const LIMIT: Duration = Duration::from_secs(120);
/// Words of the trial prompts.
const SHORT: u32 = 32;
const LONG: u32 = 1024;
/// Idle connections beside which a request must be served.
const IDLE: usize = 100;

/// Tries the target with a few small requests, one after the other. Where the server refuses
/// the fields that force lengths, the target is changed to do without them.
///
/// # Errors
/// If no run at this target could succeed; each error says what to do.
pub fn preflight(target: &mut Target, tls: Option<&Tls>) -> Result<Preflight, PreflightError> {
    let trial = Trial::new(target, tls)?;
    let mut warnings = Vec::new();
    let mut first = trial.complete(target, &prompt(target, SHORT, 8, 1)?, LIMIT);
    if target.exact_lengths && refuses_fields(&first) {
        target.exact_lengths = false;
        let second = trial.complete(target, &prompt(target, SHORT, 8, 2)?, LIMIT);
        if second.outcome == Outcome::Completed {
            warnings.push(Note::LengthsRefused);
        }
        first = second;
    }
    if first.outcome != Outcome::Completed {
        return Err(explain(target, &trial, first));
    }
    if !serves_beside_idle(target, &trial)? {
        target.hold_idle = false;
        warnings.push(Note::NoIdle);
    }
    let uncounted = match (first.isl, first.osl) {
        (Some(_), Some(_)) => None,
        _ if target.tokenizer.is_some() => Some(Note::CountedHere),
        (None, _) => Some(Note::NoUsage),
        (_, None) => Some(Note::NoOutputCount),
    };
    warnings.extend(uncounted);
    let Some(short) = first.isl else {
        return Ok(Preflight { ruler: Ruler::default(), warnings });
    };
    if first.cached.is_none() {
        warnings.push(Note::NoCachedCount);
    }
    let ruler = measure(target, &trial, short)?.unwrap_or_else(|| {
        warnings.push(Note::OddCounts);
        Ruler::default()
    });
    Ok(Preflight { ruler, warnings })
}

/// How long a request of the workload takes when nothing else is asked: the median of a few,
/// one after the other.
///
/// # Errors
/// If none is answered.
pub fn alone(generator: &Generator) -> Result<Nanos, PreflightError> {
    const REQUESTS: u32 = 5;
    let Generator { target, workload, ruler, tls, trace, .. } = generator;
    let trial = Trial::new(target, tls.as_ref())?;
    let source = Source::new(workload, &target.form(), *ruler, trace.clone(), 0, !generator.salt)?;
    let source = Arc::new(source);
    let mut times = Vec::new();
    let mut failed = None;
    for number in 0..REQUESTS {
        let begun = Instant::now();
        let verdict = trial.complete(target, &source.task(number), LIMIT);
        if verdict.outcome == Outcome::Completed {
            times.push(begun.elapsed().as_nanos() as u64);
        } else {
            failed = Some(verdict);
        }
    }
    times.sort_unstable();
    match (times.get(times.len() / 2), failed) {
        (Some(&median), _) => Ok(Nanos(median)),
        (None, Some(verdict)) => Err(explain(target, &trial, verdict)),
        (None, None) => Ok(Nanos(1_000_000_000)),
    }
}

/// Whether a request is served while as many connections are idle as a run would hold.
fn serves_beside_idle(target: &Target, trial: &Trial) -> Result<bool, PreflightError> {
    let begun = Instant::now();
    let alone = trial.complete(target, &prompt(target, SHORT, 1, 3)?, LIMIT);
    if alone.outcome != Outcome::Completed {
        // What is wrong, others find.
        return Ok(true);
    }
    // Idle connections are given up after five seconds by the servers in question.
    let patience = begun.elapsed() * 3 + Duration::from_millis(1500);
    let Some(address) = target.server.addresses.first() else { return Ok(true) };
    let mut idle = Vec::new();
    while idle.len() < IDLE {
        match TcpStream::connect_timeout(address, Duration::from_millis(500)) {
            Ok(stream) => idle.push(stream),
            Err(_) => break,
        }
    }
    let beside = trial.complete(target, &prompt(target, SHORT, 1, 4)?, patience);
    drop(idle);
    Ok(beside.outcome == Outcome::Completed)
}

/// Measures tokens a word with two long prompts, or shorter ones where those do not fit.
fn measure(target: &Target, trial: &Trial, short: u32) -> Result<Option<Ruler>, PreflightError> {
    for words in [LONG, LONG / 4, LONG / 8] {
        let mut tokens = 0;
        let mut fits = true;
        for number in 0..2 {
            let verdict = trial.complete(target, &prompt(target, words, 1, 10 + number)?, LIMIT);
            match (verdict.outcome, verdict.isl) {
                // A first token that ends the answer may leave it empty; the count is there.
                (Outcome::Completed | Outcome::Failed(FailureKind::Empty), Some(isl)) => {
                    tokens += isl;
                }
                (Outcome::ClientFault(ClientFaultKind::PromptTooLong), _) => fits = false,
                _ => return Err(explain(target, trial, verdict)),
            }
        }
        if fits {
            return Ok(Ruler::through((2 * SHORT, 2 * short), (2 * words, tokens)).map(|ruler| {
                // Both prompts together have the template twice.
                Ruler { fixed: ruler.fixed / 2.0, ..ruler }
            }));
        }
    }
    Ok(None)
}

/// A prompt of so many words that no cache knows.
fn prompt(target: &Target, words: u32, output: u32, seed: u64) -> Result<Task, WorkloadError> {
    let class = Class {
        weight: 1.0,
        isl: Length::Fixed { tokens: words },
        osl: Length::Fixed { tokens: output },
        shared_prefix: 0,
    };
    let workload = Workload::mix("trial", vec![class]);
    let salt = std::process::id().into();
    Ok(Arc::new(Source::new(&workload, &target.form(), Ruler::default(), None, seed, salt)?)
        .task(0))
}

/// Whether a refusal is about the fields that OpenAI's own API does not have.
fn refuses_fields(verdict: &Verdict) -> bool {
    let said = verdict.error.as_deref().unwrap_or_default().to_ascii_lowercase();
    matches!(verdict.outcome, Outcome::ClientFault(ClientFaultKind::BadRequest))
        && ["min_tokens", "ignore_eos", "unrecognized", "unknown", "extra", "unsupported"]
            .iter()
            .any(|word| said.contains(word))
}

fn explain(target: &Target, trial: &Trial, verdict: Verdict) -> PreflightError {
    let server = &target.server;
    let url = format!("{}{}", server.root(), server.path);
    let said = verdict.error.unwrap_or_else(|| "no message".into());
    let status = verdict.status.unwrap_or(0);
    match verdict.outcome {
        Outcome::Failed(FailureKind::Unreachable) => PreflightError::Unreachable { url, why: said },
        Outcome::ClientFault(ClientFaultKind::Unauthorised) => {
            PreflightError::Key { status, said, has_key: target.key.is_some() }
        }
        Outcome::ClientFault(_) => {
            let known = models(target, trial);
            if let Some(known) = &known
                && !known.contains(&target.model)
            {
                return PreflightError::Model {
                    model: target.model.clone(),
                    known: known.join(", "),
                };
            }
            if matches!(status, 404 | 405) {
                let path = format!("{}{}", server.path, target.route.path());
                return PreflightError::Route { path, status, said };
            }
            PreflightError::Failed { outcome: verdict.outcome.name(), said }
        }
        outcome => PreflightError::Failed { outcome: outcome.name(), said },
    }
}

/// The models that the server says it has, if it says so.
fn models(target: &Target, trial: &Trial) -> Option<Vec<String>> {
    let path = format!("{}/models", target.server.path);
    let limit = Duration::from_secs(10);
    let page = trial.client().get(&path, target.key_field(), limit).ok()?;
    if page.status != 200 {
        return None;
    }
    let list: Value = serde_json::from_slice(&page.body).ok()?;
    let names = list["data"].as_array()?.iter().filter_map(|model| model["id"].as_str());
    let names: Vec<_> = names.map(|name| target.redact(name.to_owned())).collect();
    (!names.is_empty()).then_some(names)
}
