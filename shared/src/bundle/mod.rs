//! A run's evidence in one file: what the members of a bundle hold, and how they are read and
//! written. Pure: from bytes and to bytes, the same natively and in the browser.

mod archive;
mod crc;
mod error;
mod first;
mod gaps;
mod hdr;
pub mod judged;
pub mod live;
#[cfg(test)]
pub(crate) mod old;
mod pace;
mod pack;
mod parquet;
mod read;
mod requests;
mod rows;
mod table;
mod telemetry;
mod unzip;
mod write;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::definitions::declared::Declared;
use crate::definitions::deployment::Deployment;
use crate::definitions::note::Note;
use crate::definitions::origin::{Calendar, Origin};
use crate::definitions::promise::PromiseSheet;
use crate::definitions::record::{GapHistogram, Request};
use crate::definitions::step::Step;
use crate::definitions::telemetry::Sample;
use crate::definitions::workload::Workload;

pub use archive::has_signoffs;
pub use error::BundleError;
pub use pace::{Pause, Progress};
pub use read::{Seal, open, open_in_slices, read};
pub use write::{with_signoff, write};

/// Version of the bundle's format.
pub const FORMAT_VERSION: u32 = 2;

/// The member `manifest.json`: everything about a run but its raw rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format that it was read from; it is written as [`FORMAT_VERSION`].
    pub format: u32,
    /// Version of the metric definitions ([`crate::DEFINITIONS_VERSION`]).
    pub definitions: u32,
    /// Name and version of the tool that measured.
    pub tool: String,
    /// Random identity of the run, 32 hex digits.
    pub run: String,
    /// When the run started, RFC 3339 in UTC.
    pub started: String,
    /// What was measured.
    pub deployment: Deployment,
    /// What was promised.
    pub promise: PromiseSheet,
    /// What the load was.
    pub workload: Workload,
    /// The steps, in the order they ran.
    pub steps: Vec<Step>,
    /// Who made the records.
    #[serde(default)]
    pub origin: Origin,
    /// The calendar of the process that measured; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<Calendar>,
    /// Facts about the measuring machine and the run, for people: name → text. Nothing is decided
    /// by them. No secrets.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// What a reader should know.
    #[serde(default)]
    pub warnings: Vec<Note>,
    /// SHA-256 of every other member but sign-offs, in hex.
    pub members: BTreeMap<String, String>,
}

impl Manifest {
    /// What was declared of the run.
    #[must_use]
    pub const fn declared(&self) -> Declared<'_> {
        Declared { deployment: &self.deployment, promise: &self.promise, workload: &self.workload }
    }
}

/// A bundle, read and ready to be judged.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// What was declared, and the steps that were run.
    pub manifest: Manifest,
    /// Every request, in the order of steps and, within one, of sending.
    pub requests: Vec<Request>,
    /// Texts that [`Request::error`] points into.
    pub errors: Vec<String>,
    /// Every gap in nanoseconds, by (step id, tier index of the manifest's promise sheet), of
    /// the window's valid requests.
    pub gaps: BTreeMap<(u32, usize), GapHistogram>,
    /// Scrapes, in the order of time.
    pub telemetry: Vec<Sample>,
    /// DSSE envelopes of the sign-offs: file name → JSON text.
    pub signoffs: BTreeMap<String, String>,
}

impl Bundle {
    /// A run of which nothing has been recorded yet.
    #[must_use]
    pub const fn of(manifest: Manifest) -> Self {
        Self {
            manifest,
            requests: Vec::new(),
            errors: Vec::new(),
            gaps: BTreeMap::new(),
            telemetry: Vec::new(),
            signoffs: BTreeMap::new(),
        }
    }
}
