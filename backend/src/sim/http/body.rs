//! The body of a streamed answer: pieces that the engine puts in and the connection takes out.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;

use crate::sim::Place;

/// The connection is cut on purpose.
#[derive(Debug, thiserror::Error)]
#[error("injected disconnect")]
pub(super) struct Cut;

/// What is on its way to a client.
#[derive(Debug, Default)]
struct State {
    pieces: VecDeque<Bytes>,
    ended: Option<Result<(), ()>>,
    waker: Option<Waker>,
}

/// The engine's side.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox(Arc<Mutex<State>>);

impl Outbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a piece.
    pub(super) fn send(&self, piece: Bytes) {
        let waker = {
            let mut state = self.state();
            state.pieces.push_back(piece);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Ends the answer after what was sent: well, or by cutting the connection.
    pub(super) fn end(&self, well: bool) {
        let waker = {
            let mut state = self.state();
            state.ended = Some(if well { Ok(()) } else { Err(()) });
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Whoever works on a request that may be given up.
pub(super) trait GiveUp: Debug + Send + Sync {
    /// The client at this place went away.
    fn give_up(&self, place: Place);
}

/// The connection's side. Dropped before its end, it gives the request up.
#[derive(Debug)]
pub(super) struct StreamBody {
    outbox: Outbox,
    engine: Arc<dyn GiveUp>,
    place: Place,
    done: bool,
}

impl StreamBody {
    /// What an outbox is given, for a request at its place in the engine.
    pub(super) fn new(outbox: Outbox, engine: Arc<dyn GiveUp>, place: Place) -> Self {
        Self { outbox, engine, place, done: false }
    }
}

impl IntoResponse for StreamBody {
    fn into_response(self) -> Response {
        (
            [
                (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
                (header::CACHE_CONTROL, "no-cache"),
            ],
            Body::new(self),
        )
            .into_response()
    }
}

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        let (ready, done) = {
            let mut state = self.outbox.state();
            if let Some(piece) = state.pieces.pop_front() {
                (Poll::Ready(Some(Ok(Frame::data(piece)))), false)
            } else {
                match state.ended {
                    Some(Ok(())) => (Poll::Ready(None), true),
                    Some(Err(())) => (Poll::Ready(Some(Err(Cut))), true),
                    None => {
                        state.waker = Some(context.waker().clone());
                        (Poll::Pending, false)
                    }
                }
            }
        };
        self.done |= done;
        ready
    }
}

impl Drop for StreamBody {
    fn drop(&mut self) {
        if !self.done {
            self.engine.give_up(self.place);
        }
    }
}
