//! The engine in real time: who waits for which tokens, and when the next ones are due.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use hdrhistogram::Histogram;
use tokio::sync::oneshot;

use super::Lateness;
use super::answer::Form;
use super::body::{GiveUp, Outbox, StreamBody};
use super::metrics::{self, Page};
use super::pacer::Pacer;
use super::protocol::refusal;
use super::request::Asked;
use crate::histogram::{histogram, record};
use crate::rng::{Purpose, Random};
use crate::schedule::form::Route;
use crate::sim::{Cluster, Config, Done, Emissions, Fault, Job, Key, Observer, Place, Refusal};

/// See the module.
#[derive(Debug)]
pub(super) struct Engine {
    origin: Instant,
    pacer: Arc<Pacer>,
    model: String,
    seed: u64,
    natural_mean: f64,
    tokens_per_event: u32,
    per_request_metrics: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    cluster: Cluster,
    clients: Clients,
    next_key: Key,
    lateness: Histogram<u64>,
}

/// How a request goes on.
pub(super) enum Accepted {
    /// As a stream.
    Stream(StreamBody),
    /// Whole, when it is done.
    Whole(oneshot::Receiver<Response>),
}

/// A refusal as a response.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::QueueFull => refusal(
                StatusCode::SERVICE_UNAVAILABLE,
                "ServiceUnavailableError",
                "The request queue is full.",
            ),
            Self::ServerError => refusal(
                StatusCode::INTERNAL_SERVER_ERROR,
                "InternalServerError",
                "injected server error",
            ),
            Self::TooLong => refusal(
                StatusCode::BAD_REQUEST,
                "BadRequestError",
                "prompt and output exceed the maximum context length",
            ),
        }
    }
}

/// Everybody who waits for tokens.
#[derive(Debug, Default)]
struct Clients {
    waiting: HashMap<Key, Client>,
    /// Ends of stalls.
    stalls: BinaryHeap<Reverse<(u64, Key)>>,
    every: u32,
}

#[derive(Debug)]
struct Client {
    form: Form,
    isl: u32,
    osl: u32,
    usage: bool,
    tokens: u32,
    /// Tokens not yet sent.
    unsent: u32,
    fault: Option<Fault>,
    /// While the stream is frozen: what came meanwhile.
    frozen: Option<Vec<Bytes>>,
    out: Out,
    /// Written at the first token.
    token: Bytes,
}

#[derive(Debug)]
enum Out {
    Stream(Outbox),
    Whole(Option<oneshot::Sender<Response>>),
}

impl Engine {
    pub(super) fn start(config: &Config) -> std::io::Result<Arc<Self>> {
        let origin = Instant::now();
        Ok(Arc::new(Self {
            origin,
            pacer: Pacer::start(origin)?,
            model: config.model.clone(),
            seed: config.seed,
            natural_mean: config.output.natural_mean,
            tokens_per_event: config.output.tokens_per_event,
            per_request_metrics: config.metrics.per_request,
            state: Mutex::new(State {
                cluster: Cluster::new(config),
                clients: Clients { every: config.output.tokens_per_event, ..Clients::default() },
                next_key: 0,
                lateness: histogram(3),
            }),
        }))
    }

