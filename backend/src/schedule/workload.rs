//! From a declared workload to each request's body: what is asked, how long, what is shared.
//!
//! Everything about a task (a request of a mix, or a session) follows from the step's seed and
//! the task's number, so that tasks may be made in any order and on any thread or machine.

use std::sync::Arc;

use tokencap_shared::definitions::workload::{CacheState, Class, Shape, Workload};
use tokencap_shared::units::{Nanos, Rate};

use crate::rng::{Purpose, Random};
use crate::schedule::draw::{WorkloadError, draw, draw_think};
use crate::schedule::form::{RequestForm, Route};
use crate::schedule::prompt::{Ruler, SALT_WORDS, Words};
use crate::schedule::trace::{Entry, Trace};
use tokencap_wire::json::escape_into;

/// A workload made ready for one step at one target.
#[derive(Debug)]
pub struct Source {
    shape: Shape,
    cache: CacheState,
    ruler: Ruler,
    words: Words,
    seed: u64,
    salt: u64,
    route: Route,
    /// Cumulative weights of the classes.
    weights: Vec<f64>,
    /// Texts shared by all requests of a class, or by all sessions.
    shared: Vec<Arc<[u8]>>,
    /// The request's head up to `Content-Length: `.
    head: Vec<u8>,
    open: Vec<u8>,
    close: &'static str,
    exact_lengths: bool,
    trace: Option<Arc<Trace>>,
}

/// A task on its way: one request of a mix, or a session with all it has said so far.
#[derive(Debug)]
pub struct Task {
    source: Arc<Source>,
    shape: Random,
    text: Random,
    /// Its number among the step's arrivals.
    pub session: u32,
    /// The request's place in the session, from 0.
    pub turn: u32,
    shared: Arc<[u8]>,
    own: Vec<u8>,
    output_tokens: u32,
    input_tokens: u32,
}

impl Source {
    /// Prepares a workload, with its trace where it replays one. `salt` is a number of the run
    /// and the step: two steps of different salts share nothing but what the workload declares
    /// as shared.
    ///
    /// # Errors
    /// If the workload has no requests or a distribution's numbers make no sense.
    pub fn new(
        workload: &Workload,
        form: &RequestForm,
        ruler: Ruler,
        trace: Option<Arc<Trace>>,
        seed: u64,
        salt: u64,
    ) -> Result<Self, WorkloadError> {
        workload.check()?;
        let (mut weights, mut sum) = (Vec::new(), 0.0);
        let mut prefixes = Vec::new();
        match &workload.shape {
            Shape::Mix { classes } => {
                for class in classes {
                    sum += class.weight;
                    weights.push(sum);
                    prefixes.push(class.shared_prefix);
                }
            }
            Shape::Sessions { shared_prefix, .. } => prefixes.push(*shared_prefix),
            Shape::Trace { .. } if trace.is_none() => {
                return Err(WorkloadError::NoTrace(workload.name.clone()));
            }
            Shape::Trace { .. } => prefixes.push(0),
        }
        let shared = prefixes
            .iter()
            .enumerate()
            .map(|(index, &tokens)| {
                let mut text = Vec::new();
                let words = ruler.words(tokens);
                // What is shared is shared by all steps: no seed of a step is in it.
                form.words.append(
                    &mut text,
                    &mut Random::new(0, Purpose::Shared, index as u64),
                    words,
                );
                // The text of its own that follows begins without one.
                if words > 0 {
                    text.push(b' ');
                }
                text.into()
            })
            .collect();
        let mut open = b"{\"model\":\"".to_vec();
        escape_into(&mut open, &form.model);
        let (prompt, close) = match form.route {
            Route::Chat => ("\",\"messages\":[{\"role\":\"user\",\"content\":\"", "\"}]"),
            Route::Completions => ("\",\"prompt\":\"", "\""),
        };
        open.extend_from_slice(prompt.as_bytes());
        Ok(Self {
            shape: workload.shape.clone(),
            cache: workload.cache,
            ruler,
            words: form.words.clone(),
            seed,
            salt,
            route: form.route,
            weights,
            shared,
            head: form.head.clone(),
            open,
            close,
            exact_lengths: form.exact_lengths,
            trace,
        })
    }

