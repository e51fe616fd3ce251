//! A non-blocking connection, with TLS or without, and how it is opened.

use std::io::{self, IoSlice, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use mio::net::TcpStream;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::net::stamp::{self, Arrived, Stamped};
use crate::net::target::{Server, TargetError};

/// How to speak TLS to a server.
#[derive(Clone, Debug)]
pub struct Tls {
    /// Offers HTTP/1.1, which trial requests and scrapes speak whatever the run speaks.
    http1: Arc<ClientConfig>,
    /// Offers HTTP/2 alone.
    http2: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Tls {
    /// TLS for a server, or `None` for one without. The system's certificates are trusted, and
    /// those of a PEM file where one is given.
    ///
    /// # Errors
    /// If the certificates cannot be read or the host's name is none.
    pub fn for_server(
        server: &Server,
        ca_file: Option<&Path>,
    ) -> Result<Option<Self>, TargetError> {
        let tls = |why: String| TargetError::Tls(why);
        if !server.tls {
            return match ca_file {
                Some(_) => Err(tls("--ca-file is for https:// addresses: leave it out".into())),
                None => Ok(None),
            };
        }
        let mut roots = RootCertStore::empty();
        if let Some(path) = ca_file {
            let unreadable = |why| {
                tls(format!(
                    "{}: {why}; --ca-file takes a PEM file of certificates",
                    path.display()
                ))
            };
            for certificate in
                CertificateDer::pem_file_iter(path).map_err(|why| unreadable(why.to_string()))?
            {
                let certificate = certificate.map_err(|why| unreadable(why.to_string()))?;
                roots.add(certificate).map_err(|why| unreadable(why.to_string()))?;
            }
            if roots.is_empty() {
                return Err(unreadable("it has no certificate".into()));
            }
        }
        trust_system(&mut roots);
        if roots.is_empty() {
            return Err(tls("no trusted certificates here; name a PEM file of them".into()));
        }
        let config = config(roots)?;
        let mut http2 = config.clone();
        http2.alpn_protocols = vec![b"h2".to_vec()];
        let name = ServerName::try_from(server.host.clone()).map_err(|why| tls(why.to_string()))?;
        Ok(Some(Self { http1: Arc::new(config), http2: Arc::new(http2), name }))
    }

    /// The configuration for HTTP/1.1 under which the system's certificates alone are trusted.
    ///
    /// # Errors
    /// If TLS refuses it.
    pub(crate) fn of_system() -> Result<ClientConfig, TargetError> {
        let mut roots = RootCertStore::empty();
        trust_system(&mut roots);
        config(roots)
    }

    /// The configuration under which nobody is trusted, for servers without TLS.
    ///
    /// # Errors
    /// If TLS refuses it.
    pub(crate) fn of_nobody() -> Result<ClientConfig, TargetError> {
        config(RootCertStore::empty())
    }

    /// The configuration for HTTP/1.1.
    pub(crate) fn http1(&self) -> ClientConfig {
        ClientConfig::clone(&self.http1)
    }

    /// The configuration for HTTP/2 and the name that the server must prove.
    pub(crate) fn http2(&self) -> (Arc<ClientConfig>, ServerName<'static>) {
        (Arc::clone(&self.http2), self.name.clone())
    }

    /// A TLS session for HTTP/1.1 that has not begun.
    ///
    /// # Errors
    /// If TLS refuses the configuration.
    pub fn session(&self) -> io::Result<ClientConnection> {
        ClientConnection::new(Arc::clone(&self.http1), self.name.clone()).map_err(io::Error::other)
    }
}

fn trust_system(roots: &mut RootCertStore) {
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
}

/// The configuration for HTTP/1.1 under which these certificates are trusted.
fn config(roots: RootCertStore) -> Result<ClientConfig, TargetError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|why| TargetError::Tls(why.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Why a connection cannot be opened, in words that say what to do where TLS is the reason.
pub(crate) fn explain(error: &io::Error) -> String {
    use rustls::{AlertDescription, CertificateError as Bad, Error};

    // Layers between may each have wrapped it anew.
    if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>()) {
        return explain(inner);
    }
    let Some(why) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
        return error.to_string();
    };
    let what = match why {
        // A bad signature: the named authority has the name of the one that signed, and another key.
        Error::InvalidCertificate(Bad::UnknownIssuer | Bad::BadSignature) => {
            "the server's certificate is signed by nobody who is trusted here; if it is right, \
             name a PEM file with its authority's certificate by --ca-file"
        }
        Error::InvalidCertificate(Bad::NotValidForName | Bad::NotValidForNameContext { .. }) => {
            "the server's certificate is for another name than the address has; use a name that \
             stands in the certificate"
        }
        Error::InvalidCertificate(Bad::Expired | Bad::ExpiredContext { .. }) => {
            "the server's certificate has expired; it needs a new one"
        }
        Error::InvalidCertificate(Bad::Other(other))
            if other.to_string().contains("CaUsedAsEndEntity") =>
        {
            "the server shows the certificate of an authority as its own; make it one with \
             basicConstraints=CA:FALSE"
        }
        Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {
            "the server does not speak this version of HTTP over TLS; use --http2 where it speaks \
             nothing else, and leave it out where it does not"
        }
        Error::InvalidMessage(_) => {
            "the server does not speak TLS here; write http:// instead of https://"
        }
        other => return format!("TLS: {other}"),
    };
    format!("TLS: {what}")
}

/// A connection that never blocks.
#[derive(Debug)]
pub enum Io {
    /// Bare TCP.
    Plain(TcpStream),
    /// TLS over TCP.
    Tls(Box<rustls::StreamOwned<ClientConnection, Stamped>>),
}

impl Io {
    /// Begins to connect.
    ///
    /// # Errors
    /// If there is no socket to be had, or the attempt fails at once.
    pub fn connect(address: SocketAddr, tls: Option<&Tls>) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        // Not supported everywhere; without it the last segment of a request may wait.
        let _ = stream.set_nodelay(true);
        stamp::enable(&stream);
        Ok(match tls {
            None => Self::Plain(stream),
            Some(tls) => {
                let stream = Stamped { stream, arrived: None };
                Self::Tls(Box::new(rustls::StreamOwned::new(tls.session()?, stream)))
            }
        })
    }

    /// The socket, for registration.
    pub fn socket(&mut self) -> &mut TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => &mut stream.sock.stream,
        }
    }

    /// Goes on with opening the connection. True: it is open.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&mut self) -> io::Result<bool> {
        if let Some(error) = self.socket().take_error()? {
            return Err(error);
        }
        match self.socket().peer_addr() {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotConnected => return Ok(false),
            Err(error) => return Err(error),
        }
        let Self::Tls(stream) = self else { return Ok(true) };
        while stream.conn.is_handshaking() {
            match stream.conn.complete_io(&mut stream.sock) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Whether a read that did not fill the buffer has emptied the socket.
    #[must_use]
    pub const fn short_read_empties(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    /// Reads as [`Read::read`] does, and tells when the last of it came in, where the kernel knows.
    pub(crate) fn read_stamped(
        &mut self,
        buffer: &mut [u8],
    ) -> io::Result<(usize, Option<Arrived>)> {
        match self {
            Self::Plain(stream) => stamp::read(stream, buffer),
            Self::Tls(stream) => stream.read(buffer).map(|count| (count, stream.sock.arrived)),
        }
    }

    /// Writes what TLS still holds back.
    ///
    /// # Errors
    /// As the socket's.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

impl Read for Io {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Io {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write_vectored(slices),
            Self::Tls(stream) => stream.write_vectored(slices),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Self::flush(self)
    }
}