    pub(super) fn stop(&self) {
        self.pacer.stop();
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves events as they become due, for ever.
    pub(super) async fn drive(self: Arc<Self>) {
        loop {
            self.pacer.woken().await;
            let mut state = self.state();
            let now = self.now();
            if let Some(due) = state.due()
                && due <= now
            {
                record(&mut state.lateness, (now - due) / 1000);
            }
            self.advance(&mut state, now);
        }
    }

    /// Serves what is due by now, and asks to be woken for what is due next.
    fn advance(&self, state: &mut State, now: u64) {
        state.cluster.advance(now, &mut state.clients);
        state.clients.thaw(now);
        self.pacer.wake_at(state.due());
    }

    /// Takes a request on.
    pub(super) fn accept(
        self: &Arc<Self>,
        route: Route,
        asked: Asked,
    ) -> Result<Accepted, Refusal> {
        let mut guard = self.state();
        let state = &mut *guard;
        let now = self.now();
        self.advance(state, now);
        let key = state.next_key;
        state.next_key += 1;
        let (osl, reason) = self.length(key, &asked);
        let job = Job { key, chain: asked.chain, isl: asked.isl, osl };
        let (place, fault) = state.cluster.submit(now, job)?;
        self.pacer.wake_at(state.due());
        let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        let form = Form::new(route, key, created, &self.model, reason, self.per_request_metrics);
        let token = form.tokens(self.tokens_per_event.min(osl));
        let (out, accepted) = if asked.stream {
            let outbox = Outbox::default();
            let engine: Arc<dyn GiveUp> = Arc::<Self>::clone(self);
            let body = StreamBody::new(outbox.clone(), engine, place);
            (Out::Stream(outbox), Accepted::Stream(body))
        } else {
            let (sender, receiver) = oneshot::channel();
            (Out::Whole(Some(sender)), Accepted::Whole(receiver))
        };
        let client = Client {
            form,
            isl: asked.isl,
            osl: fault.and_then(Fault::ends_after).unwrap_or(osl),
            usage: asked.include_usage,
            tokens: 0,
            unsent: 0,
            fault,
            frozen: None,
            out,
            token,
        };
        state.clients.waiting.insert(key, client);
        Ok(accepted)
    }

    /// How many tokens a request gets, and why it ends there.
    fn length(&self, key: Key, asked: &Asked) -> (u32, &'static str) {
        if asked.ignore_eos {
            return (asked.max_tokens, "length");
        }
        let mut random = Random::new(self.seed, Purpose::Shape, key);
        let natural = if self.natural_mean > 1.0 {
            libm::log(random.unit()) / libm::log(1.0 - 1.0 / self.natural_mean)
        } else {
            0.0
        };
        let natural = (natural as u32).saturating_add(1).max(asked.min_tokens);
        if natural < asked.max_tokens { (natural, "stop") } else { (asked.max_tokens, "length") }
    }

    pub(super) fn lateness(&self) -> Lateness {
        let state = self.state();
        let histogram = &state.lateness;
        Lateness {
            events: histogram.len(),
            p50_us: histogram.value_at_quantile(0.5),
            p99_us: histogram.value_at_quantile(0.99),
            max_us: histogram.max(),
        }
    }

    /// The metrics page.
    pub(super) fn metrics(&self, config: &Config) -> String {
        let lateness = self.lateness();
        let mut state = self.state();
        let now = self.now();
        self.advance(&mut state, now);
        metrics::write(&Page { config, cluster: &state.cluster, lateness, now })
    }
}

impl GiveUp for Engine {
    fn give_up(&self, place: Place) {
        let mut state = self.state();
        let now = self.now();
        self.advance(&mut state, now);
        state.cluster.abort(place);
        state.clients.waiting.remove(&place.key());
    }
}

impl State {
    fn due(&self) -> Option<u64> {
        let stall = self.clients.stalls.peek().map(|Reverse((time, _))| *time);
        match (self.cluster.next(), stall) {
            (Some(event), Some(stall)) => Some(event.min(stall)),
            (event, stall) => event.or(stall),
        }
    }
}

impl Clients {
    /// Ends the stalls that are over.
    fn thaw(&mut self, now: u64) {
        while let Some(&Reverse((time, key))) = self.stalls.peek() {
            if time > now {
                return;
            }
            self.stalls.pop();
            let Some(client) = self.waiting.get_mut(&key) else { continue };
            let held = client.frozen.take().unwrap_or_default();
            held.into_iter().for_each(|piece| client.send(piece));
            if client.tokens == client.osl {
                client.end(true);
                self.waiting.remove(&key);
            }
        }
    }
}

impl Client {
    fn send(&mut self, piece: Bytes) {
        match (&mut self.frozen, &self.out) {
            (Some(held), _) => held.push(piece),
            (None, Out::Stream(outbox)) => outbox.send(piece),
            (None, Out::Whole(_)) => {}
        }
    }

    fn end(&self, well: bool) {
        if let Out::Stream(outbox) = &self.out {
            outbox.end(well);
        }
    }

    /// One more token; returns when a stall that begins now ends.
    fn token(&mut self, time: u64, every: u32) -> Option<u64> {
        self.tokens += 1;
        self.unsent += 1;
        if self.tokens == self.osl || matches!(self.out, Out::Whole(_)) {
            return None;
        }
        let first = self.tokens == 1;
        if first {
            if let Some(role) = self.form.role() {
                self.send(role);
            }
            let token = if every == 1 { self.token.clone() } else { self.form.tokens(1) };
            self.send(token);
            self.unsent = 0;
        } else if self.unsent == every {
            self.send(self.token.clone());
            self.unsent = 0;
        }
        match self.fault {
            Some(Fault::Stall { after, nanos }) if after == self.tokens => {
                self.frozen = Some(Vec::new());
                Some(time + nanos)
            }
            _ => None,
        }
    }
}

impl Observer for Clients {
    fn token(&mut self, time: u64, key: Key) {
        self.tokens(time, &[key]);
    }

    fn tokens(&mut self, time: u64, keys: &[Key]) {
        for key in keys {
            let Some(client) = self.waiting.get_mut(key) else { continue };
            if let Some(thaw) = client.token(time, self.every) {
                self.stalls.push(Reverse((thaw, *key)));
            }
        }
    }

    fn done(&mut self, time: u64, key: Key, done: &Done, _: Emissions<'_>) {
        let Some(client) = self.waiting.get_mut(&key) else { return };
        if let Out::Whole(sender) = &mut client.out {
            let response = match client.fault {
                Some(Fault::StreamError { .. } | Fault::Disconnect { .. }) => {
                    Refusal::ServerError.into_response()
                }
                _ => client.form.whole(client.isl, done, time),
            };
            if let Some(sender) = sender.take() {
                // Where nobody receives it the client has gone.
                let _ = sender.send(response);
            }
            self.waiting.remove(&key);
            return;
        }
        if client.tokens == 1
            && let Some(role) = client.form.role()
        {
            client.send(role);
        }
        let unsent = client.unsent;
        let (last, well) = match client.fault {
            Some(Fault::StreamError { .. }) => (client.form.broken(unsent), true),
            Some(Fault::Disconnect { .. }) => (client.form.tokens(unsent), false),
            _ => (client.form.last(unsent, client.isl, done, client.usage, time), true),
        };
        client.send(last);
        if client.frozen.is_none() {
            client.end(well);
            self.waiting.remove(&key);
        }
    }
}
