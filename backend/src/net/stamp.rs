//! When the kernel received what is being read. That is when an event arrived, however long the
//! generator was busy with others before it looked: a crowd of streams does not make each other's
//! tokens look late.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mio::net::TcpStream;
#[cfg(target_os = "linux")]
use nix::sys::socket;
use tokencap_shared::units::Moment;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::clock::Clock;

/// Who tells when something arrived: the kernel, or the program when it reads.
pub const STAMPED_BY: &str = if cfg!(target_os = "linux") { "kernel" } else { "reads" };

/// Asks the kernel to remember when data came in on this socket. Where it cannot, reads carry no
/// stamp.
#[cfg(target_os = "linux")]
pub(crate) fn enable(stream: &impl std::os::fd::AsFd) {
    let _ = socket::setsockopt(stream, socket::sockopt::ReceiveTimestampns, &true);
}

/// Room for control messages, aligned as their headers must be.
#[cfg(target_os = "linux")]
#[repr(align(8))]
struct Control([u8; 128]);

/// Reads, and tells when the last of what was read came in.
///
/// # Errors
/// As a read.
#[cfg(target_os = "linux")]
pub(crate) fn read(
    stream: &impl std::os::fd::AsRawFd,
    buffer: &mut [u8],
) -> io::Result<(usize, Option<Arrived>)> {
    // On the stack: this is done for every event.
    let mut control = Control([0; 128]);
    let mut piece = [io::IoSliceMut::new(buffer)];
    let (fd, flags) = (stream.as_raw_fd(), socket::MsgFlags::empty());
    let message = socket::recvmsg::<()>(fd, &mut piece, Some(&mut control.0), flags)?;
    let stamps = message.cmsgs().into_iter().flatten();
    let stamp = stamps.into_iter().find_map(|message| match message {
        socket::ControlMessageOwned::ScmTimestampns(stamp) => Some(Arrived(stamp.into())),
        _ => None,
    });
    Ok((message.bytes, stamp))
}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub(crate) fn enable<S>(_: &S) {}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub(crate) fn read<S>(stream: &S, buffer: &mut [u8]) -> io::Result<(usize, Option<Arrived>)>
where
    for<'s> &'s S: Read,
{
    (&mut &*stream).read(buffer).map(|count| (count, None))
}

/// An instant at which data came in, on the kernel's own clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived(Duration);

impl Arrived {
    /// How long ago that was; `None` if the clock was set back meanwhile.
    pub(crate) fn ago(self) -> Option<Duration> {
        SystemTime::now().duration_since(UNIX_EPOCH).ok()?.checked_sub(self.0)
    }
}

/// Tells the kernel's times on the run's clock. Made anew for every few reads: the calendar's
/// clock, which the kernel stamps by, is slewed and set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrivals {
    clock: Clock,
    zero_unix_ns: i64,
}

impl Arrivals {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, zero_unix_ns: clock.zero_unix_ns() }
    }

    /// When something came that was just read: as the kernel says, or now where it does not; and
    /// surely not before what came `after` which.
    pub(crate) fn at(&self, arrived: Option<Arrived>, after: Moment) -> Moment {
        let now = self.clock.now();
        let Some(Arrived(stamp)) = arrived else { return now };
        let at = i64::try_from(stamp.as_nanos()).unwrap_or(i64::MAX);
        let at = at.saturating_sub(self.zero_unix_ns);
        Moment(u64::try_from(at).unwrap_or(0)).clamp(after.min(now), now)
    }
}

/// A socket that remembers when what was read from it last came in.
#[derive(Debug)]
pub struct Stamped {
    pub(crate) stream: TcpStream,
    pub(crate) arrived: Option<Arrived>,
}

impl Read for Stamped {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (count, arrived) = read(&self.stream, buffer)?;
        self.arrived = arrived;
        Ok(count)
    }
}

impl Write for Stamped {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.write(buffer)
    }

    fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.stream.write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// The same for asynchronous code, which others ask while the stream itself is at work elsewhere.
#[derive(Debug)]
pub(crate) struct AsyncStamped {
    stream: tokio::net::TcpStream,
    arrived: Rc<Cell<Option<Arrived>>>,
}

impl AsyncStamped {
    /// A stream, and where it notes when what was read from it last came in.
    pub(crate) fn new(stream: tokio::net::TcpStream) -> (Self, Rc<Cell<Option<Arrived>>>) {
        enable(&stream);
        let arrived = Rc::default();
        (Self { stream, arrived: Rc::clone(&arrived) }, arrived)
    }

    #[cfg(target_os = "linux")]
    fn try_read(&self, buffer: &mut [u8]) -> io::Result<(usize, Option<Arrived>)> {
        self.stream.try_io(tokio::io::Interest::READABLE, || read(&self.stream, buffer))
    }

    #[cfg(not(target_os = "linux"))]
    fn try_read(&self, buffer: &mut [u8]) -> io::Result<(usize, Option<Arrived>)> {
        self.stream.try_read(buffer).map(|count| (count, None))
    }
}

impl AsyncRead for AsyncStamped {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.stream.poll_read_ready(context))?;
            match self.try_read(buffer.initialize_unfilled()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
                Ok((count, arrived)) => {
                    buffer.advance(count);
                    self.arrived.set(arrived);
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

impl AsyncWrite for AsyncStamped {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use tokencap_shared::units::Nanos;

    use super::*;

    #[test]
    fn what_is_read_late_arrived_when_it_came() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        enable(&stream);
        let mut reader = Stamped { stream, arrived: None };
        let (mut server, _) = listener.accept().unwrap();
        let clock = Clock::start();
        // The kernel begins to stamp some time after the first socket asks for it.
        for _ in 0..100 {
            let written = clock.now();
            server.write_all(b"data: x\n\n").unwrap();
            std::thread::sleep(Duration::from_millis(20));
            let looked = clock.now();
            let mut buffer = [0; 64];
            while reader.read(&mut buffer).is_err() {}
            if reader.arrived.is_none() {
                continue;
            }
            let at = Arrivals::new(clock).at(reader.arrived, Moment(0));
            assert!(at < looked, "it came before anybody looked");
            // Both clocks are read one after the other.
            assert!(at + Nanos::from_millis(20) > written, "and not before it was sent");
            return;
        }
        panic!("the kernel stamps nothing");
    }

    #[test]
    fn a_calendar_that_was_set_does_not_move_an_arrival_out_of_its_time() {
        let clock = Clock::start();
        let after = clock.now();
        let arrivals = Arrivals::new(clock);
        for stamp in [Duration::ZERO, Duration::MAX] {
            let at = arrivals.at(Some(Arrived(stamp)), after);
            assert!((after..=clock.now()).contains(&at));
        }
        assert!(arrivals.at(None, after) >= after);
    }
}
