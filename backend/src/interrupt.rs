//! Ctrl-C: the first one ends the step in flight and keeps what was measured, the second one
//! ends the process at once (the bundle on disk holds every finished step).

use std::io;

use crate::load::live::Stop;

/// Exit code of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on, Ctrl-C stops what watches the returned [`Stop`].
///
/// # Errors
/// If the system does not let the signal be listened to.
pub fn stop_on_interrupt() -> io::Result<Stop> {
    let stop = Stop::default();
    let asked = stop.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("interrupt".into()).spawn(move || {
        runtime.block_on(async {
            if tokio::signal::ctrl_c().await.is_ok() {
                asked.stop("interrupted by the user");
                eprintln!("\nStopping: keeping what was measured. Ctrl-C again ends at once.");
            }
            if tokio::signal::ctrl_c().await.is_ok() {
                std::process::exit(INTERRUPTED);
            }
        });
    })?;
    Ok(stop)
}
