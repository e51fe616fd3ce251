//! Ctrl-C, and the signal by which systems ask a process to end: at the first one nothing more is
//! sent, what is in flight comes to its end, and what was measured is kept; the second one ends the
//! process at once (the bundle on disk holds every finished step).

use std::io;

use tokencap_shared::definitions::note::Note;
use tokencap_shared::present::words::Lang;

use crate::stop::Stop;
use crate::words;

/// Exit code of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// Ready once somebody asks the process to end.
///
/// # Errors
/// If the system does not let the signal be listened to.
pub async fn asked() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            asked = tokio::signal::ctrl_c() => asked,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

/// The same for what serves until then: never ready where the signal cannot be listened to.
pub async fn interrupted() {
    if asked().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// From now on, Ctrl-C stops what watches the returned [`Stop`].
///
/// # Errors
/// If the system does not let the signal be listened to.
pub fn stop_on_interrupt(lang: Lang) -> io::Result<Stop> {
    let stop = Stop::default();
    let stopped = stop.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("interrupt".into()).spawn(move || {
        runtime.block_on(async {
            if asked().await.is_ok() {
                stopped.stop(Note::Interrupted);
                eprintln!("{}", words::of(lang).stopping);
            }
            if asked().await.is_ok() {
                std::process::exit(INTERRUPTED);
            }
        });
    })?;
    Ok(stop)
}
