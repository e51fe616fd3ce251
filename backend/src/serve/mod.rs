//! The viewer's server: the web app, the bundles it was given, and price sheets. Read-only.
//!
//! It never fetches or load-tests anything that a browser asks for: there is no route that takes
//! a URL. Bundles are sent as they are; the page verifies and judges them itself.

mod connections;
mod guard;
mod library;
mod routes;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use tokencap_shared::signoff::Trust;
use tokio::net::TcpListener;
use tokio::sync::watch;

pub use guard::Access;
pub use library::{Library, LibraryError};

/// What to serve, where, and to whom.
#[derive(Debug)]
pub struct Config {
    /// Address to listen on.
    pub listen: SocketAddr,
    /// Who may read.
    pub access: Access,
    /// The bundles.
    pub library: Library,
    /// Price sheets as JSON, the chosen one first.
    pub prices: Vec<serde_json::Value>,
    /// The keys by which the page verifies sign-offs.
    pub trust: Trust,
}

/// Why the server could not start or go on.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum ServeError {
    /// Another program listens there.
    #[error(
        "port {} of {} is in use: stop the program that uses it, or choose another one with \
         --port (0 takes any free one)", .at.port(), .at.ip()
    )]
    PortInUse { at: SocketAddr },
    /// Below 1024, or forbidden.
    #[error("not allowed to listen on port {} of {}: choose a port of 1024 or above with --port",
        .at.port(), .at.ip())]
    NotAllowed { at: SocketAddr },
    /// No such address on this machine.
    #[error("this machine has no address {ip}: give one of its own with --listen")]
    NoSuchAddress {
        /// The address.
        ip: IpAddr,
    },
    /// Any other failure.
    #[error("cannot listen on {at}")]
    Listen { at: SocketAddr, source: io::Error },
    /// A bundle that cannot be served.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// Remote access that nobody decided on.
    #[error(
        "{ip} can be reached from other machines: add --allow-remote, and either --token-file FILE \
         (readers give that token as their password) or --no-auth (anybody who can reach it may \
         read every bundle)"
    )]
    RemoteUndecided {
        /// The address.
        ip: IpAddr,
    },
    /// A token that protects nothing.
    #[error(
        "the token in {path} is shorter than {least} characters: `openssl rand -hex 24` makes one"
    )]
    WeakToken {
        /// Its file.
        path: PathBuf,
        /// Fewest characters.
        least: usize,
    },
    /// A token that cannot be read.
    #[error("cannot read the token file {path}")]
    TokenFile {
        /// Its file.
        path: PathBuf,
        source: io::Error,
    },
}

/// A server that listens already, so that its address can be told before it runs.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: axum::Router,
    stopping: watch::Sender<bool>,
}

impl Server {
    /// Starts to listen.
    ///
    /// # Errors
    /// If the address cannot be listened on, or would be open to other machines although nobody
    /// decided who may read.
    pub async fn bind(config: Config) -> Result<Self, ServeError> {
        let at = config.listen;
        config.access.check(at.ip())?;
        let listener = TcpListener::bind(at).await.map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => ServeError::PortInUse { at },
            io::ErrorKind::PermissionDenied => ServeError::NotAllowed { at },
            io::ErrorKind::AddrNotAvailable => ServeError::NoSuchAddress { ip: at.ip() },
            _ => ServeError::Listen { at, source },
        })?;
        let address = listener.local_addr().map_err(|source| ServeError::Listen { at, source })?;
        let (stopping, told) = watch::channel(false);
        let app = routes::router(config, told);
        Ok(Self { listener, address, app, stopping })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for a browser.
    #[must_use]
    pub fn url(&self) -> String {
        let port = self.address.port();
        match self.address.ip() {
            ip if ip.is_unspecified() => format!("http://localhost:{port}/"),
            IpAddr::V4(ip) => format!("http://{ip}:{port}/"),
            IpAddr::V6(ip) => format!("http://[{ip}]:{port}/"),
        }
    }

    /// Serves until `stop` is ready, then lets open answers finish for a few seconds.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let stop = async {
            stop.await;
            // Answers that go on as long as the page is open end now.
            self.stopping.send_replace(true);
        };
        connections::serve(self.listener, self.app, stop).await;
    }
}
