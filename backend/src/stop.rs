//! How a step is asked, from anywhere, to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokencap_shared::definitions::note::Note;

/// A request, from anywhere, that a step end now. Copies ask for the same.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<(AtomicBool, OnceLock<Note>)>);

impl Stop {
    /// Asks for the end, with the reason that the step will carry. The first reason stays.
    pub fn stop(&self, reason: Note) {
        let _ = self.0.1.set(reason);
        self.0.0.store(true, Ordering::Release);
    }

    /// The reason, once the end has been asked for.
    #[must_use]
    pub fn reason(&self) -> Option<&Note> {
        if !self.0.0.load(Ordering::Acquire) {
            return None;
        }
        self.0.1.get()
    }
}
