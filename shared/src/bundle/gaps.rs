//! The member `gaps.hlog`: an HdrHistogram interval log with one line a (step, tier), tagged
//! `step.tier`, whose interval is the step's window.

use std::collections::BTreeMap;
use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Manifest;
use super::error::BundleError;
use super::hdr;
use crate::definitions::record::GapHistogram;

const HEADER: &str = "#[Histogram log format version 1.3]\n\
    #[Gaps between output events in nanoseconds; Tag=step.tier; times in seconds since the run's \
    start, Interval_Max in milliseconds]\n\
    \"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";

/// Counts of all histograms of a bundle together, 8 bytes each.
const MAX_COUNTS: usize = 1 << 25;

type Gaps = BTreeMap<(u32, usize), GapHistogram>;

/// Writes the log.
pub(super) fn write(gaps: &Gaps, manifest: &Manifest) -> Result<String, BundleError> {
    let mut log = HEADER.to_owned();
    let mut budget = MAX_COUNTS;
    for (&(step, tier), histogram) in gaps {
        let refused = |problem| BundleError::GapsKey { step, tier, problem };
        if histogram.sigfig() != hdr::DIGITS || histogram.low() != hdr::LOWEST {
            return Err(refused("a bundle's histograms have 3 significant digits from 1 ns on"));
        }
        budget = budget
            .checked_sub(hdr::counts_up_to(histogram.high()))
            .ok_or(refused("all histograms together are larger than a bundle's may be"))?;
        let known = manifest.steps.iter().find(|known| known.id == step);
        let known = known.ok_or(refused("the manifest has no such step"))?;
        if tier >= manifest.promise.tiers.len() {
            return Err(refused("the promise sheet has no such tier"));
        }
        let payload = STANDARD.encode(hdr::encode(histogram));
        let (start, length) = (known.w0.0 as f64 / 1e9, known.w1.since(known.w0).seconds().get());
        let max = histogram.max() as f64 / 1e6;
        let written = writeln!(log, "Tag={step}.{tier},{start:.3},{length:.3},{max:.3},{payload}");
        written.unwrap_or_else(|error| unreachable!("a text takes texts: {error}"));
    }
    Ok(log)
}

/// Reads the log.
pub(super) fn read(contents: &[u8], manifest: &Manifest) -> Result<Gaps, BundleError> {
    let refused = |line, problem| BundleError::Gaps { line, problem };
    let log = std::str::from_utf8(contents).map_err(|_| refused(1, "it is no text"))?;
    let mut gaps = Gaps::new();
    let mut budget = MAX_COUNTS;
    for (index, text) in log.lines().enumerate() {
        let refused = |problem| refused(index + 1, problem);
        if text.starts_with(['#', '"']) || text.is_empty() {
            continue;
        }
        let (tag, payload) = split(text).ok_or(refused("it is no line of an interval log"))?;
        let key = key(tag).ok_or(refused("its tag is not `step.tier`"))?;
        if manifest.steps.binary_search_by_key(&key.0, |step| step.id).is_err() {
            return Err(refused("the manifest has no such step"));
        }
        if key.1 >= manifest.promise.tiers.len() {
            return Err(refused("the promise sheet has no such tier"));
        }
        let packed =
            STANDARD.decode(payload).map_err(|_| refused("the histogram is not in base64"))?;
        let histogram = hdr::decode(&packed, &mut budget).map_err(refused)?;
        if gaps.insert(key, histogram).is_some() {
            return Err(refused("its step and tier have a histogram already"));
        }
    }
    Ok(gaps)
}

/// Tag and payload of a line `Tag=…,start,length,max,payload`.
fn split(line: &str) -> Option<(&str, &str)> {
    let mut fields = line.split(',');
    let tag = fields.next()?.strip_prefix("Tag=")?;
    let payload = fields.nth(3)?;
    fields.next().is_none().then_some((tag, payload))
}

fn key(tag: &str) -> Option<(u32, usize)> {
    let (step, tier) = tag.split_once('.')?;
    Some((step.parse().ok()?, tier.parse().ok()?))
}
