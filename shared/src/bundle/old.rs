//! Bundles as the version that introduced their format wrote them, never to be written again: they
//! open for ever, with what was in them.

use std::collections::BTreeMap;

use super::{FORMAT_VERSION, open};
use crate::bundle::judged::of_bundle;
use crate::definitions::record::Outcome;

/// A bundle with everything in it, and a small one that is signed, for each version of the format.
pub(crate) const OLD: [(&[u8], &[u8]); FORMAT_VERSION as usize] =
    [(include_bytes!("old/format-1.tokencap"), include_bytes!("old/format-1-signed.tokencap"))];

#[test]
fn bundles_of_every_format_version_open_with_everything_in_them() {
    for (version, (bytes, _)) in (1..).zip(OLD) {
        let (bundle, seal) = open(bytes).expect("an old bundle");
        assert_eq!(bundle.manifest.format, version);
        assert!(seal.canonical);
        // Counted in the files by other programs.
        let outcomes = bundle.requests.iter().fold(BTreeMap::new(), |mut counts, request| {
            *counts.entry(request.outcome == Outcome::Completed).or_insert(0) += 1;
            counts
        });
        assert_eq!(outcomes, BTreeMap::from([(true, 2_069), (false, 278)]));
        let tokens: u64 = bundle.requests.iter().filter_map(|r| r.osl).map(u64::from).sum();
        assert_eq!(bundle.errors, ["server overloaded"]);
        assert_eq!(tokens, 206_516);
        assert_eq!(bundle.telemetry.len(), 688);
        let gaps: u64 = bundle.gaps.values().map(|gaps| gaps.len()).sum();
        assert_eq!(gaps, 178_454);
        assert!(of_bundle(&bundle).lambda.value().is_some());
    }
}
