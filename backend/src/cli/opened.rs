//! A bundle, opened and computed anew, as every command about signatures needs it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use tokencap_shared::bundle::judged;
use tokencap_shared::bundle::{self, Bundle, Seal};
use tokencap_shared::definitions::capacity::Capacity;
use tokencap_shared::present::words::Lang;
use tokencap_shared::signoff::{Signed, Trust, UtcTime, Verification, verify};

use super::answer::shown;
use crate::{store, words};

/// A bundle's file, what is in it, and the numbers that its raw records give.
pub(super) struct Opened {
    pub(super) path: PathBuf,
    bytes: Vec<u8>,
    pub(super) bundle: Bundle,
    pub(super) seal: Seal,
    pub(super) capacity: Capacity,
}

impl Opened {
    pub(super) fn new(path: &Path, lang: Lang) -> anyhow::Result<Self> {
        let bytes = store::load_bytes(path)?;
        let (bundle, seal) =
            bundle::open(&bytes).with_context(|| (words::of(lang).unusable)(&shown(path)))?;
        let capacity = judged::of_bundle(&bundle);
        Ok(Self { path: path.to_owned(), bytes, bundle, seal, capacity })
    }

    /// What its signatures are worth now.
    pub(super) fn verify(&self, trust: &Trust, lang: Lang) -> anyhow::Result<Verification> {
        Ok(verify(&self.bundle, &self.seal, &self.capacity, trust, &now(lang)?))
    }

    /// Puts a sign-off into the file.
    pub(super) fn add(&mut self, signed: &Signed) -> anyhow::Result<()> {
        let bytes = bundle::with_signoff(&self.bytes, signed.file, &signed.text)?;
        store::save(&self.path, &bytes)?;
        // The records are the same, and so is what they prove.
        (self.bundle, self.seal) = bundle::open(&bytes)?;
        self.bytes = bytes;
        Ok(())
    }
}

/// The clock of this machine, in whole seconds.
pub(super) fn now(lang: Lang) -> anyhow::Result<UtcTime> {
    utc(jiff::Timestamp::try_from(SystemTime::now()).context(words::of(lang).wrong_clock)?)
}

/// So many days from now.
pub(super) fn in_days(days: u32, lang: Lang) -> anyhow::Result<UtcTime> {
    let days_long = jiff::SignedDuration::from_hours(24 * i64::from(days));
    let later = jiff::Timestamp::now().checked_add(days_long);
    utc(later.with_context(|| (words::of(lang).beyond_calendar)(days))?)
}

fn utc(instant: jiff::Timestamp) -> anyhow::Result<UtcTime> {
    Ok(instant.strftime("%Y-%m-%dT%H:%M:%SZ").to_string().parse()?)
}
