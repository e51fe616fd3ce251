//! How a step is asked, from anywhere, to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A request, from anywhere, that a step end now. Copies ask for the same.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<(AtomicBool, OnceLock<String>)>);

impl Stop {
    /// Asks for the end, with the reason that the step will carry. The first reason stays.
    pub fn stop(&self, reason: &str) {
        let _ = self.0.1.set(reason.to_owned());
        self.0.0.store(true, Ordering::Release);
    }

    /// The reason, once the end has been asked for.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        if !self.0.0.load(Ordering::Acquire) {
            return None;
        }
        self.0.1.get().map(String::as_str)
    }
}
