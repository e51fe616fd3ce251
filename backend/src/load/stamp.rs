//! When the kernel received what is being read: the honest beginning of the read lag.

use std::io;
use std::time::Duration;

use mio::net::TcpStream;

/// Asks the kernel to remember when data came in on this socket. Where it cannot, reads carry no
/// stamp.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the option has no safe binding among the dependencies")]
pub(super) fn enable(stream: &TcpStream) {
    use std::os::fd::AsRawFd;

    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open, and the option's value is a C int of the stated length.
    unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            std::ptr::from_ref(&on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        );
    }
}

/// Reads, and tells how long ago the last of what was read came in.
///
/// # Errors
/// As a read.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the control message has no safe binding among the dependencies")]
pub(super) fn read(stream: &TcpStream, buffer: &mut [u8]) -> io::Result<(usize, Option<Arrived>)> {
    use std::os::fd::AsRawFd;

    let mut piece = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // Room for some control messages, aligned as their headers must be.
    let mut control = [0_u64; 16];
    // SAFETY: a message header of zeros is a valid one; its pointers are set to memory that
    // outlives the call, with that memory's lengths.
    let (count, stamp) = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        let count = libc::recvmsg(stream.as_raw_fd(), &raw mut message, 0);
        if count < 0 {
            return Err(io::Error::last_os_error());
        }
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        // SAFETY: a header that is not null lies inside `control`, and so does its data, which
        // for this type is a timespec.
        let stamp = (!header.is_null()
            && (*header).cmsg_level == libc::SOL_SOCKET
            && (*header).cmsg_type == libc::SCM_TIMESTAMPNS)
            .then(|| std::ptr::read_unaligned(libc::CMSG_DATA(header).cast::<libc::timespec>()));
        (count as usize, stamp)
    };
    let stamp = stamp.and_then(|stamp| {
        let (seconds, nanos) = (stamp.tv_sec.try_into().ok()?, stamp.tv_nsec.try_into().ok()?);
        Some(Arrived(Duration::new(seconds, nanos)))
    });
    Ok((count, stamp))
}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub(super) fn enable(_: &TcpStream) {}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub(super) fn read(
    mut stream: &TcpStream,
    buffer: &mut [u8],
) -> io::Result<(usize, Option<Arrived>)> {
    io::Read::read(&mut stream, buffer).map(|count| (count, None))
}

/// An instant at which data came in, on the kernel's own clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived(Duration);

impl Arrived {
    /// How long ago that was; `None` if the clock was set back meanwhile.
    pub(super) fn ago(self) -> Option<Duration> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
        now.checked_sub(self.0)
    }
}