    /// Requests that each arrival stands for: the steps of a session, or 1.
    #[must_use]
    pub fn requests_per_arrival(&self) -> u32 {
        match &self.shape {
            Shape::Mix { .. } | Shape::Trace { .. } => 1,
            Shape::Sessions { steps, .. } => *steps,
        }
    }

    /// The instants of a trace at a mean rate, where the workload replays one.
    #[must_use]
    pub fn replay(&self, rate: Rate) -> Option<Box<dyn Iterator<Item = Nanos> + Send>> {
        let trace = Arc::clone(self.trace.as_ref()?);
        Some(Box::new(trace.arrivals(rate.get())))
    }

    /// The task with the given number, at its first request.
    #[must_use]
    pub fn task(self: &Arc<Self>, session: u32) -> Task {
        if let (Shape::Trace { block_tokens, .. }, Some(trace)) = (&self.shape, &self.trace) {
            return self.replayed(session, trace.entry(session), *block_tokens);
        }
        let index = u64::from(session);
        let mut shape = Random::new(self.seed, Purpose::Shape, index);
        let mut text = Random::new(self.seed, Purpose::Text, index);
        let (class, shared_tokens, new_tokens, output_tokens) = match &self.shape {
            Shape::Mix { classes } => {
                let class = self.pick(&mut shape);
                let Class { isl, osl, shared_prefix, .. } = classes[class];
                let isl = draw(isl, &mut shape);
                (class, shared_prefix, isl.saturating_sub(shared_prefix), draw(osl, &mut shape))
            }
            Shape::Sessions { shared_prefix, new_tokens, output_tokens, .. } => {
                let new = draw(*new_tokens, &mut shape);
                (0, *shared_prefix, new, draw(*output_tokens, &mut shape))
            }
            Shape::Trace { .. } => (0, 0, 1, 1),
        };
        let shared = Arc::clone(&self.shared[class]);
        let shared_words = self.ruler.words(shared_tokens);
        let words = self.ruler.words_of_prompt(shared_tokens + new_tokens);
        let mut words = words.saturating_sub(shared_words);
        let mut own = Vec::new();
        if self.cache != CacheState::Warm {
            words = words.saturating_sub(SALT_WORDS);
            self.words.append(
                &mut own,
                &mut Random::new(self.salt, Purpose::Salt, index),
                SALT_WORDS,
            );
        }
        // Nothing is to be found in a cache: the salt comes before the shared text, too.
        let shared = if self.cache == CacheState::Cold {
            own.push(b' ');
            own.extend_from_slice(&shared);
            Arc::default()
        } else {
            shared
        };
        self.words.append(&mut own, &mut text, words);
        Task {
            source: Arc::clone(self),
            shape,
            text,
            session,
            turn: 0,
            shared,
            own,
            output_tokens: output_tokens.max(1),
            input_tokens: shared_tokens + new_tokens,
        }
    }

    /// A request of a trace. Blocks of one number are of one text, behind a salt that the whole
    /// step shares, so that what the trace shares is shared inside the step and nowhere else.
    fn replayed(self: &Arc<Self>, number: u32, entry: &Entry, block_tokens: u32) -> Task {
        let index = u64::from(number);
        let mut text = Random::new(self.seed, Purpose::Text, index);
        let mut words = self.ruler.words_of_prompt(entry.isl);
        let mut own = Vec::new();
        if self.cache != CacheState::Warm {
            let shared_by = if entry.blocks.is_empty() || self.cache == CacheState::Cold {
                index
            } else {
                u64::MAX
            };
            let mut salt = Random::new(self.salt, Purpose::Salt, shared_by);
            self.words.append(&mut own, &mut salt, SALT_WORDS);
            words = words.saturating_sub(SALT_WORDS);
        }
        for &block in &entry.blocks {
            let length = self.ruler.words(block_tokens).min(words);
            let mut random = Random::new(0, Purpose::Shared, u64::from(block) | 1 << 32);
            self.words.append(&mut own, &mut random, length);
            words -= length;
        }
        self.words.append(&mut own, &mut text, words);
        Task {
            source: Arc::clone(self),
            shape: Random::new(self.seed, Purpose::Shape, index),
            text,
            session: number,
            turn: 0,
            shared: Arc::default(),
            own,
            output_tokens: entry.osl,
            input_tokens: entry.isl,
        }
    }

