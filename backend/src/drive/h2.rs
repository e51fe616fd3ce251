//! A generator thread that speaks HTTP/2: many requests share a connection.
//!
//! A connection never holds back a request: where every open one carries as many streams as
//! its server allows, another is opened.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h2::client::SendRequest;
use hyper::http::header;
use tokencap_shared::units::Moment;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, timeout_at};

use crate::drive::ledger::{Job, Ledger, Sent, ThreadEvidence};
use crate::drive::shared::Shared;
use crate::net::client::head_of;
use crate::net::io::explain;
use crate::net::pace::Timer;
use crate::net::stamp::{Arrivals, Arrived, AsyncStamped};
use tokencap_wire::answer::{Answer, End};
use tokencap_wire::http1::Sink;

/// Longest sleep: other threads' wishes are looked at so often.
const LONGEST_WAIT: Duration = Duration::from_millis(20);
/// What a stream and a connection may send before it is told to go on: more than any answer.
const WINDOW: u32 = 1 << 24;

/// An open connection and the requests on it.
#[derive(Clone)]
struct Link {
    sender: SendRequest<Bytes>,
    load: Rc<Cell<usize>>,
    broken: Rc<Cell<bool>>,
    /// When what was read from the connection last came in.
    arrived: Rc<Cell<Option<Arrived>>>,
}

impl Link {
    fn has_room(&self) -> bool {
        !self.broken.get() && self.load.get() < self.sender.current_max_send_streams()
    }
}

/// A generator thread's state.
struct Multiplexer {
    shared: Arc<Shared>,
    links: Rc<RefCell<Vec<Link>>>,
    next_address: Cell<usize>,
}

/// Opens connections in advance, says so, and runs until the step has ended.
pub(crate) fn run(
    mut ledger: Ledger,
    connections: usize,
    until: Moment,
    ready: impl FnOnce(),
) -> io::Result<ThreadEvidence> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, async move {
        let thread = Rc::new(Multiplexer {
            shared: Arc::clone(&ledger.shared),
            links: Rc::default(),
            next_address: Cell::new(0),
        });
        let opening = async {
            for _ in 0..connections {
                if thread.open().await.is_err() {
                    break;
                }
            }
        };
        let limit = Instant::now() + thread.shared.clock.until(until);
        let _ = timeout_at(limit, opening).await;
        ready();
        let timer = Timer::new()?;
        let (done_in, done) = unbounded_channel();
        thread.generate(&mut ledger, &timer, done_in, done).await?;
        Ok(ledger.into_evidence())
    })
}

type Done = (Sent, End);

impl Multiplexer {
    async fn generate(
        self: &Rc<Self>,
        ledger: &mut Ledger,
        timer: &Timer,
        done_in: UnboundedSender<Done>,
        mut done: UnboundedReceiver<Done>,
    ) -> io::Result<()> {
        let clock = self.shared.clock;
        ledger.slept_until(clock.now());
        let mut under_way = 0_usize;
        while !self.shared.has_ended() {
            ledger.fetch();
            while let Some(job) = ledger.pop_due() {
                self.start(job, ledger, &done_in);
                under_way += 1;
            }
            while let Ok((sent, end)) = done.try_recv() {
                under_way -= 1;
                ledger.record(sent, &end);
            }
            let now = clock.now();
            ledger.pass(now);
            ledger.was_busy_until(now);
            let due = ledger.next_due();
            tokio::select! {
                biased;
                one = done.recv() => if let Some((sent, end)) = one {
                    under_way -= 1;
                    ledger.record(sent, &end);
                },
                woken = timer.until(clock, due) => woken?,
                () = sleep(LONGEST_WAIT) => {}
            }
            ledger.slept_until(clock.now());
        }
        // What is still in flight is given up: its tasks see that the step has ended.
        while under_way > 0 {
            let Some((sent, end)) = done.recv().await else { break };
            under_way -= 1;
            ledger.record(sent, &end);
        }
        Ok(())
    }

    fn start(self: &Rc<Self>, job: Job, ledger: &Ledger, done: &UnboundedSender<Done>) {
        let keep_text = self.shared.keeps_text(&job.task);
        let body = Bytes::from(job.task.body());
        let sent = self.shared.clock.now();
        let member = self.shared.is_member(sent);
        self.shared.on_sent(member);
        let answer = Answer::new(keep_text);
        let mut sent =
            Sent { task: job.task, intended: job.intended, sent, member, answer, ended: None };
        ledger.tell_sent(&sent);
        let (thread, done) = (Rc::clone(self), done.clone());
        tokio::task::spawn_local(async move {
            let ended = async {
                while !thread.shared.has_ended() {
                    sleep(LONGEST_WAIT).await;
                }
            };
            let end = tokio::select! {
                biased;
                end = thread.exchange(body, &mut sent) => end,
                () = ended => End::Cancelled,
            };
            // Nobody listens any more only when the thread is over.
            let _ = done.send((sent, end));
        });
    }

