//! Work that pauses: one code for those who want a bundle at once, and for a page that must
//! answer its reader meanwhile.

use std::future::Future;
use std::pin::Pin;

/// Rows that are read between two pauses: some ten milliseconds' work in a browser.
const SLICE: usize = 1 << 14;

/// How far the reading of a bundle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Its members are unpacked and compared with their digests.
    Members,
    /// So many rows of a table are read.
    Rows {
        /// Rows.
        read: usize,
        /// Of how many.
        of: usize,
    },
}

/// What is waited for after each slice of the work.
pub type Pause<'p> = dyn FnMut(Progress) -> Pin<Box<dyn Future<Output = ()>>> + 'p;

/// The pace of the work: with pauses, or without.
pub(super) struct Pace<'p> {
    pause: Option<&'p mut Pause<'p>>,
}

impl<'p> Pace<'p> {
    /// Work with pauses.
    pub(super) fn new(pause: &'p mut Pause<'p>) -> Self {
        Self { pause: Some(pause) }
    }

    /// Pauses between two members.
    pub(super) async fn breathe(&mut self) {
        if let Some(pause) = &mut self.pause {
            pause(Progress::Members).await;
        }
    }

    /// Pauses if a slice of rows is read.
    pub(super) async fn rows(&mut self, read: usize, of: usize) {
        if let Some(pause) = &mut self.pause
            && read.is_multiple_of(SLICE)
        {
            pause(Progress::Rows { read, of }).await;
        }
    }
}

/// Does all of the work at once.
pub(super) fn at_once<'a, T>(
    work: impl for<'p> FnOnce(&'p mut Pace<'a>) -> Pin<Box<dyn Future<Output = T> + 'p>>,
) -> T {
    let mut pace = Pace { pause: None };
    // Without pauses there is nothing to wait for.
    pollster::block_on(work(&mut pace))
}