    fn pick(&self, shape: &mut Random) -> usize {
        let total = self.weights.last().copied().unwrap_or(1.0);
        let at = (1.0 - shape.unit()) * total;
        self.weights.iter().position(|&sum| at < sum).unwrap_or(self.weights.len() - 1)
    }
}

impl Task {
    /// The request as four pieces that are sent one after the other: the head of HTTP/1.1 and
    /// the body's opening, shared text, own text, the body's closing. The first and the last are
    /// made here.
    #[must_use]
    pub fn frame(&self) -> (Vec<u8>, Vec<u8>) {
        let source = &self.source;
        let tail = self.closing();
        let length = source.open.len() + self.shared.len() + self.own.len() + tail.len();
        let mut head = source.head.clone();
        head.extend_from_slice(format!("{length}\r\n\r\n").as_bytes());
        head.extend_from_slice(&source.open);
        (head, tail)
    }

    /// The request's body in one piece.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        [&self.source.open[..], &self.shared, &self.own, &self.closing()].concat()
    }

    fn closing(&self) -> Vec<u8> {
        let tokens = self.output_tokens;
        let exact = if self.source.exact_lengths {
            format!(",\"min_tokens\":{tokens},\"ignore_eos\":true")
        } else {
            String::new()
        };
        format!(
            "{},\"max_tokens\":{tokens}{exact},\"stream\":true,\
             \"stream_options\":{{\"include_usage\":true}}}}",
            self.source.close
        )
        .into_bytes()
    }

    /// The text that it shares with other tasks, as it stands in the JSON.
    #[must_use]
    pub fn shared(&self) -> &[u8] {
        &self.shared
    }

    /// The text of its own, as it stands in the JSON.
    #[must_use]
    pub fn own(&self) -> &[u8] {
        &self.own
    }

    /// Tokens that it asks for.
    #[must_use]
    pub const fn output_tokens(&self) -> u32 {
        self.output_tokens
    }

    /// Tokens that its prompt is meant to have.
    #[must_use]
    pub const fn input_tokens(&self) -> u32 {
        self.input_tokens
    }

    /// Whether a further request of the session will contain this one's answer.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.turn + 1 < self.source.requests_per_arrival()
    }

    /// The next task of the same user, of so many users of a closed loop.
    #[must_use]
    pub fn next_of_user(&self, users: u32) -> Self {
        self.source.task(self.session.wrapping_add(users))
    }

    /// Goes on to the session's next request, whose prompt extends the last one by the answer
    /// (the inside of a JSON string) and new text; returns the time to think before it.
    pub fn advance(&mut self, answer: &[u8]) -> Nanos {
        let source = Arc::clone(&self.source);
        let Shape::Sessions { new_tokens, output_tokens, think, .. } = &source.shape else {
            return Nanos(0);
        };
        self.turn += 1;
        match source.route {
            Route::Chat => {
                self.own.extend_from_slice(b"\"},{\"role\":\"assistant\",\"content\":\"");
                self.own.extend_from_slice(answer);
                self.own.extend_from_slice(b"\"},{\"role\":\"user\",\"content\":\"");
            }
            Route::Completions => {
                self.own.extend_from_slice(answer);
                self.own.push(b' ');
            }
        }
        let new = draw(*new_tokens, &mut self.shape);
        source.words.append(&mut self.own, &mut self.text, source.ruler.words(new));
        self.input_tokens += self.output_tokens + new;
        self.output_tokens = draw(*output_tokens, &mut self.shape).max(1);
        draw_think(*think, &mut self.shape)
    }
}
