//! A declared workload as numbers: the same arrivals, lengths and times to think, bit by bit,
//! that the load generator sends as text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tokencap_shared::definitions::workload::{Class, Shape, Workload};
use tokencap_shared::units::{Nanos, Rate};

use crate::rng::{Purpose, Random};
use crate::schedule::arrivals::{Profile, Schedule};
use crate::schedule::draw::{WorkloadError, draw, draw_think};

/// Prompt and answer lengths of the first requests of a workload; none of one that makes no
/// sense.
#[must_use]
pub(crate) fn lengths(workload: &Workload, count: u32) -> Vec<(u32, u32)> {
    let mut drawn = Vec::new();
    let Some(mut source) =
        Rate::new(1.0).ok().and_then(|one| Described::new(workload, one, 1).ok())
    else {
        return drawn;
    };
    while drawn.len() < count as usize {
        let (Some(at), Some(arrival)) = (source.peek(), source.take()) else { break };
        drawn.push((arrival.isl, arrival.osl));
        source.answered(at, arrival.session);
    }
    drawn
}

/// A request that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// The number of the task that it belongs to.
    pub(crate) session: u32,
    /// Its place in the session, from 0.
    pub(crate) turn: u32,
    pub(crate) isl: u32,
    pub(crate) osl: u32,
    /// The class of a mix; 0 for sessions.
    pub(crate) class: usize,
    /// Tokens of its prompt that all tasks of its class share.
    pub(crate) shared_prefix: u32,
}

/// A session under way.
#[derive(Debug)]
struct Session {
    random: Random,
    turn: u32,
    isl: u32,
    osl: u32,
}

/// The arrivals of one step.
#[derive(Debug)]
pub(crate) struct Described<'a> {
    shape: &'a Shape,
    seed: u64,
    weights: Vec<f64>,
    schedule: Schedule,
    next: Option<Nanos>,
    number: u32,
    sessions: Vec<Option<Box<Session>>>,
    /// Further requests of sessions, by their instants.
    due: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<'a> Described<'a> {
    /// The arrivals of a workload at a rate of requests.
    pub(crate) fn new(
        workload: &'a Workload,
        rate: Rate,
        seed: u64,
    ) -> Result<Self, WorkloadError> {
        workload.check()?;
        let (mut weights, mut sum) = (Vec::new(), 0.0);
        let mut per_arrival = 1;
        match &workload.shape {
            Shape::Mix { classes } => {
                for class in classes {
                    sum += class.weight;
                    weights.push(sum);
                }
            }
            Shape::Sessions { steps, .. } => per_arrival = *steps,
            Shape::Trace { .. } => return Err(WorkloadError::NoTrace(workload.name.clone())),
        }
        let rate = Rate::new(rate.get() / f64::from(per_arrival)).unwrap_or(rate);
        let mut schedule = Schedule::new(workload.arrivals, Profile::of(workload, rate), seed);
        Ok(Self {
            shape: &workload.shape,
            seed,
            weights,
            next: schedule.next(),
            schedule,
            number: 0,
            sessions: Vec::new(),
            due: BinaryHeap::new(),
        })
    }

    /// When the next request arrives, in nanoseconds since the step's start; `None`: never.
    pub(crate) fn peek(&self) -> Option<u64> {
        let due = self.due.peek().map(|Reverse((at, _))| *at);
        match (self.next, due) {
            (Some(next), Some(due)) => Some(next.0.min(due)),
            (next, due) => next.map(|next| next.0).or(due),
        }
    }

    /// The next request.
    pub(crate) fn take(&mut self) -> Option<Arrival> {
        let at = self.peek()?;
        if self.next.is_some_and(|next| next.0 == at) {
            self.next = self.schedule.next();
            let number = self.number;
            self.number += 1;
            return self.start(number);
        }
        let Reverse((_, number)) = self.due.pop()?;
        let session = self.sessions[number as usize].as_ref()?;
        let Shape::Sessions { shared_prefix, .. } = self.shape else { return None };
        Some(Arrival {
            session: number,
            turn: session.turn,
            isl: session.isl,
            osl: session.osl,
            class: 0,
            shared_prefix: *shared_prefix,
        })
    }

    fn start(&mut self, number: u32) -> Option<Arrival> {
        let mut random = Random::new(self.seed, Purpose::Shape, number.into());
        match self.shape {
            Shape::Mix { classes } => {
                let total = self.weights.last().copied().unwrap_or(1.0);
                let at = (1.0 - random.unit()) * total;
                let found = self.weights.iter().position(|&sum| at < sum);
                let class = found.unwrap_or(classes.len() - 1);
                let Class { isl, osl, shared_prefix, .. } = classes[class];
                let isl = draw(isl, &mut random).max(shared_prefix).max(1);
                let osl = draw(osl, &mut random).max(1);
                Some(Arrival { session: number, turn: 0, isl, osl, class, shared_prefix })
            }
            Shape::Sessions { shared_prefix, steps, new_tokens, output_tokens, .. } => {
                let shared_prefix = *shared_prefix;
                let isl = (shared_prefix + draw(*new_tokens, &mut random)).max(1);
                let osl = draw(*output_tokens, &mut random).max(1);
                let goes_on = *steps > 1;
                self.sessions
                    .push(goes_on.then(|| Box::new(Session { random, turn: 0, isl, osl })));
                Some(Arrival { session: number, turn: 0, isl, osl, class: 0, shared_prefix })
            }
            // `new` takes none.
            Shape::Trace { .. } => None,
        }
    }

    /// A request got its answer: where its session goes on, the next one is due after the time
    /// to think.
    pub(crate) fn answered(&mut self, at: u64, session: u32) {
        let Shape::Sessions { steps, new_tokens, output_tokens, think, .. } = self.shape else {
            return;
        };
        let place = &mut self.sessions[session as usize];
        let Some(state) = place else { return };
        let new = draw(*new_tokens, &mut state.random);
        state.turn += 1;
        state.isl += state.osl + new;
        state.osl = draw(*output_tokens, &mut state.random).max(1);
        let thinking = draw_think(*think, &mut state.random);
        if state.turn < *steps {
            self.due.push(Reverse((at + thinking.0, session)));
        } else {
            *place = None;
        }
    }
}