    async fn exchange(&self, body: Bytes, sent: &mut Sent) -> End {
        let limits = self.shared.target.timeouts;
        let begun = Instant::now();
        let whole = begun + limits.whole;
        let link = match self.link_with_room() {
            Some(link) => link,
            None => match timeout_at(begun + limits.connect, self.open()).await {
                Ok(Ok(link)) => link,
                Ok(Err(error)) => return End::Unreachable(explain(&error)),
                Err(_) => {
                    let what = "no connection within the time limit for connecting";
                    return End::Unreachable(what.into());
                }
            },
        };
        link.load.set(link.load.get() + 1);
        let first = (begun + limits.first_token).min(whole);
        let end = timeout_at(whole, self.converse(&link, body, sent, first, limits.gap)).await;
        link.load.set(link.load.get() - 1);
        end.unwrap_or(End::Timeout("the request's time limit passed"))
    }

    async fn converse(
        &self,
        link: &Link,
        body: Bytes,
        sent: &mut Sent,
        first: Instant,
        gap: Duration,
    ) -> End {
        let broke = |error: &h2::Error| {
            link.broken.set(error.is_go_away() || error.is_io());
            End::Cut(format!("the connection or stream broke: {error}"))
        };
        let no_token = End::Timeout("no output within the time limit for the first token");
        let mut sender = match link.sender.clone().ready().await {
            Ok(sender) => sender,
            Err(error) => return broke(&error),
        };
        let mut request = self.shared.target.request(());
        request.headers_mut().insert(header::CONTENT_LENGTH, body.len().into());
        let (response, mut upload) = match sender.send_request(request, false) {
            Ok(pair) => pair,
            Err(error) => return broke(&error),
        };
        // A server may answer before it has taken the whole body: then the answer counts.
        let sending = send_body(&mut upload, body);
        let received = async {
            let (_, response) = tokio::join!(sending, response);
            response
        };
        let response = match timeout_at(first, received).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return broke(&error),
            Err(_) => return no_token,
        };
        sent.answer.on_head(head_of(response.status().as_u16(), response.headers()));
        let mut body = response.into_body();
        // The connection may have read on since: then what is taken up here came a little earlier.
        let arrival = |after| Arrivals::new(self.shared.clock).at(link.arrived.get(), after);
        let mut heard = sent.sent;
        loop {
            let limit = match sent.answer.last {
                None => first,
                Some(_) => Instant::now() + gap,
            };
            match timeout_at(limit, body.data()).await {
                Ok(Some(Ok(data))) => {
                    heard = arrival(heard);
                    sent.answer.on_body(heard, &data);
                    // It fails only where the stream has ended, which the next read tells.
                    let _ = body.flow_control().release_capacity(data.len());
                }
                Ok(Some(Err(error))) => return broke(&error),
                Ok(None) => {
                    sent.ended = Some(arrival(heard));
                    return End::Whole;
                }
                Err(_) if sent.answer.last.is_none() => return no_token,
                Err(_) => {
                    return End::Timeout("no further output within the time limit for a gap");
                }
            }
        }
    }

    fn link_with_room(&self) -> Option<Link> {
        let mut links = self.links.borrow_mut();
        links.retain(|link| !link.broken.get());
        links.iter().filter(|link| link.has_room()).min_by_key(|link| link.load.get()).cloned()
    }

    /// Opens a connection.
    async fn open(&self) -> io::Result<Link> {
        let server = &self.shared.target.server;
        let number = self.next_address.replace(self.next_address.get() + 1);
        let address = server.addresses[number % server.addresses.len()];
        let stream = TcpStream::connect(address).await?;
        tracing::debug!(%address, open = self.links.borrow().len(), "a connection is opened");
        stream.set_nodelay(true)?;
        let (stream, arrived) = AsyncStamped::new(stream);
        match &self.shared.tls {
            None => self.handshake(stream, arrived).await,
            Some(tls) => {
                let (config, name) = tls.http2();
                let connector = tokio_rustls::TlsConnector::from(config);
                let stream = connector.connect(name, stream).await?;
                if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
                    return Err(io::Error::other(
                        "the server does not speak HTTP/2: leave out --http2",
                    ));
                }
                self.handshake(stream, arrived).await
            }
        }
    }

    async fn handshake(
        &self,
        stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + 'static,
        arrived: Rc<Cell<Option<Arrived>>>,
    ) -> io::Result<Link> {
        let (sender, connection) = h2::client::Builder::new()
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .handshake(stream)
            .await
            .map_err(io::Error::other)?;
        let broken = Rc::new(Cell::new(false));
        let watched = Rc::clone(&broken);
        tokio::task::spawn_local(async move {
            let _ = connection.await;
            watched.set(true);
        });
        let link = Link { sender, load: Rc::default(), broken, arrived };
        self.links.borrow_mut().push(link.clone());
        Ok(link)
    }
}

/// Sends a body as the server's windows allow.
async fn send_body(upload: &mut h2::SendStream<Bytes>, mut body: Bytes) -> Result<(), h2::Error> {
    while !body.is_empty() {
        upload.reserve_capacity(body.len());
        let Some(room) = poll_fn(|context| upload.poll_capacity(context)).await else { break };
        let piece = body.split_to(room?.min(body.len()));
        upload.send_data(piece, body.is_empty())?;
    }
    Ok(())
}
