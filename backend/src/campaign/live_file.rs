//! What others see of a running campaign: a small file beside its bundle, written every second and
//! gone with the run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokencap_shared::bundle::live::{Done, Live, Now, Tail};
use tokencap_shared::units::Nanos;

use super::watch::{Event, Watch, length, phase};
use crate::drive::plan::Load;
use crate::files;
use crate::store;

/// How often it is written.
const EVERY: Duration = Duration::from_secs(1);
/// A live file that is older than this belongs to a run that no longer runs.
const SILENT: Duration = Duration::from_secs(10);
/// Bytes that a live file may have; one of a thousand steps is far smaller.
const MOST: u64 = 1 << 20;

/// The file.
#[derive(Debug)]
pub struct LiveFile {
    path: PathBuf,
    live: Live,
    /// Place of the running step, number of steps and time left when it began.
    begun: (usize, Option<usize>, Option<Duration>),
    written: Option<Instant>,
}

/// Where the live file of a bundle lies.
#[must_use]
pub fn path_beside(bundle: &Path) -> PathBuf {
    store::beside(bundle, ".live")
}

/// Reads a live file; `None` where there is none.
#[must_use]
pub fn read(path: &Path) -> Option<Live> {
    let mut live: Live = serde_json::from_slice(&files::read(path, MOST).ok()?).ok()?;
    let silent =
        std::fs::metadata(path).ok()?.modified().ok().and_then(|written| written.elapsed().ok());
    live.stalled = silent.is_some_and(|silent| silent > SILENT);
    Some(live)
}

impl LiveFile {
    /// The live file of the bundle that is to be written at `bundle`.
    #[must_use]
    pub fn beside(bundle: &Path, model: &str, promise: &str) -> Self {
        let name = bundle.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (model, promise) = (model.to_owned(), promise.to_owned());
        let live = Live { bundle: name, model, promise, ..Live::default() };
        Self { path: path_beside(bundle), live, begun: (0, None, None), written: None }
    }

    /// Writes it, whole. A disk that refuses costs only the view: the bundle's own writing says
    /// what is wrong with it.
    fn write(&mut self) {
        let new = store::beside(&self.path, ".new");
        let Ok(text) = serde_json::to_vec(&self.live) else { return };
        if std::fs::write(&new, text).is_ok() {
            let _ = std::fs::rename(&new, &self.path);
        }
        self.written = Some(Instant::now());
    }
}

impl Watch for LiveFile {
    fn on(&mut self, event: Event<'_>) {
        match event {
            // A run that measures nothing leaves no file.
            Event::Ready { .. } | Event::Budget { .. } | Event::Found { .. } => {}
            Event::Begin { index, of, left, .. } => self.begun = (index, of, left),
            Event::Tick { plan, elapsed, live, so_far, promise } => {
                if self.written.is_some_and(|written| written.elapsed() < EVERY) {
                    return;
                }
                let (index, of, left) = self.begun;
                self.live.now = Some(Now {
                    index,
                    of,
                    kind: plan.kind,
                    rate: plan.load.rate(),
                    users: match plan.load {
                        Load::Closed(users) => Some(users),
                        Load::Open(_) => None,
                    },
                    phase: phase(plan, elapsed),
                    elapsed: Nanos::from(elapsed),
                    length: Nanos::from(length(plan)),
                    left: left.map(|left| Nanos::from(left.saturating_sub(elapsed))),
                    in_flight: live.in_flight,
                    completed: live.completed,
                    failed: live.failed,
                    tokens: live.tokens,
                    tails: so_far.map_or_else(Vec::new, |judged| Tail::of(judged, promise)),
                    screen: so_far.map(|judged| judged.screen),
                    unsustainable: so_far.is_some_and(|judged| judged.validity.unsustainable),
                });
                self.write();
            }
            Event::End { kind, judged, .. } => {
                self.live.now = None;
                self.live.done.push(Done::of(kind, judged));
                self.write();
            }
        }
    }
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
